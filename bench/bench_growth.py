"""How much a home of ours grows: 400 simulated days of a busy agent, beside the text of its logs.

Each day writes a log and outcomes of invented agents (``bench/worlds/``), runs the night, once a week the pruning,
signs all that is proposed, and applies it the next day. Prints what our own files come to, against the
logs' text (aim: at most 10 times), and the fullest directory (aim: at most 2,000 names).

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.bench_growth [DAYS]``.
"""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from bench.living import live_night, make_home
from bench.worlds.generate import generate

from nightledger.gate.opening import Gate
from nightledger.jobs.log_outcomes import log_outcomes

DAYS = 400
AGENTS = 8
"""Generated agents whose logs make one busy day together: some 4.5 KB."""
FIRST = date(2025, 1, 1)
OURS = ("audit", "config", "memory/system", "memory/state", "memory/archive", ".nightledger")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDay:
    """What the agent writes on one day."""

    day: date
    logs: tuple[tuple[str, bytes], ...]
    outcomes: tuple[dict[str, object], ...]


def main() -> None:
    """Run the days and print the sizes."""
    days = int(sys.argv[1]) if len(sys.argv) > 1 else DAYS
    with tempfile.TemporaryDirectory(prefix="nightledger-growth-") as folder:
        root = Path(folder) / "home"
        gate = make_home(root, Path(folder) / "keys", FIRST)
        text_bytes = proposed = 0
        for at, agent_day in enumerate(agent_days(days)):
            text_bytes += live(gate, root, agent_day)
            proposed += live_night(gate, agent_day.day).record.proposed
            if at % 50 == 0:
                print(f"day {at} of {days}", file=sys.stderr)
        report(root, days, text_bytes, proposed)


def agent_days(count: int) -> Iterator[AgentDay]:
    """Give busy days: each the days of ``AGENTS`` generated agents together."""
    for days in zip(*(single_days(count, seed=agent * 100) for agent in range(AGENTS)), strict=True):
        texts: dict[str, bytes] = {}
        for agent_day in days:
            for path, content in agent_day.logs:
                place = f"memory/{path.rpartition('/')[2]}"
                texts[place] = texts.get(place, b"") + content + b"\n"
        outcomes = tuple(record for agent_day in days for record in agent_day.outcomes)
        yield AgentDay(day=days[0].day, logs=tuple(texts.items()), outcomes=outcomes)


def single_days(count: int, seed: int) -> Iterator[AgentDay]:
    """Give days of several generated homes one after another, dated anew."""
    day = FIRST
    while True:
        sample = generate(seed)
        for old in sorted({file.day for file in sample.files if file.day}):
            if (day - FIRST).days >= count:
                return
            logs = tuple(
                (file.path.replace(old.isoformat(), day.isoformat()), file.content)
                for file in sample.files
                if file.day == old
            )
            outcomes = tuple(_dated(o.record, old, day) for o in sample.outcomes if o.day == old)
            yield AgentDay(day=day, logs=logs, outcomes=outcomes)
            day += timedelta(days=1)
        seed += 1


def _dated(record: dict[str, object], old: date, new: date) -> dict[str, object]:
    moved = datetime.fromisoformat(str(record["timestamp"])) + (new - old)
    source = str(record["source_file"]).replace(old.isoformat(), new.isoformat())
    return {**record, "timestamp": moved.isoformat(), "source_file": source}


def live(gate: Gate, root: Path, agent_day: AgentDay) -> int:
    """Write what the agent writes; give the bytes of its logs."""
    for path, content in agent_day.logs:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    records = [(f"outcome {n}", record) for n, record in enumerate(agent_day.outcomes)]
    if records:
        log_outcomes(
            gate.home, records, now=datetime.combine(agent_day.day + timedelta(days=1), time(23), UTC)
        )
    return sum(len(content) for _, content in agent_day.logs)


def report(root: Path, days: int, text_bytes: int, proposed: int) -> None:
    """Print sizes by folder, the ratio and the fullest directory."""
    sizes: Counter[str] = Counter()
    names: Counter[str] = Counter()
    for name in OURS:
        for folder, directories, files in os.walk(root / name):
            place = os.path.relpath(folder, root)
            names[place] = len(directories) + len(files)
            top = "/".join(place.split("/")[:2])
            sizes[top] += sum(os.path.getsize(os.path.join(folder, file)) for file in files)
    ours = sum(sizes.values())
    print(f"{days} days, {proposed} changes proposed and signed; the logs have {text_bytes:,} bytes")
    for place, size in sizes.most_common():
        print(f"  {size:>12,}  {place}")
    fullest, count = names.most_common(1)[0]
    print(f"our files {ours:,} bytes, {ours / text_bytes:.2f} times the logs' text (aim: at most 10)")
    print(f"fullest directory: {fullest} with {count} names (aim: at most 2,000)")


if __name__ == "__main__":
    main()
