"""A run that dies, or a rival that writes, at a chosen moment of an apply: what the next run finishes, takes back, keeps.

Before each call that changes the disk it is looked whether the moment has come (``tests/blackbox/test_crashes.py``).
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.person import review, sound
from tests.blackbox.test_applying import attempts, since, states
from tests.blackbox.test_crashes import CALLS, KILLED
from tests.blackbox.test_lifecycle import CLOSED
from tests.blackbox.test_undoing import ARCHIVE, COPY, FULL, LOG, exists, let_go, sign_what_goes
from tests.blackbox.world import LABELLED, MEMORY, TEXT, Folder, World, found, sha256
from tests.blackbox.world import LOG as AUDIT
from tests.forked import status_of

RIVAL = "- Rival.\n"


@contextmanager
def at_the_moment(reached: Callable[[], bool], act: Callable[[], object]) -> Iterator[None]:
    """Have something done once, before the first call that changes the disk at which the moment has come."""
    real = {name: getattr(os, name) for name in CALLS}
    left = [act]

    def put(make: Callable[[Any], Any]) -> None:
        for name, call in real.items():
            setattr(os, name, make(call))

    def watched(call: Any) -> Any:
        def stand_in(*given: Any, **named: Any) -> Any:
            if left:
                put(lambda one: one)
                if reached():
                    left.pop()()
                put(watched)
            return call(*given, **named)

        return stand_in

    put(watched)
    try:
        yield
    finally:
        put(lambda one: one)
    assert not left, "the moment did not come"


def dies(world: World, reached: Callable[[], bool], *words: str) -> None:
    """Run a command in a fork that ends at once at the moment, as by ``kill -9``."""

    def run() -> None:
        with at_the_moment(reached, lambda: os._exit(KILLED)):
            world.run(*words)

    assert status_of(run) == KILLED


def temporary(world: World, beside: str = "MEMORY.md") -> list[Path]:
    """Give what lies half written, or replaced, beside a file."""
    path = world.home / beside
    return [one for one in path.parent.glob(f".{path.name}.*") if one.name.endswith("-tmp")]


def ended(world: World, size: int) -> list[dict[str, Any]]:
    """Give the ends of applies, without their ids."""
    ends = ("apply.done", "apply.raced", "apply.aborted")
    told = [one for one in since(world, size) if one["event"] in ends]
    return [{name: value for name, value in one.items() if name != "apply"} for one in told]


@pytest.fixture(scope="module")
def waiting(adopted: World, new_folder: Folder) -> World:
    """Give a home with one change that is signed and cooled."""
    world = adopted.copy(new_folder())
    world.signed(TEXT)
    world.wait(hours=3)
    return world


def test_an_apply_that_died_before_its_file_is_done_anew(waiting: World, tmp_path: Path) -> None:
    died = waiting.copy(tmp_path / "died")
    size = len(died.events())
    dies(died, lambda: bool(temporary(died)) and died.read() == MEMORY, "apply")
    assert (died.kinds(size), died.read()) == (["apply.intent"], MEMORY)
    assert died.run("verify").status == 0
    for rival in ("", RIVAL):
        world = died.copy(tmp_path / f"again{len(rival)}")
        world.write("MEMORY.md", MEMORY + rival)
        (name,) = attempts(world)
        assert ended(world, size) == [{"event": "apply.aborted", "reason": "crash"}, {"event": "apply.done"}]
        first, second = [one for one in since(world, size) if one["event"] == "apply.intent"]
        assert (first["proposal"], second["proposal"]) == (name, name)
        assert (world.read(), temporary(world)) == (LABELLED + rival, [])
        if rival:
            review(world)
        assert world.read() == LABELLED
        sound(world)


def test_an_apply_that_died_after_its_file_is_finished_once(waiting: World, tmp_path: Path) -> None:
    died = waiting.copy(tmp_path / "died")
    size = len(died.events())
    dies(died, lambda: died.read() == LABELLED, "apply")
    (left,) = temporary(died)
    assert (died.kinds(size), left.read_text()) == (["apply.intent"], MEMORY)
    replaced = {"path": "MEMORY.md", "sha256": sha256(MEMORY + RIVAL)}
    raced = {"event": "apply.raced", "replaced": [replaced]}
    done = {"event": "apply.done"}
    cases: dict[str, tuple[str, str | None, str, dict[str, Any]]] = {
        "as it died": ("", MEMORY, "", done),
        "what was replaced is gone": ("", None, "", done),
        "half of what was written is left": ("", LABELLED[:40], "", done),
        "a power loss left zeros": ("", LABELLED[:40] + "\0" * 20, "", done),
        "a rival wrote before": ("", MEMORY + RIVAL, "", raced),
        "a rival wrote since": (RIVAL, MEMORY, RIVAL, done),
    }
    for place, (since_then, beside, rest, end) in cases.items():
        world = died.copy(tmp_path / place)
        (mine,) = temporary(world)
        mine.unlink() if beside is None else mine.write_text(beside)
        world.write("MEMORY.md", LABELLED + since_then)
        assert attempts(world) == {}, place
        assert ended(world, size) == [end], place
        assert (world.read(), temporary(world)) == (LABELLED + rest, []), place
        assert world.run("verify").status == (4 if rest else 0), place
        if beside:
            assert world.blob(sha256(beside.encode())).read_text() == beside
        if end is raced:  # its bytes are offered
            (offered,) = [change["after"] for one in world.proposals() for change in one["changes"]]
            assert RIVAL.strip() in offered
        assert sum(one["event"] == "apply.intent" for one in world.events()) == 1
    world = died.copy(tmp_path / "put back")  # who puts the old bytes back has it done again
    world.write("MEMORY.md", MEMORY)
    assert list(attempts(world).values()) == [{"applied": [1]}]
    assert ended(world, size) == [{"event": "apply.aborted", "reason": "crash"}, done]
    assert world.read() == LABELLED


def test_what_nobody_signed_is_never_finished(waiting: World, tmp_path: Path) -> None:
    world = waiting.copy(tmp_path)
    size = len(world.events())
    dies(world, lambda: bool(temporary(world)) and world.read() == MEMORY, "apply")
    path = world.home / f"audit/decisions/{world.events()[size]['decision']}.json.sig"
    kept = path.read_bytes()
    path.write_bytes(kept.replace(kept[120:124], b"AAAA"))
    world.write("MEMORY.md", LABELLED)
    assert world.run("apply").status != 0
    assert ended(world, size) == [{"event": "apply.aborted", "reason": "unsigned"}]
    assert world.run("verify").status == 4
    path.write_bytes(kept)
    world.ok("apply")
    review(world)
    world.ok("apply")
    assert (world.read(), world.run("verify").status) == (LABELLED, 0)


def test_an_edit_that_died_before_its_signature_is_withdrawn(world: World) -> None:
    world.use_editor('#!/bin/sh\nsed -i "s/30 days/31 days/" "$1"\n')
    size = len(world.events())

    def edit() -> None:
        tempfile.tempdir = str(world.root)  # what the editor was given goes with the test's own files
        acknowledged = world.own_keys / "head.json"
        known = acknowledged.read_bytes() if acknowledged.exists() else b""
        seen = lambda: world.kinds(size) == ["proposal.created"] and acknowledged.read_bytes() != known  # noqa: E731
        with at_the_moment(seen, lambda: os._exit(KILLED)):
            world.run("edit", typed=["y"])

    assert status_of(edit) == KILLED
    world.ok("apply")
    created, closed = [one for one in since(world, size) if one["event"].startswith("proposal.")]
    assert (created["lane"], world.read()) == ("edit", MEMORY)
    expected = {"event": "proposal.closed", "proposal": created["proposal"], "changes": [1]}
    assert closed == {**expected, "reason": "withdrawn"}
    assert world.proposals() == []
    sound(world)


def test_a_rival_that_writes_at_the_moment_loses_nothing(waiting: World, tmp_path: Path) -> None:
    world = waiting.copy(tmp_path)
    size = len(world.events())
    with at_the_moment(lambda: bool(temporary(world)), lambda: world.write("MEMORY.md", MEMORY + RIVAL)):
        ran = world.run("apply", "--json")
    (told,) = json.loads(ran.out)
    assert (ran.status, told["raced"], told["applied"]) == (0, True, [1])
    raced = {"path": "MEMORY.md", "sha256": sha256((MEMORY + RIVAL).encode())}
    assert ended(world, size) == [{"event": "apply.raced", "replaced": [raced]}]
    assert world.blob(raced["sha256"]).read_text() == MEMORY + RIVAL
    assert (world.read(), world.run("verify").status) == (LABELLED, 0)
    (offered,) = [change["after"] for one in world.proposals() for change in one["changes"]]
    assert RIVAL.strip() in offered
    assert world.json("history")["steps"][0]["raced"] is True


# ------------------------------------------------------------ several files
@pytest.fixture(scope="module")
def letting(new_folder: Folder) -> World:
    """Give a home with a log to be compressed and an entry to be archived, signed and cooled."""
    world = found(new_folder(), memory=CLOSED)
    world.write(LOG, FULL)
    sign_what_goes(world)
    return world


def test_a_rival_that_writes_to_a_log_at_the_moment_has_all_put_back(letting: World, tmp_path: Path) -> None:
    world = letting.copy(tmp_path)
    compression, _ = let_go(world)
    size = len(world.events())
    with at_the_moment(lambda: bool(temporary(world, LOG)), lambda: world.write(LOG, FULL + RIVAL)):
        told = attempts(world, compression, status=1)
    assert [list(one) for one in told.values()] == [["reasons"]]
    assert f"another program wrote to {LOG} at the same moment" in told[compression]["reasons"][0]
    assert ended(world, size) == [{"event": "apply.aborted", "reason": "raced"}]
    assert (world.read(LOG), exists(world, COPY)) == (FULL + RIVAL, [False])
    assert (temporary(world, LOG), temporary(world, COPY)) == ([], [])
    assert states(world)[compression] == "approved"
    assert [one["n"] for one in attempts(world, compression, status=1)[compression]["stale"]] == [1]
    assert world.run("verify").status == 0


def test_nothing_is_shortened_whose_copy_is_not_as_written(letting: World, tmp_path: Path) -> None:
    world = letting.copy(tmp_path)
    compression, _ = let_go(world)
    size = len(world.events())
    with at_the_moment(
        lambda: exists(world, COPY) == [True] and world.read(COPY) == FULL, lambda: world.write(COPY, RIVAL)
    ):
        ran = world.run("apply", compression)
    assert (ran.status, world.read(LOG), ended(world, size)) == (1, FULL, []), ran
    assert attempts(world, compression, status=1)[compression].keys() == {"stale"}
    assert ended(world, size) == [{"event": "apply.aborted", "reason": "crash"}]
    assert (world.read(LOG), world.read(COPY), states(world)[compression]) == (FULL, RIVAL, "stale")


def test_what_died_between_two_files_is_finished_in_both(letting: World, tmp_path: Path) -> None:
    compression, archival = let_go(letting)
    plain = letting.copy(tmp_path / "plain")
    plain.ok("apply")
    for place, name, reached in (
        ("copied", compression, lambda world: exists(world, COPY) == [True] and world.read(COPY) == FULL),
        ("shortened", compression, lambda world: world.read(LOG) != FULL),
        ("archived", archival, lambda world: exists(world, ARCHIVE) == [True] and world.read(ARCHIVE) != ""),
        ("gone", archival, lambda world: "pump" not in world.read()),
    ):
        world = letting.copy(tmp_path / place)
        size = len(world.events())
        dies(world, lambda: reached(world), "apply", name)  # noqa: B023
        assert world.kinds(size) == ["apply.intent"]
        assert {"copied": world.read(LOG), "archived": world.read()}.get(place) in {None, FULL, CLOSED}
        if path := {"shortened": LOG, "gone": "MEMORY.md"}.get(place):  # all is written: a rival's line stays
            rival = world.copy(tmp_path / f"{place} and written to")
            rival.write(path, world.read(path) + RIVAL)
            rival.run("apply")
            assert ended(rival, size)[0] == {"event": "apply.done"}, path
            assert RIVAL in rival.read(path), path
            assert (FULL if path == LOG else "pump") in rival.read(COPY if path == LOG else ARCHIVE), path
        world.ok("apply")
        assert ended(world, size) == [{"event": "apply.done"}] * 2, place
        assert sum(one["event"] == "apply.intent" for one in since(world, size)) == 2
        for path in (LOG, COPY, ARCHIVE, "MEMORY.md"):
            assert world.read(path) == plain.read(path), (place, path)
        sound(world)
    world = letting.copy(tmp_path / "changed")  # a rival wrote to the log before the rest was done
    size = len(world.events())
    dies(world, lambda: exists(world, COPY) == [True] and world.read(COPY) == FULL, "apply", compression)
    world.write(LOG, FULL + RIVAL)
    world.run("apply", compression)
    assert ended(world, size) == [{"event": "apply.aborted", "reason": "raced"}]
    assert (world.read(LOG), exists(world, COPY)) == (FULL + RIVAL, [False])
    assert (world.home / AUDIT).exists()


def test_an_undo_that_died_is_finished_and_leaves_no_empty_file(letting: World, tmp_path: Path) -> None:
    world = letting.copy(tmp_path)
    compression, archival = let_go(world)
    world.ok("apply")
    for name, reached in (
        (compression, lambda: world.read(LOG) == FULL),
        (archival, lambda: "pump" in world.read()),
    ):
        size = len(world.events())
        dies(world, reached, "undo", name)
        assert ended(world, size) == []
        world.ok("apply")
        assert ended(world, size) == [{"event": "apply.done"}]
    assert (world.read(LOG), world.read(), exists(world, COPY, ARCHIVE)) == (FULL, CLOSED, [False, False])
    sound(world)
    for path in (COPY, ARCHIVE):  # of a run that died before it removed them
        world.write(path, "")
    world.ok("apply")
    sound(world)


def test_what_a_rival_made_of_a_copy_after_the_crash_is_kept_and_told(letting: World, tmp_path: Path) -> None:
    compression, _ = let_go(letting)
    size, mine = len(letting.events()), sha256((FULL + RIVAL).encode())
    for second_name in (True, False):  # beside the copy, as the crash left it
        world = letting.copy(tmp_path / str(second_name))
        dies(world, lambda: exists(world, COPY) == [True] and world.read(COPY) == FULL, "apply", compression)  # noqa: B023
        for left in temporary(world, COPY):
            left.unlink() if not second_name else None
        world.write(COPY, FULL + RIVAL)
        assert attempts(world, compression, status=1 if second_name else 0)[compression]
        aborted = {"event": "apply.aborted", "reason": "raced", "replaced": [{"path": COPY, "sha256": mine}]}
        assert ended(world, size)[0] == aborted
        assert world.blob(mine).read_text() == FULL + RIVAL
        if second_name:
            assert (world.read(LOG), world.read(COPY)) == (FULL, FULL + RIVAL)
        else:  # it was put back to nothing, and then written as it was signed
            assert (world.read(LOG) != FULL, world.read(COPY)) == (True, FULL)
        assert world.run("verify").status == 0


def test_what_is_no_file_of_ours_beside_a_gated_file_is_left_alone(waiting: World, tmp_path: Path) -> None:
    world = waiting.copy(tmp_path)
    link, fifo, stray = (world.home / f".MEMORY.md.{n}.0.nightledger-tmp" for n in (1, 2, 3))
    link.symlink_to("MEMORY.md")
    os.mkfifo(fifo)
    stray.write_text("of a run that died")
    other = world.write(".USER.md.4.0.nightledger-tmp", "of another file")
    assert list(attempts(world).values()) == [{"applied": [1]}]
    assert [link.is_symlink(), fifo.exists(), stray.exists(), other.exists()] == [True, True, False, True]
    assert world.blob(sha256(b"of a run that died")).read_text() == "of a run that died"


def test_a_look_at_what_an_apply_that_died_replaced_calls_it_new_once(waiting: World, tmp_path: Path) -> None:
    world = waiting.copy(tmp_path)
    dies(world, lambda: world.read() == LABELLED, "apply")
    (mine,) = temporary(world)
    mine.write_text(MEMORY + RIVAL)
    (seen,) = world.json("guard")["drift"]
    (offered,) = world.proposals()
    expected = ("MEMORY.md", True, "unknown", offered["id"])
    assert (seen["path"], seen["new"], seen["writer"], seen["proposal"]) == expected
    assert world.json("guard")["drift"] == []
