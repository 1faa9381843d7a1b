"""Clocks that jump, sleep and start again: no wait is shortened, no window closed early, no day lost."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.domain.gate_values import START
from tests.faults.sweep_report import report, whole
from tests.gate.homes import Desk, addition, make_desk, make_founding, open_desk

from nightledger.demo.shell import Shell
from nightledger.domain import decision as decisions
from nightledger.domain.states import ChangeState
from nightledger.gate.founding import found
from nightledger.surfaces import cli, clock

DAY_S = 86_400


class Turn(StrEnum):
    """What may befall a machine."""

    PASS = "pass"
    """Time passes, awake or asleep: the boot clock counts both (CLOCK_BOOTTIME, clock_gettime(2))."""
    STEP = "step"
    """Somebody sets the wall clock."""
    BOOT = "boot"
    """It starts again; how long that took is told by the wall clock alone."""


Turns = Sequence[tuple[Turn, int]]


@dataclass(slots=True)
class Machine:
    """Its clocks.

    Attributes:
        true_s: Seconds that really passed.
        ahead_s: By how much the wall clock is ahead of the truth.
        boot: Number of the boot.
        boot_at_s: When that was, in true seconds.
    """

    true_s: int = 0
    ahead_s: int = 0
    boot: int = 1
    boot_at_s: int = -1_000

    def turn(self, kind: Turn, seconds: int) -> None:
        """Let one thing befall it."""
        if kind is Turn.STEP:
            self.ahead_s += seconds
            return
        self.true_s += abs(seconds)
        if kind is Turn.BOOT:
            self.boot, self.boot_at_s = self.boot + 1, self.true_s

    def moment(self) -> decisions.Moment:
        """Read its clocks."""
        return decisions.Moment(at=self.wall(), boot=f"boot-{self.boot}", boot_s=self.true_s - self.boot_at_s)

    def wall(self) -> datetime:
        """Read the wall clock."""
        return START + timedelta(seconds=self.true_s + self.ahead_s)


def turns(*kinds: Turn, forward: bool = True) -> st.SearchStrategy[Turns]:
    """Give sequences of what befalls a machine.

    Args:
        kinds: Of these.
        forward: Whether the wall clock may be set forward.
    """

    def one(kind: Turn) -> st.SearchStrategy[tuple[Turn, int]]:
        least = -10 * DAY_S if kind is Turn.STEP else 0
        most = 0 if kind is Turn.STEP and not forward else 10 * DAY_S
        return st.tuples(st.just(kind), st.integers(least, most))

    return st.lists(st.sampled_from(kinds).flatmap(one), max_size=12)


SWEEP = "clocks that jump, sleep and start again"
EXAMPLES, ALL_EXAMPLES = 25, 2_000
examples = settings(max_examples=ALL_EXAMPLES if whole() else EXAMPLES)
TWO_HOURS_S, TEN_MINUTES_S = 7_200, 600
ANY_TURN = turns(*Turn)
ONE_BOOT = turns(Turn.PASS, Turn.STEP)


TRIED: Counter[str] = Counter()
"""How many sequences the rules were tried on, counted as they begin."""


@pytest.fixture(scope="module", autouse=True)
def counted() -> Iterator[None]:
    """Tell when all are tried how many there were: what was left out is not counted."""
    TRIED.clear()
    yield
    if TRIED.total():
        report(SWEEP, "sequences tried on the rules", points=TRIED.total())


def new_machine() -> Machine:
    TRIED["sequences"] += 1
    return Machine()


def live(machine: Machine, befalls: Turns) -> None:
    for kind, seconds in befalls:
        machine.turn(kind, seconds)


# ---------------------------------------------------------------- cooling and undo, the rules
@examples
@given(between=ONE_BOOT, after=ONE_BOOT)
def test_within_one_boot_nothing_that_befalls_a_clock_shortens_cooling(between: Turns, after: Turns) -> None:
    machine = new_machine()
    proposed = machine.moment()
    live(machine, between)
    signed, signed_s = machine.moment(), machine.true_s
    live(machine, after)
    if decisions.remaining_s(proposed, signed, machine.moment(), decisions.Cooling()) == 0:
        assert machine.true_s >= TWO_HOURS_S
        assert machine.true_s - signed_s >= TEN_MINUTES_S


@examples
@given(after=turns(*Turn, forward=False))
def test_across_reboots_only_a_clock_set_forward_can_shorten_cooling(after: Turns) -> None:
    """The level that 'doctor' states: without a witness one wall time is all that a reboot leaves."""
    machine = new_machine()
    proposed = machine.moment()
    live(machine, after)
    if decisions.remaining_s(proposed, proposed, machine.moment(), decisions.Cooling()) == 0:
        assert machine.true_s >= TWO_HOURS_S


@examples
@given(before=ANY_TURN, between=ANY_TURN, after=ANY_TURN)
def test_with_a_witness_nothing_at_all_shortens_cooling(before: Turns, between: Turns, after: Turns) -> None:
    """The witness is another machine: whatever befalls this one, its times are true ones."""
    machine = new_machine()
    proposed = machine.moment()
    live(machine, before)
    first = START + timedelta(seconds=machine.true_s)
    live(machine, between)
    last = START + timedelta(seconds=machine.true_s)
    live(machine, after)
    vouched = decisions.Vouched(first=first, last=last)
    witnessed = decisions.Witnessed(proposed=vouched, signed=vouched)
    if decisions.remaining_s(proposed, proposed, machine.moment(), decisions.Cooling(), witnessed) == 0:
        assert machine.true_s >= TWO_HOURS_S


@examples
@given(befalls=ONE_BOOT)
def test_within_one_boot_no_undo_window_closes_early(befalls: Turns) -> None:
    machine = new_machine()
    applied = machine.moment()
    live(machine, befalls)
    assert decisions.elapsed_s(applied, machine.moment()) <= machine.true_s


# ---------------------------------------------------------------- decay, the rule
@examples
@given(befalls=ANY_TURN)
def test_no_clock_postpones_the_decay_of_consent(befalls: Turns) -> None:
    """What ran between two entries of one boot counts in full, whatever the wall clock says then or later."""
    machine, entries, ran_s = new_machine(), [], 0
    entries.append(entry(machine, decision="d-1"))
    for kind, seconds in befalls:
        before_s = machine.true_s
        machine.turn(kind, seconds)
        entries.append(entry(machine))
        ran_s += machine.true_s - before_s if kind is not Turn.BOOT else 0
    assert decisions.since_review_s(entries, "d-1", machine.moment()) >= ran_s


@examples
@given(befalls=turns(Turn.PASS, Turn.BOOT))
def test_a_clock_that_is_right_counts_reboots_too(befalls: Turns) -> None:
    machine, entries = new_machine(), []
    entries.append(entry(machine, decision="d-1"))
    for kind, seconds in befalls:
        machine.turn(kind, seconds)
        entries.append(entry(machine))
    assert decisions.since_review_s(entries, "d-1", machine.moment()) == machine.true_s


def entry(machine: Machine, decision: str = "") -> decisions.Entry:
    moment = machine.moment()
    fields: dict[str, Any] = {"boot": moment.boot, "boot_s": moment.boot_s}
    name = "decision.recorded" if decision else "heartbeat"
    return (name, {**fields, "decision": decision} if decision else fields, moment.at)


# ---------------------------------------------------------------- the real command line
class Clocks:
    """A home of the ordinary kind on a machine whose clocks the test sets."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.machine = Machine()
        patch.setenv("NIGHTLEDGER_KEYS", str(root / "keys"))
        patch.setattr(clock, "system_now", self.machine.wall)
        patch.setattr(clock, "boot_clock", lambda: (self.moment.boot, self.moment.boot_s))
        (root / "home").mkdir(parents=True)
        (root / "home" / "MEMORY.md").write_text("# MEMORY.md\n\n## Lessons\n\n- Keep backups.\n")
        found(make_founding(root, simulated=False), None, self.moment)
        self.desk: Desk = open_desk(root)

    @property
    def moment(self) -> decisions.Moment:
        return self.machine.moment()

    def proposal(self, text: str) -> str:
        """Propose and approve."""
        self.desk.moment = self.moment
        proposal = self.desk.proposal(addition(text))
        self.desk.approve(proposal)
        return proposal.id

    def run(self, verb: str, *words: str) -> int:
        return cli.main([verb, "--home", self.desk.home.root, *words])

    def state(self, proposal: str) -> ChangeState:
        return self.desk.ledger().book.proposals[proposal].state_of(1)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(tmp_path, monkeypatch)


