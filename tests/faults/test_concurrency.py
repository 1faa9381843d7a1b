"""Many programs on one home at once: nothing acknowledged is lost, and one of them applies."""

import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.faults.concurrency_crowd import GO, STOP
from tests.faults.sweep_cases import run_here
from tests.faults.sweep_report import report, whole
from tests.gate.homes import Desk, addition, make_desk
from tests.second_verifier import disagreement

from nightledger.domain.states import ChangeState
from nightledger.gate.keeping import present_blobs
from nightledger.trust.audit import check_log
from nightledger.trust.pin import read_pin

ROOT = Path(__file__).resolve().parents[2]
PROCESSES = 16 if whole() else 3
APPENDS, ALL_APPENDS = 20, 1_000
SWEEP = "appends of many processes at once"
LONGEST_S = 3_600


@dataclass(slots=True)
class Crowd:
    """Programs that start together.

    Attributes:
        root: Directory of the home and its keys.
        said: For each program, what it printed, line by line.
    """

    root: Path
    said: dict[str, list[list[str]]] = field(default_factory=dict)
    _running: dict[str, "subprocess.Popen[str]"] = field(default_factory=dict)

    def add(self, role: str, number: int, count: int = 0) -> None:
        name = f"{role}{number}"
        words = [
            sys.executable,
            "-m",
            "tests.faults.concurrency_crowd",
            role,
            str(self.root),
            name,
            str(count),
        ]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'scripts'}:{ROOT}"}
        out = (self.root / f"{name}.out").open("w")
        err = (self.root / f"{name}.err").open("w")
        with out, err:
            self._running[name] = subprocess.Popen(
                words, cwd=ROOT, env=environment, stdout=out, stderr=err, text=True
            )

    def run(self) -> None:
        """Let all of them go, wait until the writers are done, and stop the readers."""
        self._wait_until_ready()
        (self.root / GO).touch()
        try:
            for name, program in self._running.items():
                if not name.startswith("read"):
                    program.wait(LONGEST_S)
            (self.root / STOP).touch()
            for program in self._running.values():
                program.wait(LONGEST_S)
        finally:
            for program in self._running.values():
                program.kill()
                program.wait()
        for name, program in self._running.items():
            assert program.returncode == 0, (name, (self.root / f"{name}.err").read_text()[-2000:])
            self.said[name] = [line.split() for line in (self.root / f"{name}.out").read_text().splitlines()]

    def _wait_until_ready(self) -> None:
        for name, program in self._running.items():
            while not (self.root / f"{name}.out").read_text():
                assert program.poll() is None, (self.root / f"{name}.err").read_text()[-2000:]
                time.sleep(0.01)

    def words(self, first: str) -> list[list[str]]:
        """Give the lines of all that begin with a word, without it."""
        return [line[1:] for lines in self.said.values() for line in lines if line[0] == first]


@pytest.fixture
def approved(tmp_path: Path) -> Desk:
    """Give a home in which one proposal is signed and has cooled by the time of the crowd."""
    desk = make_desk(tmp_path)
    desk.wait(hours=-3)
    desk.approve(desk.proposal(addition("Set the zone in every timer.")))
    return desk


def crowd_of(desk: Desk, appends: int, role: str = "write", *, processes: int = PROCESSES) -> Crowd:
    crowd = Crowd(desk.root)
    for number in range(processes):
        crowd.add(role, number, appends)
    for number in range(2):
        crowd.add("read", number)
    return crowd


def check_appends(desk: Desk, crowd: Crowd, appends: int) -> int:
    """Hold the log and the outcomes to what the writers were told; give how many were acknowledged."""
    log = check_log(desk.home, read_pin(desk.ring, desk.home.identity.id))
    assert log.report.ok, log.report.findings
    there = Counter(event.fields.get("proposal") for event in log.events)
    told = [name for (name,) in crowd.words("entry")]
    assert len(set(told)) == PROCESSES * appends
    assert all(there[name] == 1 for name in told)
    written = Path(desk.home.outcomes).read_text().splitlines()
    ids = Counter(line.split('"id":"', 1)[1].split('"', 1)[0] for line in written if '"id":"' in line)
    acknowledged = [name for (name,) in crowd.words("outcome")]
    assert len(set(acknowledged)) == PROCESSES * appends
    assert all(ids[name] == 1 for name in acknowledged)
    return len(told) + len(acknowledged)


def test_appends_readers_an_apply_and_a_writer_without_locks_go_together(approved: Desk) -> None:
    appends = ALL_APPENDS if whole() else APPENDS
    crowd = crowd_of(approved, appends)
    for number in range(3):
        crowd.add("apply", number)
    crowd.add("edit", 0, 30)
    crowd.run()
    acknowledged = check_appends(approved, crowd, appends)
    log = check_log(approved.home, read_pin(approved.ring, approved.home.identity.id))
    assert [event.seq for event in log.events] == list(range(log.size)), "a number is missing"
    assert all(int(count) > 1 for (count,) in crowd.words("looks"))

    applies = approved.ledger().book.applies.values()
    assert [apply.outcome in ("done", "raced") for apply in applies].count(True) == 1
    assert sorted(count for count, _ in crowd.words("applied")) == ["0", "0", "1"]
    (status,) = (one for one in approved.ledger().book.proposals.values() if one.lane != "drift")
    assert status.state_of(1) is ChangeState.APPLIED

    check_no_byte_lost(approved, crowd)
    ran = run_here(approved.root, "verify")
    assert ran.status in (0, 4), ran.err
    assert disagreement(approved.root, ran.status) == []
    alarms = {line.split()[0] for line in ran.out.splitlines() if line.split()[0].isupper()}
    assert alarms <= {"DRIFT"}, ran.out
    report(SWEEP, "readers, applies, a rival", points=acknowledged + len(crowd.words("edited")))


def check_no_byte_lost(desk: Desk, crowd: Crowd) -> None:
    """Find every line that the rival wrote, and the one applied: in the file, or in what was kept of it."""
    kept = [desk.text(), *(_blob(desk, sha256) for sha256 in present_blobs(desk.home))]
    for (number,) in crowd.words("edited"):
        assert any(f"- edit0 wrote line {number}.\n" in text for text in kept), number
    assert any("- Set the zone in every timer.\n" in text for text in kept)
    outcomes = Path(desk.home.outcomes).read_text().splitlines()
    for (number,) in crowd.words("edited"):
        assert f'{{"id": "o-edit0-{number}"}}' in outcomes


def _blob(desk: Desk, sha256: str) -> str:
    return Path(desk.home.blobs_dir, sha256[:2], sha256).read_text()


@pytest.mark.slow
def test_a_crowd_whose_lock_holds_nobody_is_caught(approved: Desk) -> None:
    crowd = crowd_of(approved, 10, "write_unlocked", processes=16)
    with pytest.raises(AssertionError):
        _run_and_check(approved, crowd)
    report(SWEEP, "planted: a lock that holds nobody", points=0, controls=1, caught=1)


def _run_and_check(desk: Desk, crowd: Crowd) -> None:
    crowd.run()
    check_appends(desk, crowd, 10)
