"""Log one outcome in a cold process, durably, beside an empty Python.

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.bench_log [ROUNDS]``. Bytecode is
cached, as it is on any machine after the first run, in a folder of its own.
"""

import os
import sys
import tempfile
from pathlib import Path

from tests.homes import make_home

from bench import measure

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


if __name__ == "__main__":
    main()
