"""A leaked text is removed from every file of ours, and what cannot be reached is named."""

import hashlib
import io
import json
import os
import sys
from pathlib import Path

import pytest
from tests.gate.homes import addition, removal
from tests.surfaces.calling import Caller, make_caller

from nightledger.domain.errors import (
    FileChangedError,
    RefusedError,
    UsageError,
)
from nightledger.gate.forgetting import expunging
from nightledger.surfaces.context import Context

LEAK = "Q7-vault-combination-4411"
"""Invented; no scanner knows its form."""


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    return make_caller(tmp_path, monkeypatch, capsys)


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "surrogateescape")))
    monkeypatch.setattr(sys, "stdin", stream)


def expunge(caller: Caller, monkeypatch: pytest.MonkeyPatch, *words: str, text: str = LEAK) -> int:
    typed(monkeypatch, text)
    return caller.run("expunge", "--text-from-stdin", *words)


def holders(caller: Caller, text: str = LEAK) -> set[str]:
    """Name every file under home and keys that holds a text."""
    return {
        os.path.relpath(os.path.join(folder, name), caller.home.root)
        for top in (caller.home.root, str(caller.desk.ring.directory))
        for folder, _, names in os.walk(top)
        for name in names
        if text.encode() in Path(folder, name).read_bytes()
    }


def outcome(note: str) -> str:
    record = {
        "timestamp": "2026-03-01T05:00:00Z",
        "task_type": "unlock",
        "context_tags": ["vault"],
        "resolution": "asked",
        "outcome": "success",
        "source_file": "memory/2026-02-28.md",
        "note": note,
    }
    return json.dumps(record)


