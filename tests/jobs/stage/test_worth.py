"""Which lines of a log are worth a place on a page."""

from datetime import date

import pytest

from nightledger.jobs.stage.worth import TELLING, Worth, is_bare, worth_of
from nightledger.text.statements.daylog import read_daylog
from nightledger.text.statements.statements import SEED

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
    assert found.passing >= found.answers
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
    found = worth(line, chance=1.0)
    assert not found.telling
    assert found.passing == {1}


@pytest.mark.parametrize(
    "line",
    [
        "This rule stands above all others", "- It was moved to the north pier", "这条规则高于一切", "Это правило важнее всех",
        "Questa regola vale sempre", "Esto vale siempre",
    ],
)  # fmt: skip
def test_what_points_back_tells_nothing_by_itself(line: str) -> None:
    assert worth(line, chance=1.0).telling == frozenset()


@pytest.mark.parametrize(
    "line",
    ["- Items are counted on Fridays", "- Thistles grow on the quay", "- Est of the pier lies the quay"],
)
def test_a_word_that_only_begins_alike_points_nowhere(line: str) -> None:
    assert worth(line, chance=1.0).telling == {1}


@pytest.mark.parametrize(
    "text",
    [
        "--user-data-dir=/srv/berths/profile", "Path: /mnt/quay/plan of berths.docx", "Canonical URL: berths.example/plan ✅",
        "https://berths.example/plan", "`berths list --all`", "PUT /json/new", "plan.md", "Mail: ada@berths.example",
    ],
)  # fmt: skip
def test_a_name_alone_is_bare(text: str) -> None:
    assert is_bare(text)


@pytest.mark.parametrize(
    "text",
    [
        "Use berths.example for the plan of the quay", "Build fails: `make` ends with a bus error", "禁止使用模拟数据",
        "Config: /srv/berths.yaml holds the price of a night", "The quay is closed",
    ],
)  # fmt: skip
def test_what_says_what_a_name_is_for_is_not_bare(text: str) -> None:
    assert not is_bare(text)


def test_a_bare_line_tells_something_only_where_it_would_found_a_statement() -> None:
    line = "- Mail: ada@berths.example"
    assert worth(line, chance=SEED - 0.01).telling == frozenset()
    assert worth(line, chance=SEED).telling == {1}
    assert worth(line, chance=SEED).passing == frozenset()


@pytest.mark.parametrize("part", ["A", "_", "*", "[", "-", "a-", "a.", "`a`b", "-\u00e4"])
def test_a_word_without_end_is_looked_through_once(part: str) -> None:
    assert is_bare(part * 100_000)
