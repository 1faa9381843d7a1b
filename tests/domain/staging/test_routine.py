"""When a routine is on."""

from datetime import datetime, time

import pytest

from nightledger.domain.staging.routine import is_on
from nightledger.domain.staging.rules import Routine


def routine(begins: str, ends: str, *weekdays: int) -> Routine:
    return Routine(
        name="x",
        query="x",
        weekdays=weekdays,
        begins=time.fromisoformat(begins),
        ends=time.fromisoformat(ends),
    )


@pytest.mark.parametrize(
    ("one", "local", "on"),
    [
        (routine("08:00", "12:00"), "2026-04-06T08:00", True),
        (routine("08:00", "12:00"), "2026-04-06T12:00", False),
        (routine("08:00", "12:00", 0), "2026-04-06T09:00", True),
        (routine("08:00", "12:00", 1), "2026-04-06T09:00", False),
        (routine("22:00", "02:00", 0), "2026-04-06T23:00", True),
        (routine("22:00", "02:00", 0), "2026-04-07T01:00", True),
        (routine("22:00", "02:00", 1), "2026-04-07T01:00", False),
        (routine("22:00", "02:00"), "2026-04-07T12:00", False),
    ],
)
def test_a_routine_is_on_in_its_hours_over_midnight_too(one: Routine, local: str, on: bool) -> None:  # noqa: FBT001 - a row
    assert is_on(one, datetime.fromisoformat(local)) is on
