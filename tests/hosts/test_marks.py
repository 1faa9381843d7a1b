import pytest

from nightledger.domain.drift import Writer
from nightledger.hosts.marks import find_mark


@pytest.mark.parametrize(
    "line",
    [
        "## Promoted From Short-Term Memory (2026-03-01)",
        "<!-- openclaw-memory-promotion:memory:memory/2026-03-01.md:4:6 -->",
        "- The relay restarts at noon. [score=0.912 recalls=7 avg=0.8 source=memory/2026-03-01.md:4-6]",
        "<!-- openclaw:dreaming:light:start -->",
        "## Light Sleep",
        "### REM Sleep  ",
    ],
)
def test_marks_of_dreaming_are_known(line: str) -> None:
    assert find_mark(["- before", line]) is Writer.DREAMING


@pytest.mark.parametrize(
    "line", ["## Nightly memory extraction", "### Durable facts extracted", "<!-- keeper:memory:start -->"]
)
def test_marks_of_other_tools_are_known(line: str) -> None:
    assert find_mark([line]) is Writer.EXTRACTION


@pytest.mark.parametrize(
    "line",
    [
        "- I slept little",
        "Deep sleep is important for the owner.",
        "- score=5 in darts",
        "<!-- a note -->",
        "",
    ],
)
def test_what_a_person_may_write_is_no_mark(line: str) -> None:
    assert find_mark([line]) is None


def test_dreaming_is_named_before_other_tools() -> None:
    assert find_mark(["## Nightly memory extraction", "## REM Sleep"]) is Writer.DREAMING
    assert find_mark([]) is None
