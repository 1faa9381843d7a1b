"""Check the audit log, its signatures, trust and gated files, what nights read.

Or prove to others what is in the log, and check such a proof:

--prove ENTRY            an entry: a proposal, decision or apply, or its number
--continues OLD [NEW]    that the head NEW, the newest unless named, continues
                         OLD: files with signed checkpoints, or sizes
--proof FILE             check a proof of an entry, with --continues OLD NEW one
                         between two heads' files; needs no home

Reads   audit/, config/nightledger/, the gated files, memory/, the pin in
        $NIGHTLEDGER_KEYS; the files that are named
Writes  the file of --out, and nothing else at all
Changes no memory.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from nightledger.codec.records import to_plain
from nightledger.domain.decision import Moment
from nightledger.domain.errors import EXIT_ALARM, IntegrityError
from nightledger.domain.states import Book, Gone, Restored
from nightledger.domain.trusting import TrustStep
from nightledger.domain.words import count_of
from nightledger.files.home import Home
from nightledger.gate import checking
from nightledger.gate.applies import AppliesLook, look_at_applies
from nightledger.gate.checking import Altered, Closed
from nightledger.gate.keeping import Rewritten, count_gone, find_damaged, find_rewrites
from nightledger.gate.opening import Gate, Ledger, fold_log, open_gate, require_same
from nightledger.gate.trusting import WitnessLook
from nightledger.remote.witness_asking import look as look_at
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context, actor_of
from nightledger.surfaces.needs import loss_text, restored_text
from nightledger.surfaces.screen import sentences, wrap_hint
from nightledger.text.visible import visible_lines
from nightledger.trust.audit import VerifiedLog, check_log, read_genesis
from nightledger.trust.event import collector_at_rest
from nightledger.trust.heads import read_anchor
from nightledger.trust.keys import KeyRing
from nightledger.trust.pin import find_pin, read_pin
from nightledger.trust.report import Finding, Report, find_contradiction

_INSIDE = "  "
"""Begins rows in which a finding goes on, which its own text may break: a file's name holds any character."""
SHOWN = 3
"""Notes of what happens in every home that are printed; all of these are in ``--json``."""


