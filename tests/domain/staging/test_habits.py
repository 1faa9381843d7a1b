"""What is done at this time of the week."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from nightledger.domain.staging.habits import Doing, Habit, find_habits, tags_in

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 4, 6, 7, 0, tzinfo=UTC)  # a Monday, 09:00 in Berlin


def doing(
    weeks: float, kind: str = "weekly_report", hours: float = 0, tags: tuple[str, ...] = ("report",)
) -> Doing:
    local = NOW.astimezone(BERLIN).replace(tzinfo=None) - timedelta(weeks=weeks) + timedelta(hours=hours)
    return Doing(at=local.replace(tzinfo=BERLIN), task_type=kind, tags=tags)


def habits(*doings: Doing, least: int = 2, now: datetime = NOW) -> list[Habit]:
    return find_habits(doings, now, BERLIN, weeks=8, hours=2, least_days=least)


def test_a_kind_of_task_of_two_weeks_at_this_time_is_a_habit_by_the_wall_clock() -> None:
    found = habits(doing(1), doing(2, hours=1.5))  # the clocks went forward between
    assert found == [Habit(task_type="weekly_report", days=2, tags=("report",))]


def test_two_records_of_one_day_are_one() -> None:
    assert habits(doing(1), doing(1, hours=0.5)) == []


def test_another_time_of_the_day_another_weekday_and_long_ago_do_not_count() -> None:
    assert habits(doing(1, hours=3), doing(1 / 7), doing(9)) == []
    assert habits(doing(1, hours=3), doing(2, hours=-3), doing(10), least=1) == []


def test_what_lies_ahead_or_is_now_is_no_habit() -> None:
    assert (
        habits(
            Doing(at=NOW, task_type="x", tags=()),
            Doing(at=NOW + timedelta(hours=1), task_type="x", tags=()),
            least=1,
        )
        == []
    )


def test_a_time_that_falls_off_the_calendar_is_no_habit() -> None:
    off = datetime.max.replace(tzinfo=UTC)
    assert habits(Doing(at=off, task_type="x", tags=()), least=1) == []


def test_the_week_is_a_circle() -> None:
    now = datetime(2026, 4, 5, 22, 30, tzinfo=UTC)  # Monday 00:30 in Berlin
    sunday = datetime(2026, 3, 29, 23, 0, tzinfo=BERLIN)
    assert habits(Doing(at=sunday, task_type="watch", tags=()), least=1, now=now)[0].task_type == "watch"


def test_those_of_most_days_come_first_and_their_most_frequent_tags() -> None:
    often = [doing(n, "often", tags=("b", "a") if n > 1 else ("b",)) for n in (1, 2, 3)]
    found = habits(*often, doing(1, "rare"), doing(2, "rare"), doing(1, "also"), doing(2, "also"))
    assert [(one.task_type, one.days) for one in found] == [("often", 3), ("also", 2), ("rare", 2)]
    assert found[0].tags == ("b", "a")


def test_tags_are_found_as_whole_words_however_they_are_written() -> None:
    known = ("time_zone", "cron", "zone", "off")
    assert tags_in("The Time-Zone of cron is off", known) == ("cron", "off", "time_zone", "zone")
    assert tags_in("chronic offshore", known) == ()
