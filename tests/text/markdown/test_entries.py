from typing import Any

from hypothesis import given
from tests.rows import corpus, from_corpus
from tests.text.documents import documents

from nightledger.codec.canonical import canonical
from nightledger.domain.words import content_id
from nightledger.text.markdown import entries as listed
from nightledger.text.markdown.document import decode, parse_markdown


def entries(text: str) -> tuple[listed.Entry, ...]:
    return listed.find_entries(parse_markdown(text))


def ids(text: str) -> list[str]:
    return [entry.id for entry in entries(text)]


@from_corpus("text-markdown-entries")
def test_every_kind_of_entry_is_found_in_every_dress_and_nothing_else(
    text: str, expected: list[list[Any]]
) -> None:
    assert expected == [
        [entry.kind.value, entry.first_line, entry.last_line, [*entry.section], *map(list, entry.fields)]
        for entry in entries(text)
    ]


def test_an_entry_has_its_exact_text_and_a_field_that_it_has_not_is_empty() -> None:
    first, decision, *_, code = entries(corpus("text-markdown-entries.txt").replace("\n", "\r\n"))
    assert (first.text, code.text) == ("Opening words.\r\n", "    typed = code\r\n")
    assert (decision.field("STATUS"), decision.field("REVISIT")) == ("Open", "")


def test_ends_of_lines_and_space_there_are_no_part_of_the_id() -> None:
    assert ids("# A\n\n- x  \n  y\n") == ids("# A\r\n\r\n- x\r\n  y")


def test_an_id_that_is_taken_is_passed_over() -> None:
    (plain,) = entries("- x\n")
    (bare,) = listed.unnumbered_entries(parse_markdown("- x\n"))
    (second,) = listed.number_entries([bare], frozenset({plain.id}))
    assert second.id == ids("- x\n- x\n")[1]
    assert listed.number_entries([plain], frozenset({plain.id})) == (plain,)


def test_the_id_of_an_entry_is_of_the_canonical_json_of_section_wording_and_ordinal() -> None:
    text = decode(b'# Caf\xc3\xa9\n## "B"\n- a\n- a\n\n- \xff\n')
    said = [("- a", 1), ("- a", 2), ("- \\xff", 1)]
    assert ids(text) == [content_id("e", canonical([["Caf\u00e9", '"B"'], *one])) for one in said]


def follow(before: str, after: str) -> listed.Tracked:
    return listed.track(entries(before), parse_markdown(after))


@given(documents())
def test_an_unchanged_document_keeps_every_id(text: str) -> None:
    assert follow(text, text) == listed.Tracked(entries=entries(text), edited=())


@from_corpus("text-markdown-entries")
def test_an_edited_entry_keeps_its_id_where_only_one_can_be_meant(
    before: str, after: str, edited: list[str]
) -> None:
    """Two close matches, on either side, are none; so is one in another section."""
    kept = [next(entry.id for entry in entries(before) if words in entry.text) for words in edited]
    tracked = follow(before, after)
    assert list(tracked.edited) == kept
    assert set(kept) <= {entry.id for entry in tracked.entries}


def test_an_id_goes_to_one_entry_only() -> None:
    """The first wording comes back beside the edited entry that still carries its id; equals keep their order."""
    first, second = "- Tie both lines before noon.\n", "- Tie both lines before one.\n"
    both = listed.track(follow(first, second).entries, parse_markdown(second + first))
    assert len({entry.id for entry in both.entries}) == 2
    assert both.entries[0].id == ids(first)[0]
    same = follow("- x\n- x\n- x\n", "- x\n- x\n").entries
    assert [entry.id for entry in same] == ids("- x\n- x\n- x\n")[:2]
