"""What ``doctor`` prints: findings by area, what holds and what does not, lines to paste."""

from typing import Any

from nightledger.surfaces import screen
from nightledger.surfaces.doctor.checks import Check, State
from nightledger.surfaces.doctor.doctor import Diagnosis
from nightledger.surfaces.hints import wrap_hint
from nightledger.surfaces.trust_level import NOT_BUILT, RAISED_BY, level_of
from nightledger.text.changes.masked import mask_diff

_FURTHER = "       "
"""Begins rows in which a finding or its mend goes on: further in than either begins."""
_MARKS = {State.GOOD: "ok", State.NOTE: "--", State.BAD: "!!"}


def doctor_lines(diagnosis: Diagnosis) -> list[str]:
    """Give the whole text."""
    lines: list[str] = []
    for area in dict.fromkeys(check.area for check in diagnosis.checks):
        lines.append(area.capitalize())
        for check in diagnosis.checks:
            lines += _check(check) if check.area == area else []
    if diagnosis.protection is None:
        return [*lines, *_end(diagnosis)]
    level = level_of(diagnosis.protection)
    lines += ["", *screen.wrap(f"Level: {level.name}.", indent="  ", first="")]
    lines += screen.wrap(f"Raised by: {RAISED_BY[diagnosis.protection]}.", indent="  ", first="")
    lines += screen.wrap("What an agent with a shell, running as this user, could still do:")
    lines += _points(level.could_still)
    lines += ["Not in this version:", *_points(NOT_BUILT)]
    return [*lines, "", *_offer(diagnosis), *_end(diagnosis)]


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
        "level": level.name if level else None,
        "could_still": list(level.could_still) if level else [],
        "not_in_this_version": list(NOT_BUILT),
        "instructions": None
        if offer is None
        else {"path": offer.path, "diff": offer.diff and mask_diff(offer.diff)},
    }


def _check(check: Check) -> list[str]:
    lines = screen.wrap(screen.shown(check.message), indent=_FURTHER, first=f"  {_MARKS[check.state]} ")
    if check.fix:
        lines += wrap_hint(screen.shown(check.fix), indent=_FURTHER, first="     > ")
    return lines


def _points(texts: tuple[str, ...]) -> list[str]:
    return [line for text in texts for line in screen.wrap(text, indent="    ", first="  - ")]


def _offer(diagnosis: Diagnosis) -> list[str]:
    if diagnosis.offer is None:
        return []
    path = screen.shown(diagnosis.offer.path)
    if not diagnosis.offer.diff:
        told = f"{path} has the lines that tell the agent when to log and to propose."
        return screen.wrap(told, indent=_FURTHER, first="")
    how = (
        "take over what you want with 'nightledger edit'" if diagnosis.offer.gated else "paste what you want"
    )
    told = f"The agent's instructions, {path}, could end so (nothing is written; {how}):"
    # no row is broken: what a person pastes has the very lines
    return [*screen.wrap(told, indent=_FURTHER, first=""), "", *map(screen.shown, diagnosis.offer.lines), ""]


def _end(diagnosis: Diagnosis) -> list[str]:
    wrong = sum(check.state is State.BAD for check in diagnosis.checks)
    if not wrong:
        return ["All that is needed is there."]
    return [f"{wrong} thing{'s' if wrong > 1 else ''} to mend, marked !! above."]
