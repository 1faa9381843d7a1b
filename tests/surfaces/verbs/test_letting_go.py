"""Archive, compress and forget as their operator sees them."""

import hashlib

import pytest
from msgspec.structs import replace
from tests.gate.forgetting_desk import (
    ARCHIVE,
    COPY,
    FULL,
    LOG,
    archive,
    compress,
    forget,
    forgotten,
    pruned,
    put,
)
from tests.gate.homes import Desk
from tests.surfaces.console import Console

from nightledger.domain.proposal import Evidence, Origin, Proposal


@pytest.mark.parametrize("columns", [60, 80])
def test_a_review_says_what_goes_where_and_offers_no_wording(console: Console, columns: int) -> None:
    pruned(console.desk, *archive(console.desk, "backups"))
    pruned(console.desk, compress(console.desk, LOG))
    pruned(console.desk, forget())
    screen = console.terminal("review", columns=columns)
    for _ in range(3):
        screen.expect("s later")
        screen.type("s")
    assert screen.end() == 0
    rows = screen.rows()
    text = " ".join(row.strip() for row in rows)
    assert f"archived to {ARCHIVE}, as it stands here; below it is written:" in text
    assert "Archived 2026-03-01 from MEMORY.md, entry e-" in text
    assert f"full text moves to {COPY}: 42 lines, SHA-256" in text
    assert "the log keeps these 5 lines:" in text
    assert "the link cron + timezone is forgotten: 1 co-occurrence, last seen 2026-01-02" in text
    assert "e edit" not in text
    assert all(len(row) <= columns or "> s" in row for row in rows)


def test_evidence_of_a_compressed_log_is_shown_from_the_archive(console: Console) -> None:
    line = FULL.split(b"\n")[4]
    found = Evidence(path=LOG, lines=(5, 5), sha256=hashlib.sha256(line).hexdigest(), origin=Origin.AGENT)
    proposal = forgotten(console.desk, replace(compress(console.desk, LOG), evidence=(found,)))
    shown = " ".join(console.out("show", proposal.id).split())
    assert f"{LOG}:5 (agent), now in {COPY}" in shown
    assert (
        line.decode() not in shown
    )  # a log is not shown twice: its lines stand in its diff, or one key away
    assert "changed since" not in shown


def month(desk: Desk) -> Proposal:
    return pruned(desk, *(compress(desk, f"memory/2026-01-{n:02}.md") for n in range(2, 7)))


def test_a_month_is_answered_whole_once_all_of_it_was_shown(console: Console) -> None:
    proposal = month(console.desk)
    out = console.out("review", typed=["s", "a", "y", "y"])
    assert "a all 5 at once" in out
    assert "5 files: " in out
    assert out.index("[5/5]") < out.index("all 4: y sign all")
    assert "Signed 4 change(s)." in out
    assert console.desk.states(proposal) == ["deferred", *["approved"] * 4]


def test_a_month_is_rejected_whole_with_one_reason_or_left_for_later(console: Console) -> None:
    proposal = month(console.desk)
    assert "Signed" not in console.out("review", typed=["a", "s"])
    assert console.desk.states(proposal) == ["deferred"] * 5
    assert "Rejected 5 change(s)." in console.out("review", typed=["a", "n", "I read them", "y"])
    assert console.desk.states(proposal) == ["rejected"] * 5


def test_links_and_what_has_no_place_are_answered_one_by_one(console: Console) -> None:
    proposal = pruned(console.desk, *(compress(console.desk, f"memory/2026-01-{n:02}.md") for n in (2, 3)))
    put(console.desk, "memory/2026-01-03.md", b"- Something else by now.\n")
    pruned(console.desk, forget())
    out = console.out("review", typed=["a", "y", "q", "y"])
    assert "at once" not in out
    assert console.desk.states(proposal) == ["approved", "pending"]


def test_the_undo_of_a_month_names_each_log_in_a_row(console: Console) -> None:
    logs = [f"memory/2026-01-{n:02}.md" for n in range(2, 12)]
    proposal = forgotten(console.desk, *(compress(console.desk, log) for log in logs))
    said = console.out("undo", proposal.id, "--dry-run").splitlines()
    again = sorted(row for row in said if "again" in row)
    assert again == [f"{log}: its full text again, 42 lines" for log in logs]
    assert len([row for row in said if row.endswith(": out of the archive")]) == len(logs)
    assert console.record("undo", proposal.id, "--dry-run")["diff"].count("its full text returns") == len(
        logs
    )
    assert f"Took back change 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 of {proposal.id[:6]}." in console.out(
        "undo", proposal.id
    )
