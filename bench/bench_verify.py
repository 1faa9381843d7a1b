"""Verify an audit log of 100,000 events, beside SHA-256 of each of its lines once.

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.bench_verify [EVENTS]``. Builds a
home with keys in a temporary directory through the audit log's own ``append``.
"""

import hashlib
import itertools
import random  # noqa: TID251 - seeded
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench import measure
from tests.homes import make_home

from nightledger.domain.event import Actor
from nightledger.files.home import Home
from nightledger.trust import audit, reading
from nightledger.trust.checkpoint import log_origin
from nightledger.trust.event import NewEvent
from nightledger.trust.keys import KeyRing, create_log_keys, load_log_key
from nightledger.trust.pin import read_pin
from nightledger.trust.signed_head import read_signed_head

EVENTS = 100_000
BATCH = 1_000
HOME_ID = "b0" * 16
NOW = datetime(2026, 3, 1, tzinfo=UTC)
AIM = "verify <= 4x, signatures <= 5 % of verify"


def events(count: int, seed: int = 1) -> Iterator[NewEvent]:
    """Give proposals, decisions, applies and runs as the gate logs them."""
    rng = random.Random(seed)
    for number in range(count):
        at = NOW + timedelta(minutes=number)
        yield (_proposal, _decision, _intent, _run)[number % 4](rng, at)


def _sha256(rng: random.Random) -> str:
    return f"{rng.getrandbits(256):064x}"


def _id(rng: random.Random, prefix: str) -> str:
    return f"{prefix}-" + "".join(rng.choices("abcdefghijklmnopqrstuvwxyz234567", k=26))


def _proposal(rng: random.Random, at: datetime) -> NewEvent:
    fields = {
        "proposal": _id(rng, "p"),
        "sha256": _sha256(rng),
        "kind": "consolidate_daily_to_memory",
        "lane": "job",
        "changes": rng.randrange(1, 6),
        "boot": f"{rng.getrandbits(128):032x}",
        "boot_s": rng.randrange(10**6),
    }
    return NewEvent(event="proposal.created", actor=Actor.CRON, at=at, fields=fields)


def _decision(rng: random.Random, at: datetime) -> NewEvent:
    fields = {
        "decision": _id(rng, "d"),
        "sha256": _sha256(rng),
        "type": "approve",
        "proposal": _id(rng, "p"),
        "changes": [1, 2],
    }
    return NewEvent(event="decision.recorded", actor=Actor.HUMAN, at=at, fields=fields)


def _intent(rng: random.Random, at: datetime) -> NewEvent:
    fields = {
        "apply": _id(rng, "a"),
        "decision": _id(rng, "d"),
        "proposal": _id(rng, "p"),
        "changes": [1, 2],
        "targets": [{"path": "MEMORY.md", "before": _sha256(rng), "after": _sha256(rng)}],
    }
    return NewEvent(event="apply.intent", actor=Actor.CRON, at=at, fields=fields)


def _run(rng: random.Random, at: datetime) -> NewEvent:
    inputs = [{"path": f"memory/daily/{at.date()}.md", "size": rng.randrange(10**5), "sha256": _sha256(rng)}]
    return NewEvent(
        event="run.finished", actor=Actor.CRON, at=at, fields={"job": "consolidate", "inputs": inputs}
    )


def make_log(root: Path, count: int) -> tuple[Home, KeyRing]:
    """Make a home whose log holds ``count`` events under a signed checkpoint."""
    origin = log_origin(HOME_ID, simulated=True)
    home, ring = make_home(root / "home", id=HOME_ID, origin=origin), KeyRing(root / "keys")
    create_log_keys(ring, HOME_ID)
    key = load_log_key(ring, HOME_ID, origin)
    source = events(count)
    audit.start_log(home, key, ring, next(source), {}, NOW)
    while batch := list(itertools.islice(source, BATCH)):
        audit.append(home, key, batch)
    audit.sign_head(home, key, ring, now=NOW)
    return home, ring


def append_cost(home: Home, ring: KeyRing, times: int = 50) -> float:
    """Give the median CPU milliseconds of appending one event, keys loaded."""
    key = load_log_key(ring, HOME_ID, home.identity.origin)
    costs = []
    for event in events(times, seed=2):
        before = time.process_time()
        audit.append(home, key, [event])
        costs.append(time.process_time() - before)
    return sorted(costs)[times // 2] * 1000


def main() -> None:
    """Print the ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    with tempfile.TemporaryDirectory() as directory:
        home, ring = make_log(Path(directory), count)
        pin = read_pin(ring, HOME_ID)
        lines = Path(home.audit_log).read_bytes().splitlines()

        def hash_file() -> None:
            with open(home.audit_log, "rb") as stream:
                for line in stream:
                    hashlib.sha256(line).digest()

        def hash_lines() -> None:
            for line in lines:
                hashlib.sha256(line).digest()

        report = reading.verify(home, pin)
        assert report.ok
        assert report.signed_size == len(lines)
        measured = measure.compare(
            {
                "read the log, SHA-256 of each line once": hash_file,
                "SHA-256 of each line once, lines in memory": hash_lines,
                "verify": lambda: reading.verify(home, pin),
                "verify, every line judged (thorough)": lambda: reading.verify(home, pin, thorough=True),
                "verify and give the entries (the gate)": lambda: reading.check_log(home, pin),
                "signatures of the checkpoint alone": lambda: read_signed_head(
                    home.checkpoint, pin.origin, pin.vkeys
                ),
            }
        )
        size = sum(map(len, lines)) / len(lines)
        measure.report(f"audit log: {len(lines):,} events, {size:.0f} bytes each", measured, aim=AIM)
        share = measured[5].cpu_s / measured[2].cpu_s
        print(
            f"  verify is {measured[2].cpu_s / measured[1].cpu_s:.2f}x the hashes in memory; signatures are {share:.2%}"
        )
        print(f"  append of one event at this size: {append_cost(home, ring):.2f} ms CPU")


if __name__ == "__main__":
    main()
