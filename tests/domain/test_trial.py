from datetime import date, timedelta

from tests.domain.outcomes import LEARNING, told

from nightledger.domain.pattern import task_of
from nightledger.domain.patterns import _was_lesson

ENDED = ("10 - restart_gateway", "11 - restart_gateway", "12 + set_tz")
"""One success that ended failures: a lesson once it has settled, some active days later."""


def was_lesson(*active: int) -> bool:
    """Tell whether it was one when it failed on the 20th, given on which days the agent did anything."""
    records = told(*ENDED, "20 - set_tz")
    days = {*LEARNING.days(records), *(date(2026, 2, 1) + timedelta(days=day) for day in active)}
    return _was_lesson("set_tz", task_of(records, tuple(sorted(days))), records[-1], LEARNING)


def test_whether_something_was_a_lesson_is_judged_by_the_days_until_it_failed() -> None:
    assert was_lesson(14, 15, 16, 17, 18)
    assert not was_lesson()
    assert not was_lesson(*range(21, 60))
