from tests.rows import corpus, from_corpus

from nightledger.codec.canonical import canonical
from nightledger.domain.words import content_id
from nightledger.text.markdown.document import decode, parse_markdown
from nightledger.text.markdown.entries import (
    Entry,
    EntryKind,
    find_entries,
    number_entries,
    unnumbered_entries,
)

MEMORY = corpus("text-markdown-entries.txt")


def entries(text: str) -> tuple[Entry, ...]:
    return find_entries(parse_markdown(text))


def summary(text: str) -> list[tuple[str, int, int]]:
    return [(entry.kind.value, entry.first_line, entry.last_line) for entry in entries(text)]


def test_every_kind_of_entry_is_found_and_nothing_else() -> None:
    assert summary(MEMORY) == [
        ("paragraph", 3, 3),
        ("decision", 7, 12),
        ("decision", 13, 14),
        ("item", 18, 23),
        ("item", 24, 25),
        ("table", 27, 29),
        ("quote", 31, 31),
        ("fence", 33, 35),
        ("code", 37, 37),
    ]


def test_an_entry_knows_its_section_and_its_exact_text() -> None:
    first, *_, code = entries(MEMORY.replace("\n", "\r\n"))
    assert (first.section, first.text) == (("Memory",), "Opening words.\r\n")
    assert (code.section, code.text) == (("Memory", "Lessons"), "    typed = code\r\n")


def test_a_decision_has_its_fields_in_order_with_continued_lines() -> None:
    decision = entries(MEMORY)[1]
    assert decision.fields == (
        ("DECISION", "Keep the kettle at 80 degrees"),
        ("DATE", "2026-01-05"),
        ("WHY", "green tea turns bitter above that"),
        ("IMPACTS", "kitchen"),
        ("STATUS", "Open"),
    )
    assert decision.field("STATUS") == "Open"
    assert decision.field("REVISIT") == ""


@from_corpus("text-markdown-entries")
def test_a_decision_is_known_in_every_dress(text: str) -> None:
    (entry,) = entries(text)
    assert entry.kind is EntryKind.DECISION
    assert entry.fields == (("DECISION", "x"), ("STATUS", "Open"))


def test_ends_of_lines_and_space_there_are_no_part_of_the_id() -> None:
    assert [e.id for e in entries("# A\n\n- x  \n  y\n")] == [e.id for e in entries("# A\r\n\r\n- x\r\n  y")]


def test_an_id_that_is_taken_is_passed_over() -> None:
    (plain,) = entries("- x\n")
    (bare,) = unnumbered_entries(parse_markdown("- x\n"))
    (second,) = number_entries([bare], frozenset({plain.id}))
    assert second.id == entries("- x\n- x\n")[1].id
    assert number_entries([plain], frozenset({plain.id})) == (plain,)


def test_the_id_of_an_entry_is_of_the_canonical_json_of_section_wording_and_ordinal() -> None:
    found = find_entries(
        parse_markdown(
            decode('# Caf\u00e9\n## "B"\n- a\n- a\n\n- \udcff\n'.encode("utf-8", "surrogateescape"))
        )
    )
    said = [("- a", 1), ("- a", 2), ("- \\xff", 1)]
    assert [entry.id for entry in found] == [
        content_id("e", canonical([["Caf\u00e9", '"B"'], text, ordinal])) for text, ordinal in said
    ]
