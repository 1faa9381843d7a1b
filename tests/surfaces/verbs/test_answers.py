"""What an operator answers, edits and takes back at the command line, and what lists show of it."""

import hashlib
import tempfile
from pathlib import Path
from typing import Any

import pytest
from tests.gate.forgetting_desk import compress, forget, pruned, put
from tests.gate.homes import MEMORY, Desk, addition, removal
from tests.surfaces.console import Console

from nightledger.domain.errors import UsageError
from nightledger.domain.proposal import Proposal
from nightledger.files.atomic import Lock
from nightledger.surfaces import session, signing
from nightledger.surfaces.verbs.edit import edit_text


def test_a_change_that_does_not_wait_is_named(console: Console) -> None:
    proposal = console.desk.proposal(*(addition(f"Lesson {n}.", rank=1 - n / 10) for n in range(3)))
    console.out("approve", proposal.id, "--only", "1")
    assert "changes 1, 9 of" in console.refused("approve", proposal.id, "--only", "1,2,9", status=2)
    console.out("approve", proposal.id)
    nothing = f"nothing of {proposal.id[:6]} waits for an answer"
    assert nothing in console.refused("approve", proposal.id, status=2)


def test_with_nothing_signed_it_is_silent_for_cron_and_says_so_to_people(console: Console) -> None:
    assert console.out("apply") == ""
    assert console.out("apply", typed=[]) == "Nothing is signed that is not applied.\n"
    assert console.record("apply") == []


