"""What goes on, as far as the newest log tells."""

from datetime import date
from typing import TYPE_CHECKING, cast

import pytest

from nightledger.hosts.daylogs import LogFile
from nightledger.jobs.stage.logs import MOST_OF_A_DAY, Logs, bare
from nightledger.jobs.stage.sources import FADING, LAST_LINES, QUERY_CHARACTERS, SECTIONS, Topic, topics_of

if TYPE_CHECKING:
    from nightledger.jobs.stage.inquiry import Shelves

LOG = LogFile(path="memory/2026-02-28.md", day=date(2026, 2, 28))


class Open:
    """A library that withholds the lines that it was told of."""

    def __init__(self, *held: int) -> None:
        self.held = held

    def may_say(self, text: str) -> bool:
        return "secretly" not in text

    def shown_lines(self, path: str) -> frozenset[int]:
        return frozenset(range(1, 1000)).difference(self.held) if path == LOG.path else frozenset()


def topics(*lines: str, routine: frozenset[str] = frozenset(), held: tuple[int, ...] = ()) -> list[Topic]:
    return list(topics_of(LOG, "\n".join(lines).encode(), routine, cast("Shelves", Open(*held))))


def test_what_may_not_be_shown_is_about_nothing() -> None:
    found = topics("## The boat, secretly", "", "- The crane moved.", "- Its brake slips.", held=(4,))
    assert [one.query for one in found] == ["The crane moved.", "The crane moved."]


def test_the_last_lines_come_first_then_the_last_sections_with_their_headings() -> None:
    found = topics(
        "# Day", "", "## Crane", "", "- The crane moved.", "- Its brake slips.", "", "## Boat", "", "- The boat leaks."
    )  # fmt: skip
    assert [(one.query, one.place, one.share) for one in found] == [
        ("The boat leaks.", f"{LOG.path}:10", 1.0),
        ("Its brake slips.", f"{LOG.path}:6", pytest.approx(FADING)),
        ("The crane moved.", f"{LOG.path}:5", pytest.approx(FADING**2)),
        ("Boat The boat leaks.", f"{LOG.path}:10", 1.0),
        ("Crane The crane moved. Its brake slips.", f"{LOG.path}:5-6", pytest.approx(FADING)),
    ]


def test_only_so_many_lines_and_sections_are_taken() -> None:
    count = LAST_LINES + SECTIONS + 3
    found = topics(*(f"## Part {n}\n\n- What was told of part {n}." for n in range(count)))
    said = [one.query for one in found]
    newest = [f"What was told of part {n}." for n in reversed(range(count))]
    assert said[:LAST_LINES] == newest[:LAST_LINES]
    assert said[LAST_LINES:] == [f"Part {count - 1 - n} {line}" for n, line in enumerate(newest[:SECTIONS])]


def test_what_habit_wrote_is_about_nothing_and_a_long_line_is_cut() -> None:
    long = "word " * QUERY_CHARACTERS
    habit = frozenset({bare("- The pier was swept.")})
    found = topics("- The pier was swept.", f"- {long}", routine=habit)
    assert {len(one.query) <= QUERY_CHARACTERS for one in found} == {True}
    assert not any("swept" in one.query for one in found)
    assert topics("- The pier was swept.", routine=habit) == []


def test_of_many_logs_of_the_newest_day_its_own_and_the_last_few_are_looked_up() -> None:
    sessions = [LogFile(path=f"memory/2026-02-28_{n:04}.md", day=LOG.day) for n in range(40)]
    older = LogFile(path="memory/2026-02-27.md", day=date(2026, 2, 27))
    logs = Logs(contents=dict.fromkeys([older, LOG, *sessions], b""), worth={})
    assert set(logs.newest()) == {LOG, *sessions[1 - MOST_OF_A_DAY :]}
