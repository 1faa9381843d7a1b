from nightledger.domain.search.rarity import telling_words

COUNTS = {"garden": 9_000, "lilac": 12, "log": 60_000, "marmot": 3}


def test_in_a_small_home_every_word_is_looked_for() -> None:
    assert telling_words(("log", "lilac", "garden"), {"log": 900, "lilac": 2, "garden": 50}) == (
        "log",
        "lilac",
        "garden",
    )


def test_in_a_large_one_the_rarest_and_in_their_order() -> None:
    assert telling_words(("log", "marmot", "garden", "lilac"), COUNTS) == ("marmot", "garden", "lilac")


def test_two_words_are_kept_however_common() -> None:
    assert telling_words(("log", "garden"), {"log": 60_000, "garden": 50_000}) == ("log", "garden")
    assert telling_words(("log",), COUNTS) == ("log",)


def test_a_word_of_which_nothing_is_known_is_looked_for_and_counts_for_none() -> None:
    assert telling_words(("x", "y", "log", "garden"), COUNTS) == ("x", "y", "log", "garden")


def test_nothing_is_nothing() -> None:
    assert telling_words((), COUNTS) == ()
