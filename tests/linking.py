"""Outcome lines for tests of the linker, and the fold of them as plainly as it can be written."""

import base64
import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

BERLIN = ZoneInfo("Europe/Berlin")


def outcome_id(name: object) -> str:
    """Give an id in the stored form, the same for the same name."""
    digest = hashlib.sha256(str(name).encode()).digest()
    return "o-" + base64.b32encode(digest).decode()[:26].lower()


def outcome(name: object, tags: Iterable[str] = ("cron", "time_zone"), **fields: Any) -> dict[str, Any]:
    """Give a stored outcome; fields that are None are left out."""
    record = {
        "context_tags": sorted(set(tags)),
        "id": outcome_id(name),
        "outcome": "success",
        "received_at": "2026-02-28T03:05:00Z",
        "resolution": "set_zone",
        "source_file": "memory/daily/2026-02-28.md#cron",
        "task_type": "debug_cron",
        "timestamp": "2026-02-28T03:05:00Z",
        "v": 1,
    }
    return {key: value for key, value in {**record, **fields}.items() if value is not None}


def line(record: Mapping[str, Any]) -> bytes:
    """Give its line, with the line end."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    """Give the lines of several."""
    return b"".join(map(line, records))


def believe(counts: Mapping[str, int], sessions: int = 1 << 30) -> tuple[int, float]:
    """Give evidence and confidence, written down apart from the code under test.

    A session counts for one success at most.
    """
    shown = counts["shown_successes"] - 2 * counts["shown_failures"]
    evidence = counts["successes"] - 2 * counts["failures"] - shown + min(1, shown)
    log_odds = (
        math.log(0.4 / 0.6)
        + (min(evidence, sessions) - 1) * (math.log(0.85 / 0.15) - math.log(0.4 / 0.6)) / 2
    )
    return evidence, round(min(0.98, 1 / (1 + math.exp(-log_odds))), 4)


def fold_plainly(
    records: Sequence[Mapping[str, Any]],
    zone: ZoneInfo = BERLIN,
    forgotten: Mapping[tuple[str, str], int] | None = None,
) -> dict[str, dict[str, Any]]:
    """Give the view of some outcomes, in the order of the log, the slow way."""
    first: dict[str, Mapping[str, Any]] = {}
    for record in records:
        first.setdefault(record["id"], record)
    sessions: dict[str, set[object]] = defaultdict(set)
    tried: dict[str, dict[str, list[Mapping[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for number, record in enumerate(first.values()):
        tags = record["context_tags"]
        for pair in ((a, b) for a in tags for b in tags if a < b):
            if number >= (forgotten or {}).get(pair, 0):
                key = " + ".join(pair)
                sessions[key].add(record.get("session") or day_of(record, zone))
                tried[key][record["resolution"]].append(record)
    return {key: _link(len(sessions[key]), tried[key], zone) for key in tried}


def day_of(record: Mapping[str, Any], zone: ZoneInfo) -> date:
    """Give the log day of an outcome."""
    return datetime.fromisoformat(record["timestamp"]).astimezone(zone).date()


def _link(sessions: int, tried: Mapping[str, Sequence[Mapping[str, Any]]], zone: ZoneInfo) -> dict[str, Any]:
    ranked = sorted(tried, key=lambda resolution: _rank(resolution, tried[resolution], zone))
    tallies = [_tally(resolution, tried[resolution], zone, sessions) for resolution in ranked]
    return {
        **tallies[0],
        "co_occurrences": sessions,
        "last_active": max(tally["last_active"] for tally in tallies),
        "resolutions": len(tallies),
        "rivals": tallies[1:6],
        "source_outcomes": [record["id"] for record in tried[ranked[0]][::-1][:5]],
        "v": 1,
    }


def _tally(
    resolution: str, records: Sequence[Mapping[str, Any]], zone: ZoneInfo, sessions: int = 1 << 30
) -> dict[str, Any]:
    def count(result: str, *, shown: bool = False) -> int:
        return sum(r["outcome"] == result and (not shown or _was_shown(r)) for r in records)

    counts = {
        "successes": count("success"),
        "partials": count("partial"),
        "failures": count("failure"),
        "shown_successes": count("success", shown=True),
        "shown_failures": count("failure", shown=True),
    }
    return {
        **counts,
        "confidence": believe(counts, sessions)[1],
        "last_active": max(day_of(record, zone) for record in records).isoformat(),
        "resolution_pattern": resolution,
    }


def _rank(resolution: str, records: Sequence[Mapping[str, Any]], zone: ZoneInfo) -> tuple[Any, ...]:
    tally = _tally(resolution, records, zone)
    newest = date.fromisoformat(tally["last_active"]).toordinal()
    return (-believe(tally)[0], -tally["successes"], tally["failures"], -newest, resolution)


def _was_shown(record: Mapping[str, Any]) -> bool:
    tags = record["context_tags"]
    links = {f"{a} + {b}" for a in tags for b in tags}
    return any(item == record["resolution"] or item in links for item in record.get("shown", ()))
