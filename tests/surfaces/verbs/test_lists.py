"""``proposals``, ``show`` and ``verify``: what can be looked at."""

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, addition, removal
from tests.surfaces.console import Console
from tests.trust.worlds import keep_head

from nightledger.files.blobs import BlobStore
from nightledger.gate.daily import close_day
from nightledger.gate.opening import log_key
from nightledger.surfaces.verbs import verify
from nightledger.trust.head import KeptHead
from nightledger.trust.merkle import CompactRange, leaf_hash

TOLD = "Nebelhorn" + "4711"
OLD = "- Keep backups for 30 days."


def test_a_list_of_what_waits_and_of_everything(console: Console) -> None:
    assert console.out("proposals") == "Nothing waits.\n"
    assert console.out("proposals", "--all") == "Nothing was ever proposed.\n"
    desk = console.desk
    waits, rejected = desk.proposal(addition("One.")), desk.proposal(addition("Two."))
    desk.reject(rejected)
    out = console.out("proposals")
    assert out == f"{waits.id}  pending   1 change(s)\n    a test\n"
    assert f"{rejected.id}  rejected" in console.out("proposals", "--all")
    assert [record["id"] for record in console.record("proposals")] == [waits.id]
    assert [record["state"] for record in console.record("proposals", "--all")] == ["pending", "rejected"]


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


def test_secrets_are_masked_wherever_they_stand(console: Console) -> None:
    secret = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    console.desk.memory.write_text(MEMORY.replace(OLD, f"{OLD}\n- token {secret}"))
    proposal = console.desk.proposal(removal(OLD))
    for words in (("show", proposal.id), ("show", proposal.id, "--json"), ("review",), ("review", "--json")):
        out = console.run(*words).out
        assert secret not in out
        assert "masked: 40 bytes" in out


def test_what_a_memory_file_tells_as_a_password_is_masked_on_every_screen(console: Console) -> None:
    desk = console.desk
    (desk.root / "home" / "memory" / "2026-02-28.md").write_text(f"It said {TOLD}.\n")
    draft = replace(addition(f"The loft box opens with {TOLD}."), reason=f"{TOLD} was typed twice")
    other = desk.proposal(draft)
    plain = ("show", "proposals", "review")
    commands = [[verb, *more] for verb in plain for more in ((), ("--json",))]
    commands = [[*words, *([other.id] if words[0] == "show" else [])] for words in commands]
    assert all(TOLD in console.run(*words).out for words in commands if words != ["proposals"])
    desk.memory.write_text(f"{MEMORY}\n- Loft box password: {TOLD}\n")
    for words in commands:
        out = console.run(*words).out
        assert TOLD not in out, words
        assert "masked: 13 bytes" in out or words == ["proposals"]


