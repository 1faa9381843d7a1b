"""One of many programs on one home at once: ``concurrency_crowd.py ROLE ROOT NAME COUNT`` (tests only).

Each prints what it was told, one word a line, so that the test can hold the home to it.
"""

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.faults.sweep_cases import NOW, run_here
from tests.gate.homes import open_desk

from nightledger.domain.decision import Actor, EventName, Moment
from nightledger.domain.errors import IntegrityError, LockedError
from nightledger.files.atomic import Lock
from nightledger.files.line_log import Appender
from nightledger.gate.opening import Gate, record
from nightledger.jobs.log_outcomes import log_outcomes
from nightledger.trust.audit import check_log
from nightledger.trust.pin import read_pin

GO, STOP = "go", "stop"
WAIT_S = 300.0


def outcome(name: str, number: int) -> dict[str, object]:
    """Give an outcome that no other program has."""
    return {
        "timestamp": "2026-02-28T12:00:00Z", "task_type": "move_files", "context_tags": ["disk", name],
        "resolution": f"step_{number}", "outcome": "success", "source_file": "memory/2026-02-28.md",
        "session": f"{name}-{number}",
    }  # fmt: skip


def write(root: Path, name: str, count: int) -> None:
    """Append entries to the audit log and outcomes, and say what was acknowledged: name and id."""
    desk = open_desk(root, actor=Actor.CRON)
    for number in range(count):
        again(lambda number=number: _append(desk.gate, f"{name}-{number}"))  # type: ignore[misc]
        print("entry", f"{name}-{number}")
        records = [("", outcome(name, number))]
        told = [record["id"] for record in log_outcomes(desk.home, records, now=NOW)[0]]
        print("outcome", *told, flush=True)


def _append(gate: Gate, name: str) -> None:
    fields: dict[str, object] = {"proposal": name, "changes": [], "reason": "withdrawn"}
    record(gate, [(EventName.RUN, fields)], Moment(at=NOW))


def again(call: Callable[[], object]) -> None:
    """Call until it is not refused because another is at work, as a script would after status 75 or 1."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        try:
            call()
        except (LockedError, IntegrityError) as error:
            print("refused", type(error).__name__, flush=True)
        else:
            return
    raise LockedError(f"refused for {WAIT_S} s")


def write_unlocked(root: Path, name: str, count: int) -> None:
    """Write as ``write`` does, with locks that hold nobody: a planted fault."""
    Lock._hold = lambda *_: True  # type: ignore[method-assign]
    Appender.hold = lambda *_: None  # type: ignore[method-assign]
    write(root, name, count)


def read(root: Path, _name: str, _count: int) -> None:
    """Check the whole log again and again, and say how long it was; an alarm ends it."""
    desk = open_desk(root)
    sizes = [0]
    while not (root / STOP).exists():
        log = check_log(desk.home, read_pin(desk.ring, desk.home.identity.id))
        assert log.report.ok, log.report.findings
        numbers = [event.seq for event in log.events]
        assert numbers == sorted(numbers)
        assert log.size >= sizes[-1], "the log became shorter"
        sizes.append(log.size)
    print("looks", len(sizes))


def apply(root: Path, _name: str, _count: int) -> None:
    """Apply whatever is signed, and say how that ended."""
    while True:
        ran = run_here(root, "apply", "--json")
        if ran.status != 75:
            break
    print("applied", sum(len(attempt["applied"]) for attempt in json.loads(ran.out)), ran.status)


def edit(root: Path, name: str, count: int) -> None:
    """Ignore every lock: rewrite MEMORY.md as an editor does, and append outcomes as a script does."""
    memory, outcomes = root / "home" / "MEMORY.md", root / "home/memory/system/outcome-records.jsonl"
    for number in range(count):
        aside = memory.with_name(f"MEMORY.md.{name}")
        aside.write_bytes(memory.read_bytes() + f"- {name} wrote line {number}.\n".encode())
        os.replace(aside, memory)
        line = json.dumps({"id": f"o-{name}-{number}"}) + "\n"
        descriptor = os.open(outcomes, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(descriptor, line.encode())
        os.close(descriptor)
        print("edited", number, flush=True)
        time.sleep(0.02)


def main(role: str, root: Path, name: str, count: int) -> None:
    """Wait until all are there, then do what the role does."""
    print("ready", flush=True)
    while not (root / GO).exists():
        time.sleep(0.01)
    with contextlib.suppress(BrokenPipeError):
        {one.__name__: one for one in (write, write_unlocked, read, apply, edit)}[role](root, name, count)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
