"""A witness that dies while it cosigns: what it answered it remembers, and what it remembers is whole."""

import contextlib
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.faults.controls import planted
from tests.faults.crash_disk import Crash, Kind, Step, crashes
from tests.faults.crash_watch import same, watching
from tests.faults.sweep_report import judge, judge_control
from tests.trust.witnesses import NOON, LogSigner, head_of, note_of, tree_of

from nightledger.doors.transport import Response
from nightledger.remote.cosigner import Cosigner, add_logs, create_witness, open_witness
from nightledger.trust.merkle import Tree
from nightledger.trust.policy import Continuation, dump_continuation

SWEEP = "crash states of a witness"
CONTROLS = ("no fsync", "no fsync of directories", "truncate in place")
OLD, UNASKED, NEW = 4, 7, 9
TREE, OTHER = tree_of(NEW), tree_of(NEW, b"another line")


def ask(box: Cosigner, tree: Tree, old: int, minute: int) -> Response:
    """Ask for a cosignature of the whole tree, of which ``old`` lines were cosigned before."""
    hashes = tree.consistency_proof(old, tree.size) if 0 < old <= tree.size else ()
    checkpoint = note_of(head_of(tree, tree.size))
    raw = dump_continuation(Continuation(old_size=old, hashes=hashes, checkpoint=checkpoint))
    return box.answer(raw, NOON + timedelta(minutes=minute))


def states(directory: Path, old: int, control: str = "") -> list[Crash]:
    """Give what a crash may leave of a witness that cosigns NEW lines after ``old``; 0: its first of the log."""
    create_witness(directory, "witness.example/harbour")
    box = add_logs(directory, [LogSigner().key])
    if old:
        assert ask(box, tree_of(old), 0, 0).status == 200
    with planted(control) if control else contextlib.nullcontext(), watching(directory) as watch:
        assert ask(box, TREE, old, 1).status == 200
    assert same(watch.disk, directory), "a change of the disk went by unseen"
    steps = [*watch.steps, Step(kind=Kind.SAY, path="", content=b"cosigned")]
    return list(crashes(watch.start, steps))


def problems(crash: Crash, old: int, work: Path) -> Iterator[str]:
    """Name what is wrong with a witness that begins again after a crash."""
    work.mkdir()
    crash.disk.write_to(work)
    try:
        box = open_witness(work)
        known = int(ask(box, TREE, UNASKED, 2).content)  # a conflict names the size cosigned last
        if known not in ({NEW} if crash.said else {old, NEW}):
            yield f"step {crash.at}, {crash.how}: it remembers {known} lines"
        if crash.said and ask(box, OTHER, known, 3).status == 200:
            yield f"step {crash.at}, {crash.how}: it cosigns another history"
        if ask(box, TREE, known, 4).status != 200:
            yield f"step {crash.at}, {crash.how}: it cosigns the log no more"
    except Exception as error:  # noqa: BLE001 - a damaged memory is what is looked for
        yield f"step {crash.at}, {crash.how}: {error!r}"
    finally:
        shutil.rmtree(work)


@pytest.mark.parametrize("old", [0, OLD])
def test_what_a_witness_answered_it_remembers_whatever_a_crash_leaves(tmp_path: Path, old: int) -> None:
    tried = [list(problems(crash, old, tmp_path / "work")) for crash in states(tmp_path / "made", old)]
    judge(SWEEP, f"after {old}", tried, least=6)


@pytest.mark.parametrize("control", CONTROLS)
def test_a_planted_fault_is_found_among_the_states_of_a_witness(tmp_path: Path, control: str) -> None:
    found = [
        line
        for crash in states(tmp_path / "made", OLD, control)
        for line in problems(crash, OLD, tmp_path / "work")
    ]
    judge_control(SWEEP, control, found)
