import hashlib

from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus

from nightledger.domain.proposal import Anchor, Hunk
from nightledger.text.changes import sections
from nightledger.text.markdown.document import parse_markdown

Path = tuple[str, ...]


def insertion(text: str, *path: str) -> int:
    document = parse_markdown(text)
    section = sections.find_section(document, path)
    assert section is not None
    return sections.insertion_line(document, section, divided=False)


@from_corpus("text-changes-layout", tuples=True)
def test_a_path_names_one_section_or_none(text: str, path: Path, whole: Path | None) -> None:
    assert sections.resolve_path(parse_markdown(text), path) == whole


@from_corpus("text-changes-layout", tuples=True)
def test_a_new_heading_stands_one_level_below_its_outer_one(
    text: str, path: Path, heading: str | None
) -> None:
    assert sections.new_heading(parse_markdown(text), path) == heading


@from_corpus("text-changes-layout")
def test_a_section_grows_after_its_last_entry_and_outside_generated_blocks(text: str, line: int) -> None:
    assert insertion(text, "A") == line


def dressed(text: str, entry: str, *path: str) -> str:
    document = parse_markdown(text)
    return sections.as_addition(document, sections.find_section(document, path), entry)


@from_corpus("text-changes-layout")
def test_an_item_takes_on_the_marks_of_its_list(text: str, entry: str, expected: str) -> None:
    assert dressed(text, entry) == expected


@from_corpus("text-changes-layout")
def test_a_replacement_takes_on_the_marks_of_what_it_replaces(
    entry: str, removed: str, expected: str
) -> None:
    assert sections.as_replacement(entry, removed) == expected


@given(source=st.binary(max_size=40), other=st.binary(max_size=4))
def test_a_copy_is_made_of_the_signed_bytes_alone_and_over_nothing_but_itself(
    source: bytes, other: bytes
) -> None:
    text, there = (content.decode("utf-8", "surrogateescape") for content in (source, other))
    signed, removed = (hashlib.sha256(content).hexdigest() for content in (source, other))
    new = Hunk(anchor=Anchor.COPY, section=(), added=signed)
    assert sections.copied(text, "", new) == sections.copied(text, text, new) == text
    assert sections.copied(text, there, new) == (text if other in (b"", source) else None)
    assert sections.copied(f"{text}x", "", new) is None
    over = Hunk(anchor=Anchor.COPY, section=(), removed=removed, added=signed)
    assert sections.copied(text, there, over) == text
