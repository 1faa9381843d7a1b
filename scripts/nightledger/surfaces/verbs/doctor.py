"""What is wrong and what mends it, what is set up; --level: what is not proved.

Reads   everything of a home, its keys' modes, the crontab (crontab -l)
Changes no memory, and writes nothing at all.
"""

import argparse
import json
import re
from typing import Any

from nightledger.domain.errors import EXIT_REFUSED
from nightledger.files.shipped import shipped_config
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.doctor.checks import Check, State
from nightledger.surfaces.doctor.doctor import Diagnosis, diagnose
from nightledger.surfaces.doctor.keys import Protection
from nightledger.surfaces.screen import wrap_hint
from nightledger.text.changes.veil import mask_diff

_MATTERS = {
    "all": "every finding with its mend",
    "level": "what is not proved here",
    "paste": "the lines that the agent's instructions lack, alone",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``doctor``."""
    only = parser.add_mutually_exclusive_group()
    for name, told in _MATTERS.items():
        only.add_argument(f"--{name}", dest="matter", action="store_const", const=name, help=told)


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the diagnosis; 0 when all that is needed is there, else 1."""
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
        "home": diagnosis.home,
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
    return (
        f"{wrong} thing{'s' if wrong > 1 else ''} to mend, marked !! above."
        if wrong
        else "All that is needed is there."
    )


_PRINTED = {None: doctor_lines, "all": all_lines, "level": level_lines, "paste": paste_lines}
