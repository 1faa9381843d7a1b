"""What is wrong and what mends it, what is set up; --level: what is not proved.

--rebuild folds derived files again from what they derive from.

Reads   everything of a home, its keys' modes, the crontab (crontab -l)
Writes  nothing but with --rebuild: memory/state/tc-*.json, .nightledger/links/,
        .nightledger/search/, and in memory/system/ entries.json,
        hebbian-links.json, cursors.json
Changes no memory.
"""

import argparse
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from nightledger.domain.decision import Actor, Moment
from nightledger.domain.errors import EXIT_REFUSED, NightledgerError
from nightledger.domain.states import Book
from nightledger.domain.words import count_of
from nightledger.files.configuration import settings_of
from nightledger.files.home import Home, shipped_config
from nightledger.gate.opening import Gate, Ledger, open_gate
from nightledger.gate.trusting import WitnessLook
from nightledger.remote.witness_asking import check_witnesses
from nightledger.surfaces import clock, screen
from nightledger.surfaces import doctor_home as house
from nightledger.surfaces import doctor_keys as keys
from nightledger.surfaces.context import Context
from nightledger.surfaces.doctor_keys import Check, Protection, State, bad, found, looked
from nightledger.surfaces.screen import wrap_hint
from nightledger.surfaces.transcripts import check_sources
from nightledger.surfaces.verbs.schedule import place_of
from nightledger.surfaces.verbs.verify import Seen, look_beyond
from nightledger.text.scanners.scan import mask_diff
from nightledger.trust.audit import VerifiedLog, check_log, require_intact
from nightledger.trust.keys import KeyRing
from nightledger.trust.pin import find_pin


class Diagnosis:
    """A home that is read once for all looks, and what they found; what cannot be read is told by each look that needs it.

    Attributes:
        checks: Findings, by area.
        protection: What stands between the operator's key and a program of the same user; None
            where there is no home.
        offer: What could be added to the host's instructions; None where that cannot be told.
    """

    def __init__(self, context: Context) -> None:
        """Look at nothing yet."""
        self.home, self.ring = Home(context.home_path), KeyRing(Path(context.keys_dir))
        self.keys_dir, self.context = context.keys_dir, context
        self.checks = looked("program", house.check_program)
        self.protection: Protection | None = None
        self.offer: house.Offer | None = None

    @cached_property
    def at(self) -> Moment:
        """The clocks."""
        return self.context.moment

    @cached_property
    def gate(self) -> Gate:
        """The home, opened."""
        return open_gate(self.home.root, self.keys_dir, actor=Actor.UNKNOWN)

    @cached_property
    def log(self) -> VerifiedLog:
        """Its log, as checked."""
        return check_log(self.home, find_pin(self.ring, self.home.identity.id))

    @cached_property
    def seen(self) -> Seen:
        """What ``verify`` finds."""
        if not self.log.report.ok:
            return Seen(report=self.log.report, simulated=self.home.identity.simulated)
        return look_beyond(self.gate, self.log, self.at)

    @property
    def ledger(self) -> Ledger:
        """Its log and what it adds up to."""
        require_intact(self.log)
        return Ledger(log=self.log, book=self.seen.book or Book())

    @property
    def well(self) -> bool:
        """Whether all that is needed is there."""
        return not any(check.state is State.BAD for check in self.checks)


def diagnose(context: Context) -> Diagnosis:
    """Look at everything."""
    one = Diagnosis(context)
    try:
        _ = one.home.identity
    except NightledgerError as error:
        one.checks.append(bad(str(error), error.hint, area="home"))
        return one
    for area, look in _LOOKS:
        one.checks += looked(area, partial(look, one))
    one.protection = keys.protection(one.home, one.ring)
    return one


def _check_schedule(one: Diagnosis) -> Iterator[Check]:
    yield from house.check_schedule(one.home, place_of(one.context), os.path.expanduser("~"), one.at.at)
    yield from house.check_nights(one.home, one.at.at)


