"""One pass of curation, and one recall by frame, over 1,000 and over 10,000 entries.

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.bench_curate``; about a minute. Entries and
outcomes are made up from seeds: 400 active hours, as many outcomes as entries, each after five
entries were shown, and with three of a hundred tags. The pass is a first one, with everything to
propose; it writes nothing, so that each round finds the same.
"""

import json
import random  # noqa: TID251 - made-up outcomes come from a seed
import tempfile
from datetime import timedelta
from functools import partial
from pathlib import Path

from bench.bench_link import made_up
from bench.bench_retention import SUBJECTS, small_home
from tests.gate.homes import START, Desk
from tests.gate.principled import seed

from bench import measure
from nightledger.domain.frames import Frame
from nightledger.gate.memory.naming import find_standing
from nightledger.gate.memory.recalling import recollect
from nightledger.jobs.curate import curate

HOURS = 400
SHOWN = 5
SIZES = (1_000, 10_000)


def main() -> None:
    """Print the figures."""
    calls = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            desk = lived_home(Path(folder) / str(size), size)
            calls[f"curate, {size:,} entries"] = partial(one_pass, desk)
            calls[f"recall --frame TASK, {size:,} entries"] = partial(one_recall, desk)
        measured = measure.compare(calls, rounds=3)
    measure.report(
        "a pass of curation; a recall", measured, aim="curate: 10,000 under 2 s, and linear (10x of 1,000)"
    )


def one_pass(desk: Desk) -> None:
    """Curate, and write nothing."""
    done = curate(desk.gate, desk.ledger(), desk.moment, dry_run=True)
    if not (done.periods and done.constitutional_reinforced == 10 and done.reinforced and done.proposals):
        raise SystemExit(f"the pass did nothing: {done}")


def one_recall(desk: Desk) -> None:
    """Fill one frame."""
    recollect(desk.gate, desk.ledger(), Frame.TASK, "the backup of room 12 is late", desk.moment)


def lived_home(root: Path, size: int) -> Desk:
    """Make a home of that many entries and as many outcomes over 400 active hours."""
    desk = small_home(root, size)
    seed(desk)
    names = list(find_standing(desk.home, desk.ledger().book).entries)
    dice = random.Random(size)
    with open(desk.home.outcomes, "wb") as stream:
        for n, line in enumerate(made_up(size, seed=1)):
            at = f"{START.at + timedelta(hours=n * HOURS // size):%Y-%m-%dT%H:%M:%SZ}"
            record = json.loads(line) | {"received_at": at, "timestamp": at, "session": f"s{n % 499}"}
            record["shown"] = sorted(dice.sample(names, SHOWN))
            record["context_tags"] = sorted([*dice.sample(SUBJECTS, 2), f"room_{dice.randrange(97)}"])
            stream.write(json.dumps(record, separators=(",", ":"), sort_keys=True).encode() + b"\n")
    desk.wait(hours=HOURS + 1)
    return desk


if __name__ == "__main__":
    main()
