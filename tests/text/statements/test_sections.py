import pytest
from tests.rows import from_corpus

from nightledger.text.markdown.document import parse_markdown
from nightledger.text.statements.sections import Shelf, choose_section


def chosen(document: str, shelf: Shelf) -> tuple[str, ...]:
    return choose_section(parse_markdown(document), shelf)


@pytest.mark.parametrize("shelf", Shelf)
def test_a_heading_that_names_the_shelf_is_taken(shelf: Shelf) -> None:
    assert chosen(f"# M\n\n## Other\n\n## {shelf.value}\n", shelf) == ("M", shelf.value)


@pytest.mark.parametrize("heading", ["Lessons 2026-02", "Lessons about the printer queue", "Lessonsmith"])
def test_a_heading_that_is_dated_or_narrower_is_not(heading: str) -> None:
    assert chosen(f"# M\n\n## {heading}\n\n- x\n", Shelf.LESSONS) == ("M", "Lessons")


@from_corpus("text-statements-sections", tuples=True)
def test_a_new_section_stands_beside_the_others(document: str, path: tuple[str, ...]) -> None:
    assert chosen(document, Shelf.LESSONS) == path


def test_what_the_owner_wishes_stands_among_rules_before_facts() -> None:
    assert chosen("# M\n\n## Notes\n\n## Rules\n", Shelf.PREFERENCES) == ("M", "Rules")
    assert chosen("# M\n\n## Notes\n\n## Rules\n\n## Likes\n", Shelf.PREFERENCES) == ("M", "Likes")
    assert chosen("# M\n\n## Notes\n", Shelf.PREFERENCES) == ("M", "Notes")