def test_an_undo_that_would_change_other_bytes_than_those_shown_is_refused(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = console.desk.applied(addition("One."))
    unlock = signing.unlock

    def meanwhile(*given: Any) -> Any:
        console.desk.memory.write_text(console.desk.text() + "- By hand.\n")
        return unlock(*given)

    monkeypatch.setattr(signing, "unlock", meanwhile)
    assert "change 9 is none of its changes hint: " in console.refused("undo", f"{proposal.id}#9", status=2)
    said = console.refused("undo", proposal.id)
    assert "what it would change is not what was shown any more; nothing was signed" in said
    assert "run it again" in said
    assert "- One." in console.desk.text()
    assert console.desk.states(proposal) == ["applied"]
    assert len(console.desk.ledger().book.decisions) == 1


OLD = "- Keep backups for 30 days."


def test_the_exit_code_says_whether_something_waits(console: Console) -> None:
    assert console.run("proposals", "--exit-code").status == 0
    proposal = console.desk.proposal(addition("One."))
    assert console.run("proposals", "--exit-code").status == 3
    assert console.run("proposals").status == 0
    console.desk.approve(proposal)
    assert console.run("proposals", "--exit-code").status == 0
    console.desk.edit((MEMORY + "by hand\n").encode())
    assert console.run("proposals", "--exit-code").status == 0


def test_the_fields_of_a_proposal_are_a_contract(console: Console) -> None:
    desk = console.desk
    proposal = desk.proposal(addition("One.", rank=0.9), removal(OLD))
    (record,) = console.record("proposals")
    assert record["kind"] == "consolidate_daily_to_memory"
    assert record["created_at"] == "2026-03-01T06:00:00Z"
    assert (record["not_before"], record["expires_at"]) == (None, None)
    change = record["changes"][0]
    assert {
        "n": 1,
        "op": "add",
        "state": "pending",
        "target": "MEMORY.md",
        "section": "MEMORY.md > Lessons",
        "before": "",
        "after": "- One.",
        "reason": "it was said",
        "confidence": 0.5,
        "flags": [],
        "evidence": [{"path": "memory/2026-02-28.md", "lines": [1, 1], "origin": "agent"}],
    }.items() <= change.items()
    diffs = "".join(change.diff for change in proposal.changes)
    assert record["diff_sha256"] == hashlib.sha256(diffs.encode()).hexdigest()
    desk.approve(proposal, only=[1])
    desk.wait(minutes=115)
    desk.approve(proposal, only=[2])
    (record,) = console.record("proposals")
    assert record["state"] == "cooling"
    assert (record["not_before"], record["expires_at"]) == ("2026-03-01T08:05:00Z", "2026-03-08T06:00:00Z")
    desk.wait(minutes=10)
    assert console.record("proposals")[0]["state"] == "approved"


EDITED = MEMORY.replace("30 days", "90 days")


def editor(root: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Have a script edit, and keep what was typed below ``root``."""
    path = root / "an editor.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    monkeypatch.setenv("VISUAL", f"'{path}' --wait")
    monkeypatch.setattr(tempfile, "tempdir", str(root))


def test_an_edit_of_lines_that_changed_meanwhile_is_refused_and_its_text_kept(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = console.desk
    editor(desk.root, monkeypatch, f'sed -i s/30/90/ "$2"; sed -i s/30/60/ "{desk.memory}"')
    said = console.refused("edit")
    assert "MEMORY.md was changed meanwhile; nothing was signed" in said
    (kept,) = desk.root.glob("nightledger-edit-*.md")
    assert f"your text is in {kept}" in said
    assert kept.read_text() == EDITED
    assert kept.stat().st_mode & 0o077 == 0
    assert desk.text() == MEMORY.replace("30", "60")
    assert desk.ledger().book.proposals == {}


@pytest.mark.parametrize(("answer", "text"), [("y", EDITED), ("", MEMORY), ("n", MEMORY)])
def test_a_person_whose_key_asks_nothing_is_asked_below_the_diff(
    answer: str, text: str, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(console.desk.root, monkeypatch, 'sed -i s/30/90/ "$2"')
    ran = console.run("edit", typed=[answer])
    assert "+- Keep backups for 90 days." in ran.out.split("Apply it?")[0]
    assert console.desk.text() == text
    assert ("your text is in" in ran.err) is (text == MEMORY)


def of_january(desk: Desk, days: range) -> Proposal:
    return pruned(desk, *(compress(desk, f"memory/2026-01-{n:02}.md") for n in days))


def test_a_month_is_rejected_whole_with_one_reason_or_left_for_later(console: Console) -> None:
    proposal = of_january(console.desk, range(2, 7))
    assert "Signed" not in console.out("review", typed=["a", "s"])
    assert console.desk.states(proposal) == ["deferred"] * 5
    assert "Rejected 5 changes." in console.out("review", typed=["a", "n", "I read them", "y"])
    assert console.desk.states(proposal) == ["rejected"] * 5


def test_links_and_what_has_no_place_are_answered_one_by_one(console: Console) -> None:
    proposal = of_january(console.desk, range(2, 4))
    put(console.desk, "memory/2026-01-03.md", b"- Something else by now.\n")
    pruned(console.desk, forget())
    out = console.out("review", typed=["a", "y", "q", "y"])
    assert "at once" not in out
    assert console.desk.states(proposal) == ["approved", "pending"]


def test_answers_wait_for_a_run_at_work_and_are_not_lost(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "LOCK_TIMEOUT_S", 0.05)
    proposal = console.desk.proposal(addition("Set the zone.", rank=0.9), removal(OLD))
    terminal = console.terminal("review")
    terminal.expect("q quit > ")
    with Lock(console.desk.home.lock_path()):
        terminal.type("y")
        terminal.expect("q quit > ")
        terminal.type("s")
        terminal.expect("b back > ")
        terminal.type("y")
        terminal.expect("another run is at work; what you answered waits for its end")
        assert console.desk.states(proposal) == ["pending", "pending"]
    assert terminal.end() == 0
    assert console.desk.states(proposal) == ["approved", "deferred"]


def test_what_was_saved_comes_back_byte_for_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor(tmp_path, monkeypatch, 'cp "$2" "$0.seen"; printf "new\\377" > "$2"')
    monkeypatch.setenv("EDITOR", "false")
    assert edit_text(b"old\xff\r\n") == b"new\xff"
    assert (tmp_path / "an editor.sh.seen").read_bytes() == b"old\xff\r\n"


def test_without_a_terminal_no_editor_is_started_that_nobody_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    started = tmp_path / "vi"
    started.write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'\n")
    started.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(UsageError, match="no terminal for an editor") as caught:
        edit_text(b"x")
    assert "--from FILE" in (caught.value.hint or "")
    assert not (tmp_path / "started").exists()
