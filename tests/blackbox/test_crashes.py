"""A process that dies at any call that changes the disk: afterwards the old file or the new one, and the next run goes on.

The command runs in a fork whose calls of ``os`` are counted; at the chosen one it ends at once, as by ``kill -9``: what
was written before is there, what comes after is not, and nothing is tidied up.
"""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import event_named
from tests.blackbox.kernel import kernel_for
from tests.blackbox.person import review
from tests.blackbox.test_drift import guarded, waiting
from tests.blackbox.test_lifecycle import whole
from tests.blackbox.world import MEMORY, TEXT, Folder, World, sha256
from tests.forked import status_of

CALLS = (
    "write", "pwrite", "fsync", "fdatasync", "rename", "replace", "link", "unlink", "open", "mkdir",
    "ftruncate",
)  # fmt: skip
KILLED = 137


def die_once(is_time: Callable[[], bool], work: Callable[[], Any]) -> bool:
    """Do ``work`` in a fork that ends before the first call at which it is time; tell whether it came that far."""

    def asked(call: Callable[..., Any]) -> Callable[..., Any]:
        def stand_in(*given: Any, **named: Any) -> Any:
            if is_time():
                os._exit(KILLED)
            return call(*given, **named)

        return stand_in

    def all_asked() -> None:
        for name in CALLS:
            setattr(os, name, asked(getattr(os, name)))
        work()

    return status_of(all_asked) == KILLED


def die_at(number: int, work: Callable[[], Any]) -> bool:
    """Do ``work`` in a fork that ends before its ``number``-th call; tell whether it came that far."""
    left = iter(range(number))
    return die_once(lambda: next(left, None) is None, work)


def die_behind(event: str, world: World, work: Callable[[], Any]) -> None:
    """Do ``work`` in a fork that ends when an event has become the log's newest, eight calls later."""
    left = iter(range(8))
    is_time = lambda: world.events()[-1]["event"] == event and next(left, None) is None  # noqa: E731 - one line
    assert die_once(is_time, work), f"there was no {event}"


def calls_of(world: World, work: Callable[[World], Any], scratch: Path) -> int:
    """Give how many calls ``work`` makes, on a copy."""
    twin = world.copy(scratch / "count")
    with (scratch / "calls").open("wb", buffering=0) as calls:
        assert not die_once(lambda: not calls.write(b"."), lambda: work(twin))
    return (scratch / "calls").stat().st_size


@pytest.fixture
def scratch(new_folder: Folder) -> Path:
    """Give a folder for copies, outside of the home's own."""
    return new_folder()


def _apply(world: World) -> Callable[[World], object]:
    for text in (TEXT, "Name the relay."):  # the second lands on bytes that its signature did not see
        world.signed(text)
    world.wait(hours=3)
    return lambda twin: twin.run("apply")


def _undo(world: World) -> Callable[[World], object]:
    name = world.applied(TEXT)
    return lambda twin: twin.run("undo", name)


def _approve(world: World) -> Callable[[World], object]:
    name = world.propose(TEXT)
    return lambda twin: twin.approve(name)


def _edit(_world: World) -> Callable[[World], object]:
    return lambda twin: twin.edit(lambda text: text.replace("30 days", "40 days"))


def _guard(world: World) -> Callable[[World], object]:
    world.write("MEMORY.md", world.read().replace("30 days", "90 days"))
    return lambda twin: twin.run("guard")


def wrong(world: World, texts: set[str], *, drifted: bool) -> list[str]:
    """Give what is wrong after a crash, and after the next round of cron: a torn file, a false alarm, a lost one."""
    expected = 4 if drifted else 0
    found = []
    for when in ("after the crash", "after the next round"):
        if world.read() not in texts:
            found.append(f"{when}: MEMORY.md is neither the old file nor the new one: {world.read()!r}")
        verify, (second, told) = world.run("verify"), world.second_look()
        if (verify.status, second) != (expected, expected):
            found.append(f"{when}: {verify} {told}")
        found += [f"{when}: {ran}" for ran in map(world.run, ("guard", "apply")) if ran.status not in {0, 1}]
    return found


