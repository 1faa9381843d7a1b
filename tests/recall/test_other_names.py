from tests.rows import from_corpus

from nightledger.recall.names import is_slip, names_in, pairs_in, shared_names


@from_corpus("recall-other_names")
def test_two_names_of_a_thing_are_read_where_one_abbreviates_the_other(
    text: str, pairs: list[list[str]]
) -> None:
    assert sorted(map(list, {*pairs_in(text)})) == pairs


@from_corpus("recall-other_names")
def test_a_name_is_a_word_that_is_written_as_one_inside_a_sentence(text: str, names: list[str]) -> None:
    assert sorted(names_in(text)) == names


@from_corpus("text-search-names")
def test_words_are_slips_of_each_other_by_a_letter_and_long_ones_by_two(
    word: str,
    other: str,
    slips: bool,  # noqa: FBT001 - a row
) -> None:
    assert is_slip(word, other) is is_slip(other, word) is slips


def test_each_name_of_the_shipped_table_stands_for_all_others_of_the_same_thing() -> None:
    table = shared_names()
    assert set(table["k8s"]) == {"kubernetes", "kube"}
    assert {"continuous delivery", "continuous deployment"} <= set(table["cd"])
    for name, others in table.items():
        assert name not in others
        assert all(name in table[other] for other in others)
