from tests.rows import from_corpus

from nightledger.domain.search import best_lines, says, with_what_follows

TEXT = "# Day\n\n- the lilac\n- the rose and the lilac\n- a tulip"


def best(text: str, **weights: float) -> tuple[int, int]:
    return best_lines(text, 10, lambda line: frozenset(word for word in weights if word in line), weights)


def test_the_next_line_belongs_to_it_when_it_adds_a_word() -> None:
    assert best(TEXT, lilac=0.5, rose=0.5, tulip=0.1) == (13, 14)


def test_where_no_line_says_more_the_first_that_is_neither_blank_nor_a_heading_is_given() -> None:
    assert best("\n\n- something", lilac=1.0) == (12, 12)
    assert best("", lilac=1.0) == (10, 10)
    assert best(TEXT, lilac=0.0) == (12, 12)
    assert best("# Day", lilac=1.0) == (10, 10)


@from_corpus("domain-search-lines")
def test_headings_rules_and_what_introduces_others_say_nothing(line: str, so: bool) -> None:  # noqa: FBT001 - a row
    assert says(line) is so


@from_corpus("domain-search-lines", tuples=True)
def test_what_only_introduces_comes_with_what_follows_within_three_lines(
    text: str, lines: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert with_what_follows(text, 10, lines) == expected
