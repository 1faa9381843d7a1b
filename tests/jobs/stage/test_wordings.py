"""Which lines say the same."""

import pytest

from nightledger.domain.staging.values import Candidate, Source
from nightledger.jobs.stage.wordings import Wordings


def says(text: str, source: Source) -> Candidate:
    return Candidate(source=source, text=text, place="a.md:1", why="", score=0.5)


@pytest.mark.parametrize(
    ("first", "second", "at_work", "elsewhere"),
    [
        ("Tide table: 3 rows added in 2 files.", "Tide table: 14 rows added in 9 files", True, False),
        ("Tide table: 3 rows added", "Result: the tide table was read; 14 rows were added; no errors", False, False),
        ("Rows added: 0", "Read the tide table; rows added: 14; all is well", True, False),
        ("Move the crane before noon, as the pier office asks.", "Move the crane before noon, as the pier office asked.", True, True),
        ("Move the crane after the wind report.", "Never move the crane after the wind report.", False, False),
        ("Move the crane after the wind report.", "Grease the lock gates of the inner basin.", False, False),
    ],
)  # fmt: skip
def test_lines_of_how_work_goes_are_one_whatever_their_numbers_and_others_are_not(
    first: str,
    second: str,
    at_work: bool,  # noqa: FBT001 - a row
    elsewhere: bool,  # noqa: FBT001 - a row
) -> None:
    wordings = Wordings()
    for one, other in ((first, second), (second, first)):
        assert wordings.alike(says(one, Source.WORK), says(other, Source.WORK)) is at_work
        assert wordings.alike(says(one, Source.WORK), says(other, Source.DOCUMENT)) is elsewhere
        assert not wordings.alike(says(one, Source.EVENT), says(other, Source.DOCUMENT))


def test_a_text_says_a_piece_of_it_and_not_the_other_way_round() -> None:
    wordings = Wordings()
    assert wordings.says("read the tide table, rows added, no errors", "rows added")
    assert not wordings.says("rows added", "read the tide table, rows added, no errors")
    assert not wordings.says("rows added", "")
