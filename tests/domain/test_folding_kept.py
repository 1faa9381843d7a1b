"""Daily logs and the archive, as the log tells of them: what was put there last, and where a full text is."""

from datetime import UTC, datetime
from typing import Any

from nightledger.domain.begun import begun_of
from nightledger.domain.fold_kept import KeptFold
from nightledger.domain.folding import fold_entries
from nightledger.domain.states import Book

LOG, COPY = "memory/2026-01-02.md", "memory/archive/daily/2026-01-02.md"
AT = datetime(2026, 3, 1, tzinfo=UTC)


def target(path: str, before: str, after: str) -> dict[str, str]:
    return {"path": path, "before": before, "after": after}


COMPRESSED = [target(COPY, "", "full"), target(LOG, "full", "short")]


def test_a_compressed_log_has_its_full_text_in_its_copy_until_it_is_taken_back() -> None:
    fold = KeptFold()
    fold.apply(COMPRESSED)
    assert (fold.files, fold.copies) == ({LOG: "short", COPY: "full"}, {LOG: COPY})
    fold.apply([target(LOG, "short", "full"), target(COPY, "full", "")])
    assert (fold.files, fold.copies) == ({LOG: "full", COPY: ""}, {})


def test_a_copy_of_another_log_is_not_this_ones() -> None:
    fold = KeptFold()
    fold.apply([COMPRESSED[0], target("memory/2026-01-03.md", "other", "short")])
    assert fold.copies == {}


def test_a_leak_that_was_overwritten_stands_so_in_what_the_gate_wrote_and_nowhere_else() -> None:
    fold = KeptFold()
    fold.apply(COMPRESSED)
    fold.expunge([{"path": COPY, "sha256": "holes"}, {"path": "memory/2026-05-05.md", "sha256": "other"}])
    assert fold.files == {LOG: "short", COPY: "holes"}
    assert fold.copies == {LOG: COPY}


def lived(*more: dict[str, str], outcomes: int = 0) -> Book:
    """Fold an apply of one change."""
    intent = {"apply": "a", "decision": "d", "proposal": "p", "changes": [1], "targets": list(more)}
    leaf: dict[str, Any] = {
        "proposal": "p",
        "sha256": "1",
        "kind": "prune_stale_memory",
        "lane": "job",
        "changes": 1,
    }
    decided = {"decision": "d", "sha256": "2", "type": "approve", "proposal": "p", "changes": [1]}
    rows: list[tuple[str, dict[str, Any]]] = [
        ("proposal.created", leaf),
        ("decision.recorded", decided),
        ("apply.intent", {**intent, "outcomes": outcomes} if outcomes else intent),
        ("apply.done", {"apply": "a"}),
    ]
    return fold_entries((name, fields, AT) for name, fields in rows)


def test_a_log_that_is_not_gated_has_no_accepted_bytes() -> None:
    book = lived(*COMPRESSED)
    assert (book.kept, book.copies) == ({LOG: "short", COPY: "full"}, {LOG: COPY})
    assert dict(book.gated) == {}
    assert book.begun[0].accepted == {LOG: None, COPY: None}


def test_a_deletion_of_a_link_says_how_many_outcomes_it_forgets_and_writes_nothing() -> None:
    (begun,) = map(begun_of, lived(outcomes=7).begun)
    assert (begun.outcomes, begun.targets) == (7, ())
    assert begun_of(lived().begun[0]).outcomes == 0
