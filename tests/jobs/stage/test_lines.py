"""What lines tell by themselves, and as what they are told."""

from tests.rows import from_corpus

from nightledger.jobs.stage.inquiry import plain


@from_corpus("jobs-stage-lines")
def test_lines_are_told_as_one_without_signs(text: str, told: str) -> None:
    """Nor with what a host puts before a message."""
    assert plain(text) == told
