"""The linker: all outcomes from nothing, a day's new ones, one tag's links in a cold process.

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.bench_link [OUTCOMES]``; 100,000 by
default, and a tenth and a hundredth of them. The outcomes are made up here: 5 tags of 2,000
by Zipf's law, 5 outcomes a session, 600 days. Decoding is ``msgspec.json.decode`` of each
line of the file, untyped.
"""

import hashlib
import json
import os
import random  # noqa: TID251 - made-up outcomes come from a seed
import sys
import tempfile
from base64 import b32encode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate, islice
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
from tests.homes import make_home

from bench import measure
from nightledger.files.home import Home
from nightledger.files.link_index import FILE, Rules, folded_links
from nightledger.jobs.link import link

OUTCOMES = 100_000
NEW = 20
TAGS = 2_000
TAGS_EACH = 5
SESSION = 5
DAYS = 600
ROUNDS = 5
ZONE = ZoneInfo("Europe/Berlin")
START = datetime(2024, 1, 1, tzinfo=UTC)
TOPICS = ("disk", "cron", "proxy", "mail", "build", "cache", "token", "queue", "index", "deploy")
ACTIONS = ("restart_service", "set_zone", "clear_cache", "rotate_key", "pin_version", "raise_limit", "retry")
RESULTS = ("success", "partial", "failure")
RANKS = {"a frequent": 0, "a middling": 100, "a rare": 1900}


def main() -> None:
    """Print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else OUTCOMES
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/bytecode"
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        for size in (count // 100, count // 10, count):
            home = make_home(Path(folder) / f"home-{size}")
            Path(home.outcomes).write_bytes(b"".join(made_up(size, seed=1)))
            print(f"\n{size:,} outcomes, {os.path.getsize(home.outcomes) / 1e6:.1f} MB")
            from_nothing(home)
            new_outcomes(home)
            look_up(home)


def from_nothing(home: Home) -> None:
    """Compare the whole log with decoding it."""
    calls = {
        "decode each line, untyped": lambda: decode(home.outcomes),
        "link, index and view": lambda: link(home, Rules(zone=ZONE), rebuild=True),
        "fold aside, and every link": lambda: every(home),
    }
    measure.report("from nothing", measure.compare(calls, rounds=3), aim="100,000 outcomes under 10 s")
    report = link(home, Rules(zone=ZONE))
    index_bytes = os.path.getsize(os.path.join(home.link_index_dir, FILE))
    print(f"  {report.links:,} links, {report.in_view:,} in the view; an index of {index_bytes / 1e6:.1f} MB")


def new_outcomes(home: Home) -> None:
    """Measure a day's new outcomes, in a warm process."""
    fresh = made_up(NEW * ROUNDS * 2, seed=2, first=OUTCOMES * 2, days=ROUNDS)

    def one() -> None:
        with open(home.outcomes, "ab") as stream:
            stream.writelines(islice(fresh, NEW))
        link(home, Rules(zone=ZONE))

    calls: dict[str, Callable[[], object]] = {
        "nothing new": lambda: link(home, Rules(zone=ZONE)),
        f"{NEW} new": one,
    }
    measure.report("new outcomes", measure.compare(calls, rounds=ROUNDS), aim="under 300 ms")


def look_up(home: Home) -> None:
    """Compare one tag's links in a cold process with an empty process."""
    recall = [sys.executable, "-m", "nightledger.surfaces.cli", "recall", "--home", home.root, "--tags"]
    commands = {"python -c pass": [sys.executable, "-c", "pass"]}
    commands |= {f"recall --tags, {name} tag": [*recall, tag_name(rank)] for name, rank in RANKS.items()}
    measure.compare_commands(commands, rounds=2)  # fills the bytecode cache
    measure.report("one tag's links, cold process", measure.compare_commands(commands, rounds=9), aim="15x")


def every(home: Home) -> int:
    """Fold all aside, as curation does, and look at every link."""
    with folded_links(home, Rules(zone=ZONE)) as index:
        return sum(1 for _ in index.every())


def decode(path: str) -> None:
    """Decode every line of a file."""
    with open(path, "rb") as stream:
        for line in stream:
            msgspec.json.decode(line)


def tag_name(number: int) -> str:
    """Name a tag by its rank; the names do not sort by rank."""
    return f"{TOPICS[number * 7 % 10]}_{number:04d}"


def made_up(count: int, *, seed: int, first: int = 0, days: int = DAYS) -> Iterator[bytes]:
    """Make outcome lines, the same for the same seed.

    Args:
        count: How many.
        seed: Of the tags, results and resolutions.
        first: Number of the first one; ids and sessions follow from it.
        days: How long it took to record them.
    """
    dice = random.Random(seed)
    weights = list(accumulate(1 / (rank + 1) for rank in range(TAGS)))
    ranks = range(TAGS)
    for number in range(first, first + count):
        drawn: set[int] = set()
        while len(drawn) < TAGS_EACH:
            drawn.update(dice.choices(ranks, cum_weights=weights, k=TAGS_EACH - len(drawn)))
        topic = min(drawn)
        at = f"{START + timedelta(seconds=(number - first) * days * 86400 // count):%Y-%m-%dT%H:%M:%SZ}"
        digest = hashlib.sha256(str(number).encode()).digest()
        record = {
            "context_tags": sorted(map(tag_name, drawn)),
            "host": "desk",
            "id": "o-" + b32encode(digest).decode()[:26].lower(),
            "origin": "agent",
            "outcome": dice.choices(RESULTS, (70, 10, 20))[0],
            "received_at": at,
            "resolution": f"{ACTIONS[(topic + int(3 * dice.random() ** 2)) % 7]}_{topic % 50}",
            "session": f"session-{number // SESSION:08d}",
            "signal": "exit_code",
            "source_file": f"memory/daily/{at[:10]}.md#task-{number % 40}",
            "task_type": f"task_{tag_name(topic)}",
            "timestamp": at,
            "v": 1,
        }
        yield json.dumps(record, separators=(",", ":")).encode() + b"\n"


if __name__ == "__main__":
    main()
