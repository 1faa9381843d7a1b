"""What the report weighs and costs: with 0 to 1,000 associations, and of a home with three years behind it.

Run with ``make bench-report``. The years' outcomes are invented: five a day, three tags each out of 160, some of them
far more often than others.
"""

import contextlib
import io
import os
import random  # noqa: TID251 - seeded
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bench.long_home import make_long_home
from tests.blackbox.world import found
from tests.linking import lines, outcome

from nightledger.domain.words import dump_moment
from nightledger.files.home import Home
from nightledger.surfaces import cli
from nightledger.trust import audit

ENTRIES = 4_600
"""Of three years."""
TAGS, A_DAY = 160, 5
MOST_KB = 60


def outcomes_of(first: datetime, last: datetime) -> Iterator[dict[str, Any]]:
    """Give what an agent would log in that time."""
    rng, at, n = random.Random(3), first, 0
    while at < last:
        for hour in range(A_DAY):
            n += 1
            often = min(int(rng.paretovariate(0.8)), TAGS - 1)
            tags = {f"topic_{one}" for one in (often, rng.randrange(TAGS), rng.randrange(TAGS))}
            when = dump_moment(at + timedelta(hours=8 + hour))
            ended = rng.choice(("success",) * 4 + ("failure",))
            words = {"resolution": f"do_{often % 17}_{n % 5}", "outcome": ended, "task_type": f"task_{often % 30}"}  # fmt: skip
            yield outcome(n, tags, timestamp=when, received_at=when, session=f"s{n}", **words)
        at += timedelta(days=1)


def main() -> None:
    """Print a row for each home."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for count in (0, 10, 100, 1000):
            world = found(folder / f"{count}")
            pairs = ((f"topic_{n % 37}", f"tool_{n % 101}") for n in range(count))
            records = [outcome((n, k), pair, session=f"{n} {k}") for n, pair in enumerate(pairs) for k in range(1 + n % 4)]  # fmt: skip
            say(f"{count} associations", world.home, world.keys, world.now, records)
        gate = make_long_home(folder / "years", ENTRIES)
        events = audit.check_log(gate.home, None).events
        records = list(outcomes_of(events[0].at, events[-1].at))
        at = events[-1].at + timedelta(hours=3)
        say("three years", Path(gate.home.root), Path(gate.ring.directory), at, records)


def say(what: str, home: Path, keys: Path, now: datetime, records: list[dict[str, Any]]) -> None:
    """Make a home's report and print what it weighs and cost."""
    os.environ["NIGHTLEDGER_KEYS"] = str(keys)
    with open(Home(str(home)).outcomes, "ab") as stream:
        stream.write(lines(records))
    words = ("--home", str(home), "--now", now.isoformat())
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        cli.main(["link", *words])
        began = time.process_time()
        status = cli.main(["report", *words])
        took_s = time.process_time() - began
    size_kb = (home / ".nightledger/report.html").stat().st_size / 1024
    told = "" if size_kb <= MOST_KB and not status else f"  MISSED: at most {MOST_KB} KB, status {status}"
    print(f"{what:<20} {len(records):>6} outcomes  {size_kb:5.1f} KB  {took_s:.2f} s of CPU{told}")


if __name__ == "__main__":
    main()