class Seen(Struct, frozen=True, kw_only=True):
    """What one look found."""

    report: Report
    simulated: bool
    altered: tuple[Altered, ...] = ()
    unneeded: tuple[Altered, ...] = ()
    closed: tuple[Closed, ...] = ()
    drift: tuple[str, ...] = ()
    earlier: Mapping[str, datetime] = field(default_factory=dict)
    protected: tuple[str, ...] = ()
    rewrites: tuple[Rewritten, ...] = ()
    resets: tuple[TrustStep, ...] = ()
    restored: tuple[Restored, ...] = ()
    gone: Mapping[Gone, int] = field(default_factory=dict)
    applies: AppliesLook = AppliesLook()
    witnesses: WitnessLook | None = None
    elsewhere: tuple[Finding, ...] = ()
    book: Book | None = None

    @property
    def damaged(self) -> Iterator[tuple[str, Altered]]:
        """Give class, path and message of every file that is not what was signed, logged or read."""
        yield from (("ALTERED", found) for found in self.altered)
        for one in self.applies.findings:
            yield one.damage.value.upper(), Altered(path=f"{one.path}:{one.line}", message=one.message)
        for item in self.rewritten("rewritten"):
            message = f"its first {item.size_bytes} bytes are not those that the night of {item.day} read"
            yield "REWRITTEN", Altered(path=item.path, message=f"{message}; only appending is allowed there")

    def rewritten(self, kind: str) -> list[Rewritten]:
        """Give the files of one kind that were rewritten."""
        return [one for one in self.rewrites if one.kind == kind]

    @property
    def told(self) -> tuple[Finding, ...]:
        """What witnesses and heads kept elsewhere speak against."""
        return (*self.elsewhere, *(self.witnesses.findings if self.witnesses else ()))

    @property
    def wrong(self) -> Iterator[tuple[str, str, str]]:
        """Give class, place and message of all that is wrong."""
        for one in self.report.findings:
            yield one.damage.value.upper(), f"{one.path}:{one.line}" if one.line else one.path, one.message
        yield from ((name, found.path, found.message) for name, found in self.damaged)
        yield from ((one.damage.value.upper(), one.path, one.message) for one in self.told)
        for path in self.drift:
            if since := self.earlier.get(path):
                yield "EARLIER", path, sentences("verify")["earlier"].format(f"{since:%Y-%m-%d %H:%M}")
            else:
                yield "DRIFT", path, sentences("verify")["drift"]

    @property
    def holds(self) -> bool:
        """Whether nothing is an alarm."""
        wrong = (self.altered, self.applies.findings, self.drift, self.rewritten("rewritten"), self.told)
        return self.report.ok and not any(wrong)


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the first bad place and its class, or that all holds; or prove, or check a proof."""
    if options.continues or options.policy or options.prove is not None or options.proof is not None:
        from nightledger.surfaces.proving import prove

        return prove(options, context)
    seen = look(context, against=tuple(options.against))
    context.emit(_record(seen))
    for line in _lines(seen):
        first, *more = visible_lines(line)
        for part in (first, *(f"{_INSIDE}{part}" for part in more)):
            # who reads it by a program, or in a mail, gets each finding on a line
            for row in [part] if context.quiet else _rows(part):
                context.print(row)
    return 0 if seen.holds else EXIT_ALARM


def _rows(text: str) -> list[str]:
    """Break a finding to the width; what looks like a command too long for a row is no command of ours."""
    rows = wrap_hint(text, indent=_INSIDE, first="")
    fits = all(screen.columns(row) <= screen.width() for row in rows)
    return rows if fits else screen.wrap(text, indent=_INSIDE, first="")


def look(context: Context, *, against: tuple[str, ...] = ()) -> Seen:
    """Check all that ``verify`` checks.

    Args:
        context: The command's surroundings.
        against: Files with checkpoints that were kept elsewhere.

    Raises:
        IntegrityError: The pin is missing, or an acknowledged line is no entry.
        NoteError: A file of ``against`` holds no head that this log signed.
    """
    home = Home(context.home_path).require()
    ring = KeyRing(Path(context.keys_dir))
    if find_pin(ring, home.identity.id) is None:  # the record may name another home than its log is of
        require_same(home, read_genesis(home))
    pin = read_pin(ring, home.identity.id)
    with collector_at_rest():
        log = check_log(home, pin)
        kept = ((read_anchor(path, pin.origin, pin.signed_by), path) for path in against)
        elsewhere = tuple(filter(None, (find_contradiction(*one, log.tree) for one in kept)))
        if not log.report.ok:  # what a damaged log says is not worth a look at anything else
            return Seen(report=log.report, simulated=home.identity.simulated, elsewhere=elsewhere)
        gate = open_gate(context.home_path, context.keys_dir, actor=actor_of(context))
        return replace(look_beyond(gate, log, context.moment), elsewhere=elsewhere)


def look_beyond(gate: Gate, log: VerifiedLog, at: Moment) -> Seen:
    """Check what a log that holds speaks of.

    Args:
        gate: Of the home, opened.
        log: As checked.
        at: The clocks.
    """
    home, book = gate.home, fold_log(gate.home, log)
    ledger = Ledger(log=log, book=book)
    drift = checking.find_drift(home, book)
    held = checking.verify_decisions(home, ledger)
    damaged = find_damaged(home, ledger, at, gate.undo_days)
    witnesses: WitnessLook | None = None
    with suppress(IntegrityError):  # what is wrong with trust files is named as ALTERED
        witnesses = look_at(home, ledger, at)
    return Seen(
        report=log.report,
        simulated=home.identity.simulated,
        altered=(*checking.find_altered(home, ledger, at, held), *(one for one in damaged if one.is_alarm)),
        unneeded=tuple(one for one in damaged if not one.is_alarm),
        closed=(*checking.find_closed(home, book), *held.closed),
        drift=drift,
        earlier={path: since for path in drift if (since := checking.accepted_since(home, book, path))},
        protected=tuple(path for path in checking.find_unsettled(home, book) if path not in drift),
        rewrites=tuple(find_rewrites(home, ledger)),
        resets=book.trust.resets(),
        restored=tuple(one for one in book.restored if one.decision in held.decisions),
        gone=count_gone(book),
        applies=look_at_applies(home, ledger, held, at),
        witnesses=witnesses,
        book=book,
    )


def _record(seen: Seen) -> dict[str, Any]:
    return {
        "ok": seen.holds,
        "size": seen.report.size,
        "root": seen.report.root.hex(),
        "simulated": seen.simulated,
        "findings": [_plain(one, "line", "alarm") for one in seen.report.findings],
        "altered": [_named(found, "path", "message") for found in seen.altered],
        "altered_unneeded": [found.path for found in seen.unneeded],
        "altered_and_closed": [one.name for one in seen.closed],
        "applies": {
            **_named(seen.applies, "checked", "expired"),
            "findings": [_plain(one, "line") for one in seen.applies.findings],
        },
        "drift": [path for path in seen.drift if path not in seen.earlier],
        "earlier": [{"path": path, "accepted_at": to_plain(at)} for path, at in seen.earlier.items()],
        "protected_changed": list(seen.protected),
        **{
            kind: [_named(item, "path", "day", "size_bytes") for item in seen.rewritten(kind)]
            for kind in ("rewritten", "rewritten_before", "logs_changed")
        },
        "gone": {why.value: count for why, count in seen.gone.items()},
        "resets": [
            {"at": to_plain(s.since.at), "cancelled": s.cancelled, "loss": s.loss} for s in seen.resets
        ],
        "restored": [
            to_plain(_named(one, "at", "size", "lost", "root", "decision")) for one in seen.restored
        ],
        "witnesses": {
            **to_plain(_named(seen.witnesses or WitnessLook(), "size", "at")),
            "asked_for": seen.witnesses is not None and seen.witnesses.asks,
            "findings": [_plain(one) for one in seen.told],
        },
        "unchecked": list(seen.report.unchecked),
    }


def _plain(found: Any, *more: str) -> dict[str, Any]:
    return {"class": found.damage.value, **_named(found, "path", "message", *more)}


def _named(found: object, *names: str) -> dict[str, Any]:
    return {name: getattr(found, name) for name in names}


def _lines(seen: Seen) -> Iterator[str]:
    yield from (f"{name} {place}: {message}" for name, place, message in seen.wrong)
    yield from _mends(seen.altered)
    if seen.holds:
        simulated = " (a simulated home: its clock is whatever --now says)" if seen.simulated else ""
        yield f"The log holds: {count_of(seen.report.size, 'event')}, root {seen.report.root.hex()[:16]}…{simulated}"
        yield "Its signatures, the trust files, proposals, decisions and gated files are as they were signed."
        if seen.applies.checked:
            each = "The apply" if seen.applies.checked == 1 else f"Each of {seen.applies.checked} applies"
            yield f"{each} did what a decision says that an operator signed."
        if seen.applies.expired:
            yield f"not checkable any more: what {seen.applies.expired} applies did; bytes that it takes are gone"
    if seen.witnesses and seen.witnesses.at:
        yield f"Witnesses cosigned {seen.witnesses.size} of them, last at {seen.witnesses.at:%Y-%m-%d %H:%M} UTC."
    yield from _lasting(seen)
    routine = list(_routine(seen))
    yield from routine[:SHOWN]
    if more := routine[SHOWN:]:
        yield f"note: {count_of(len(more), 'more file was', 'more files were')} rewritten or changed outside Nightledger; --json names them"
    for missing in seen.report.unchecked:
        yield f"not checked: {missing}"


def _lasting(seen: Seen) -> Iterator[str]:
    """Tell what stands in the log for ever and is no alarm."""
    for one in seen.closed:
        when = f"{one.how} on {one.at:%Y-%m-%d %H:%M} UTC"
        yield f"note: the file of {one.name} is not what was logged; {when}, and it counts for nothing"
    for found in seen.unneeded:
        yield f"note: {found.path}: {found.message}"
    for path in seen.protected:
        yield f"note: {path} has changed since it was first seen or acknowledged; 'nightledger review' shows how"
    for why, number in seen.gone.items():
        if number:
            yield f"note: {number} of the files that the log names {sentences('verify')['gone'][why.value]}"
    for step in seen.resets:
        ended = "; a signature ended it before it counted" if step.cancelled else ""
        reset = f"the keys were reset on {step.since.at:%Y-%m-%d %H:%M} UTC, signed by nobody{ended}"
        yield f"note: {reset if step.loss is None else loss_text(step)}"
    yield from (f"note: {restored_text(one)}" for one in seen.restored)


def _mends(altered: Sequence[Altered]) -> Iterator[str]:
    """Tell how what was altered comes back, once for each kind."""
    starts = ("memory/state/proposals/", "audit/decisions/")
    kinds = {"kept" if one.is_kept else "blob" if one.is_blob else "other" for one in altered}
    kinds |= {start for start in starts if any(one.path.startswith(start) for one in altered)}
    yield from (text for kind, text in sentences("verify")["mends"].items() if kind in kinds)


def _routine(seen: Seen) -> Iterator[str]:
    """Tell what is kept and needs nobody, what its agent has reason to change last."""
    for item in seen.rewritten("rewritten_before"):
        yield f"note: {item.path} was rewritten after the night of {item.day}; later nights read the new bytes"
    for item in seen.rewritten("logs_changed"):
        yield f"note: {item.path} has changed since the night of {item.day} read it"
