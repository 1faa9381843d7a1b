"""Check the audit log, its signatures, the trust files and the gated files.

Reads   audit/, config/nightledger/, the gated files, the pin in $NIGHTLEDGER_KEYS
Changes no memory, and writes nothing at all.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nightledger.surfaces.context import Context

if TYPE_CHECKING:
    from nightledger.domain.states import Drifted
    from nightledger.gate.checking import Altered
    from nightledger.trust.report import Report


def configure(parser: argparse.ArgumentParser) -> None:
    """``verify`` has no options of its own."""
    del parser


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What one look found."""

    report: "Report"
    simulated: bool
    altered: "tuple[Altered, ...]" = ()
    drift: tuple[str, ...] = ()
    drifted: "tuple[Drifted, ...]" = ()

    @property
    def holds(self) -> bool:
        return self.report.ok and not self.altered and not self.drift


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the first bad place and its class, or that all holds."""
    del options
    from nightledger.domain.errors import EXIT_ALARM

    seen = _look(context)
    context.emit(_record(seen))
    for line in _lines(seen):
        context.print(line)
    return 0 if seen.holds else EXIT_ALARM


def _look(context: Context) -> _Seen:
    from pathlib import Path

    from nightledger.domain.states import fold_events
    from nightledger.files.home import Home
    from nightledger.gate.checking import find_altered, find_drift
    from nightledger.gate.opening import Ledger
    from nightledger.trust.keys import KeyRing
    from nightledger.trust.pin import read_pin
    from nightledger.trust.reading import check_log

    home = Home(context.home_path).require()
    log = check_log(home, read_pin(KeyRing(Path(context.keys_dir)), home.identity.id))
    if not log.report.ok:  # what a damaged log says is not worth a look at anything else
        return _Seen(report=log.report, simulated=home.identity.simulated)
    book = fold_events(log.events)
    return _Seen(
        report=log.report,
        simulated=home.identity.simulated,
        altered=find_altered(home, Ledger(log=log, book=book)),
        drift=find_drift(home, book),
        drifted=book.drifted,
    )


def _record(seen: _Seen) -> dict[str, Any]:
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
        "drift": list(seen.drift),
        "drifted_before": [{"path": d.path, "apply": d.apply, "sha256": d.before} for d in seen.drifted],
        "unchecked": list(seen.report.unchecked),
    }


def _lines(seen: _Seen) -> Iterator[str]:
    for finding in seen.report.findings:
        where = f"{finding.path}:{finding.line}" if finding.line else finding.path
        yield f"{finding.damage.value.upper()} {where}: {finding.message}"
    for found in seen.altered:
        yield f"ALTERED {found.path}: {found.message}"
    if seen.altered:
        yield "Put each back from a backup ('nightledger restore'). An altered proposal is set aside: nothing else waits for it."
    for path in seen.drift:
        yield f"DRIFT {path}: its bytes are not those last signed; 'nightledger history' says what was"
    if seen.holds:
        simulated = " (a simulated home: its clock is whatever --now says)" if seen.simulated else ""
        yield f"The log holds: {seen.report.size} events, root {seen.report.root.hex()[:16]}…{simulated}"
        yield "Its signatures, the trust files, proposals, decisions and gated files are as they were signed."
    for drifted in seen.drifted:
        yield (
            f"note: {drifted.path} had been changed outside the gate when {drifted.apply} was applied; "
            f"what it held then is the blob {drifted.before}"
        )
    for missing in seen.report.unchecked:
        yield f"not checked: {missing}"
