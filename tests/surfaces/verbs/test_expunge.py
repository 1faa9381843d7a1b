"""A leaked text is removed from every file of ours, and what cannot be reached is named."""

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, addition, removal
from tests.gate.signers import let_sign, new_key
from tests.surfaces.calling import Caller, make_caller

from nightledger.domain.errors import (
    ConfigurationError,
    FileChangedError,
    RefusedError,
    UnreadableError,
    UsageError,
)
from nightledger.domain.states import Gone
from nightledger.files.atomic import TEMP_SUFFIX
from nightledger.files.blobs import BlobStore
from nightledger.files.home import Home
from nightledger.gate.daily import close_day
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


def test_it_goes_from_every_file_of_ours_and_verify_holds(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    leak_everywhere(caller, monkeypatch)
    daily = Path(caller.home.root, "memory", "2026-02-28.md")
    daily.write_text(f"# Saturday\n\n- wrote down {LEAK}\n")
    close_day(caller.desk.gate, caller.desk.ledger(), "2026-02-28", caller.desk.moment)
    assert len(holders(caller)) > 8
    assert expunge(caller, monkeypatch) == 0
    assert holders(caller) == {"memory/2026-02-28.md"}
    assert caller.run("verify") == 0
    assert "were expunged by the operator" in caller.text("verify")
    assert caller.run("rebuild", "--check") == 0
    text = caller.desk.text()
    assert "- The code is [expunged]." in text
    assert "- Another lesson." in text
    assert caller.run("expunge", "--line", "memory/2026-02-28.md:3", "--dry-run") == 0


def test_nothing_that_is_printed_holds_it(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    leak_everywhere(caller, monkeypatch)
    capsys.readouterr()
    expunge(caller, monkeypatch, "--dry-run")
    expunge(caller, monkeypatch)
    caller.run("verify")
    caller.run("history")
    printed = capsys.readouterr()
    assert LEAK not in printed.out + printed.err


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


def test_an_undo_that_needs_it_says_expunged(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    leaking = caller.desk.applied(addition(f"The code is {LEAK}."))
    beside = caller.desk.applied(addition("Another choice.", section="Decisions"))
    assert expunge(caller, monkeypatch) == 0
    with pytest.raises(RefusedError, match="was expunged"):
        caller.run("undo", leaking.id)
    assert caller.desk.plan_undo(beside).problem == "the bytes that it needs were expunged"


def test_what_waits_with_it_ends_and_the_rest_is_asked_again(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = caller.desk
    leaking = desk.proposal(addition(f"The code is {LEAK}."), addition("With it."))
    desk.approve(leaking, only=[1])
    other = desk.proposal(addition("Another."))
    decision = desk.compose_all(other)[0][0]
    desk.accept(decision)
    path = Path(desk.home.decision(decision.id))
    assert expunge(caller, monkeypatch) == 0
    assert desk.states(leaking) == ["withdrawn", "withdrawn"]
    listed = {record["id"]: record["state"] for record in caller.record("proposals", "--all")}
    assert listed == {leaking.id: "expunged", other.id: "cooling"}
    assert "it held a text that the operator had removed for ever" in caller.text("proposals", "--all")
    with pytest.raises(RefusedError, match="was expunged"):
        caller.run("show", leaking.id)
    assert (desk.states(other), path.exists()) == (["approved"], True)
    assert caller.run("status", "--exit-code") == 0


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


def test_a_file_is_removed_by_its_hash(caller: Caller) -> None:
    blob = BlobStore(caller.home.blobs_dir).put(b"somebody's picture")
    record = caller.record("expunge", "--sha256", blob)
    assert record["removed"] == [f"audit/blobs/sha256/{blob[:2]}/{blob}"]
    assert caller.desk.ledger().book.gone[blob] is Gone.EXPUNGED
    assert caller.run("expunge", "--sha256", blob) == 1
    assert "It is in no file of ours." in caller.text("expunge", "--sha256", blob)


def test_a_gated_file_is_never_removed_by_its_hash(caller: Caller) -> None:
    with pytest.raises(RefusedError, match=r"MEMORY\.md still holds it: only its hash was given"):
        caller.run("expunge", "--sha256", hashlib.sha256(MEMORY.encode()).hexdigest())
    assert caller.desk.text() == MEMORY


def test_a_trust_file_is_named_and_kept(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    let_sign(caller.desk, new_key(caller.root, "ana"), "somebody-by-name")
    assert expunge(caller, monkeypatch, text="somebody-by-name") == 0
    typed(monkeypatch, "somebody-by-name")
    text = caller.text("expunge", "--text-from-stdin")
    assert "on which it rests who may sign" in text
    assert caller.run("verify") == 0


def test_what_was_signed_and_then_drifted_is_to_be_settled_first(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller.desk.applied(addition(f"The code is {LEAK}."))
    caller.desk.memory.write_text(caller.desk.text().replace(LEAK, "gone by hand"))
    with pytest.raises(RefusedError, match="as it was signed still holds it"):
        expunge(caller, monkeypatch)


@pytest.mark.parametrize("drifted", [f"- The code is {LEAK}!!", f"- The code was {LEAK}, once."])
def test_what_would_stay_signed_is_refused_before_anything_is_written(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], drifted: str
) -> None:
    leak_everywhere(caller, monkeypatch)
    text = caller.desk.text().replace(f"- The code is {LEAK}.", drifted)
    caller.desk.memory.write_text(text)
    before, events = holders(caller), caller.desk.events()
    capsys.readouterr()
    with pytest.raises(RefusedError, match="nothing was signed or removed") as refused:
        expunge(caller, monkeypatch)
    assert "review" in refused.value.hint
    assert capsys.readouterr().out == ""
    assert (caller.desk.events(), holders(caller), caller.desk.text()) == (events, before, text)
    assert expunge(caller, monkeypatch, "--dry-run") == 0
    assert "It would be refused now: MEMORY.md as it was signed" in capsys.readouterr().out


def test_drift_in_other_lines_is_in_nobodys_way(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    leak_everywhere(caller, monkeypatch)
    caller.desk.memory.write_text(caller.desk.text() + f"\n- Added by the agent, who read {LEAK}.\n")
    assert expunge(caller, monkeypatch) == 0
    assert holders(caller) == set()
    assert "- Added by the agent, who read [expunged]." in caller.desk.text()


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


def test_an_expunge_that_was_cut_short_is_finished(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    leak_everywhere(caller, monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr("nightledger.surfaces.verbs.expunge.carry_out", lambda _home, _plan: None)
        expunge(caller, patch)
    assert len(holders(caller)) > 5
    assert caller.run("apply") == 0  # the next run removes what the log names by hash
    left = holders(caller)
    assert left == {
        "memory/archive/2025.md",
        "memory/state/ATTENTION.md",
        "memory/system/outcome-records.jsonl",
    }
    assert expunge(caller, monkeypatch) == 0  # what only the text itself finds
    assert holders(caller) == set()
    assert caller.run("verify") == 0


def test_many_files_are_named_in_several_decisions(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expunging, "TARGETS_A_DECISION", 2)
    leak_everywhere(caller, monkeypatch)
    typed(monkeypatch, LEAK)
    assert len(caller.record("expunge", "--text-from-stdin")["decisions"]) > 3
    assert holders(caller) == set()
    assert caller.run("verify") == 0


def test_a_rewriting_after_an_expunge_is_an_alarm_again(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    leak_everywhere(caller, monkeypatch)
    close_day(caller.desk.gate, caller.desk.ledger(), "2026-02-28", caller.desk.moment)
    expunge(caller, monkeypatch)
    assert caller.run("verify") == 0
    outcomes = Path(caller.home.outcomes)
    outcomes.write_bytes(outcomes.read_bytes().replace(b"asked", b"stole"))
    assert caller.run("verify") == 4
    assert "REWRITTEN memory/system/outcome-records.jsonl" in caller.text("verify")


RULE = "- Restart the relay after an upgrade."


def test_a_line_that_became_another_since_it_was_read_is_shown_before_a_gated_file_loses_it(
    caller: Caller,
) -> None:
    Path(caller.home.path("memory/2026-02-28.md")).write_text(f"# Day\n{RULE}\n")
    rows = caller.lines("expunge", "--line", "memory/2026-02-28.md:2", "--dry-run")
    at = rows.index("MEMORY.md:9: a signed edit is to put [expunged] there")
    assert rows[at + 1] == "    [expunged]"
    assert f"what goes: {RULE}" in rows


def test_what_an_expunge_leaves_of_a_gated_line_is_shown_and_the_text_itself_is_not(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller.desk.applied(addition(f"The code is {LEAK}."))
    typed(monkeypatch, LEAK)
    rows = caller.lines("expunge", "--text-from-stdin", "--dry-run")
    assert "    - The code is [expunged]." in rows
    assert not any(LEAK in row or "what goes" in row for row in rows)


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


def test_what_was_altered_after_it_was_recorded_stays_as_evidence(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = caller.desk.applied(addition("Another lesson."))
    (decision,) = caller.desk.ledger().book.decisions
    paths = (caller.home.proposal(proposal.id), caller.home.decision(decision))
    for path in paths:
        with open(path, "ab") as stream:
            stream.write(LEAK.encode())
    typed(monkeypatch, LEAK)
    told = caller.text("expunge", "--text-from-stdin")
    for path in paths:
        assert f"not removed: {caller.home.relative(path)}, which was altered after it was recorded" in told
        assert os.path.exists(path)
    assert any(line.startswith("UNSIGNED") for line in caller.lines("verify"))


def test_a_file_that_was_not_named_before_the_signature_does_not_go(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = caller.desk.proposal(addition(f"The code is {LEAK}."))

    def rival(*_: object) -> None:
        caller.desk.proposal(addition(f"Tell nobody {LEAK}."))

    monkeypatch.setattr("nightledger.surfaces.verbs.expunge._require_consent", rival)
    with pytest.raises(FileChangedError, match="not what was shown any more; nothing was signed"):
        expunge(caller, monkeypatch)
    assert Path(caller.desk.home.proposal(first.id)).exists()


@pytest.mark.parametrize(
    "name", [".nightledger", "memory/archive", "audit/quarantine", "memory/state/proposals"]
)
def test_a_directory_that_became_a_link_loses_nothing_where_it_leads(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    thesis = tmp_path / "home" / "Documents" / "thesis.txt"
    thesis.parent.mkdir()
    thesis.write_text(f"mine: {LEAK}\n")
    link = Path(caller.home.path(name))
    shutil.rmtree(link, ignore_errors=True)
    link.symlink_to(thesis.parent)
    with pytest.raises(UnreadableError, match=f"{name} is a link to .*Documents") as caught:
        expunge(caller, monkeypatch)
    assert f"rm {link}." in str(caught.value.hint)
    assert thesis.read_text() == f"mine: {LEAK}\n"
    assert "expunged" not in caller.desk.events()


def test_nothing_is_expunged_from_a_home_whose_memory_directory_leads_out_of_it(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    caller.desk.edit(f"# Memory\n\n- {LEAK}\n".encode())
    caller.desk.edit(b"# Memory\n\n- nothing\n")
    memory, vault = Path(caller.home.memory_dir), tmp_path / "vault"
    shutil.move(memory, vault)
    memory.symlink_to(vault)
    with pytest.raises(ConfigurationError, match="memory leads to"):
        expunge(caller, monkeypatch)
    memory.unlink()
    shutil.move(vault, memory)
    assert expunge(caller, monkeypatch) == 0
    assert holders(caller) == set()
    assert caller.run("verify") == 0


def test_what_is_overwritten_in_place_has_no_second_name(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    soul = Path(caller.home.root, "SOUL.md")
    soul.write_text(f"- Never tell {LEAK}.\n")
    archive = Path(caller.home.archive(2025))
    archive.parent.mkdir()
    os.link(soul, archive)
    with pytest.raises(UnreadableError, match="has a second name") as caught:
        expunge(caller, monkeypatch)
    assert soul.read_text() == f"- Never tell {LEAK}.\n"
    subprocess.run(str(caught.value.hint).partition(": ")[2], shell=True, check=True)  # noqa: S602 - what it tells to do
    assert expunge(caller, monkeypatch) == 0
    assert soul.read_text() == f"- Never tell {LEAK}.\n"
    assert LEAK not in archive.read_text()


def test_a_second_name_that_comes_while_the_operator_signs_is_left_alone_and_the_next_run_ends_it(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    soul, archive = Path(caller.home.root, "SOUL.md"), Path(caller.home.archive(2025))
    archive.parent.mkdir()
    archive.write_text(f"- old: {LEAK}\n")

    def linked(home: Home, plan: expunging.Plan) -> None:
        soul.unlink(missing_ok=True)
        os.link(archive, soul)
        carry_out(home, plan)

    carry_out = expunging.carry_out
    with monkeypatch.context() as patched:
        patched.setattr("nightledger.surfaces.verbs.expunge.carry_out", linked)
        with pytest.raises(UnreadableError, match="second name"):
            expunge(caller, monkeypatch)
    assert LEAK in soul.read_text()
    soul.unlink()
    assert expunge(caller, monkeypatch) == 0
    assert holders(caller) == set()
    assert caller.run("verify") == 0


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


def test_what_runs_that_died_left_goes_too(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    caller.desk.applied(addition(f"The code is {LEAK}."))
    for folder in (
        caller.home.root,
        caller.home.proposals_dir,
        caller.home.blobs_dir,
        caller.home.system_dir,
    ):
        Path(folder, f".x.1.0{TEMP_SUFFIX}").write_text(LEAK)
    assert expunge(caller, monkeypatch) == 0
    assert holders(caller) == set()
    assert caller.run("verify") == 0
