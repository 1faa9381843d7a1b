import json
import os
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, Desk, addition
from tests.surfaces.console import Console

from nightledger.domain.event import EventName
from nightledger.files.lock import Lock
from nightledger.gate.daily import close_day
from nightledger.gate.forgetting.keeping import remove_expired
from nightledger.surfaces import session
from nightledger.surfaces.verbs.guard import MARK

BOAT = "- Boat: paint the hull"


def drift(desk: Desk, line: str = BOAT) -> None:
    desk.memory.write_text(f"{desk.text()}{line}\n")


def test_it_says_what_it_found_once_and_under_cron_nothing_more(console: Console) -> None:
    drift(console.desk)
    out = " ".join(console.out("guard").split())
    assert "MEMORY.md was changed outside the gate (writer: unknown)." in out
    assert "'nightledger review' asks about each hunk." in out
    assert console.out("guard") == ""
    assert console.run("verify").status == 4


def test_on_a_terminal_it_says_that_all_is_well(console: Console) -> None:
    assert console.out("guard") == ""
    assert console.out("guard", typed=[]) == "Every gated and protected file is as it was accepted.\n"


def test_json_names_each_file_that_is_not_settled(console: Console) -> None:
    assert console.record("guard") == {"drift": []}
    drift(console.desk)
    (found,) = console.record("guard")["drift"]
    assert (found["path"], found["new"], found["writer"]) == ("MEMORY.md", True, "unknown")
    (again,) = console.record("guard")["drift"]
    assert (again["proposal"], again["new"]) == (found["proposal"], False)


def test_the_exit_code_says_that_something_is_not_settled(console: Console) -> None:
    assert console.run("guard", "--exit-code").status == 0
    drift(console.desk)
    assert console.run("guard", "--exit-code").status == 4
    assert console.run("guard").status == 0


def test_what_cannot_be_looked_after_is_an_alarm(console: Console) -> None:
    console.desk.memory.unlink()
    console.desk.memory.symlink_to("/etc/hostname")
    ran = console.run("guard")
    assert ran.status == 4
    assert "MEMORY.md cannot be looked after" in ran.out


@pytest.mark.parametrize("name", ["SOUL.md", "MEMORY.md"])
def test_a_link_to_itself_keeps_the_guard_from_no_other_file(name: str, console: Console) -> None:
    root = Path(console.desk.home.root)
    other = root / ("MEMORY.md" if name == "SOUL.md" else "AGENTS.md")
    other.write_text("Be kind.\n")
    assert console.run("guard").status == 0
    (root / name).unlink(missing_ok=True)
    os.symlink(name, root / name)
    other.write_text("Be evil.\n")
    for _ in range(2):
        ran = console.run("guard", "--json")
        assert (ran.status == 0) == (name == "SOUL.md")
        assert other.name in ran.out


def test_when_nothing_was_touched_cron_takes_one_small_look(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "LOCK_TIMEOUT_S", 0.1)
    mark = Path(console.desk.home.root, MARK)
    console.desk.wait(minutes=10)
    console.out("guard")
    os.utime(mark, ns=(mark.stat().st_mtime_ns + 10**10,) * 2)
    with Lock(console.desk.home.lock_path()):
        assert console.run("guard").status == 0
        console.desk.wait(minutes=49)
        assert console.run("guard").status == 0
        console.desk.wait(minutes=11)
        assert console.run("guard").status == 75  # a mark is believed for an hour
        console.desk.wait(hours=-1)
        drift(console.desk)
        assert console.run("guard").status == 75
    assert "changed outside" in console.out("guard")
    monkeypatch.undo()


def test_a_mark_that_somebody_keeps_writing_puts_off_no_look_for_longer_than_an_hour(
    console: Console,
) -> None:
    mark = Path(console.desk.home.root, MARK)
    told = ""
    console.desk.wait(minutes=15)
    drift(console.desk)
    for _ in range(6):
        now = console.desk.moment.at.timestamp()
        mark.write_text(json.dumps({"at": now, "looks": {"nothing of this name": None}}))
        told += console.out("guard")
        console.desk.wait(minutes=10)
    assert "MEMORY.md was changed outside the gate" in told


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", "7", '{"looks": {"MEMORY.md": 3}, "at": 0}', '{"looks": 7, "at": 0}']
)
def test_a_damaged_mark_is_worth_nothing(content: str, console: Console) -> None:
    drift(console.desk)
    Path(console.desk.home.root, MARK).write_text(content)
    assert "changed outside" in console.out("guard")