def leak_everywhere(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a text get into everything of ours that can hold one."""
    desk = caller.desk
    desk.applied(addition(f"The code is {LEAK}."))
    desk.applied(addition("Another lesson."))
    desk.approve(desk.proposal(removal("- Keep backups for 30 days.")))
    desk.reject(desk.proposal(addition("Wrong.")), reason=f"says {LEAK}")
    typed(monkeypatch, outcome(f"it was {LEAK}"))
    assert caller.run("log", "--stdin") == 0
    held = f"held: {LEAK}"
    name = f"{hashlib.sha256(held.encode()).hexdigest()}.txt"
    Path(caller.home.quarantine_dir, name).write_text(held)
    Path(caller.home.received_dir).mkdir()
    Path(caller.home.received("m-" + "a" * 26)).write_text(f"- sent: {LEAK}\n")
    Path(caller.home.archive_dir).mkdir()
    Path(caller.home.archive(2025)).write_text(f"- old: {LEAK}\n- kept\n")
    Path(caller.home.attention).write_text(LEAK)


def test_the_record_names_what_was_done_and_what_is_beyond_reach(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    leak_everywhere(caller, monkeypatch)
    Path(caller.home.root, "memory", "2026-02-28.md").write_text(f"# Saturday\n\n- wrote down {LEAK}\n")
    Path(caller.home.root, "notes.md").write_text(f"{LEAK}\n" * 7)
    Path(caller.home.root, ".git").mkdir()
    typed(monkeypatch, LEAK)
    record = caller.record("expunge", "--text-from-stdin", "--dry-run")
    assert record["decisions"] == []
    assert record["edited"] == [{"path": "MEMORY.md", "lines": [10]}]
    assert record["overwritten"] == ["memory/archive/2025.md", "memory/system/outcome-records.jsonl"]
    assert "memory/state/ATTENTION.md" in record["made_anew"]
    assert {path.split("/")[1] for path in record["removed"] if path.startswith("audit/")} == {
        "blobs",
        "decisions",
        "quarantine",
    }
    assert [place["path"] for place in record["elsewhere"]] == ["memory/2026-02-28.md", "notes.md"]
    assert record["beyond_reach"][0].startswith("the history of the git repository")
    typed(monkeypatch, LEAK)
    text = caller.text("expunge", "--text-from-stdin", "--dry-run")
    assert "not ours, remove it there yourself: memory/2026-02-28.md:3" in text
    assert "notes.md:1,2,3,4,5 and 2 more" in text
    assert "not reached: backups of this home" in text
    assert "Nothing was changed (--dry-run)." in text
    assert LEAK in caller.desk.text()


def test_a_decision_goes_by_its_hash_and_its_approval_is_asked_again(caller: Caller) -> None:
    desk = caller.desk
    proposal = desk.proposal(addition("Another."))
    (decision,) = desk.approve(proposal)
    path = Path(desk.home.decision(decision.id))
    assert caller.run("expunge", "--sha256", desk.ledger().book.decisions[decision.id].sha256) == 0
    assert not path.exists()
    assert not Path(f"{path}.sig").exists()
    assert desk.states(proposal) == ["stale"]
    assert caller.run("verify") == 0


def test_what_was_never_kept_of_a_file_is_to_be_settled_first(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller.desk.applied(addition("Another lesson."))
    accepted = hashlib.sha256(caller.desk.text().encode()).hexdigest()
    caller.desk.memory.write_text(caller.desk.text() + "\n- By the agent.\n")
    Path(caller.home.blobs_dir, accepted[:2], accepted).unlink()
    caller.desk.proposal(addition(LEAK))
    assert expunge(caller, monkeypatch) == 0  # no gated file holds it
    caller.desk.memory.write_text(caller.desk.text() + f"- {LEAK}\n")
    events = caller.desk.events()
    with pytest.raises(RefusedError, match="nothing was signed or removed"):
        expunge(caller, monkeypatch)
    assert caller.desk.events() == events


def test_a_file_that_cannot_be_unlocked_is_not_edited(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller.desk.applied(addition(f"The code is {LEAK}."))
    events = caller.desk.events()
    monkeypatch.setattr(expunging, "why_locked", lambda _gate, path: f"{path} is locked")
    with pytest.raises(RefusedError, match="is locked; nothing was signed"):
        expunge(caller, monkeypatch)
    assert caller.desk.events() == events


def test_a_text_of_several_lines_goes_with_each_of_its_lines(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = f"{LEAK} north", f"{LEAK} south"
    caller.desk.applied(addition(first), addition(second))
    assert expunge(caller, monkeypatch, text=f"- {first}\n- {second}\n") == 0
    assert holders(caller) == set()


def test_characters_that_json_escapes_are_found(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    leak = 'say "sesame\\öffne" twice'
    caller.desk.proposal(addition(leak))
    typed(monkeypatch, outcome(leak))
    caller.run("log", "--stdin")
    assert expunge(caller, monkeypatch, text=leak) == 0
    for file in Path(caller.home.root).rglob("*"):
        if file.is_file():
            assert b"sesame" not in file.read_bytes(), file


@pytest.mark.parametrize("text", ["", "\n", "short", " a\n b\n"])
def test_a_text_that_stands_everywhere_is_refused(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    with pytest.raises(UsageError, match="too many places"):
        expunge(caller, monkeypatch, text=text)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--sha256", "abc"), "is not a SHA-256"),
        (("--line", "MEMORY.md"), "is no line"),
        (("--line", ":3"), "is no line"),
        (("--line", "MEMORY.md:99"), "has 12 lines"),
        (("--line", "MEMORY.md:0"), "has 12 lines"),
    ],
)
def test_what_is_no_place_is_refused(caller: Caller, words: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        caller.run("expunge", *words)


def test_a_person_is_asked_once_more(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    caller.desk.proposal(addition(f"The code is {LEAK}."))
    monkeypatch.setattr(Context, "interactive", lambda _: True)
    monkeypatch.setattr("builtins.input", lambda _: "no")
    with pytest.raises(RefusedError, match="nothing was removed"):
        expunge(caller, monkeypatch)
    assert holders(caller)
    monkeypatch.setattr("builtins.input", lambda _: "y")
    assert expunge(caller, monkeypatch) == 0
    assert not holders(caller)


def test_many_files_are_named_in_several_decisions(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expunging, "TARGETS_A_DECISION", 2)
    leak_everywhere(caller, monkeypatch)
    typed(monkeypatch, LEAK)
    assert len(caller.record("expunge", "--text-from-stdin")["decisions"]) > 3
    assert holders(caller) == set()
    assert caller.run("verify") == 0


RULE = "- Restart the relay after an upgrade."


def test_a_line_that_became_another_since_it_was_read_is_shown_before_a_gated_file_loses_it(
    caller: Caller,
) -> None:
    Path(caller.home.path("memory/2026-02-28.md")).write_text(f"# Day\n{RULE}\n")
    rows = caller.lines("expunge", "--line", "memory/2026-02-28.md:2", "--dry-run")
    at = rows.index("MEMORY.md:9: a signed edit is to put [expunged] there")
    assert rows[at + 1] == "    [expunged]"
    assert f"what goes: {RULE}" in rows


def test_an_expunge_whose_gated_lines_changed_after_they_were_shown_is_not_signed(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller.desk.applied(addition(f"The code is {LEAK}."))

    def rival(*_: object) -> None:
        text = caller.desk.text().replace("The code is", "Never tell the code")
        caller.desk.memory.write_text(text)
        caller.desk.guard()
        caller.desk.settle(keep=[change.n for change in caller.desk.drift().changes])

    monkeypatch.setattr("nightledger.surfaces.verbs.expunge._require_consent", rival)
    with pytest.raises(FileChangedError, match="not what was shown any more; nothing was signed"):
        expunge(caller, monkeypatch)
    assert LEAK in caller.desk.text()


def test_what_goes_here_and_stays_under_a_second_name_is_named(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    proposal = caller.desk.proposal(addition(f"The code is {LEAK}."))
    os.link(caller.home.proposal(proposal.id), tmp_path / "copy.json")
    typed(monkeypatch, LEAK)
    found = caller.record("expunge", "--text-from-stdin")
    assert (
        f"the second name of memory/state/proposals/{proposal.id}.json (a hard link), wherever that is"
        in (found["beyond_reach"])
    )
