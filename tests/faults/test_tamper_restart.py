"""No false alarm: whatever a crash leaves, a log that nobody tampered with is never said to be tampered with."""

import dataclasses
import os
import random  # noqa: TID251 - crashes come at random, by a seed
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.faults.crash_disk import Disk, Kind, Step, left_of, read_disk, unsynced
from tests.faults.crash_watch import watching
from tests.faults.sweep_report import report, whole
from tests.trust.worlds import HOME_ID, ORIGIN, World, make_home

from nightledger.domain.errors import NightledgerError
from nightledger.files.home import Home
from nightledger.trust import audit, pin
from nightledger.trust.keys import KeyRing, create_log_keys, load_log_key
from nightledger.trust.report import Report

RUNS = 40
ALL_RUNS = 10_000
MOST_CRASHES = 3
MOST_CALLS = 6


@dataclass(slots=True)
class Life:
    """What was acknowledged to whoever wrote to a log, over its crashes.

    Attributes:
        dice: Decides everything.
        acknowledged: Numbers of the events that were acknowledged, in order.
        next: Number of the next event.
    """

    dice: random.Random
    acknowledged: list[int] = field(default_factory=list)
    next: int = 1
    pending: list[tuple[int, list[int]]] = field(default_factory=list)

    def live(self, world: World, done: Callable[[], int]) -> None:
        """Make random calls; ``done`` tells how many steps of the disk were done."""
        for _ in range(self.dice.randint(1, MOST_CALLS)):
            if self.dice.random() < 0.6:
                numbers = list(range(self.next, self.next + self.dice.randint(1, 3)))
                self.next = numbers[-1] + 1
                world.append(*numbers)
                self.pending.append((done(), numbers))
            else:
                world.sign(keep=self.dice.random() < 0.3)

    def crash(self, at: int) -> None:
        """Forget what was not acknowledged by then."""
        self.acknowledged += [number for when, numbers in self.pending if when <= at for number in numbers]
        self.pending.clear()


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Disk:
    """Give a home whose log was just begun, as it lies on a disk."""
    root = tmp_path_factory.mktemp("begun")
    create_log_keys(KeyRing(root / "keys"), HOME_ID)
    make_home(root / "home")
    world_in(root).start()
    return read_disk(root)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """Give a directory in memory where the system has one: the model needs no disk, and thousands of lives do."""
    shared = Path("/dev/shm")  # noqa: S108 - a directory of its own is made there
    with tempfile.TemporaryDirectory(dir=shared if os.access(shared, os.W_OK) else tmp_path) as folder:
        yield Path(folder)


def world_in(root: Path) -> World:
    ring = KeyRing(root / "keys")
    return World(home=Home(root / "home"), ring=ring, key=load_log_key(ring, HOME_ID, ORIGIN))


def left_by_a_crash(dice: random.Random, start: Disk, steps: list[Step], at: int) -> Disk:
    """Give what is on the disk after a crash behind so many steps: any part of what no sync made last."""
    done = steps[:at]
    if dice.random() < 0.7:  # the power fails
        return left_of(start, done, {n: _part(dice, done[n]) for n in unsynced(done)})
    if not done or done[-1].kind is not Kind.WRITE:
        return left_of(start, done, {})
    torn = done[-1].content[: dice.randint(0, len(done[-1].content))]
    return left_of(start, done, {at - 1: dataclasses.replace(done[-1], content=torn)})


def _part(dice: random.Random, step: Step) -> Step | None:
    """Give what is left of a step: all, nothing, and of a write any beginning or as many zeros."""
    chance = dice.random()
    if chance < 0.4:
        return None
    if step.kind is Kind.WRITE and chance < 0.7:
        cut = dice.randint(0, len(step.content))
        kept = step.content[:cut]
        return dataclasses.replace(
            step, content=kept if chance < 0.55 else kept.ljust(len(step.content), b"\0")
        )
    return step


def alarms_in_a_life(start: Disk, seed: int, work: Path) -> list[str]:
    """Live, crash and restart at random; name every alarm, and every acknowledged event that is lost."""
    life = Life(random.Random(seed))  # noqa: S311 - test material
    found: list[str] = []
    disk = start
    for _ in range(life.dice.randint(1, MOST_CRASHES)):
        disk = _live_and_crash(life, disk, work, found)
    _write(disk, work)
    with watching(work):
        found += wrong_with(world_in(work), life, settled=False)
        life.live(world_in(work), lambda: 0)
        world_in(work).sign()
    life.crash(0)
    found += wrong_with(world_in(work), life, settled=True)
    shutil.rmtree(work)
    return [f"life {seed}: {problem}" for problem in found]


def _live_and_crash(life: Life, disk: Disk, work: Path, found: list[str]) -> Disk:
    _write(disk, work)
    with watching(work) as watch:
        found += wrong_with(world_in(work), life, settled=False)
        life.live(world_in(work), lambda: len(watch.steps))
    at = life.dice.randint(0, len(watch.steps))
    life.crash(at)
    shutil.rmtree(work)
    return left_by_a_crash(life.dice, watch.start, watch.steps, at)


def _write(disk: Disk, work: Path) -> None:
    work.mkdir()
    disk.write_to(work)


def wrong_with(world: World, life: Life, *, settled: bool) -> list[str]:
    log = audit.check_log(world.home, world.pin)
    reports = {log.report, audit.verify(world.home, world.pin, thorough=True)}
    found = [f"{one}" for each in reports for one in (each.findings if settled else each.alarms)]
    there = [event.fields["n"] for event in log.events if event.event == "run.finished"]
    # What a crash cut off before its acknowledgement may stand there, and then it stands in its place.
    if [number for number in there if number in life.acknowledged] != life.acknowledged:
        found.append(f"acknowledged {life.acknowledged} and there is {there}")
    return found


def test_no_crash_and_restart_raises_a_false_alarm(begun: Disk, memory: Path) -> None:
    count = ALL_RUNS if whole() else RUNS
    lives = [alarms_in_a_life(begun, seed, memory / "work") for seed in range(count)]
    failed = [found for found in lives if found]
    report("false alarms after random crashes and restarts", points=len(lives), failed=len(failed))
    assert not failed, "\n".join(line for found in failed[:5] for line in found[:3])


@pytest.mark.parametrize("hole", ["the acknowledged head is not kept", "a torn line counts as edited"])
def test_a_check_that_cries_wolf_is_found(
    hole: str, begun: Disk, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if hole.startswith("the acknowledged"):
        monkeypatch.setattr(pin, "keep_head", lambda *_: None)
    else:
        real = audit._check

        def shy(*known: object, **options: object) -> tuple[object, object, Report]:
            scan, claims, found = real(*known, **options)  # type: ignore[arg-type]
            alarmed = tuple(replace(finding, alarm=True) for finding in found.findings)
            return scan, claims, replace(found, findings=alarmed)

        monkeypatch.setattr(audit, "_check", shy)
    assert any(_safely(begun, seed, memory / f"work-{seed}") for seed in range(60))
    report("false alarms after random crashes and restarts", hole, points=0, controls=1, caught=1)


def _safely(disk: Disk, seed: int, work: Path) -> bool:
    try:
        return bool(alarms_in_a_life(disk, seed, work))
    except NightledgerError:
        return True
