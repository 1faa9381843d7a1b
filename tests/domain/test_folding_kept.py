"""Daily logs and the archive, as the log tells of them: what was put there last, and where a full text is."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from nightledger.domain.folding import fold_entries
from nightledger.domain.states import Book

LOG, COPY = "memory/2026-01-02.md", "memory/archive/daily/2026-01-02.md"
AT = datetime(2026, 3, 1, tzinfo=UTC)


def target(path: str, before: str, after: str) -> dict[str, str]:
    return {"path": path, "before": before, "after": after}


COMPRESSED = [target(COPY, "", "full"), target(LOG, "full", "short")]


def lived(*applies: list[dict[str, str]], outcomes: int = 0, expunged: Sequence[dict[str, str]] = ()) -> Book:
    """Fold applies of one change, and what was expunged after them."""
    leaf: dict[str, Any] = {
        "proposal": "p",
        "sha256": "1",
        "kind": "prune_stale_memory",
        "lane": "job",
        "changes": 1,
    }
    decided = {"decision": "d", "sha256": "2", "type": "approve", "proposal": "p", "changes": [1]}
    rows: list[tuple[str, dict[str, Any]]] = [("proposal.created", leaf), ("decision.recorded", decided)]
    for n, targets in enumerate(applies):
        intent = {"apply": f"a-{n}", "decision": "d", "proposal": "p", "changes": [1], "targets": targets}
        rows.append(("apply.intent", {**intent, "outcomes": outcomes} if outcomes else intent))
        rows.append(("apply.done", {"apply": f"a-{n}"}))
    if expunged:
        rows.append(("decision.recorded", {**decided, "decision": "e", "type": "expunge", "proposal": ""}))
        rows.append(("text.expunged", {"decision": "e", "sha256s": [], "places": list(expunged)}))
    return fold_entries((name, fields, AT) for name, fields in rows)


def test_a_compressed_log_has_its_full_text_in_its_copy_until_it_is_taken_back() -> None:
    book = lived(COMPRESSED)
    assert (book.kept, book.copies) == ({LOG: "short", COPY: "full"}, {LOG: COPY})
    back = lived(COMPRESSED, [target(LOG, "short", "full"), target(COPY, "full", "")])
    assert (back.kept, back.copies) == ({LOG: "full", COPY: ""}, {})


def test_a_copy_of_another_log_is_not_this_ones() -> None:
    assert lived([COMPRESSED[0], target("memory/2026-01-03.md", "other", "short")]).copies == {}


def test_a_leak_that_was_overwritten_stands_so_in_what_the_gate_wrote_and_nowhere_else() -> None:
    places = [{"path": COPY, "sha256": "holes"}, {"path": "memory/2026-05-05.md", "sha256": "other"}]
    book = lived(COMPRESSED, expunged=places)
    assert (book.kept, book.copies) == ({LOG: "short", COPY: "holes"}, {LOG: COPY})


def test_a_log_that_is_not_gated_has_no_accepted_bytes() -> None:
    book = lived(COMPRESSED)
    assert dict(book.gated) == {}
    assert book.begun[0].accepted == {LOG: None, COPY: None}


def test_a_deletion_of_a_link_says_how_many_outcomes_it_forgets_and_writes_nothing() -> None:
    (begun,) = lived([], outcomes=7).begun
    assert (begun.outcomes, begun.targets) == (7, ())
    assert lived([]).begun[0].outcomes is None
