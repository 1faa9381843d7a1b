from nightledger.domain.search.lines import best_lines

TEXT = "# Day\n\n- the lilac\n- the rose and the lilac\n- a tulip"


def best(text: str, **weights: float) -> tuple[int, int]:
    return best_lines(text, 10, lambda line: frozenset(word for word in weights if word in line), weights)


def test_the_line_that_holds_most_is_the_answer() -> None:
    assert best(TEXT, lilac=0.5, rose=0.5) == (13, 13)


def test_of_equals_the_first() -> None:
    assert best(TEXT, lilac=1.0) == (12, 12)


def test_the_next_line_belongs_to_it_when_it_adds_a_word() -> None:
    assert best(TEXT, lilac=0.5, rose=0.5, tulip=0.1) == (13, 14)


def test_where_no_line_says_more_the_first_that_is_neither_blank_nor_a_heading_is_given() -> None:
    assert best("\n\n- something", lilac=1.0) == (12, 12)
    assert best("", lilac=1.0) == (10, 10)
    assert best(TEXT, lilac=0.0) == (12, 12)
    assert best("# Day", lilac=1.0) == (10, 10)