def test_what_one_waiting_change_tells_is_masked_in_the_others(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = console.desk
    proposal = desk.proposal(addition(f"The loft box opens with {TOLD}."))
    # Made before scanners knew the label: what a change says now is scanned before it is stored.
    with monkeypatch.context() as patched:
        for name in ("proposing.screening.scan", "apply.applying.scan", "proposing.hunks.shows_secret"):
            patched.setattr(f"nightledger.gate.{name}", lambda *_, **__: ())
        desk.proposal(addition(f"Loft box password: {TOLD}"))
    for words in (["review"], ["review", "--json"], ["proposals", "--json"]):
        out = console.run(*words).out
        assert proposal.id in out
        assert TOLD not in out


def test_show_tells_everything_about_one(console: Console) -> None:
    desk = console.desk
    (desk.root / "home" / "memory" / "2026-02-28.md").write_text("It failed again.\n")
    proposal = desk.proposal(addition("One.", rank=0.9), removal(OLD))
    desk.approve(proposal, only=[1])
    out = console.out("show", proposal.id[2:14])
    assert out.startswith(f"{proposal.id}  pending\n    a test\nSize: MEMORY.md: {len(MEMORY)} to ")
    assert "#1 approved: add to MEMORY.md, Lessons" in out
    assert "#2 pending: remove from MEMORY.md" in out
    assert "    It failed again." in out
    assert f"-{OLD}" in out
    assert out.rstrip().rpartition("diff sha256: ")[2] == console.record("show", proposal.id)["diff_sha256"]
    assert console.run("show", "p-zz").status == 2


def test_bytes_that_are_not_utf8_are_shown_and_written_as_json(console: Console) -> None:
    console.desk.memory.write_bytes(MEMORY.encode().replace(b"upgrade.", b"upgrad\xe9."))
    proposal = console.desk.proposal(addition("One."))
    assert "upgrad\\xe9." in console.out("show", proposal.id)
    assert "upgrad\\xe9." in console.out("review")
    assert "upgrad\\xe9." in console.record("review")[0]["diff"]


def test_verify_says_that_all_holds_and_that_the_home_is_simulated(console: Console) -> None:
    console.desk.applied(addition("One."))
    console.out("apply")
    out = console.out("verify")
    assert out.startswith("The log holds: ")
    assert "(a simulated home: its clock is whatever --now says)" in out
    assert "as they were signed." in out
    record = console.record("verify")
    assert (record["ok"], record["simulated"], record["drift"], record["altered"]) == (True, True, [], [])
    assert record["root"] == console.desk.ledger().log.root_at(record["size"]).hex()


def test_verify_tells_drift_and_what_was_taken_in_without_a_signature(console: Console) -> None:
    desk = console.desk
    drifted = MEMORY + "by hand\n"
    desk.memory.write_text(drifted)
    ran = console.run("verify")
    assert ran.status == 4
    assert "DRIFT MEMORY.md: its bytes are not those last signed" in ran.out
    desk.memory.write_text(MEMORY)
    (decision,) = desk.approve(desk.proposal(addition("One.")))
    (signed,) = decision.targets
    keep = BlobStore(desk.home.blobs_dir).put
    after = drifted.replace("upgrade.\n", "upgrade.\n- One.\n")
    target = {"path": "MEMORY.md", "before": keep(drifted.encode()), "after": keep(after.encode())}
    target |= {"signed_base": signed.base, "signed_result": signed.result}
    about = {"decision": decision.id, "proposal": decision.proposal, "changes": [1], "targets": [target]}
    desk.record("apply.intent", apply=f"a-{'a' * 26}", **about)
    desk.record("apply.done", apply=f"a-{'a' * 26}")
    desk.memory.write_text(after)
    desk.signing()
    ran = console.run("verify")
    assert ran.status == 4
    line = desk.ledger().log.size - 1
    assert (
        f"UNSIGNED audit/trusted-channel-audit.jsonl:{line}: line {line}: a-{'a' * 26} is not what was signed: "
        "what it began with is not what had been accepted\n" in ran.out
    )
    assert "note: MEMORY.md had been changed outside the gate when a-" in ran.out
    record = console.record("verify")
    (before,) = record["drifted_before"]
    assert Path(desk.home.blobs_dir, before["sha256"][:2], before["sha256"]).read_text() == drifted
    applies = record["applies"]
    assert (applies["checked"], applies["expired"], applies["findings"][0]["class"]) == (0, 0, "unsigned")
    assert applies["findings"][0]["line"] == line


def test_verify_counts_what_it_checked_of_applies_and_what_it_cannot_any_more(console: Console) -> None:
    desk = console.desk
    desk.applied(addition("One."))
    proposal = desk.proposal(addition("Two.", rank=0.9), addition("Three."))
    desk.approve(proposal)
    desk.reject_some(proposal, 1)
    desk.wait(hours=3)
    desk.apply()
    _, second = desk.ledger().book.applies.values()
    desk.applied(addition("Four."))  # what the newest apply of a file needs is kept
    for day in range(10):  # one jump of the clock would not count for so long
        desk.wait(days=1)
        desk.record("heartbeat", day=f"2026-03-{day + 2:02}")
    desk.record("blobs.removed", sha256s=[second.targets[0].before])
    Path(BlobStore(desk.home.blobs_dir).path(second.targets[0].before)).unlink()
    desk.signing()
    ran = console.run("verify")
    assert ran.status == 0, ran.out
    assert "Each of 2 applies did what a decision says that an operator signed." in ran.out
    assert "not checkable any more: what 1 applies did; bytes that it takes are gone" in ran.out
    applies = console.record("verify")["applies"]
    assert applies == {"checked": 2, "expired": 1, "findings": []}


def test_verify_names_rewritten_inputs(console: Console) -> None:
    desk = console.desk
    outcomes, folder = Path(desk.home.outcomes), Path(desk.home.memory_dir)
    outcomes.write_bytes(b"no outcome\n")
    names = [f"2026-02-2{n}.md" for n in range(4, 9)]
    for name in names:
        (folder / name).write_text("# A day\n")
    console.out("consolidate", "--since", "2026-02-20")
    close_day(desk.gate, desk.ledger(), "2026-02-28", desk.moment)
    assert console.run("verify").status == 0
    assert "changed since" not in console.out("verify")
    for name in names:
        (folder / name).write_text("# Another day\n")
    out = console.out("verify")
    assert out.count("has changed since the night of 2026-02-28 read it") == 3
    assert "note: 2 more files were rewritten or changed outside the gate; --json names them" in out
    assert [item["path"] for item in console.record("verify")["logs_changed"]] == [
        f"memory/{n}" for n in names
    ]
    outcomes.write_bytes(b"NO outcome\n")
    ran = console.run("verify")
    assert ran.status == 4
    assert "REWRITTEN memory/system/outcome-records.jsonl: its first 11 bytes are not those" in ran.out
    assert console.record("verify")["rewritten"][0]["size_bytes"] == 11
    desk.wait(days=1)
    close_day(desk.gate, desk.ledger(), "2026-03-01", desk.moment)
    out = console.out("verify")
    assert "note: memory/system/outcome-records.jsonl was rewritten after the night of 2026-02-28" in out


def test_an_acknowledged_line_that_is_no_entry_is_an_alarm_of_verify_and_status(console: Console) -> None:
    desk = console.desk
    log = Path(desk.home.audit_log)
    spaced = log.read_bytes().splitlines()[-1].replace(b'","event":"', b'", "event":"') + b"\n"
    log.write_bytes(log.read_bytes() + spaced)
    key = log_key(desk.gate)
    tree = CompactRange().extend(map(leaf_hash, log.read_bytes().splitlines()))
    keep_head(key.directory, KeptHead(range=tree, offset=log.stat().st_size))
    ran = console.run("verify")
    assert ran.status == 4
    line = log.read_bytes().count(b"\n")
    assert f"EDITED {log}: line {line} is not the entry that belongs here" in ran.err
    assert "is not the entry that belongs here" in " ".join(console.run("status").out.split())


def test_verify_names_every_altered_record(console: Console) -> None:
    desk = console.desk
    proposal = desk.proposal(addition("One."))
    (decision,) = desk.approve(proposal)
    desk.signing()
    Path(desk.home.proposal(proposal.id)).unlink()
    Path(f"{desk.home.decision(decision.id)}.sig").write_text("x")
    ran = console.run("verify")
    assert ran.status == 4
    assert f"ALTERED memory/state/proposals/{proposal.id}.json" in ran.out
    assert f"ALTERED audit/decisions/{decision.id}.json.sig" in ran.out
    assert "The log holds" not in ran.out
    assert len(console.record("verify")["altered"]) == 2


def test_verify_names_the_first_bad_place_of_a_changed_log(console: Console) -> None:
    desk = console.desk
    desk.proposal(addition("One."))
    desk.signing()
    log = Path(desk.home.audit_log)
    log.write_bytes(log.read_bytes().replace(b'"lane":"operator"', b'"lane":"mperator"'))
    ran = console.run("verify")
    assert ran.status == 4
    assert ran.out.startswith("EDITED ")
    assert ":2: " in ran.out
    finding = console.record("verify")["findings"][0]
    assert (finding["class"], finding["line"], finding["alarm"]) == ("edited", 2, True)


def test_verify_says_what_it_could_not_check(console: Console) -> None:
    log = console.desk.ledger().log
    report = replace(log.report, unchecked=("the ML-DSA-44 line",))
    lines = list(verify._lines(verify.Seen(report=report, simulated=False)))
    assert lines[-1] == "not checked: the ML-DSA-44 line"
    assert "simulated" not in lines[0]


def test_verify_fits_a_narrow_terminal(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nightledger.demo.shell.WIDTH", 40)
    console.desk.memory.write_text(MEMORY + "by hand\n")
    rows = console.run("verify", typed=[]).out.splitlines()
    assert max(map(len, rows)) <= 40
    told = " ".join(" ".join(rows).split())
    assert (
        "DRIFT MEMORY.md: its bytes are not those last signed; 'nightledger review' asks about each hunk"
        in told
    )
    console.desk.memory.write_text(MEMORY)
    assert max(map(len, console.run("verify", typed=[]).out.splitlines())) <= 40


def test_verify_gives_each_finding_on_a_line_where_no_terminal_is(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nightledger.demo.shell.WIDTH", 40)
    console.desk.memory.write_text(MEMORY + "by hand\n")
    assert len(console.run("verify").out.splitlines()) == 1


def test_verify_without_the_keys_says_what_to_do(console: Console) -> None:
    shutil.rmtree(console.desk.ring.directory)
    ran = console.run("verify")
    assert ran.status == 4
    assert "set NIGHTLEDGER_KEYS" in ran.err


def test_a_change_without_evidence_is_shown_without(console: Console) -> None:
    proposal = console.desk.proposal(replace(addition("One."), evidence=()))
    assert "from: no source is named (agent), confidence 0.50" in console.out("show", proposal.id)
