"""What kinds of task are done on this day of the week, and which tags a text names."""

from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast
from zoneinfo import ZoneInfo

from tests.rows import from_corpus

from nightledger.codec.rows import DoingRow
from nightledger.jobs.stage import habits
from nightledger.text.statements.block import tags_in

if TYPE_CHECKING:
    from nightledger.jobs.stage.inquiry import Inquiry

NOW = datetime(2026, 4, 5, 22, 30, tzinfo=UTC)  # Monday 00:30 in Berlin
HOUR = timedelta(hours=1)


def kinds(*doings: DoingRow, least: int = 1) -> list[tuple[int, frozenset[str]]]:
    rules = SimpleNamespace(habit_weeks=8, habit_days=least)
    asked = SimpleNamespace(today=date(2026, 4, 6), zone=ZoneInfo("Europe/Berlin"), rules=rules)
    return habits(cast("Inquiry", asked), doings)


def doing(
    weeks: float, hours: float = 0, kind: str = "report", tags: tuple[str, ...] = ("figures",)
) -> DoingRow:
    at = NOW + HOUR / 2 - timedelta(weeks=weeks, hours=hours)
    return DoingRow(timestamp=at, task_type=kind, context_tags=tags)


@from_corpus("jobs-stage-habits")
def test_what_was_done_on_this_day_of_the_week_is_a_habit(
    weeks: float,
    hours: float,
    counts: bool,  # noqa: FBT001 - a row
) -> None:
    """An hour before is a Sunday."""
    assert bool(kinds(doing(weeks, hours))) is counts


def test_a_kind_counts_by_days_and_a_time_off_the_calendar_is_none() -> None:
    assert kinds(doing(1), doing(1, -1), least=2) == []
    assert kinds(doing(1), doing(2), least=2) == [(2, frozenset({"figures"}))]
    assert kinds(DoingRow(timestamp=datetime.max.replace(tzinfo=UTC), task_type="x", context_tags=())) == []


def test_tags_are_found_as_whole_words_however_they_are_written() -> None:
    assert tags_in("The Time-Zone of cron") >= {"time_zone", "cron", "zone", "the"}
    assert tags_in("chronic offshore") == {"chronic", "offshore", "chronic_offshore"}
