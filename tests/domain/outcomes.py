"""Outcomes written short, for the tests of what is learned from them."""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

from nightledger.domain.outcome import Outcome, Result
from nightledger.domain.patterns import Learning, Recorded

START = datetime(2026, 2, 1, 12, 0, tzinfo=UTC)
RESULTS = {"+": Result.SUCCESS, "-": Result.FAILURE, "~": Result.PARTIAL}


LEARNING = Learning(zone=UTC)


def told(*lines: str, task: str = "debug_cron", tags: str = "cron timezone", **fields: Any) -> list[Recorded]:
    """Build records from ``"day sign resolution [tag ...]"``: ``"3 + set_tz extra"``, one a line or with ``;`` between.

    ``day`` counts from 2026-02-01; ``3.5`` is in the afternoon. Each day is its own source.
    """
    split = [line.strip() for line in ";".join(lines).split(";")]
    return [recorded(line, task, tags, fields) for line in split if line]


def recorded(line: str, task: str, tags: str, fields: dict[str, Any]) -> Recorded:
    day, sign, resolution, *more = line.split()
    at = START + timedelta(days=float(day) - 1)
    digest = hashlib.sha256(repr((line, task, tags, sorted(fields.items()))).encode()).hexdigest()
    values = {
        "v": 1,
        "id": f"o-{digest[:26]}",
        "timestamp": at,
        "received_at": at + timedelta(minutes=1),
        "task_type": task,
        "context_tags": tuple(sorted({*tags.split(), *more})),
        "resolution": resolution,
        "outcome": RESULTS[sign],
        "source_file": f"memory/daily/{at:%Y-%m-%d}.md",
        "note": "free words that must never be shown",
    }
    return Recorded(outcome=Outcome(**{**values, **fields}), line=int(float(day) * 10), sha256=digest)
