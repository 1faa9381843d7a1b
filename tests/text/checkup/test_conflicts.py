import pytest

from nightledger.text.checkup.conflicts import find_conflicts
from nightledger.text.checkup.units import read_units
from nightledger.text.markdown.document import parse_markdown


def conflicts(text: str) -> list[tuple[int, int, str]]:
    units = read_units(parse_markdown(text))
    return [
        (units[one.unit].first, units[one.other].first, one.kind) for one in find_conflicts(units).values()
    ]


@pytest.mark.parametrize(
    "text",
    [
        "- Push the branch to the shared server\n\n- Never push the branch to the shared server\n",
        "- Always push the branch to the shared server\n\n- Do not push the branch to the shared server\n",
        "- Das Tor bleibt nachts immer offen stehen\n\n- Das Tor bleibt nachts nie offen stehen\n",
    ],
)
def test_the_earlier_of_two_opposite_rules_is_contradicted(text: str) -> None:
    assert conflicts(text) == [(1, 3, "turned_round")]


def test_another_number_in_the_same_words_contradicts_the_earlier() -> None:
    text = "# Old\n- The backup of the press runs at 03:00 each night\n# New\n- The backup of the press runs at 04:30 each night\n"
    assert conflicts(text) == [(2, 4, "other_number")]


@pytest.mark.parametrize(
    "text",
    [
        "- Gate 1 opens at 6 for the ferry people\n- Gate 2 opens at 7 for the ferry people\n",
        "# A\n- Address of it: 10.0.0.7\n# B\n- Address of it: 10.0.0.8\n",
        "- Push the branch to the shared server\n- Push the branch to the shared server\n",
        "- Never lend the red press to guests\n- Lend the blue press to guests\n",
    ],
)
def test_lists_attributes_and_other_subjects_do_not_contradict(text: str) -> None:
    assert conflicts(text) == []
