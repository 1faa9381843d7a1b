"""A process that dies at any call that changes the disk: afterwards the old file or the new one, and the next run goes on.

The command runs in a fork whose calls of ``os`` are counted; at the chosen one it ends at once, as by ``kill -9``: what
was written before is there, what comes after is not, and nothing is tidied up.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.world import World

CALLS = (
    "write",
    "pwrite",
    "fsync",
    "fdatasync",
    "rename",
    "replace",
    "link",
    "unlink",
    "open",
    "mkdir",
    "ftruncate",
)
KILLED = 137


def die_at(number: int, work: Callable[[], Any]) -> bool:
    """Do ``work`` in a fork that ends before its ``number``-th call; tell whether it came that far."""
    child = os.fork()
    if child == 0:
        left = [number]

        def counted(call: Callable[..., Any]) -> Callable[..., Any]:
            def stand_in(*given: Any, **named: Any) -> Any:
                left[0] -= 1
                if left[0] < 0:
                    os._exit(KILLED)
                return call(*given, **named)

            return stand_in

        for name in CALLS:
            setattr(os, name, counted(getattr(os, name)))
        try:
            work()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == KILLED


def last_call(world: World, work: Callable[[World], Any], scratch: Path) -> int:
    """Give how many calls ``work`` makes (by doubling and halving, on copies)."""
    low, high = 0, 64
    while die_at(high, lambda: work(world.copy(scratch / f"up{high}"))):  # noqa: B023 - called at once
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        reached = die_at(middle, lambda: work(world.copy(scratch / f"at{middle}")))  # noqa: B023 - called at once
        low, high = (middle, high) if reached else (low, middle)
    return high


@pytest.fixture
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder for copies, outside of the home's own."""
    return tmp_path_factory.mktemp("copies")


def proposed(world: World) -> World:
    world.propose("Label both ends of a cable.")
    world.wait(hours=3)
    return world


def name_of(world: World) -> str:
    return str(world.proposals("--all")[0]["id"])


def do_apply(world: World) -> None:
    world.run("apply")


def do_approve(world: World) -> None:
    world.approve(name_of(world))


def do_undo(world: World) -> None:
    world.run("undo", name_of(world))


def do_guard(world: World) -> None:
    world.run("guard")


def sound(world: World, texts: set[str], what: object) -> str | None:
    """Give what is wrong after a crash and the next round of cron, None where nothing is."""
    if world.read() not in texts:
        return f"{what}: MEMORY.md is neither the old file nor the new one: {world.read()!r}"
    for words in (("guard",), ("apply",)):
        if (ran := world.run(*words)).status not in {0, 1}:
            return f"{what}: {words} {ran}"
    if world.read() not in texts:
        return f"{what}: the next round left {world.read()!r}"
    if (ran := world.run("verify")).status != 0:
        return f"{what}: {ran}"
    if (ran := world.independent()).status != 0:
        return f"{what}: {ran}"
    return None


@pytest.mark.parametrize("verb", ["apply", "approve", "undo", "guard"])
@pytest.mark.parametrize("every", [23, pytest.param(1, marks=pytest.mark.slow)])
def test_whatever_call_it_dies_at_nothing_is_torn_lost_or_called_tampering(
    verb: str, every: int, world: World, scratch: Path
) -> None:
    before = world.read()
    world = proposed(world)
    if verb in {"apply", "undo"}:
        assert world.approve(name_of(world)).status == 0
        world.wait(hours=3)
    if verb == "undo":
        world.ok("apply")
    if verb == "guard":
        world.write("MEMORY.md", before.replace("30 days", "90 days"))
        before = world.read()
    with_change = before.replace("after an upgrade.\n", "after an upgrade.\n- Label both ends of a cable.\n")
    texts = {before, with_change}
    work = {"apply": do_apply, "approve": do_approve, "undo": do_undo, "guard": do_guard}[verb]
    calls = last_call(world, work, scratch / "count")
    assert calls > 5
    wrong = []
    for at in range(calls % every, calls, every):
        twin = world.copy(scratch / f"died{at}")
        die_at(at, lambda: work(twin))  # noqa: B023 - called at once
        twin.wait(minutes=10)
        if verb == "guard":
            twin.run("guard")
            found = (
                None
                if twin.run("verify").status == 4 and twin.independent().status != 0
                else f"{at}: no alarm"
            )
            twin.write("MEMORY.md", before.replace("90 days", "30 days"))
            twin.run("guard")
            wrong += [found] if found else []
            wrong += [bad] if (bad := sound(twin, {twin.read()}, at)) else []
        else:
            wrong += [bad] if (bad := sound(twin, texts, at)) else []
    assert not wrong, "\n".join(wrong)


def test_what_was_acknowledged_is_there_after_a_crash_of_the_next_command(
    world: World, scratch: Path
) -> None:
    name = world.propose("Label both ends of a cable.")
    lost = []
    for at in range(0, 60, 5):
        twin = world.copy(scratch / f"died{at}")
        die_at(at, lambda: twin.propose("Count twice."))  # noqa: B023 - called at once
        if name not in [p["id"] for p in twin.proposals()]:
            lost.append(at)
        if twin.run("verify").status:
            lost.append(at)
    assert not lost
