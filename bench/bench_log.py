"""What verbs cost in a cold process, beside an empty Python: log one outcome; look at a young and at a three-year-old home.

Run with ``PYTHONPATH=scripts:. .venv/bin/python -m bench.bench_log [ROUNDS]``. Bytecode is
cached, as it is on any machine after the first run, in a folder of its own.
"""

import os
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.long_home import make_long_home
from tests.homes import make_home

from bench import measure
from nightledger.trust import audit

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKOUT = Path(__file__).resolve().parents[1]
ROUNDS = 25
WORDS = [
    "--task-type",
    "debug_cron",
    "--tags",
    "cron,time_zone",
    "--resolution",
    "set_zone_explicitly",
    "--outcome",
    "success",
    "--source",
    "memory/daily/2026-02-28.md#cron",
]
STANDARD_LIBRARY = "import argparse, base64, datetime, fcntl, hashlib, json"


THREE_YEARS = 4_500
"""Entries of a log, as ``bench/long_home.py`` makes it; the other home is three days old."""
VERBS = ("status", "report", "proposals", "review", "recall kept", "doctor", "history -n 1")


def verbs(folder: Path, events: int, rounds: int) -> tuple[measure.Measured, ...]:
    """Measure what a person calls, on a home whose log has at least so many entries, an hour after the last."""
    gate = make_long_home(folder, events)
    os.environ["NIGHTLEDGER_KEYS"] = str(gate.ring.directory)
    newest = audit.check_log(gate.home, None).newest
    now = f"{newest.at + timedelta(hours=1):%Y-%m-%dT%H:30:00Z}" if newest else ""
    program = [sys.executable, str(CHECKOUT / "scripts" / "command.py")]
    calls: dict[str, Callable[[], object]] = {
        "python -c pass": lambda: subprocess.run([sys.executable, "-c", "pass"], check=True)
    }
    for verb in VERBS:
        first, *rest = verb.split()
        words = [*program, first, "--home", gate.home.root, "--now", now, *rest]
        calls[verb] = partial(subprocess.run, words, capture_output=True, check=False)
    time.sleep(1.1)  # a look at files that were written a moment ago is not kept
    measure.compare_children(calls, rounds=1)
    return measure.compare_children(calls, rounds=rounds)


def main() -> None:
    """Print the ratios."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/bytecode"
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        home = make_home(Path(folder) / "home", simulated=False, machine=os.uname().nodename)
        log = [sys.executable, str(CHECKOUT / "scripts" / "outcome_logger.py"), "--home", home.root, *WORDS]
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "the standard library that it uses": [sys.executable, "-c", STANDARD_LIBRARY],
            "log one outcome, durable": log,
        }
        measure.compare_commands(commands, rounds=2)  # fills the bytecode cache
        measured = measure.compare_commands(commands, rounds=rounds)
        assert len(Path(home.outcomes).read_bytes().splitlines()) == rounds + 2
        measure.report("log one outcome, cold process", measured, aim="<= 4x")
        for events in (10, THREE_YEARS):
            found = verbs(Path(folder) / str(events), events, max(3, rounds // 5))
            title = f"a log of {events:,} entries or more"
            measure.report(title, found, aim="status, proposals, review 10x, recall 15x, at both ages")


if __name__ == "__main__":
    main()
