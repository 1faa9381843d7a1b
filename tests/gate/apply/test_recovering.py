"""Kill an apply at each step that touches the disk; then look whether everything is as it should be."""

import os
import shutil
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, Desk, addition, open_desk
from tests.gate.killing import DEAD, Killer, dies

from nightledger.files import atomic
from nightledger.gate.apply.writing import recover
from nightledger.gate.integrity.checking import find_altered, find_drift

LESSON = "Set the zone in every timer."
AFTER = MEMORY.replace("an upgrade.\n", f"an upgrade.\n- {LESSON}\n").encode()


def ready(desk: Desk) -> Desk:
    desk.approve(desk.proposal(addition(LESSON)))
    desk.wait(hours=3)
    return desk


def start_again(desk: Desk) -> bool:
    """Do what every command does first."""
    return recover(desk.gate, desk.ledger(), desk.moment)


def state(desk: Desk) -> str:
    (status,) = desk.ledger().book.proposals.values()
    return status.state_of(1).value


def killed_at(root: Path, source: Path, desk: Desk, step: int) -> tuple[Desk, bool]:
    shutil.copytree(source, root)
    fresh = open_desk(root)
    fresh.moment = desk.moment

    def work() -> None:
        Killer(step).arm()
        fresh.apply()

    return fresh, dies(work)


def check_after_a_kill(desk: Desk) -> None:
    assert desk.memory.read_bytes() in (MEMORY.encode(), AFTER)
    assert not find_drift(desk.home, desk.ledger().book)  # what was cut short is no drift
    start_again(desk)
    assert state(desk) in ("approved", "applied")
    assert desk.memory.read_bytes() == (AFTER if state(desk) == "applied" else MEMORY.encode())
    assert desk.ledger().book.unfinished() == ()
    assert not start_again(desk)
    desk.apply()
    assert desk.memory.read_bytes() == AFTER
    ledger = desk.ledger()
    assert state(desk) == "applied"
    assert not find_drift(desk.home, ledger.book)
    assert not find_altered(desk.home, ledger, desk.moment)
    assert "apply.raced" not in desk.events()
    assert atomic.leftovers(desk.home.root) == ()


def test_a_kill_at_any_step_leaves_the_old_file_or_the_new_one_and_a_truthful_log(
    desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ready(desk)
    homes = tmp_path_factory.mktemp("killed")
    step = 0
    dead = True
    ends = set()
    while dead:
        step += 1
        fresh, dead = killed_at(homes / str(step), desk.root, desk, step)
        ends.add((fresh.memory.read_bytes() == AFTER, fresh.events()[-1]))
        check_after_a_kill(fresh)
        shutil.rmtree(fresh.root)
    assert step > 15
    assert {(False, "decision.recorded"), (False, "apply.intent"), (True, "apply.intent")} <= ends


def test_a_leftover_that_no_apply_explains_is_kept_as_a_blob_and_removed(desk: Desk) -> None:
    stray = Path(desk.home.root, f".MEMORY.md.1.0{atomic.TEMP_SUFFIX}")
    stray.write_bytes(b"who knows\n")
    before = desk.events()
    assert not start_again(desk)
    assert not stray.exists()
    assert desk.events() == before
    names = [path.read_bytes() for path in Path(desk.home.blobs_dir).rglob("*") if path.is_file()]
    assert b"who knows\n" in names


@pytest.mark.parametrize("left", [bytes(len(AFTER)), AFTER[:40] + bytes(len(AFTER) - 40), AFTER[:9], b""])
def test_new_bytes_that_power_loss_took_or_made_zeros_are_nobodys_writing(desk: Desk, left: bytes) -> None:
    """The temporary file's name was on disk, its bytes were not: the files never changed places."""
    ready(desk)

    def work() -> None:
        atomic._exchange = lambda *_: os._exit(DEAD)
        desk.apply()

    assert dies(work)
    (temp,) = atomic.leftovers(desk.home.root)
    Path(temp).write_bytes(left)
    assert start_again(desk)
    assert desk.events()[-1] == "apply.aborted"
    assert desk.memory.read_bytes() == MEMORY.encode()
    desk.apply()
    assert desk.memory.read_bytes() == AFTER
