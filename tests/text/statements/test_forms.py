from datetime import date, timedelta

from nightledger.text.statements.daylog import read_daylog
from nightledger.text.statements.forms import find_form_fields, without_fields

FIRST = date(2026, 3, 1)
DAY = "## Check of platforms\n- **Risk:** none, always push\n- Lesson: cron has no PATH\nFinding:\n- the relay needs a restart\n"


def fields(days: int, times: int) -> frozenset[str]:
    return find_form_fields((FIRST + timedelta(days=n), DAY * times) for n in range(days))


def test_what_is_filled_in_on_five_days_and_twenty_times_is_a_form_s_field() -> None:
    assert fields(5, 4) == {"check of platforms", "risk", "finding"}
    assert fields(4, 9) == frozenset()
    assert fields(6, 3) == frozenset()


def test_nothing_is_learned_from_a_field_whether_heading_label_or_lead() -> None:
    log = read_daylog("memory/2026-03-01.md", DAY, FIRST)

    def prose(names: frozenset[str]) -> list[str]:
        left = without_fields(log, names)
        return [line.content for line in left.lines if line.region == "prose"]

    lesson = "Lesson: cron has no PATH"
    assert prose(frozenset()) == [
        "**Risk:** none, always push",
        lesson,
        "Finding:",
        "the relay needs a restart",
    ]
    assert prose(frozenset({"risk", "finding"})) == [lesson]
    assert prose(frozenset({"check of platforms"})) == []
