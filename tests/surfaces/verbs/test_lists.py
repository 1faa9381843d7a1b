"""``proposals``, ``show`` and ``verify``: what can be looked at."""

import hashlib

import pytest
from tests.gate.homes import MEMORY, addition, removal
from tests.surfaces.console import Console

OLD = "- Keep backups for 30 days."


def test_a_list_of_what_waits_and_of_everything(console: Console) -> None:
    assert console.out("proposals") == "Nothing waits.\n"
    assert console.out("proposals", "--all") == "Nothing was ever proposed.\n"
    desk = console.desk
    waits, rejected = desk.proposal(addition("One.")), desk.proposal(addition("Two."))
    desk.reject(rejected)
    out = console.out("proposals")
    assert out == f"{waits.id[:6]}  pending   1 change(s): a test\n"
    assert f"{rejected.id[:6]}  rejected" in console.out("proposals", "--all")
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


def test_show_tells_everything_about_one(console: Console) -> None:
    desk = console.desk
    (desk.root / "home" / "memory" / "2026-02-28.md").write_text("It failed again.\n")
    proposal = desk.proposal(addition("One.", rank=0.9), removal(OLD))
    desk.approve(proposal, only=[1])
    out = console.out("show", proposal.id[2:14])
    assert out.startswith(f"{proposal.id[:6]}  pending\n    a test\nSize: MEMORY.md: {len(MEMORY)} to ")
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


def test_verify_fits_a_narrow_terminal(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nightledger.demo.shell.WIDTH", 40)
    console.desk.memory.write_text(MEMORY + "by hand\n")
    rows = console.run("verify", typed=[]).out.splitlines()
    assert max(map(len, rows)) <= 40
    told = " ".join(" ".join(rows).split())
    assert (
        "DRIFT MEMORY.md: changed outside Nightledger since it was last signed; 'nightledger review' asks about each section"
        in told
    )
    console.desk.memory.write_text(MEMORY)
    assert max(map(len, console.run("verify", typed=[]).out.splitlines())) <= 40
