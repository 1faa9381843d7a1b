"""The linker beside decoding: full build, a thousand new outcomes, one tag's links in a cold process.

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.bench_link [OUTCOMES]``; 1,000,000
by default, which takes about three minutes and 700 MB of disk. The outcomes are made up
here: 5 tags of 2,000 by Zipf's law, 5 outcomes a session, 600 days. Memory is measured in
a process of its own. Decoding is ``msgspec.json.decode`` of each line of the file, untyped.
"""

import hashlib
import json
import os
import random  # noqa: TID251 - made-up outcomes come from a seed
import resource
import statistics
import subprocess
import sys
import tempfile
from base64 import b32encode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import accumulate
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
from tests.homes import make_home

from bench import measure
from nightledger.codec.outcome_rows import OutcomeRow
from nightledger.files.home import Home
from nightledger.files.link_index import open_index
from nightledger.jobs.link import Options, link

OUTCOMES = 1_000_000
NEW = 1_000
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
MEGABYTE = 1e6


def main() -> None:
    """Print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else OUTCOMES
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/bytecode"
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        home = make_home(Path(folder) / "home")
        fresh = made_up(count, seed=1)
        with open(home.outcomes, "wb") as stream:
            stream.writelines(fresh)
        log_bytes = os.path.getsize(home.outcomes)
        print(f"{count:,} outcomes, {log_bytes / MEGABYTE:.0f} MB")
        full_build(home)
        memory(home, log_bytes)
        look_up(home)
        for size in sorted({count // 100, count // 10, count}):
            new_outcomes(Path(folder) / f"home-{size}", home, size)


def full_build(home: Home) -> None:
    """Compare the whole log with decoding it."""
    calls = {
        "decode each line, untyped": lambda: decode(home.outcomes, msgspec.json.decode),
        "decode each line, typed in full": lambda: decode(
            home.outcomes, msgspec.json.Decoder(OutcomeRow).decode
        ),
        "link, index only": lambda: link(home, ZONE, Options(rebuild=True, view=False)),
        "link, index and view": lambda: link(home, ZONE, Options(rebuild=True)),
    }
    measure.report("full build", measure.compare(calls, rounds=ROUNDS), aim="<= 4x")
    report = link(home, ZONE)
    print(f"  {report.links:,} links, {report.in_view:,} in the view")


def memory(home: Home, log_bytes: int) -> None:
    """Measure how far a full build raises the peak of a process that has imported all it needs."""
    program = (
        "from bench import bench_link as b; from nightledger.codec import link_bulk; before = b.peak_bytes();"
        f"b.link(b.Home({home.root!r}), b.ZONE, b.Options(rebuild=True)); print(b.peak_bytes() - before)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    used = int(done.stdout)
    print(f"\nmemory of a full build\n  {used / MEGABYTE:.0f} MB, {used / log_bytes:.2f}x the log")
    print("  aim: <= 0.75x")


def peak_bytes() -> int:
    """Give the most memory that this process ever held; Linux forgets what its parent held, getrusage(2) does not."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(
            int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if "VmHWM" in line
        )
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS


def look_up(home: Home) -> None:
    """Compare one tag's links in a cold process with an empty process."""
    index = open_index(home.link_index_dir)
    assert index is not None
    rank = {"a frequent tag": 0, "a middling tag": 100, "a rare tag": 1900}
    program = (
        "from nightledger.files.link_index import open_index;"
        f"index = open_index({home.link_index_dir!r}); assert index; index.recall([{{tag!r}}], 10)"
    )
    commands = {"python -c pass": [sys.executable, "-c", "pass"]}
    for name, number in rank.items():
        found = sum(1 for segment in index.segments for _ in segment.links_of(tag_name(number)))
        label = f"{name} of {found:,} links"
        commands[label] = [sys.executable, "-c", program.format(tag=tag_name(number))]
    recall = [sys.executable, "-m", "nightledger.surfaces.cli", "recall", "--home", home.root]
    commands["nightledger recall, all of it"] = [*recall, "--tags", tag_name(100)]
    measure.compare_commands(commands, rounds=2)  # fills the bytecode cache
    measured = measure.compare_commands(commands, rounds=25)
    measure.report("one tag's links, cold process", measured, aim="look-up +2 ms")
    for one in measured[1:]:
        print(f"  {one.name:<44} {(one.cpu_s - measured[0].cpu_s) * 1000:>+9.2f} ms")
    inside = measure.compare(
        {name: partial(cold_recall, home, tag_name(number)) for name, number in rank.items()}, rounds=25
    )
    print("  of this, opening the index and looking up:")
    for one in inside:
        print(f"  {one.name:<44} {one.cpu_s * 1000:>9.2f} ms")


def cold_recall(home: Home, tag: str) -> None:
    """Open the index and look one tag up."""
    index = open_index(home.link_index_dir)
    assert index is not None
    index.recall([tag], 10)


def new_outcomes(root: Path, source: Home, size: int) -> None:
    """Compare a thousand new outcomes on an index of ``size`` with decoding them."""
    home = make_home(root)
    with open(source.outcomes, "rb") as whole, open(home.outcomes, "wb") as part:
        part.writelines(line for _, line in zip(range(size), whole, strict=False))
    link(home, ZONE)
    fresh = made_up(NEW * ROUNDS * 3, seed=size + 2, first=OUTCOMES * 2, days=ROUNDS * 3)
    tails = [[next(fresh) for _ in range(NEW)] for _ in range(ROUNDS * 3)]
    ratios, seconds = [], []
    for tail in tails:
        start = os.path.getsize(home.outcomes)
        with open(home.outcomes, "ab") as stream:
            stream.writelines(tail)
        decode_from(home.outcomes, start)  # the first one finds colder caches than what follows
        calls: dict[str, Callable[[], object]] = {
            "decode": partial(decode_from, home.outcomes, start),
            "link": partial(link, home, ZONE, Options(view=False)),
        }
        decoded, linked = measure.compare(calls, rounds=1)
        ratios.append(linked.cpu_s / decoded.cpu_s)
        seconds.append(linked.cpu_s)
    (view,) = measure.compare({"view": lambda: link(home, ZONE)}, rounds=3)
    print(f"\n{NEW:,} new outcomes on {size:,}, warm process, against decoding them")
    print(f"  median {statistics.median(seconds) * 1000:.1f} ms, {statistics.median(ratios):.1f}x")
    print(
        f"  mean, merging included {statistics.mean(seconds) * 1000:.1f} ms, {statistics.mean(ratios):.1f}x"
    )
    print(f"  the view behind it, once a night {view.cpu_s * 1000:.0f} ms")
    print("  aim: median <= 10x, flat in the size of the index")


def decode(path: str, decoder: object) -> None:
    """Decode every line of a file."""
    with open(path, "rb") as stream:
        for line in stream:
            decoder(line)  # type: ignore[operator]


def decode_from(path: str, start: int) -> None:
    """Decode the lines of a file from a place on, untyped."""
    with open(path, "rb") as stream:
        stream.seek(start)
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
