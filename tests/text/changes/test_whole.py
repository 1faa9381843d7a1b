"""Places that are about a whole file: its end, all of it, or a copy of another."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus

from nightledger.domain.proposal import Anchor, Hunk
from nightledger.text.changes.place import Unplaced, place, put_all
from nightledger.text.changes.sections import at_end, copied


def hunk(anchor: Anchor, *, removed: str = "", added: str = "") -> Hunk:
    return Hunk(anchor=anchor, section=(), removed=removed, added=added)


@from_corpus("text-changes-whole")
def test_what_is_appended_is_a_paragraph_of_its_own_and_nothing_before_it_changes(
    before: str, after: str
) -> None:
    done = put_all(before, [hunk(Anchor.FILE_END, added="## B\n")])
    assert isinstance(done, str)
    assert done == after
    assert before + at_end(before, "## B\n") == after


def test_a_file_is_replaced_as_a_whole_only_while_it_has_the_hash_that_was_signed() -> None:
    before = "# A\n\udcff\r\nno end"
    sha256 = hashlib.sha256(before.encode("utf-8", "surrogateescape")).hexdigest()
    whole = hunk(Anchor.WHOLE, removed=sha256, added="# Short\n")
    done = put_all(before, [whole])
    assert isinstance(done, str)
    assert done == "# Short\n"
    assert place(f"{before}\n", whole) == Unplaced(reason="the file has changed since")
    assert place("# Short\n", whole) == Unplaced(reason="it changes nothing")
    assert put_all("", [hunk(Anchor.WHOLE, added="# New\n")]) == "# New\n"
    assert place("x\n", hunk(Anchor.WHOLE, added="# New\n")) == Unplaced(reason="the file has changed since")


@pytest.mark.parametrize("anchor", [Anchor.COPY, Anchor.LINK])
def test_a_copy_and_a_link_have_no_place_in_a_text(anchor: Anchor) -> None:
    found = place("# A\n", hunk(anchor, removed="cron + timezone", added="0" * 64))
    assert found == Unplaced(reason=f"it has no place in a text ({anchor.value})")


@given(source=st.binary(max_size=40), other=st.binary(max_size=4))
def test_a_copy_is_made_of_the_signed_bytes_alone_and_over_nothing_but_itself(
    source: bytes, other: bytes
) -> None:
    text, there = (content.decode("utf-8", "surrogateescape") for content in (source, other))
    signed = hunk(Anchor.COPY, added=hashlib.sha256(source).hexdigest())
    assert copied(text, "", signed) == text
    assert copied(text, text, signed) == text
    assert copied(text, there, signed) == (text if other in (b"", source) else None)
    assert copied(f"{text}x", "", signed) is None
    over = hunk(Anchor.COPY, removed=hashlib.sha256(other).hexdigest(), added=signed.added)
    assert copied(text, there, over) == text
