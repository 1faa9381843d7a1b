from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.proposal import Anchor, Hunk
from nightledger.text.changes.context import veiled_occurrences
from nightledger.text.changes.edits import hunks_between
from nightledger.text.changes.place import Applied, Placed, Unplaced, apply_hunks, place, put
from nightledger.text.changes.veil import HOLE, veil
from nightledger.text.changes.veiled import BESIDE, without_secrets
from nightledger.text.scanners.scan import told_values

ONE = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
TWO = "ghp_" + "Zz9yX8wV7uT6sR5qP4oN3mL2kJ1iH0gF9eD8"
LINES = st.lists(
    st.sampled_from(
        [f"- token {ONE}\n", f"- token {TWO}\n", f"- {ONE}\r\n", "- a\n", "- b\n", "\n", "## C\n", "- ██\n"]
    ),
    max_size=9,
)


def exact(removed: str, *, before: str = "", after: str = "", added: str = "") -> Hunk:
    return Hunk(
        anchor=Anchor.EXACT,
        section=(),
        removed=removed,
        added=added,
        context_before=before,
        context_after=after,
    )


def veiled(document: str, hunk: Hunk) -> Hunk | Unplaced:
    return without_secrets(document, veil(document), hunk)


def test_a_hunk_without_secrets_stays_as_it_is() -> None:
    hunk = exact("- a\n")
    assert veiled(f"- token {ONE}\n- a\n", hunk) == hunk


def test_an_addition_has_nothing_to_veil() -> None:
    hunk = Hunk(anchor=Anchor.SECTION_END, section=(), added="- b\n")
    assert veiled("- a\n", hunk) == hunk


def test_a_hunk_without_a_place_says_so() -> None:
    found = veiled("- a\n", exact("- b\n"))
    assert isinstance(found, Unplaced)


def test_context_is_added_where_only_a_secret_told_the_place() -> None:
    document = f"- token {ONE}\n- a\n- token {TWO}\n- b\n"
    hole = f"- token {HOLE * 40}\n"
    found = veiled(document, exact(f"- token {TWO}\n"))
    assert isinstance(found, Hunk)
    assert (found.context_before, found.removed, found.context_after) == ("- a\n", hole, "- b\n")
    placed = place(document, found)
    assert isinstance(placed, Placed)
    assert put(document, placed) == f"- token {ONE}\n- a\n- b\n"


def test_at_the_top_and_at_the_end_context_is_what_there_is() -> None:
    document = f"- token {ONE}\n- token {TWO}\n- b\n- token {ONE}"
    hole = f"- token {HOLE * 40}"
    first, last = veiled(document, exact(f"- token {ONE}\n")), veiled(document, exact(f"- token {ONE}"))
    assert isinstance(first, Hunk)
    assert (first.context_before, first.context_after) == ("", f"{hole}\n")
    assert isinstance(last, Hunk)
    assert (last.removed, last.context_before, last.context_after) == (hole, "", "")


def test_lines_that_only_their_secrets_tell_apart_have_no_place() -> None:
    found = veiled(f"- token {ONE}\n- token {TWO}\n- token {ONE}\n", exact(f"- token {TWO}\n"))
    assert isinstance(found, Hunk)
    assert found.context_after == f"- token {HOLE * 40}\n"
    lines = "".join(f"- token {ONE[:-3]}{n:03}\n" for n in range(900))
    assert veiled(lines, exact(f"- token {ONE[:-3]}450\n")) == Unplaced(reason=BESIDE)


def test_once_masked_the_line_is_found_whatever_fills_the_holes_but_no_end_of_line() -> None:
    hole = exact(f"- token {HOLE * 3}\n")
    masked = replace(hole, anchor=Anchor.MASKED)
    assert isinstance(place("- token abc\n", masked), Placed)
    assert isinstance(place("- token abcd\n", masked), Unplaced)
    assert isinstance(place("- token a\nb\n", masked), Unplaced)
    assert isinstance(place("- token abc\n- token xyz\n", masked), Unplaced)
    assert isinstance(place("- token abc\n", hole), Unplaced)


@pytest.mark.parametrize(
    ("document", "pattern", "found"),
    [
        ("abc\n", f"a{HOLE}c\n", [0]),
        ("\ufeffabc\n", f"{HOLE * 3}\n", [1]),
        ("abc\nadc\nxbc\n", f"a{HOLE}c\n", [0, 4]),
        ("xabc\n", f"a{HOLE}c\n", []),
        ("abc", f"ab{HOLE}", [0]),
        ("abcd", f"ab{HOLE}", []),
        ("a.c\nabc\n", f"a.{HOLE}\n", [0]),
        ("a\nb\na\nc\na\nd\n", f"a\n{HOLE}\n", [0, 4]),
    ],
)
def test_a_text_with_holes_stands_as_whole_lines(document: str, pattern: str, found: list[int]) -> None:
    assert veiled_occurrences(document, pattern) == found


@given(LINES, LINES)
def test_veiled_hunks_do_what_the_hunks_do_and_hold_no_secret(old: list[str], new: list[str]) -> None:
    before, after = "".join(old), "".join(new)
    hunks = hunks_between(before, after)
    assert not isinstance(hunks, Unplaced)
    applied = apply_hunks(before, hunks)
    assert isinstance(applied, Applied)
    document = before
    for hunk, placed in zip(hunks, applied.placed, strict=True):
        told = told_values(document)
        found = without_secrets(document, veil(document, told=told), hunk, told=told)
        if isinstance(found, Unplaced):
            assert found.reason == BESIDE
        else:
            assert place(document, found) == placed
            taken = found.removed + found.context_before + found.context_after
            assert ONE not in taken
            assert TWO not in taken
        document = put(document, placed)
