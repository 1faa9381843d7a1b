"""Kill an apply at each step that touches the disk; then look whether everything is as it should be."""

import os
import shutil
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, Desk, addition, make_desk, open_desk
from tests.gate.killing import DEAD, Killer, dies

from nightledger.domain.proposal import Anchor, Hunk
from nightledger.files import atomic
from nightledger.files.blobs import BlobStore
from nightledger.gate.apply import writing as recovering
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
    assert not ledger.book.drifted
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


@pytest.mark.parametrize(
    ("one", "other", "lines"),
    [
        (b"", b"", 0),
        (b"a\nb\n", b"a\nb\n", 0),
        (b"a\nb\n", b"a\nc\nd\n", 3),
        (b"", b"a\nb\n", 2),
        (b"x\na\nb\nx\n", b"a\nb\n", 2),
        (b"caf\xe9\nx", b"caf\xe8\nx", 2),
    ],
)
def test_how_far_apart_two_files_are_is_the_number_of_lines_that_differ(
    one: bytes, other: bytes, lines: int
) -> None:
    assert recovering._distance(one, other) == recovering._distance(other, one) == lines


def test_a_leftover_that_no_apply_explains_is_kept_as_a_blob_and_removed(desk: Desk) -> None:
    stray = Path(desk.home.root, f".MEMORY.md.1.0{atomic.TEMP_SUFFIX}")
    stray.write_bytes(b"who knows\n")
    before = desk.events()
    assert not start_again(desk)
    assert not stray.exists()
    assert desk.events() == before
    names = [path.read_bytes() for path in Path(desk.home.blobs_dir).rglob("*") if path.is_file()]
    assert b"who knows\n" in names


def test_a_memory_file_that_leads_out_of_the_home_does_not_stop_the_start(desk: Desk) -> None:
    outside = desk.root / "outside.md"
    outside.write_bytes(b"x")
    desk.memory.unlink()
    desk.memory.symlink_to(outside)
    assert not start_again(desk)


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


def test_files_of_one_apply_are_finished_together(tmp_path: Path) -> None:
    """One file has its new bytes, the other does not: the other follows."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "USER.md").write_bytes(b"user\n")
    desk = make_desk(tmp_path, gated=("MEMORY.md", "USER.md"))
    old = "- Keep backups for 30 days.\n"
    hunks = [
        Hunk(anchor=Anchor.LINES, section=("MEMORY.md", "Decisions"), removed=old, added="- Keep backups.\n"),
        Hunk(anchor=Anchor.LINES, section=(), removed="user\n", added="user!\n"),
    ]
    proposal = desk.forge(*hunks, targets=["MEMORY.md", "USER.md"])
    (decision,) = desk.approve(proposal)
    after = {"MEMORY.md": MEMORY.replace(old, "- Keep backups.\n").encode(), "USER.md": b"user!\n"}
    blobs = BlobStore(desk.home.blobs_dir)
    targets = [
        {
            "path": signed.path,
            "before": blobs.put(Path(desk.home.path(signed.path)).read_bytes()),
            "after": blobs.put(after[signed.path]),
            "signed_base": signed.base,
            "signed_result": signed.result,
        }
        for signed in decision.targets
    ]
    desk.record(
        "apply.intent",
        apply="a-1",
        decision=decision.id,
        proposal=proposal.id,
        changes=[1, 2],
        targets=targets,
    )
    desk.memory.write_bytes(after["MEMORY.md"])
    assert start_again(desk)
    assert Path(desk.home.path("USER.md")).read_bytes() == b"user!\n"
    assert desk.events()[-1] == "apply.done"