def _check_clock(one: Diagnosis) -> Iterator[Check]:
    settings = settings_of(one.home).settings
    return house.check_clock(one.home, settings, one.log.newest, one.at.at, clock.boot_clock()[0])


def _check_signers(one: Diagnosis) -> Iterator[Check]:
    """Look who may sign, and who cosigns; a log that does not hold is told of as what it is."""
    if one.log.report.ok:
        yield from keys.check_signer(one.home, one.ring, one.ledger, one.at)
        witnesses = one.seen.witnesses or WitnessLook()
        yield from check_witnesses(one.home, one.ledger, witnesses, one.keys_dir, one.at)


def _check_instructions(one: Diagnosis) -> Iterator[Check]:
    """Look what the host's instructions lack, and whether they tell the agent to write memory itself."""
    one.offer = house.offer(one.home)
    if at := [f"{one.offer.path}:{number}" for number in one.offer.edits[:5]]:
        tells = f"{', '.join(at)} {'tell' if at[1:] else 'tells'}"
        yield found("memory.told_to_edit", places=tells, path=one.home.identity.gated[0])


_LOOKS: tuple[tuple[str, Callable[[Diagnosis], Iterable[Check]]], ...] = (
    ("home", lambda one: house.check_home(one.home, one.keys_dir)),
    ("keys", lambda one: keys.check_keys(one.home, one.ring)),
    ("log", lambda one: house.check_seen(one.home, one.seen, one.at)),
    ("keys", _check_signers),
    ("keys", lambda one: keys.check_trust(one.gate, one.ledger, one.at)),
    ("consent", lambda one: keys.check_consent(one.gate, one.ledger, one.at)),
    ("memory", lambda one: house.check_memory(one.home, settings_of(one.home).settings, one.at.at)),
    ("locks", lambda one: house.check_locks(one.home)),
    ("rivals", lambda one: house.check_rivals(one.home)),
    ("search", lambda one: house.check_search(one.home)),
    ("staging", lambda one: house.check_staging(one.home, one.at.at)),
    ("sources", lambda one: (check for _, check in check_sources(one.keys_dir, one.home, one.at.at))),
    ("schedule", _check_schedule),
    ("clock", _check_clock),
    ("memory", _check_instructions),
)
"""What is looked at, by the area in which a look that fails is told of."""


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the diagnosis; 0 when all that is needed is there, else 1. Or fold derived files again."""
    if options.rebuild:
        from nightledger.surfaces.rebuilding import rebuild

        return rebuild(context, dry_run=options.dry_run)
    diagnosis = diagnose(context)
    context.emit(doctor_record(diagnosis))
    context.print_lines(_PRINTED[options.matter](diagnosis))
    return 0 if diagnosis.well or options.matter == "paste" else EXIT_REFUSED


_FURTHER = "       "
"""Begins rows in which a finding or its mend goes on: further in than either begins."""
_MORE = "nightledger doctor --all: every mend; --level: what an agent could still do."
_END = re.compile(r"; |(?<=[^/.]{24}): ")
"""Ends what the screen has of a finding that is no fault and does not fit into a row."""
_MARKS = {State.GOOD: "ok", State.NOTE: "--", State.BAD: "!!"}


def level_of(protection: Protection) -> dict[str, Any]:
    """Return the level that holds with an operator's key that is so protected: its row of ``config/trust-levels.json``.

    ``could_still`` is what an agent with a shell, running as this user, could do; ``not_built`` what this version lacks.
    """
    table: dict[str, Any] = json.loads(shipped_config("trust-levels.json"))
    level = table["levels"][protection.value]
    always = (text.format(**level) for text in table["always"])
    return {**level, "could_still": [level["could_still"], *always], "not_built": table["not_built"]}


def doctor_lines(diagnosis: Diagnosis) -> list[str]:
    """Return one screen: what is wrong with its mend, what is worth knowing, the subjects that hold, the level."""
    checks = diagnosis.checks
    noted = {check.area for check in checks if check.state is not State.GOOD}
    holds = {check.area: check for check in reversed(checks) if check.area not in noted}
    lines = [row for check in checks if check.state is State.BAD for row in _check(check, check.area)]
    for check in (*(one for one in checks if one.state is State.NOTE), *reversed(holds.values())):
        told = screen.shown(f"{_MARKS[check.state]} {check.area.capitalize()}: {check.message}")
        short = told if screen.columns(told) <= screen.width() else _END.split(told)[0]
        lines += screen.wrap(short, indent=_FURTHER, first="")
    if diagnosis.protection:
        lines += screen.wrap(f"Level: {level_of(diagnosis.protection)['name']}.")
    if diagnosis.offer and diagnosis.offer.diff:
        lacks = f"{diagnosis.offer.path} lacks lines that tell the agent to log and to propose: nightledger doctor --paste"
        lacks += "; 'nightledger edit' takes them over" if diagnosis.offer.gated else ""
        lines += wrap_hint(screen.shown(lacks), indent="  ", first="")
    return [*lines, *wrap_hint(_MORE, indent="  ", first=""), _end(diagnosis)]


def all_lines(diagnosis: Diagnosis) -> list[str]:
    """Return every finding with its mend, by subject."""
    lines: list[str] = []
    for area in dict.fromkeys(check.area for check in diagnosis.checks):
        lines.append(area.capitalize())
        lines += [row for check in diagnosis.checks if check.area == area for row in _check(check)]
    return [*lines, "", _end(diagnosis)]


def level_lines(diagnosis: Diagnosis) -> list[str]:
    """Return the level, what would raise it, and what it does not prove; nothing where there is no home."""
    if diagnosis.protection is None:
        return []
    level = level_of(diagnosis.protection)
    lines = screen.wrap(f"Level: {level['name']}.", indent="  ", first="")
    lines += screen.wrap(f"Raised by: {level['raised_by']}.", indent="  ", first="")
    lines += screen.wrap("What an agent with a shell, running as this user, could still do:")
    return [*lines, *_points(level["could_still"]), "Not in this version:", *_points(level["not_built"])]


def doctor_record(diagnosis: Diagnosis) -> dict[str, Any]:
    """Give the diagnosis as one JSON document."""
    level = level_of(diagnosis.protection) if diagnosis.protection else None
    offer = diagnosis.offer
    return {
        "home": diagnosis.home.root,
        "ok": diagnosis.well,
        "checks": [
            {"area": c.area, "state": c.state.value, "message": c.message, "fix": c.fix}
            for c in diagnosis.checks
        ],
        "level": level["name"] if level else None,
        "could_still": level["could_still"] if level else [],
        "not_in_this_version": level["not_built"] if level else [],
        "instructions": None
        if offer is None
        else {"path": offer.path, "diff": offer.diff and mask_diff(offer.diff)},
    }


def _check(check: Check, area: str = "") -> list[str]:
    mark, told = _MARKS[check.state], f"{area.capitalize()}: {check.message}" if area else check.message
    lines = screen.wrap(screen.shown(told), indent=_FURTHER, first=f"{mark} " if area else f"  {mark} ")
    if check.fix:
        lines += wrap_hint(screen.shown(check.fix), indent=_FURTHER, first="     > ")
    return lines


def _points(texts: list[str]) -> list[str]:
    return [line for text in texts for line in screen.wrap(text, indent="    ", first="  - ")]


def paste_lines(diagnosis: Diagnosis) -> list[str]:
    """Return what the agent's instructions lack, no row broken: what a person pastes has the very lines."""
    return list(map(screen.shown, diagnosis.offer.lines)) if diagnosis.offer else []


def _end(diagnosis: Diagnosis) -> str:
    wrong = sum(check.state is State.BAD for check in diagnosis.checks)
    there = "All that is needed is there."
    return f"{count_of(wrong, 'thing')} to mend, marked !! above." if wrong else there


_PRINTED = {None: doctor_lines, "all": all_lines, "level": level_lines, "paste": paste_lines}