@pytest.mark.parametrize(
    "begin", [_apply, _undo, _approve, _edit, _guard], ids=lambda begin: begin.__name__[1:]
)
@pytest.mark.parametrize("every", [41, pytest.param(1, marks=pytest.mark.slow)])
def test_whatever_call_it_dies_at_nothing_is_torn_lost_or_called_tampering(
    begin: Callable[[World], Callable[[World], object]], every: int, world: World, scratch: Path
) -> None:
    act = begin(world)
    whole = world.copy(scratch / "whole")
    between = world.copy(scratch / "between")
    between.run("apply", *(p["id"] for p in between.proposals("--all")[:1]))
    act(whole)
    texts, drifted = {world.read(), between.read(), whole.read()}, world.run("verify").status == 4
    calls = calls_of(world, act, scratch)
    assert calls > 5
    failures = []
    for at in range(calls % every, calls, every):
        twin = world.copy(scratch / f"died{at}")
        die_at(at, lambda: act(twin))  # noqa: B023 - called at once
        twin.wait(minutes=10)
        failures += [f"call {at}, {what}" for what in wrong(twin, texts, drifted=drifted)]
        shutil.rmtree(twin.root)
    assert not failures, "\n".join(failures)


def test_what_was_acknowledged_outlives_a_crash_of_the_next_command(world: World, scratch: Path) -> None:
    name = world.propose(TEXT)
    lost = []
    for at in range(0, 60, 5):
        twin = world.copy(scratch / f"died{at}")
        die_at(at, lambda: twin.propose("Count twice."))  # noqa: B023 - called at once
        if name not in [p["id"] for p in twin.proposals()]:
            lost.append(at)
        if twin.run("verify").status:
            lost.append(at)
    assert not lost


# ---------------------------------------------------------------- what another program writes at the very moment of an apply

DAYS = ("replace", "- Keep backups for 30 days.\n", "- Keep backups for 90 days.\n")

linux = pytest.mark.skipif(sys.platform != "linux", reason="macOS has flags of its own kind")


@linux
def test_what_is_written_while_an_apply_writes_is_offered(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = kernel_for(world, monkeypatch)
    world.ok("guard", "--lock")
    rival = MEMORY.replace("30 days", "90 days")
    kernel.at_unlock = lambda: world.write("MEMORY.md", rival)
    applied = world.applied("Label both ends.")
    text = MEMORY.replace("an upgrade.\n", "an upgrade.\n- Label both ends.\n")
    assert world.read() == text
    assert event_named(world, "apply.raced")["replaced"] == [{"path": "MEMORY.md", "sha256": sha256(rival)}]
    world.ok("guard")
    assert [c for c in waiting(world) if c[0] == "replace"] == [DAYS]
    (offered,) = world.proposals()
    assert "another program made at the moment of an apply" in offered["title"]
    found_now = world.named("drift.found")
    assert [(one["sha256"], one["proposal"]) for one in found_now] == [(sha256(rival), offered["id"])]
    assert guarded(world) == []
    world.wait(hours=3)
    review(world, otherwise="y")
    world.apply_cooled()
    assert world.read() == text.replace("30 days", "90 days")
    whole(world)
    world.ok("undo", applied)


@linux
def test_what_is_written_while_an_apply_writes_is_offered_though_it_was_rejected_before(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = kernel_for(world, monkeypatch)
    rival = MEMORY.replace("30 days", "90 days")
    world.write("MEMORY.md", rival)
    world.ok("guard")
    review(world)
    assert (world.read(), world.proposals()) == (MEMORY, [])
    world.ok("guard", "--lock")
    kernel.at_unlock = lambda: world.write("MEMORY.md", rival)
    world.applied("Label both ends.")
    world.ok("guard")
    assert [c for c in waiting(world) if c[0] == "replace"] == [DAYS]


@linux
def test_what_has_no_place_after_a_race_is_kept_by_name(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = kernel_for(world, monkeypatch)
    world.ok("guard", "--lock")
    rival = MEMORY.encode().replace(b"upgrade.", b"upgr\xe9de.")
    kernel.at_unlock = lambda: world.write("MEMORY.md", rival)
    world.applied("Label both ends.")
    world.ok("guard")
    event = event_named(world, "drift.found")
    assert event["proposal"] == ""
    assert world.blob(event["blob"]).read_bytes() == rival
    assert (world.proposals(), guarded(world)) == ([], [])
    whole(world)
