"""What ``doctor`` finds: ``config/doctor.json`` has a row for each finding, with its subject, state, sentence and mend.

Invariant: a look that fails is a finding with its next step, never the end of the others.
"""

import json
from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.errors import NightledgerError
from nightledger.files.home import shipped_config


class State(StrEnum):
    """How a finding is to be taken."""

    GOOD = "good"
    """As it should be."""
    NOTE = "note"
    """Worth knowing; nothing that is needed is missing."""
    BAD = "bad"
    """Something that is needed is missing or wrong."""


class Check(Struct, frozen=True, kw_only=True):
    """One finding.

    Attributes:
        area: ``program``, ``home``, ``keys``, ``log``, ``consent``, ``memory``, ``locks``, ``rivals``,
            ``search``, ``staging``, ``schedule`` or ``clock``.
        state: How it is to be taken.
        message: What was found, one sentence.
        fix: The command or step that mends it; empty where nothing is to be mended.
    """

    area: str
    state: State
    message: str
    fix: str = ""


def found(row: str, /, **facts: object) -> Check:
    """Return the finding of a row of ``config/doctor.json``, with the facts in its sentences."""
    area, state, message, fix = _rows()[row]
    return Check(area=area, state=State(state), message=message.format(**facts), fix=fix.format(**facts))


@cache
def _rows() -> dict[str, tuple[str, str, str, str]]:
    rows: dict[str, tuple[str, str, str, str]] = json.loads(shipped_config("doctor.json"))
    return rows


def good(message: str, *, area: str = "") -> Check:
    """Give a finding that is as it should be."""
    return Check(area=area, state=State.GOOD, message=message)


def note(message: str, fix: str = "", *, area: str = "") -> Check:
    """Give a finding worth knowing."""
    return Check(area=area, state=State.NOTE, message=message, fix=fix)


def bad(message: str, fix: str, *, area: str = "") -> Check:
    """Give a finding that is to be mended."""
    return Check(area=area, state=State.BAD, message=message, fix=fix)


def looked(area: str, look: Callable[[], Iterable[Check]]) -> list[Check]:
    """Look, and take an expected failure as a finding.

    Args:
        area: Where a failure belongs, and every finding that names no other.
        look: Gives findings, or raises.
    """
    checks: list[Check] = []
    try:
        for check in look():
            checks.append(replace(check, area=check.area or area))  # noqa: PERF401 - what came before a failure counts
    except NightledgerError as error:
        checks.append(bad(str(error), error.hint, area=area))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        checks.append(bad(f"{place}{error.strerror}", "see to it that this user may read it", area=area))
    return checks
