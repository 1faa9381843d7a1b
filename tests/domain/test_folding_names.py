"""Entries keep their ids through edits, as the log tells it (``entries.named``)."""

from datetime import UTC, datetime, timedelta
from typing import Any

from nightledger.domain.folding import fold_entries
from nightledger.domain.states import Book

START = datetime(2026, 3, 1, tzinfo=UTC)


def fold(*applies: tuple[list[list[str]], str]) -> Book:
    """Fold applies, each with the steps of its entries and how it ended."""
    entries: list[tuple[str, dict[str, Any], datetime]] = []

    def add(name: str, **fields: Any) -> None:
        entries.append((name, fields, START + timedelta(minutes=len(entries))))

    for n, (steps, ended) in enumerate(applies):
        proposal, decision, apply = f"p-{n}", f"d-{n}", f"a-{n}"
        add("proposal.created", proposal=proposal, sha256="a", kind="forget", lane="edit", changes=1)
        add(
            "decision.recorded", decision=decision, sha256="b", type="approve", proposal=proposal, changes=[1]
        )
        add("apply.intent", apply=apply, decision=decision, proposal=proposal, changes=[1], targets=[])
        for at in range(0, len(steps), 2):
            add("entries.named", apply=apply, names=steps[at : at + 2])
        add(f"apply.{ended}", apply=apply)
    return fold_entries(entries)


def test_an_id_is_followed_from_edit_to_edit_and_back() -> None:
    assert fold(([["A", "B"]], "done")).names == {"B": "A"}
    assert fold(([["A", "B"]], "done"), ([["B", "C"]], "raced")).names == {"C": "A"}
    assert fold(([["A", "B"]], "done"), ([["B", "A"]], "done")).names == {}


def test_two_that_change_places_keep_their_ids() -> None:
    assert fold(([["A", "B"], ["B", "A"]], "done")).names == {"A": "B", "B": "A"}


def test_steps_in_several_entries_of_the_log_are_one() -> None:
    steps = [["A", "B"], ["B", "C"], ["C", "A"]]
    assert fold((steps, "done")).names == {"B": "A", "C": "B", "A": "C"}


def test_an_apply_that_was_given_up_names_nothing() -> None:
    book = fold(([["A", "B"]], "aborted"))
    assert (book.names, book.edited_at) == ({}, {})


def test_an_edit_is_remembered_with_its_time_by_the_id_that_is_kept() -> None:
    book = fold(([["A", "B"]], "done"), ([["B", "C"]], "done"))
    assert book.edited_at == {"A": START + timedelta(minutes=9)}
