"""Retention beside a bare loop: 300,000 memories judged, a home's facts read, ten thousand entries.

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.bench_retention``; about a minute.
Memories, outcomes and entries are made up here from seeds. Rounds are interleaved and every
figure is a median; a ratio is the median of the rounds' own ratios.
"""

import json
import random  # noqa: TID251 - made-up memories come from a seed
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec
from bench.bench_link import made_up
from tests.gate.homes import Desk, make_desk

from bench import measure
from nightledger.domain.retention import (
    DURABLE,
    EPHEMERAL,
    PERMANENT,
    STANDARD,
    Memory,
    Policy,
    Status,
    status_of,
)
from nightledger.files.home import Home
from nightledger.gate.memory.remembering import read_facts
from nightledger.gate.memory.uses import fold_uses

MEMORIES = 300_000
OUTCOMES = 100_000
NOW_HOUR = 3_000
TIERS = (PERMANENT, DURABLE, STANDARD, EPHEMERAL)
SHARES = (1, 9, 85, 5)
SUBJECTS = ("relay", "backup", "proxy", "invoice", "queue", "garden", "camera", "ledger", "mailer", "index")


def main() -> None:
    """Print the figures."""
    judge_many()
    with tempfile.TemporaryDirectory() as folder:
        read_many_outcomes(Path(folder))
        for size in (1_000, 10_000):
            read_many_entries(Path(folder) / str(size), size)


def judge_many() -> None:
    """Compare both policies with bare loops over the same rows."""
    rows = memories(MEMORIES)
    calls: dict[str, Callable[[], object]] = {
        "bare loop: for row in rows: pass": partial(loop, rows),
        "bare loop that reads the fields": partial(loop_fields, rows),
        "measured": partial(judge, rows, Policy.MEASURED),
        "classic": partial(judge, rows, Policy.CLASSIC),
    }
    measured = measure.compare(calls, rounds=7)
    measure.report(f"{MEMORIES:,} memories judged", measured, aim="none: a home has 10,000 at most")


def judge(rows: Sequence[Memory], policy: Policy) -> int:
    """Count the rows that a policy would let go."""
    return sum(status_of(row, policy, NOW_HOUR) is Status.PENDING_DECAY for row in rows)


def loop(rows: Sequence[Memory]) -> None:
    """Touch each row."""
    for _ in rows:
        pass


def loop_fields(rows: Sequence[Memory]) -> int:
    """Read of each row what the measured policy reads."""
    found = 0
    for row in rows:
        fields = (
            row.tier.rate,
            row.pinned,
            row.created_hour,
            row.used_hour,
            row.useful,
            row.harmful,
            row.expected,
        )
        found += len(fields)
    return found


def memories(count: int) -> list[Memory]:
    """Make memories, the same each time: three in ten were shown before outcomes."""
    dice = random.Random(1)
    return [memory(dice, n) for n in range(count)]


def memory(dice: random.Random, n: int) -> Memory:
    """Make one memory."""
    shown = dice.random() < 0.3
    return Memory(
        id=f"e-{n:026d}",
        tier=dice.choices(TIERS, SHARES)[0],
        pinned=dice.random() < 0.02,
        created_hour=dice.randrange(NOW_HOUR),
        used_hour=dice.randrange(NOW_HOUR) if shown else 0,
        useful=dice.choice((0, 1, 2, 5, 20)) if shown else 0,
        harmful=dice.choice((0, 0, 1, 3)) if shown else 0,
        expected=0.6 + 0.3 * dice.random(),
        access=dice.randrange(20),
        days=dice.randrange(90),
        outcome=dice.choice((-1, 0, 1)),
    )


def read_many_outcomes(root: Path) -> None:
    """Compare the fold over outcomes, half of which name five entries, with decoding them."""
    desk = small_home(root / "outcomes")
    dice = random.Random(2)
    with open(desk.home.outcomes, "wb") as stream:
        for line in made_up(OUTCOMES, seed=1):
            record = json.loads(line)
            if dice.random() < 0.5:
                record["shown"] = [f"e-{dice.randrange(1000):026d}" for _ in range(5)]
            stream.write(json.dumps(record, separators=(",", ":"), sort_keys=True).encode() + b"\n")
    calls: dict[str, Callable[[], object]] = {
        "decode each line, untyped": partial(decode, desk.home),
        "fold what came of showing each entry": partial(fold_uses, desk.home, {}),
    }
    measured = measure.compare(calls, rounds=5)
    measure.report(f"{OUTCOMES:,} outcomes, {OUTCOMES // 2 * 5:,} times an entry", measured, aim="under 2 s")


def decode(home: Home) -> None:
    """Decode every outcome."""
    with open(home.outcomes, "rb") as stream:
        for line in stream:
            msgspec.json.decode(line)


def read_many_entries(root: Path, size: int) -> None:
    """Measure what ``hygiene`` does before it asks: facts of every entry, both policies."""
    desk = small_home(root, size)
    ledger = desk.ledger()
    calls: dict[str, Callable[[], object]] = {
        "read the facts": lambda: read_facts(desk.gate, ledger, desk.moment),
        "read and judge by both policies": partial(judge_home, desk),
    }
    measured = measure.compare(calls, rounds=3)
    measure.report(f"a home of {size:,} entries", measured, aim="10,000 under 2 s, linear from 1,000")


def judge_home(desk: Desk) -> None:
    """Judge every entry of a home by both policies."""
    facts = read_facts(desk.gate, desk.ledger(), desk.moment)
    known = [one.memory for one in facts.memories]
    for policy in Policy:
        for memory in known:
            status_of(memory, policy, facts.now_hour)


def small_home(root: Path, entries: int = 10) -> Desk:
    """Make a home whose MEMORY.md has that many invented entries, in sections of fifty."""
    root.mkdir()
    dice = random.Random(3)
    lines = ["# MEMORY.md", ""]
    for n in range(entries):
        if n % 50 == 0:
            lines += ["", f"## Part {n // 50}", ""]
        first, second = dice.sample(SUBJECTS, 2)
        lines.append(f"- The {first} number {n} is looked after together with the {second} of room {n % 97}.")
    return make_desk(root, memory=("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main()
