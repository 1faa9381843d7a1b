"""When a routine is on, what a stretch of the past holds, and how important an entry is."""

from datetime import date, datetime, time

from tests.rows import each_row

from nightledger.domain.staging import Past, Routine, WindowRules, importance_of, most_important


@each_row(
    ("hours", "weekdays", "local", "on"),
    [
        (("08:00", "12:00"), (), "2026-04-06T08:00", True),
        (("08:00", "12:00"), (), "2026-04-06T12:00", False),
        (("08:00", "12:00"), (0,), "2026-04-06T09:00", True),
        (("08:00", "12:00"), (1,), "2026-04-06T09:00", False),
        (("22:00", "02:00"), (0,), "2026-04-06T23:00", True),
        (("22:00", "02:00"), (0,), "2026-04-07T01:00", True),
        (("22:00", "02:00"), (1,), "2026-04-07T01:00", False),
        (("22:00", "02:00"), (), "2026-04-07T12:00", False),
    ],
)
def test_a_routine_is_on_in_its_hours_over_midnight_too(
    hours: tuple[str, str],
    weekdays: tuple[int, ...],
    local: str,
    on: bool,  # noqa: FBT001 - a row
) -> None:
    begins, ends = map(time.fromisoformat, hours)
    routine = Routine(name="x", query="x", weekdays=weekdays, begins=begins, ends=ends)
    assert routine.is_on(datetime.fromisoformat(local)) is on


def test_a_stretch_holds_its_last_day_and_not_its_first() -> None:
    held = [WindowRules(from_days=7, until_days=14, most=1).holds(days) for days in (6, 7, 13, 14)]
    assert held == [False, True, True, False]
    assert WindowRules(from_days=90, until_days=None, most=1).holds(9_000)


@each_row(
    ("pinned", "durable", "observation", "lean", "stated", "importance"),
    [
        (True, False, True, -1.0, None, 1.0),
        (False, True, True, -1.0, None, 0.9),
        (False, False, False, 0.0, None, 0.5),
        (False, False, True, 0.0, None, 0.3),
        (False, False, False, 1.0, None, 0.9),
        (False, False, True, -1.0, None, 0.0),
        (False, False, False, 0.0, 1.0, 0.6),
        (False, False, False, 0.0, 0.2, 0.5),
    ],
)
def test_what_was_signed_comes_first_then_what_outcomes_prove_then_what_was_stated(
    pinned: bool,  # noqa: FBT001 - a row
    durable: bool,  # noqa: FBT001 - a row
    observation: bool,  # noqa: FBT001 - a row
    lean: float,
    stated: float | None,
    importance: float,
) -> None:
    asked = {"pinned": pinned, "durable": durable, "observation": observation}
    assert importance_of(**asked, lean=lean, stated=stated) == importance


def test_the_most_important_comes_first_then_the_newest_and_what_matters_little_not_at_all() -> None:
    def past(importance: float, day: int | None) -> Past:
        at = None if day is None else date(2026, 6, day)
        return Past(day=at, importance=importance, place=f"{day}", candidate=lambda _: None)

    found = [past(0.5, 1), past(0.49, 2), past(0.9, 3), past(0.5, None), past(0.9, 4)]
    assert [one.place for one in most_important(found, 50)] == ["4", "3", "1", "None"]
