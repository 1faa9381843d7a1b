"""The same bytes over a directory that both machines share."""

import shutil
from pathlib import Path

import pytest
from tests.remote.machines import Pair

from nightledger.files.atomic import Lock
from nightledger.remote.letters import MESSAGE_SUFFIX, Delivery, deliver, empty_boxes, pending, prepare

BEAT = {"state": {"mail": "checked"}}


@pytest.fixture
def shared(pair: Pair, tmp_path: Path) -> Path:
    """Give a directory that both machines see."""
    path = tmp_path / "shared"
    path.mkdir()
    pair.ops.reach(agent={"spool": str(path)})
    pair.agent.reach(ops={"spool": str(path)})
    return path


def send(pair: Pair, action: str = "update_heartbeat") -> tuple[str, Delivery]:
    context = pair.ops.context()
    outgoing = prepare(context, "agent", action, BEAT if action == "update_heartbeat" else {})
    return outgoing.message.id, deliver(context, outgoing, pause=lambda _: None)


def files(shared: Path) -> list[str]:
    return sorted(str(path.relative_to(shared)) for path in shared.rglob("*") if path.is_file())


def test_what_was_made_by_hand_under_the_name_of_a_letter_is_told_and_set_aside(
    pair: Pair, shared: Path
) -> None:
    send(pair)
    new = shared / pair.agent.home_id / "new"
    names = [f"m-{letter * 26}{MESSAGE_SUFFIX}" for letter in "bc"]
    (new / names[0]).write_text("made by hand\n")
    (new / names[1]).mkdir()
    ran = pair.agent.run("channel", "receive")
    assert (ran.status, ran.out.split()[:2]) == (1, ["took", "in"])
    for name in names:
        assert f"{name} cannot be taken in and is set aside in cur/:" in " ".join(ran.err.split())
    assert list(new.iterdir()) == []


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
    context = pair.agent.context()
    asked = prepare(context, "ops", "update_heartbeat", BEAT)
    assert deliver(context, asked, pause=lambda _: None).spooled
    for machine in (pair.agent, pair.ops):
        machine.desk.wait(days=2)
    for _ in range(2):
        send(pair)
    box = shared / pair.ops.home_id
    shutil.rmtree(box)
    box.write_text("not a directory")
    for dead in ([asked.message.id], []):
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


def test_a_letter_without_an_answer_becomes_a_dead_letter_when_it_expires(pair: Pair, shared: Path) -> None:
    message, _ = send(pair)
    assert empty_boxes(pair.ops.context()).dead == []
    pair.ops.desk.wait(days=2)
    assert empty_boxes(pair.ops.context()).dead == [message]
    (letter,) = pair.ops.dead_letters()
    assert letter["error"] == "no answer came before it expired"
    assert pending(pair.ops.desk.home) == {}
    assert files(shared)  # it lies there still; the receiver refuses it
