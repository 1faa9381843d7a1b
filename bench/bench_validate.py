"""Validate 100,000 stored outcomes, beside decoding the same lines with orjson.

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.bench_validate [RECORDS]``.
"""

import itertools
import random  # noqa: TID251 - seeded
import sys
from datetime import UTC, datetime, timedelta

import msgspec
import orjson

from bench import measure
from nightledger.codec.outcome_line import encode_outcomes
from nightledger.codec.outcome_rows import read_outcome_rows
from nightledger.domain.outcome import Outcome

RECORDS = 100_000
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def stored_lines(records: int, seed: int = 1) -> bytes:
    """Give outcomes as the logger stores them: 5 tags each of 2,000 (Zipf), 5 records a session."""
    rng = random.Random(seed)
    weights = list(itertools.accumulate(1 / n for n in range(1, 2001)))
    tags = [f"tag_{n:04d}" for n in range(2000)]
    return b"".join(
        line.line
        for line in encode_outcomes(
            (("", _record(rng, n, tags, weights, records)) for n in range(records)), now=NOW
        )
    )


def _record(
    rng: random.Random, n: int, tags: list[str], weights: list[float], records: int
) -> dict[str, object]:
    chosen: set[str] = set()
    while len(chosen) < 5:
        chosen.update(rng.choices(tags, cum_weights=weights))
    day = NOW - timedelta(seconds=30 * (records - n))
    return {
        "timestamp": day.isoformat(),
        "task_type": f"task_{rng.randrange(50)}",
        "context_tags": sorted(chosen),
        "resolution": f"resolution_{rng.randrange(300)}",
        "outcome": rng.choice(["success", "success", "partial", "failure"]),
        "source_file": f"memory/daily/{day.date()}.md#session-{n // 5}",
        "session": f"session-{n // 5:07d}",
        "host": "build-box",
        "origin": "agent",
        "signal": "exit_code",
    }


def main() -> None:
    """Print the ratios."""
    records = int(sys.argv[1]) if len(sys.argv) > 1 else RECORDS
    raw = stored_lines(records)
    lines = raw.splitlines()
    assert len(read_outcome_rows(raw).rows) == records
    typed = msgspec.json.Decoder(Outcome)
    measured = measure.compare(
        {
            "orjson: decode each line": lambda: [orjson.loads(line) for line in lines],
            "msgspec: typed decode only": lambda: typed.decode_lines(raw),
            "nightledger: read_outcome_rows": lambda: read_outcome_rows(raw),
        }
    )
    measure.report(
        f"validation of {records:,} outcomes ({len(raw) / records:.0f} bytes each)", measured, aim="<= 1x"
    )


if __name__ == "__main__":
    main()
