"""Check the audit log, its signatures, the trust files, the gated files and what nights read.

Reads   audit/, config/nightledger/, the gated files, memory/, the pin in $NIGHTLEDGER_KEYS
Changes no memory, and writes nothing at all.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nightledger.surfaces.context import Context

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from nightledger.domain.states import Drifted
    from nightledger.gate.checking import Altered
    from nightledger.gate.inputs import Rewrites, Rewritten
    from nightledger.trust.report import Report

SHOWN = 3
"""Daily logs that are named; their agent may have reason to change them, so a few will do."""


def configure(parser: argparse.ArgumentParser) -> None:
    """``verify`` has no options of its own."""
    del parser


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one look found."""

    report: "Report"
    simulated: bool
    altered: "tuple[Altered, ...]" = ()
    drift: tuple[str, ...] = ()
    earlier: "Mapping[str, datetime]" = field(default_factory=dict)
    protected: tuple[str, ...] = ()
    drifted: "tuple[Drifted, ...]" = ()
    rewrites: "Rewrites | None" = None

    @property
    def holds(self) -> bool:
        """Whether nothing is an alarm."""
        rewritten = self.rewrites is not None and self.rewrites.now
        return self.report.ok and not (self.altered or self.drift or rewritten)


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the first bad place and its class, or that all holds."""
    del options
    from nightledger.domain.errors import EXIT_ALARM

    seen = look(context)
    context.emit(_record(seen))
    for line in _lines(seen):
        context.print(line)
    return 0 if seen.holds else EXIT_ALARM


def look(context: Context) -> Seen:
    """Check all that ``verify`` checks.

    Raises:
        IntegrityError: The pin is missing, or an acknowledged line is no entry.
    """
    from pathlib import Path

    from nightledger.domain.event import EventName
    from nightledger.files.home import Home
    from nightledger.gate.checking import accepted_since, find_altered, find_drift, find_unsettled
    from nightledger.gate.inputs import find_rewrites
    from nightledger.gate.opening import Ledger, fold_log
    from nightledger.trust.keys import KeyRing
    from nightledger.trust.pin import read_pin
    from nightledger.trust.reading import check_log
    from nightledger.trust.scan import collector_at_rest

    home = Home(context.home_path).require()
    with collector_at_rest():
        log = check_log(home, read_pin(KeyRing(Path(context.keys_dir)), home.identity.id))
        if not log.report.ok:  # what a damaged log says is not worth a look at anything else
            return Seen(report=log.report, simulated=home.identity.simulated)
        book, heartbeats = fold_log(log, keep={EventName.HEARTBEAT})
        drift = find_drift(home, book)
        return Seen(
            report=log.report,
            simulated=home.identity.simulated,
            altered=find_altered(home, Ledger(log=log, book=book), context.moment),
            drift=drift,
            earlier={path: at for path in drift if (at := accepted_since(home, book, path))},
            protected=tuple(path for path in find_unsettled(home, book) if path not in drift),
            drifted=book.drifted,
            rewrites=find_rewrites(home, heartbeats),
        )


def _record(seen: Seen) -> dict[str, Any]:
    return {
        "ok": seen.holds,
        "size": seen.report.size,
        "root": seen.report.root.hex(),
        "simulated": seen.simulated,
        "findings": [
            {"class": f.damage.value, "line": f.line, "path": f.path, "message": f.message, "alarm": f.alarm}
            for f in seen.report.findings
        ],
        "altered": [{"path": found.path, "message": found.message} for found in seen.altered],
        "drift": [path for path in seen.drift if path not in seen.earlier],
        "earlier": [{"path": path, "accepted_at": _time(at)} for path, at in seen.earlier.items()],
        "protected_changed": list(seen.protected),
        "drifted_before": [{"path": d.path, "apply": d.apply, "sha256": d.before} for d in seen.drifted],
        "rewritten": _rewritten(seen.rewrites.now if seen.rewrites else ()),
        "rewritten_before": _rewritten(seen.rewrites.before if seen.rewrites else ()),
        "logs_changed": _rewritten(seen.rewrites.logs if seen.rewrites else ()),
        "unchecked": list(seen.report.unchecked),
    }


def _time(at: "datetime") -> str:
    from nightledger.domain.words import dump_moment

    return dump_moment(at)


def _rewritten(found: "tuple[Rewritten, ...]") -> list[dict[str, Any]]:
    return [{"path": item.path, "day": item.day, "size_bytes": item.size_bytes} for item in found]


def _lines(seen: Seen) -> Iterator[str]:
    for finding in seen.report.findings:
        where = f"{finding.path}:{finding.line}" if finding.line else finding.path
        yield f"{finding.damage.value.upper()} {where}: {finding.message}"
    yield from _alarms(seen)
    if seen.holds:
        simulated = " (a simulated home: its clock is whatever --now says)" if seen.simulated else ""
        yield f"The log holds: {seen.report.size} events, root {seen.report.root.hex()[:16]}…{simulated}"
        yield "Its signatures, the trust files, proposals, decisions and gated files are as they were signed."
    for path in seen.protected:
        yield f"note: {path} has changed since it was first seen or acknowledged; 'nightledger review' shows how"
    for drifted in seen.drifted:
        yield (
            f"note: {drifted.path} had been changed outside the gate when {drifted.apply} was applied; "
            f"what it held then is the blob {drifted.before}"
        )
    yield from _notes(seen.rewrites) if seen.rewrites else ()
    for missing in seen.report.unchecked:
        yield f"not checked: {missing}"


def _alarms(seen: Seen) -> Iterator[str]:
    for found in seen.altered:
        yield f"ALTERED {found.path}: {found.message}"
    if seen.altered:
        yield "Put each back from a backup ('nightledger restore'). An altered proposal is set aside: nothing else waits for it."
    for path in seen.drift:
        if path in seen.earlier:
            yield (
                f"EARLIER {path}: it went back to the bytes accepted on {seen.earlier[path]:%Y-%m-%d %H:%M} UTC; "
                "what was signed since is not in it. 'nightledger review' settles it"
            )
        else:
            yield f"DRIFT {path}: its bytes are not those last signed; 'nightledger review' asks about each hunk"
    for item in seen.rewrites.now if seen.rewrites else ():
        yield (
            f"REWRITTEN {item.path}: its first {item.size_bytes} bytes are not those that the night of {item.day} "
            "read; only appending is allowed there"
        )


def _notes(rewrites: "Rewrites") -> Iterator[str]:
    for item in rewrites.before:
        yield f"note: {item.path} was rewritten after the night of {item.day}; later nights read the new bytes"
    logs = rewrites.logs
    for item in logs[:SHOWN]:
        yield f"note: {item.path} has changed since the night of {item.day} read it"
    if len(logs) > SHOWN:
        yield f"note: {len(logs) - SHOWN} more daily logs have changed since they were read; --json names them"
