"""Consolidate a year of logs at once, beside reading and splitting them once.

The logs are those of invented agents (``bench/worlds/``), many together, until they have 5 MB.

Run with ``PYTHONPATH=scripts:. .venv/bin/python -m bench.bench_year [MEGABYTES]``.
"""

import os
import sys
import tempfile
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from bench.living import make_home
from bench.worlds.generate import generate

from bench import measure
from nightledger.domain.decision import Moment
from nightledger.gate.opening import Gate, read_ledger
from nightledger.jobs.consolidate import Asked, consolidate

MEGABYTES = 5
FIRST = date(2025, 1, 1)
DAYS = 365


def main() -> None:
    """Print the ratio."""
    size_bytes = int(sys.argv[1] if len(sys.argv) > 1 else MEGABYTES) * 1_000_000
    with tempfile.TemporaryDirectory(prefix="nightledger-year-") as folder:
        root = Path(folder) / "home"
        gate = make_home(root, Path(folder) / "keys", FIRST)
        written = write_year(root / "memory", size_bytes)
        measured = measure.compare(
            {"read and split": lambda: read_and_split(root), "consolidate --since, dry": lambda: mine(gate)},
            rounds=3,
        )
    title = f"a year of logs, {written:,} bytes in {DAYS} files"
    measure.report(title, measured, aim="under 10 s")


def write_year(folder: Path, size_bytes: int, first: date = FIRST) -> int:
    """Write logs of that size over a year from a day on; give their bytes."""
    texts = [b""] * DAYS
    seed = 0
    while sum(map(len, texts)) < size_bytes:
        for n, file in enumerate(file for file in generate(seed).files if file.day):
            texts[(n + 60 * seed) % DAYS] += file.content + b"\n"
        seed += 1
    for n, text in enumerate(texts):
        (folder / f"{first + timedelta(days=n)}.md").write_bytes(text)
    return sum(map(len, texts))


def read_and_split(root: Path) -> None:
    """Do the least that any consolidator does."""
    for name in sorted(os.listdir(root / "memory")):
        if name.endswith(".md"):
            (root / "memory" / name).read_bytes().decode("utf-8", "replace").split("\n")


def mine(gate: Gate) -> None:
    """Consolidate the whole year, writing nothing."""
    last = FIRST + timedelta(days=DAYS - 1)
    moment = Moment(at=datetime.combine(last + timedelta(days=1), time(3, 5), UTC))
    consolidate(gate, read_ledger(gate), Asked(day=last, since=FIRST, dry_run=True), moment)


if __name__ == "__main__":
    main()
