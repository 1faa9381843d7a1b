"""What another program does to the log, its head or its keys between a command's check and its own write."""

import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import keep_pin, line_of
from tests.blackbox.test_beginnings import HEAD, INIT, PIN
from tests.blackbox.world import LOG, Folder, World

ALARM, REFUSED = 4, 2
WISH = ("propose", "--text", "Count the ladders.", "--section", "Lessons", "--reason", "x")
CHECKPOINT = "audit/checkpoint"


def before_next(
    call: str, world: World, monkeypatch: pytest.MonkeyPatch, meddle: Callable[[], object], *, nth: int = 1
) -> list[int]:
    """Have something done before the next lock of the log, or write to it; the list that is given is empty then."""
    module: Any = {"flock": fcntl, "write": os}[call]
    real, left = getattr(module, call), [*range(nth)]

    def stand_in(descriptor: int, *given: Any) -> Any:
        if left and os.path.samestat(os.fstat(descriptor), (world.home / LOG).stat()):
            left.pop()
            if not left:
                meddle()
        return real(descriptor, *given)

    monkeypatch.setattr(module, call, stand_in)
    return left


@pytest.fixture(scope="module")
def states(adopted: World, new_folder: Folder) -> tuple[World, World]:
    """Give a home of three entries whose machine saw the last head only, and the same home when it had one."""
    world = adopted.copy(new_folder())
    for text in ("Oil the hinge.", "Label both ends."):
        world.propose(text)
    pin = json.loads((world.own_keys / PIN).read_bytes())
    (world.own_keys / PIN).write_bytes(line_of({**pin, "heads": pin["heads"][-1:]}) + b"\n")
    return world, adopted


def put_back(world: World, older: World) -> None:
    """Put back an older log with its head, and what the keys' directory knows of its end; what was seen stays."""
    for name in (LOG, CHECKPOINT):
        (world.home / name).write_bytes((older.home / name).read_bytes())
    keep_pin(world).write_bytes(keep_pin(older).read_bytes())


def last_changed(world: World) -> bytes:
    """Give the log with another time in its last line."""
    first, last = (world.home / LOG).read_bytes().rsplit(b"\n", 2)[:2]
    return first + b"\n" + last.replace(b"T06:00:00Z", b"T06:00:01Z") + b"\n"