def test_a_change_within_the_second_of_the_mark_is_seen(console: Console) -> None:
    console.out("guard")
    drift(console.desk)
    assert "changed outside" in console.out("guard")


def test_bytes_accepted_before_and_protected_files_are_told_as_such(console: Console) -> None:
    desk = console.desk
    (desk.memory.parent / "SOUL.md").write_text("Be kind.\n")
    console.out("guard")
    desk.applied(addition("Set the zone."))
    desk.memory.write_text(MEMORY)
    (desk.memory.parent / "SOUL.md").write_text("Be cruel.\n")
    assert "MEMORY.md went back to what was accepted on 2026-03-01 06:00 UTC." in console.out("guard")
    ran = console.run("verify")
    assert ran.status == 4
    assert "EARLIER MEMORY.md: it went back to the bytes accepted on 2026-03-01 06:00 UTC" in ran.out
    assert "note: SOUL.md has changed since it was first seen" in ran.out
    record = console.record("verify")
    assert (record["drift"], record["protected_changed"]) == ([], ["SOUL.md"])
    assert record["earlier"] == [{"path": "MEMORY.md", "accepted_at": "2026-03-01T06:00:00Z"}]
    status = " ".join(console.run("status").out.split())
    assert "! DRIFT MEMORY.md went back to what was accepted on 2026-03-01 06:00 UTC" in status
    assert "! CHANGED SOUL.md, a protected file, has changed" in status
    out = console.out("review", typed=["y", "y", "y"])
    assert "Settled MEMORY.md: kept 1 change(s)." in out
    assert "Settled SOUL.md: kept 1 change(s)." in out
    assert console.run("verify").status == 0


def test_a_review_shows_what_drifted_first_hunk_by_hunk_and_settles_it(console: Console) -> None:
    desk = console.desk
    proposal = desk.proposal(addition("Set the zone."))
    desk.memory.write_text(MEMORY.replace("30 days", "40 days") + f"{BOAT}\n")
    out = console.out("review", typed=["y", "n", "y", "y"])
    said = " ".join(out.split())
    assert "MEMORY.md is not as it was last signed: what was changed outside the gate comes first." in said
    assert "[1/3] MEMORY.md was changed outside the gate: replace in MEMORY.md, Decisions" in out
    assert "y keep n take back s later d whole diff v evidence q quit" in " ".join(out.split())
    assert "why: Who wrote it is unknown." in out
    assert "+- Keep backups for 40 days." in out
    assert "Settled MEMORY.md: kept 1 change(s), the rest you answered was taken back." in out
    assert "Signed 1 change(s)." in out
    assert desk.text() == MEMORY.replace("30 days", "40 days")
    assert desk.states(proposal) == ["approved"]
    assert console.run("verify").status == 0
    desk.wait(hours=3)
    console.out("apply")
    assert "Set the zone." in desk.text()
    steps = console.record("history")["steps"]
    assert [step["kind"] for step in steps] == ["apply", "drift"]
    assert "drift settled" in console.out("history")


def test_where_all_was_taken_back_nothing_is_said_to_be_kept(console: Console) -> None:
    console.desk.memory.write_text(f"{MEMORY}{BOAT}\n")
    out = console.out("review", typed=["n", "y"])
    assert "Settled MEMORY.md: took back every change that you answered." in out
    assert console.desk.text() == MEMORY


def test_what_is_left_for_later_is_asked_again(console: Console) -> None:
    desk = console.desk
    desk.memory.write_text(MEMORY.replace("30 days", "40 days") + f"{BOAT}\n")
    console.out("review", typed=["s", "y", "y"])
    assert BOAT in desk.text()
    out = console.out("review", typed=["n", "y"])
    assert "[1/1]" in out
    assert desk.text() == f"{MEMORY}{BOAT}\n"
    assert "Nothing waits for you." in console.out("review", typed=[])


def test_one_signature_settles_a_file_whatever_it_answers(console: Console) -> None:
    desk = console.desk
    desk.memory.write_text(MEMORY.replace("30 days", "40 days") + f"{BOAT}\n")
    console.out("review", typed=["y", "n", "y"])
    decided = [e for e in desk.ledger().log.events if e.event == EventName.DECIDED]
    assert [(e.fields["type"], e.fields["changes"]) for e in decided] == [("drift", [1])]


def test_approve_keeps_and_reject_takes_back(console: Console) -> None:
    desk = console.desk
    drift(desk)
    console.out("guard")
    assert "Kept change 1 of what was changed" in console.out("approve", desk.drift().id)
    drift(desk, "- Bike.")
    console.out("guard")
    assert "Took every answered change back" in console.out("reject", desk.drift().id, "--reason", "no")
    assert desk.text() == f"{MEMORY}{BOAT}\n"


