"""What lines tell by themselves, and as what they are told."""

from tests.rows import from_corpus

from nightledger.domain.staging import Candidate, Source
from nightledger.jobs.stage.inquiry import alike, is_short, plain


@from_corpus("jobs-stage-lines")
def test_lines_are_told_as_one_without_signs(text: str, told: str) -> None:
    """Nor with what a host puts before a message."""
    assert plain(text) == told


def test_a_text_is_short_where_each_of_its_lines_is() -> None:
    assert is_short("all fine / done: 14,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000")
    assert not is_short(
        "done / the crane of the north pier had its brake looked at by two people from the yard"
    )


def says(text: str, source: Source) -> Candidate:
    return Candidate(source=source, text=text, place="a.md:1", why="", score=0.5)


@from_corpus("jobs-stage-lines")
def test_lines_of_how_work_goes_are_one_whatever_their_numbers_and_others_are_not(
    first: str,
    second: str,
    at_work: bool,  # noqa: FBT001 - a row
    elsewhere: bool,  # noqa: FBT001 - a row
) -> None:
    for one, other in ((first, second), (second, first)):
        assert alike(says(one, Source.WORK), says(other, Source.WORK)) is at_work
        assert alike(says(one, Source.WORK), says(other, Source.DOCUMENT)) is elsewhere
        assert not alike(says(one, Source.EVENT), says(other, Source.DOCUMENT))
