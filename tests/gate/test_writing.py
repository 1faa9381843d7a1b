"""What a crash in an apply may leave beside the files; each of its steps is tried in ``tests/faults`` and ``tests/blackbox``."""

import os
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, Desk, addition
from tests.gate.killing import DEAD, dies

from nightledger.files import atomic
from nightledger.gate.writing import recover

AFTER = MEMORY.replace("an upgrade.\n", "an upgrade.\n- Set the zone.\n").encode()


def start_again(desk: Desk) -> bool:
    """Do what every command does first."""
    return recover(desk.gate, desk.ledger(), desk.moment)


def test_a_leftover_that_no_apply_explains_is_kept_as_a_blob_and_removed(desk: Desk) -> None:
    stray = Path(desk.home.root, f".MEMORY.md.1.0{atomic.TEMP_SUFFIX}")
    stray.write_bytes(b"who knows\n")
    before = desk.events()
    assert not start_again(desk)
    assert not stray.exists()
    assert desk.events() == before
    kept = [path.read_bytes() for path in Path(desk.home.blobs_dir).rglob("*") if path.is_file()]
    assert b"who knows\n" in kept


@pytest.mark.parametrize("left", [bytes(len(AFTER)), AFTER[:40] + bytes(len(AFTER) - 40), AFTER[:9], b""])
def test_new_bytes_that_power_loss_took_or_made_zeros_are_nobodys_writing(desk: Desk, left: bytes) -> None:
    """The temporary file's name was on disk, its bytes were not: the files never changed places."""
    desk.approve(desk.proposal(addition("Set the zone.")))
    desk.wait(hours=3)

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
