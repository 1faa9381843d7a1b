from tests.rows import from_corpus
from tests.text.logs import read

from nightledger.text.statements.owner_words import owner_names, with_owner_quotations


@from_corpus("text-statements-owner_words")
def test_only_below_what_says_that_an_owner_speaks_a_quotation_is_read(notes: str, said: list[str]) -> None:
    pairs = zip(read(notes).lines, with_owner_quotations(read(notes), ("Ann", "Kofi")).lines, strict=True)
    opened = [after for before, after in pairs if after != before and after.content]
    assert ([line.content for line in opened], {line.origin for line in opened} - {"agent"}) == (said, set())


@from_corpus("text-statements-owner_words")
def test_an_owner_is_called_what_the_fields_of_names_say(profile: str, names: list[str]) -> None:
    assert list(owner_names(profile)) == names
