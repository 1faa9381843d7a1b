"""Which lines of a log are worth a place on a page."""

from datetime import date

import pytest

from nightledger.jobs.stage.worth import TELLING, Worth, worth_of
from nightledger.text.statements.daylog import read_daylog

PATH = "memory/2026-02-28.md"


def worth(*lines: str, chance: float = TELLING) -> Worth:
    read = read_daylog(PATH, "\n".join(lines), date(2026, 2, 28))
    return worth_of(read, {line.number: chance for line in read.lines})


def test_a_line_tells_something_from_the_estimate_on() -> None:
    assert worth("- The north pier floods at spring tide").telling == {1}
    assert worth("- The north pier floods at spring tide", chance=TELLING - 0.01).telling == frozenset()


def test_what_an_assistant_answers_in_an_exported_chat_is_no_part_of_a_page() -> None:
    found = worth(
        "user: Moor the barge at the north pier.",
        "assistant: I moored it there.",
        "It lies well now.",
        "user: The berth is dry at low tide.",
    )
    assert found.answers == {2, 3}
    assert found.telling == {1, 4}


@pytest.mark.parametrize(
    "line",
    [
        "Shall the barge go to the north pier?",
        '- Ada: "shall it go there?"',
        "桟橋に移しますか\uff1f",
        "هل ننقل القارب؟",
    ],
)
def test_a_question_tells_nothing(line: str) -> None:
    assert not worth(line, chance=1.0).telling