MEDDLED: dict[str, tuple[str, Callable[[World, World], object], str]] = {
    "an older state": (
        "flock", put_back,
        "a head of 3 entries was seen on 2026-03-01, which this log of 2 does not continue; nothing was signed",
    ),
    "a signed line that nobody acknowledged": (
        "flock", lambda world, older: (
            keep_pin(world).write_bytes(keep_pin(older).read_bytes()),
            (world.home / LOG).write_bytes(last_changed(world)),
        ),
        f"{LOG} is not the log that {{home}}/{CHECKPOINT} was signed for",
    ),
    "a head of the same size over another line": (
        "flock", lambda world, _: world.alter(CHECKPOINT, world.read(CHECKPOINT).split("\n")[2], "A" * 43 + "="),
        f"{LOG} is not the log that {{home}}/{CHECKPOINT} was signed for",
    ),
    "the log cut": (
        "flock", lambda world, _: (world.home / LOG).write_bytes((world.home / LOG).read_bytes()[:-40]),
        f"{LOG} was cut or changed: its first {{size}} bytes are not what was acknowledged",
    ),
    "the last line end": (
        "flock", lambda world, _: (world.home / LOG).write_bytes((world.home / LOG).read_bytes()[:-1] + b"x"),
        f"{LOG} was cut or changed: its first {{size}} bytes are not what was acknowledged",
    ),
    "a head that is none": (
        "flock", lambda world, _: world.write(CHECKPOINT, "x\n"),
        f"{CHECKPOINT}: the note has no blank line followed by signature lines",
    ),
    "a head of another log": (
        "flock", lambda world, _: world.alter(CHECKPOINT, "nightledger", "nightlodger"),
        f"{CHECKPOINT} is a head of another log: 'nightlodger",
    ),
    "a line of a program that locks nothing": (
        "write", lambda world, _: (world.home / LOG).write_bytes((world.home / LOG).read_bytes() + b"x\n"),
        f"another program wrote to {{home}}/{LOG} at the same time; these entries are not acknowledged",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", MEDDLED)
def test_what_is_put_in_place_after_the_check_is_told_and_not_signed(
    what: str, states: tuple[World, World], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call, meddle, told = MEDDLED[what]
    world, size = states[0].copy(tmp_path), (states[0].home / LOG).stat().st_size
    after: dict[str, bytes] = {}

    def now() -> None:
        meddle(world, states[1])
        after.update({str(path): path.read_bytes() for path in (world.home / CHECKPOINT, keep_pin(world))})
        after[LOG] = (world.home / LOG).read_bytes()

    waits = before_next(call, world, monkeypatch, now)
    ran = world.run(*WISH)
    monkeypatch.undo()
    assert not waits
    assert (ran.status, told.format(home=world.home, size=size) in ran.text) == (ALARM, True), ran
    if call == "write":  # the run's end names what nobody acknowledged
        assert b'"event":"log.tail_closed","first":3,' in (world.home / LOG).read_bytes().splitlines()[-1]
        assert [one["title"] for one in world.proposals()] == [one["title"] for one in states[0].proposals()]
        return
    assert (world.home / CHECKPOINT).read_bytes() == after[str(world.home / CHECKPOINT)], "nothing is signed"
    if what != "an older state":  # there the entry is written before its head is signed
        assert keep_pin(world).read_bytes() == after[str(keep_pin(world))], "nothing is acknowledged"
        assert (world.home / LOG).read_bytes() == after[LOG]
    assert world.run("verify").status == ALARM


def test_another_history_as_long_as_the_one_that_was_seen_is_not_signed(
    adopted: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = adopted.copy(tmp_path)
    world.propose("Oil the hinge.")
    waits = before_next("flock", world, monkeypatch, lambda: put_back(world, adopted))
    world.tells("of 2 entries was seen on 2026-03-01, which this log of 2 does not continue", *WISH, status=4)
    monkeypatch.undo()
    assert not waits
    assert (world.home / CHECKPOINT).read_bytes() == (adopted.home / CHECKPOINT).read_bytes()


def unbegun(adopted: World, root: Path, *lost: str) -> World:
    """Give a home whose making was cut short before its log was begun."""
    world = adopted.copy(root)
    for path in (
        world.home / CHECKPOINT,
        world.home / "audit/checkpoints/1",
        *map(world.own_keys.joinpath, lost),
    ):
        path.unlink()
    return world


def test_a_log_that_another_run_begins_first_is_not_begun_again(
    adopted: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = unbegun(adopted, tmp_path / "first", PIN, HEAD)
    log = (world.home / LOG).read_bytes()
    (world.home / LOG).write_bytes(b"")

    def begin() -> None:
        (world.home / LOG).write_bytes(log)
        keep_pin(world).write_bytes(keep_pin(adopted).read_bytes())

    waits = before_next("flock", world, monkeypatch, begin)
    world.ok(*INIT)
    monkeypatch.undo()
    assert not waits
    assert (world.home / LOG).read_bytes() == log
    world.ok("verify")
    strange = unbegun(adopted, tmp_path / "strange", PIN, HEAD)
    before_next("flock", strange, monkeypatch, lambda: strange.write(CHECKPOINT, "x\n"))
    ran = strange.run(*INIT)
    monkeypatch.undo()
    assert (ran.status, f"{LOG} was not begun with these keys" in ran.text) == (ALARM, True), ran
    assert "set NIGHTLEDGER_KEYS to the directory of this home's keys, or restore them" in ran.text
    assert ((strange.home / LOG).read_bytes(), (strange.own_keys / PIN).exists()) == (log, False)


def test_a_pin_that_another_run_made_stays(
    adopted: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = unbegun(adopted, tmp_path, PIN)
    pin = world.own_keys / PIN
    waits = before_next("flock", world, monkeypatch, lambda: pin.write_bytes(b"mine"))
    world.tells(f"{pin} exists; a pin is never replaced", *INIT, status=REFUSED)
    monkeypatch.undo()
    assert not waits
    assert pin.read_bytes() == b"mine"
