"""The same bytes over a directory that both machines share."""

import os
import shutil
from pathlib import Path

import pytest
from tests.remote.machines import Pair

from nightledger.files.atomic import Lock
from nightledger.remote.letters import MESSAGE_SUFFIX, empty_boxes, pending

BEAT = '{"state": {"mail": "checked"}}'
WORDS = ("channel", "send", "update_heartbeat", "--body", "-", "--to")


@pytest.fixture
def shared(pair: Pair, tmp_path: Path) -> Path:
    """Give a directory that both machines see."""
    path = tmp_path / "shared"
    path.mkdir()
    pair.ops.reach(agent={"spool": str(path)})
    pair.agent.reach(ops={"spool": str(path)})
    return path


def send(pair: Pair) -> str:
    sent = pair.ops.run(*WORDS, "agent", stdin=BEAT)
    assert (sent.status, sent.out.split(" ", 1)[1].startswith("is in the spool;")) == (0, True), sent
    return sent.out.split()[0]


def files(shared: Path) -> list[str]:
    return sorted(str(path.relative_to(shared)) for path in shared.rglob("*") if path.is_file())


def test_a_letter_lies_whole_in_its_box_and_what_only_has_the_name_of_one_is_told_and_set_aside(
    pair: Pair, shared: Path
) -> None:
    new = shared / pair.agent.home_id / "new"
    letter = new / f"{send(pair)}{MESSAGE_SUFFIX}"
    assert (list(new.iterdir()), letter.stat().st_mode & 0o777) == ([letter], 0o600)
    left = [
        f".{letter.name}.Xy12",
        f"{letter.name}~",
        "m-1.sync-conflict-1.message.json",
    ]  # other programs' files
    for name in left:
        (new / name).write_bytes(b"half")
    names = [f"m-{letter * 26}{MESSAGE_SUFFIX}" for letter in "bcde"]
    (new / names[0]).symlink_to(letter)
    (new / names[1]).mkdir()
    (new / names[2]).write_text("made by hand\n")
    os.mkfifo(new / names[3])
    ran = pair.agent.run("channel", "receive")
    assert (ran.status, ran.out.split()[:4]) == (1, ["took", "in", "update_heartbeat", "of"])
    for name in names:
        assert f"{name} cannot be taken in and is set aside in cur/:" in " ".join(ran.err.split())
    assert sorted(path.name for path in new.iterdir()) == sorted(left)
    assert sorted(path.name for path in (new.parent / "cur").iterdir()) == [
        f"{name}.unreadable" for name in names
    ]
    assert "agent answered update_heartbeat: executed" in pair.ops.out("channel", "receive")
    assert pair.ops.run("channel", "receive").out == ""


def test_a_list_of_machines_that_was_damaged_holds_up_no_letter_for_the_log_names_who_may_send(
    pair: Pair, shared: Path
) -> None:
    for damage in (lambda path: path.write_bytes(b"{"), Path.unlink):
        send(pair)
        damage(Path(pair.agent.desk.home.peers))
        assert len(empty_boxes(pair.agent.context()).answered) == 1
    assert files(shared / pair.agent.home_id) == []


def test_a_run_at_work_leaves_letters_for_the_next_round(
    pair: Pair, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nightledger.surfaces.session.LOCK_TIMEOUT_S", 0.0)
    send(pair)
    with Lock(pair.agent.desk.home.lock_path()):
        assert empty_boxes(pair.agent.context()).later == 1
    assert len(files(shared)) == 1
    assert len(empty_boxes(pair.agent.context()).answered) == 1


def test_a_machine_that_breaks_its_own_box_holds_up_no_letter_but_its_own(pair: Pair, shared: Path) -> None:
    asked = pair.agent.run(*WORDS, "ops", stdin=BEAT).out.split()[0]
    for machine in (pair.agent, pair.ops):
        machine.desk.wait(days=2)
    for _ in range(2):
        send(pair)
    box = shared / pair.ops.home_id
    shutil.rmtree(box)
    box.write_text("not a directory")
    for dead in ([asked], []):
        emptied = empty_boxes(pair.agent.context())
        assert (emptied.answered, emptied.later, len(emptied.problems)) == ([], 2, 2)
        assert emptied.dead == dead
    ran = pair.agent.run("channel", "receive")
    assert ran.status == 1
    told = "".join(ran.err.split())  # a path may be broken anywhere
    assert f"thebox{box}cannotbeused:" in told
    assert f"{box} is not a directory; move it away: mv {box} {box}.old".replace(" ", "") in told
    box.unlink()
    assert len(empty_boxes(pair.agent.context()).answered) == 2
    assert pair.agent.desk.events().count("message.received") == 2
    replies = empty_boxes(pair.ops.context()).replies
    assert [one["status"] for one in replies] == ["executed", "executed"], "the oldest letter came first"
    shared.rename(shared.with_name("away"))
    told = " ".join(pair.agent.run("channel", "receive").err.split())
    assert "is missing; mount it" in told, "a mount that is gone is no empty box"


def test_a_letter_without_an_answer_becomes_a_dead_letter_when_it_expires(pair: Pair, shared: Path) -> None:
    message = send(pair)
    assert empty_boxes(pair.ops.context()).dead == []
    pair.ops.desk.wait(days=2)
    assert empty_boxes(pair.ops.context()).dead == [message]
    (letter,) = pair.ops.dead_letters()
    assert letter["error"] == "no answer came before it expired"
    assert pending(pair.ops.desk.home) == {}
    assert files(shared)  # it lies there still; the receiver refuses it
