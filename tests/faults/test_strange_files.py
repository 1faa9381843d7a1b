"""A FIFO, a directory or a device in the place of any file of a home: no verb waits, each says what is wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.faults.sweep_report import report, whole

ROOT = Path(__file__).resolve().parents[2]
SWEEP = "what is no file in the place of a file"
DISPOSABLE = "home/.nightledger/"
OTHERS = (*(f"home/{name}" for name in ("A", "C", "H", "M", "S", "a", "c", "m", ".git")), "keys/")
CASES = {
    "fifo, disposable": ("fifo", "few", DISPOSABLE),
    "fifo, others": ("fifo", "few", *OTHERS),
    "directory, disposable": ("directory", "few", DISPOSABLE),
    "device, disposable": ("device", "few", DISPOSABLE),
    "dangling link, disposable": ("dangling", "few", DISPOSABLE),
}
"""Arguments of ``strange_files.py``."""
ONCE = (
    "home/.nightledger/search/index.db-journal",
    "home/.nightledger/links/2",
    "home/.nightledger/next-due",
)
"""What hung once: 'make test' tries these alone."""


CONTROLS = {
    "open without O_NONBLOCK": ("fifo", "home/MEMORY.md", " hangs"),
    "truncate in place": ("dangling", "home/.nightledger/next-due", " writes where the link leads"),
}
"""Faults that are planted: what is put where, and what is said when it is found."""


def run(*words: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.faults.strange_files", *words]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'scripts'}:{ROOT}"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def sweep(part: str, work: Path, *words: str) -> None:
    found = run(str(work), *words)
    report(SWEEP, part, points=found["points"], failed=len(found["failed"]))
    assert found["points"]
    assert not found["failed"], "\n".join(found["failed"][:8])


def test_what_hung_once_does_not_hang(tmp_path: Path) -> None:
    sweep("what hung once", tmp_path, "fifo", "all" if whole() else "few", *(ONCE if whole() else ONCE[:1]))


@pytest.mark.parametrize(
    "control", ["truncate in place", pytest.param("open without O_NONBLOCK", marks=pytest.mark.slow)]
)
def test_a_planted_fault_is_found_by_what_is_no_file(control: str, tmp_path: Path) -> None:
    kind, place, said = CONTROLS[control]
    failed = run("--planted", control, str(tmp_path), kind, "few", place)["failed"]
    report(SWEEP, f"planted: {control}", points=0, controls=1, caught=int(bool(failed)))
    assert failed
    assert said in failed[0]


@pytest.mark.skipif(not whole(), reason="only 'make test-faults' runs the whole sweep")
@pytest.mark.parametrize("case", CASES)
def test_no_verb_waits_for_what_is_no_file(case: str, tmp_path: Path) -> None:
    sweep(case, tmp_path, *CASES[case])
