"""A FIFO, a directory, a link or a device in the place of any file of a home: no verb waits, each says what is wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.faults.sweep_report import report, whole

ROOT = Path(__file__).resolve().parents[2]
SWEEP = "something that is no file in the place of a file"
DISPOSABLE = "home/.nightledger/"
OTHERS = (
    "home/A",
    "home/C",
    "home/H",
    "home/M",
    "home/S",
    "home/a",
    "home/c",
    "home/m",
    "home/.git",
    "keys/",
)
CASES = [
    ("fifo", (DISPOSABLE,)),
    ("fifo", OTHERS),
    *((kind, (DISPOSABLE,)) for kind in ("directory", "loop", "device")),
]
QUICK = (
    "home/.nightledger/search/index.db-journal",
    "home/.nightledger/links/2",
    "home/.nightledger/next-due",
)
"""What hung once: in 'make test' these alone are tried."""


def swept(work: Path, kind: str, prefixes: tuple[str, ...]) -> None:
    words = [sys.executable, "-m", "tests.faults.strange_files", str(work), kind, *prefixes]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'scripts'}:{ROOT}"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    report(SWEEP, f"{kind} {prefixes[0]}", points=found["points"], failed=len(found["failed"]))
    assert found["points"]
    assert not found["failed"], "\n".join(found["failed"][:8])


def test_what_hung_once_does_not_hang(tmp_path: Path) -> None:
    swept(tmp_path, "fifo", QUICK)


@pytest.mark.skipif(not whole(), reason="only 'make test-faults' runs the whole sweep")
@pytest.mark.parametrize(
    ("kind", "prefixes"), CASES, ids=lambda value: value if isinstance(value, str) else value[0]
)
def test_no_verb_waits_for_what_is_no_file(kind: str, prefixes: tuple[str, ...], tmp_path: Path) -> None:
    swept(tmp_path, kind, prefixes)
