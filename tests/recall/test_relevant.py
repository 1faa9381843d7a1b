from pathlib import Path

import pytest
from tests.stores import kept
from tests.surfaces.hook.indexed import ENTRIES, index, make_indexed

from nightledger.files.search_index import index_path
from nightledger.files.search_reader import Reader, open_reader
from nightledger.recall.relevant import (
    MEMORY,
    MOST_EARLIER_WORDS,
    MOST_OWN_WORDS,
    Looked,
    earlier_words,
    look,
    own_words,
)


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    home = make_indexed(tmp_path / "home")
    index(home, filler=20)
    return kept(open_reader(index_path(home)))


def entry(reader: Reader, looked: Looked) -> list[str]:
    return [line.entry or line.kind for line in reader.lines(looked.best(0.0))]


def test_the_line_that_shares_most_comes_first(reader: Reader) -> None:
    looked = look(reader, own_words("the invoice for the accountant, with a semicolon"))
    assert entry(reader, looked)[0] == list(ENTRIES)[3]
    assert looked.standing == ["accountant", "invoice", "semicolon"]


def test_only_the_kinds_that_are_asked_for_are_looked_at(reader: Reader) -> None:
    own = own_words("ask the plumber about the pump of the greenhouse")
    assert entry(reader, look(reader, own))[0] == "handoff"
    assert "handoff" not in entry(reader, look(reader, own, kinds=(MEMORY,)))
    assert look(reader, own, kinds=()).scores == {}
    assert look(reader, own_words("tomatoes watered miles")).scores == {}


def test_words_of_earlier_prompts_add_to_a_line_that_the_prompt_shares(reader: Reader) -> None:
    own, earlier = own_words("the sensor"), earlier_words(["hello", "the greenhouse", "thresholds"], "")
    alone, after = look(reader, own), look(reader, own, earlier)
    (number,) = alone.scores
    assert after.scores[number] > alone.scores[number]
    assert after.standing == ["sensor"]


def test_a_neighbour_s_words_are_not_a_line_s_own(reader: Reader) -> None:
    found = look(reader, own_words("Fahrenheit"))
    assert entry(reader, found) == [next(iter(ENTRIES))]


def test_of_a_long_prompt_both_ends_are_asked() -> None:
    words = own_words(" ".join(f"w{n}" for n in range(500)))
    assert len(words) == MOST_OWN_WORDS
    assert (words[0], words[-1]) == ("w0", "w499")
    assert len(earlier_words(["x " * 10, " ".join(f"w{n}" for n in range(500))], "t")) == MOST_EARLIER_WORDS
    assert earlier_words(["one", "two", "three", "four"], "five") == ("two", "three", "four", "five")
    assert list(own_words("")) == []
