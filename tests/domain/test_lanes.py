import hashlib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.judge import (
    TARGET_BYTES,
    Said,
    admit,
    choose,
    choose_to_forget,
    has_new_source,
    may_return,
)
from nightledger.domain.proposal import Draft, Evidence, Op, Origin


def evidence(path: str, outcome: str | None = None) -> Evidence:
    digest = hashlib.sha256(path.encode()).hexdigest()
    return Evidence(path=path, lines=(1, 1), sha256=digest, origin=Origin.AGENT, outcome=outcome)


def draft(key: str, **fields: Any) -> Draft:
    values: dict[str, Any] = {
        "op": Op.ADD,
        "target": "MEMORY.md",
        "section": (),
        "after": key,
        "reason": "",
        "evidence": (evidence("memory/a.md"),),
        "confidence": 0.5,
        "rank": 0.5,
        "statement_key": key,
    }
    return Draft(**{**values, **fields})


def keys(drafts: list[Draft]) -> list[str]:
    return [one.statement_key for one in drafts]


def test_the_best_ranked_come_first_then_target_line_and_key() -> None:
    drafts = [
        draft("d", rank=0.1),
        draft("c", rank=0.9, op=Op.REMOVE, line=9),
        draft("b", rank=0.9, op=Op.REMOVE, line=2),
        draft("a", rank=0.9, target="A.md"),
    ]
    assert keys(choose(drafts, additions=5, room=5)) == ["a", "b", "c", "d"]


@given(
    new=st.lists(st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]), max_size=6),
    waiting=st.lists(st.sampled_from([0.2, 0.3, 0.5, 0.8]), max_size=6),
    free=st.integers(-2, 4),
)
def test_what_is_admitted_makes_the_queue_no_weaker_and_no_longer(
    new: list[float], waiting: list[float], free: int
) -> None:
    weakest = sorted(waiting)
    drafts = [draft(f"{n}", confidence=sure) for n, sure in enumerate(new)]
    kept = admit(drafts, weakest, free)
    gone = weakest[: max(0, len(kept) - free)]
    assert len(kept) - len(gone) <= max(free, 0)
    assert all(max(gone, default=0) < one.confidence for one in kept)
    left = [one.confidence for one in drafts if one not in kept]
    assert all(one.confidence >= max(left, default=0) for one in kept)
    assert free < 0 or not left or all(stays >= max(left) for stays in weakest[len(gone) :])


def test_additions_and_room_are_capped_and_removals_need_room_only() -> None:
    drafts = [draft(f"{n}", rank=-n) for n in range(4)] + [draft("r", rank=-9, op=Op.REMOVE)]
    for additions, room, chosen in ((2, 9, ["0", "1", "r"]), (9, 2, ["0", "1"]), (-1, 1, ["r"]), (-1, 0, [])):
        assert keys(choose(drafts, additions=additions, room=room)) == chosen


def test_one_statement_for_one_file_is_chosen_once() -> None:
    drafts = [draft("a", rank=1), draft("a", rank=2), draft("a", target="USER.md"), draft("a", op=Op.REMOVE)]
    assert [(d.rank, d.target, d.op) for d in choose(drafts, additions=9, room=9)] == [
        (2, "MEMORY.md", Op.ADD),
        (0.5, "MEMORY.md", Op.REMOVE),
        (0.5, "USER.md", Op.ADD),
    ]


def said(key: str = "a", *, closed: bool, adds: bool = True, path: str = "memory/a.md") -> Said:
    return Said(key=key, target="MEMORY.md", adds=adds, closed=closed, evidence=(evidence(path),))


def test_what_waits_or_was_applied_is_not_proposed_twice_whatever_speaks_for_it() -> None:
    fresh = draft("a", evidence=(evidence("memory/new.md"),))
    assert not may_return(fresh, [said(closed=False)])
    assert not may_return(fresh, [said(closed=True), said(closed=False)])
    assert not may_return(fresh, [said(closed=False)], asked=True)


def test_what_was_rejected_returns_only_with_a_new_source() -> None:
    before = [said(closed=True, path="memory/a.md"), said(closed=True, path="memory/b.md")]
    assert not may_return(draft("a", evidence=(evidence("memory/b.md"),)), before)
    assert may_return(draft("a", evidence=(evidence("memory/b.md"), evidence("memory/c.md"))), before)
    assert not may_return(draft("a", evidence=()), before)
    assert may_return(draft("a", evidence=()), before, asked=True)


def test_outcomes_are_new_where_they_are_as_many_as_those_that_were_answered() -> None:
    path = "memory/system/outcome-records.jsonl"
    known = [evidence(path, f"o-{n}") for n in range(4)]
    more = [evidence(path, f"o-{n}") for n in range(4, 8)]
    assert not has_new_source([*known, *more[:3], more[0]], known)
    assert has_new_source([*known, *more], known)
    assert has_new_source([*known, evidence("memory/a.md")], known)


def test_a_log_and_its_full_text_in_the_archive_are_one_source() -> None:
    log, full = "memory/2026-01-02.md", "memory/archive/daily/2026-01-02.md"
    assert not has_new_source([evidence(full)], [evidence(log)])
    assert not has_new_source([evidence(log)], [evidence(full)])
    assert has_new_source([evidence("memory/daily/2026-01-02.md")], [evidence(log)])
    assert has_new_source([evidence("memory/archive/daily/2026-01-03.md")], [evidence(log)])
    assert has_new_source([evidence(log, "o-1")], [evidence(full)])


def test_one_proposal_forgets_one_link_or_archives_and_compresses_what_fits() -> None:
    link = draft("link", op=Op.DELETE_LINK, rank=1.0)
    logs = [draft(f"log {n}", op=Op.COMPRESS, target=f"memory/{n}.md", rank=0.1) for n in range(9)]
    room = 3 * (len("memory/1.md") + TARGET_BYTES)
    assert keys(choose_to_forget([*logs, link], deletions=1, leaf_bytes=room)) == ["link"]
    assert choose_to_forget([*logs, link], deletions=0, leaf_bytes=room) == []
    assert keys(choose_to_forget(logs, deletions=1, leaf_bytes=room)) == ["log 0", "log 1", "log 2"]
    assert len(choose_to_forget(logs, deletions=0, leaf_bytes=1 << 20)) == 9
    last = draft("link", op=Op.DELETE_LINK, rank=0.0)
    assert "link" not in keys(choose_to_forget([*logs, last], deletions=1, leaf_bytes=1 << 20))