def test_bytes_that_changed_again_cannot_be_answered(console: Console) -> None:
    desk = console.desk
    drift(desk)
    console.out("guard")
    name = desk.drift().id
    drift(desk, "- Bike.")
    ran = console.run("approve", name)
    assert ran.status == 1
    assert "the file has changed again" in ran.err


def test_while_another_run_is_at_work_a_review_shows_what_is_known(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "LOCK_TIMEOUT_S", 0.1)
    drift(console.desk)
    with Lock(console.desk.home.lock_path()):
        ran = console.run("review", typed=[])
    assert ran.status == 0, ran.err
    assert "no item asks about it yet" in " ".join(ran.out.split())
    assert "Nothing else waits for you." in ran.out


def test_without_a_terminal_a_review_shows_what_the_guard_found(console: Console) -> None:
    drift(console.desk)
    assert console.record("review") == []
    shown = " ".join(console.out("review").split())
    assert "Drift: MEMORY.md is not as it was last signed, and no item asks about it yet" in shown
    console.out("guard")
    assert "no item asks" not in " ".join(console.out("review").split())
    (item,) = console.record("review")
    assert (item["op"], item["unplaced"]) == ("add", "")
    assert f"+{BOAT}" in item["diff"]
    drift(console.desk, "- Bike.")
    assert "changed again" in console.record("review")[0]["unplaced"]


def test_before_an_apply_it_is_looked(console: Console) -> None:
    desk = console.desk
    proposal = desk.proposal(addition("Set the zone."))
    desk.approve(proposal)
    desk.wait(hours=3)
    drift(desk)
    console.out("apply")
    events = desk.events()
    assert events.index(EventName.DRIFT_FOUND) < events.index(EventName.APPLY_INTENT)
    assert events.count(EventName.DRIFT_FOUND) == 2
    assert [change.after for change in desk.drift().changes] == [f"{BOAT}\n"]
    assert "Set the zone." in desk.text()


def test_a_change_that_waits_for_drift_is_told_to_whom_asks(console: Console) -> None:
    desk = console.desk
    drift(desk, f"\n{BOAT}")
    console.out("guard")
    proposal = desk.forge_removal(BOAT)
    desk.approve(proposal)
    desk.wait(hours=3)
    assert console.out("apply") == ""
    ran = console.run("apply", proposal.id)
    assert ran.status == 1
    assert f"Change 1 of {proposal.id} waits: it touches lines that were changed outside the gate" in ran.out
    assert console.record("apply")[0]["waits"][0]["n"] == 1


def test_with_propose_the_edit_waits_like_any_proposal(console: Console) -> None:
    desk = console.desk
    settings = Path(desk.home.settings)
    settings.write_text("on_drift: propose\n")
    drift(desk)
    out = " ".join(console.out("guard").split())
    assert "the bytes last signed were put back, and the edit waits as p-" in out
    assert desk.text() == MEMORY
    assert console.run("guard", "--exit-code").status == 0
    assert console.run("verify").status == 0
    assert "[1/1] An edit of MEMORY.md that was made outside the gate" in console.out(
        "review", typed=["n", "no", "y"]
    )
    drift(desk)
    assert "nothing of the edit is asked" in " ".join(console.out("guard").split())


def test_status_and_notices_count_it(console: Console) -> None:
    drift(console.desk)
    console.out("guard")
    status = " ".join(console.run("status").out.split())
    assert "! DRIFT MEMORY.md is not as it was last signed" in status
    assert "'nightledger review' asks about each hunk" in status
    assert console.run("doctor").status == 1
    assert console.record("proposals")[0]["kind"] == "drift"
    view = Path(console.desk.home.pending_view).read_text()
    assert BOAT not in view


def test_drift_whose_item_expired_is_said_to_have(console: Console) -> None:
    desk = console.desk
    drift(desk)
    console.out("guard")
    name = desk.drift().id
    drift(desk, "- Bike.")
    console.out("guard")
    for _ in range(11):
        desk.wait(days=1)
        close_day(desk.gate, desk.ledger(), desk.moment.at.date().isoformat(), desk.moment)
    remove_expired(desk.gate, desk.ledger(), desk.moment)
    ran = console.run("show", name)
    assert ran.status == 1
    assert "its text went, for it was never answered" in ran.err
    listed = {record["id"]: record["state"] for record in console.record("proposals", "--all")}
    assert listed[name] == "superseded"
    assert "its text went, when nothing needed it" in " ".join(console.out("proposals", "--all").split())
