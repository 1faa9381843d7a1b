"""Append durably, beside fsync(2) alone on the same disk, in turns; then outcomes with a kept descriptor.

The first table is about the audit log: ``audit.append`` of one event, which is on disk and
acknowledged when it returns. It is what waits for the disk that counts here, so this is wall
time, and a median of single calls; what it is compared with is one write(2) of as many bytes
and one fsync(2). They take turns, so that a disk that is busy slows all of them.

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.bench_append [APPENDS] [DIRECTORY]``;
the directory decides which disk is measured.
"""

import os
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path

from bench.living import make_home

from bench import measure
from nightledger.domain.decision import Actor, EventName, Moment
from nightledger.files.line_log import Appender, append_records
from nightledger.gate.opening import log_key, record, sign_head
from nightledger.trust import audit
from nightledger.trust.event import NewEvent

APPENDS = 500
LINE = b'{"context_tags":["cron","time_zone"],"note":"' + b"x" * 250 + b'"}\n'
WHEN = datetime(2026, 3, 1, 6, tzinfo=UTC)
EVENT = NewEvent(event="heartbeat", actor=Actor.CRON, at=WHEN, fields={"day": "2026-03-01", "waiting": 1})
MOMENT = Moment(at=WHEN, boot="6f1c6a1e-0b34-4c0e-9c5e-0d9b1c3e5a77", boot_s=3_600)
BATCH = 10
PAGE = b"y" * 4_096
BATCHED = f"gate.record of {BATCH} events at once"
SIGNED = "the same, the first behind a signature"
FSYNC = "write(2) + fsync(2)"
LOG_AIM = "none is aimed at: an append is one of a few a night"


@contextmanager
def bare_file(path: Path, flags: int = os.O_APPEND) -> Iterator[int]:
    """Open a file that is only appended to."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def page_file(folder: Path) -> Iterator[int]:
    """Open a file of one page, on disk, that is only overwritten."""
    with bare_file(folder / "page", flags=0) as descriptor:
        os.pwrite(descriptor, PAGE, 0)
        os.fsync(descriptor)
        yield descriptor


def write_and_sync(descriptor: int, line: bytes, sync: Callable[[int], None]) -> None:
    """Append a line as little as it takes to be durable."""
    os.write(descriptor, line)
    sync(descriptor)


def two_syncs(log: int, head: int, line: bytes) -> None:
    """Do what any append must that acknowledges in a second file: a line, then a page, each on disk."""
    write_and_sync(log, line, os.fdatasync)
    os.pwrite(head, PAGE, 0)
    os.fdatasync(head)


def bench_log(folder: Path, appends: int) -> None:
    """Compare ``audit.append`` with fsync(2) alone, and say what two syncs take without any work of ours."""
    gate = make_home(folder / "home", folder / "keys", date(2026, 1, 1))
    key, line = log_key(gate), EVENT.line(1) + b"\n"
    heartbeat = (EventName.HEARTBEAT, dict(EVENT.fields))

    def sign() -> None:
        sign_head(gate, MOMENT)

    with bare_file(folder / "bare") as bare, bare_file(folder / "log") as log, page_file(folder) as head:
        calls: dict[str, Callable[[], object]] = {
            FSYNC: lambda: write_and_sync(bare, line, os.fsync),
            "write(2) + fdatasync(2)": lambda: write_and_sync(bare, line, os.fdatasync),
            "two files: append, sync, overwrite, sync": lambda: two_syncs(log, head, line),
            "audit.append of one event, acknowledged": lambda: audit.append(gate.home, key, [EVENT]),
            SIGNED: lambda: audit.append(gate.home, key, [EVENT]),
            "the same as jobs call it (gate.record)": lambda: record(gate, [heartbeat], MOMENT),
            BATCHED: lambda: record(gate, [heartbeat] * BATCH, MOMENT),
        }
        times = in_turns(calls, appends, before={SIGNED: sign})
    base = statistics.median(times[FSYNC])
    print(f"\naudit log: {appends} appends of {len(line)} bytes, wall time, in turns, in {folder}")
    for name, own in times.items():
        p50, p95 = statistics.median(own), statistics.quantiles(own, n=20)[-1]
        print(f"  {name:<44} p50 {p50 * 1e3:>8.3f} ms  p95 {p95 * 1e3:>8.3f} ms {p50 / base:>8.2f}x")
    each = statistics.median(times[BATCHED]) / BATCH
    print(f"  {'  an event of these':<44} p50 {each * 1e3:>8.3f} ms {each / base:>28.2f}x")
    print(f"  aim: {LOG_AIM}")


def in_turns(
    calls: dict[str, Callable[[], object]], rounds: int, before: Mapping[str, Callable[[], None]]
) -> dict[str, list[float]]:
    """Give the wall seconds of each call, one of each a round; each has every place in a round equally often.

    What is to be done before a call is not timed.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    names = deque(calls)
    for _ in range(rounds):
        for name in names:
            if name in before:
                before[name]()
            start = time.perf_counter()
            calls[name]()
            times[name].append(time.perf_counter() - start)
        names.rotate()
    return times


def bench_outcomes(folder: Path, appends: int) -> None:
    """Compare appending outcomes with write(2) and fdatasync(2)."""
    with bare_file(folder / "outcomes") as bare, Appender(f"{folder}/kept") as kept:
        calls: dict[str, Callable[[], object]] = {
            "write(2) + fdatasync(2)": lambda: write_and_sync(bare, LINE, os.fdatasync),
            "Appender.append, descriptor kept": lambda: kept.append(LINE),
            "append_records, opened each time": lambda: append_records(f"{folder}/anew", LINE),
        }
        measured = measure.compare({name: _often(call, appends) for name, call in calls.items()}, rounds=9)
    measure.report(f"{appends} durable appends of {len(LINE)} bytes", measured, aim="descriptor kept <= 2x")


def _often(call: Callable[[], object], times: int) -> Callable[[], None]:
    def repeat() -> None:
        for _ in range(times):
            call()

    return repeat


def main() -> None:
    """Print the ratios."""
    appends = int(sys.argv[1]) if len(sys.argv) > 1 else APPENDS
    directory = sys.argv[2] if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory(prefix="nightledger-append-", dir=directory) as folder:
        bench_log(Path(folder), appends)
        bench_outcomes(Path(folder), appends)


if __name__ == "__main__":
    main()