@pytest.mark.parametrize("step_s", [3 * 3_600, -3 * 3_600, 6 * DAY_S, 0])
def test_apply_waits_two_true_hours_whatever_the_wall_clock_says(here: Clocks, step_s: int) -> None:
    proposal = here.proposal("Set the zone in every timer.")
    here.machine.turn(Turn.PASS, 60)
    here.machine.turn(Turn.STEP, step_s)
    assert here.run("apply") == 0
    assert here.state(proposal) is ChangeState.APPROVED
    here.machine.turn(Turn.PASS, TWO_HOURS_S - 61)
    assert here.run("apply") == 0
    assert here.state(proposal) is ChangeState.APPROVED
    here.machine.turn(Turn.PASS, 1)
    here.machine.turn(
        Turn.STEP, max(0, -step_s)
    )  # a clock set back lengthens the wait until it is right again
    assert here.run("apply") == 0
    assert here.state(proposal) is ChangeState.APPLIED


def test_nights_that_come_again_propose_nothing_twice_whatever_the_clock_did(tmp_path: Path) -> None:
    """Every set of a clock that repeats periods, on a home with things to say: no proposal, entry or byte beside."""
    desk = make_desk(tmp_path)
    home = desk.memory.parent
    shell = Shell(home=home, keys=desk.ring.directory)
    (home / "memory").mkdir(exist_ok=True)
    decided = (
        "keep the backups of the relay for 90 days",
        "rotate the certificates of the mail server every 60 days",
    )
    for day, text in enumerate(decided, 1):
        said = f"# 2026-03-0{day}\n\n- Decision: {text} from now on.\n"
        (home / "memory" / f"2026-03-0{day}.md").write_text(said)
    late = START + timedelta(days=3)
    assert shell.run("night", now=late).status == 0
    before = tree(tmp_path)
    ledgers = ("memory/system/runs.jsonl", "memory/system/consolidation-log.jsonl")
    own = {f"home/{name}" for name in (*ledgers, "memory/state/ATTENTION.md", ".nightledger/next-due")}
    for hours in (2, 5, 13, 26, 50, 3):
        assert shell.run("night", now=late - timedelta(hours=hours)).status == 0
        assert shell.run("night", now=late).status == 0
    after = tree(tmp_path)
    assert {name for name in {*before, *after} if before.get(name) != after.get(name)} <= own
    assert max(runs_of(home).values()) > 2
    again = sum(runs_of(home).values()) - len(runs_of(home))
    report(SWEEP, "periods that came again and changed nothing", points=again)


def tree(root: Path) -> dict[str, bytes]:
    """Give the bytes of every file below a directory."""
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def runs_of(home: Path) -> dict[str, int]:
    """Count the runs of the consolidation by period."""
    lines = (home / "memory/system/runs.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return dict(Counter(record["period"] for record in records if record["job"] == "consolidate"))
