"""What a start costs whoever writes it."""

import subprocess
import sys
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"

_PROGRAM = "import argparse, sys; argparse.ArgumentParser().add_argument('--x'); print(*sys.modules)"


@cache
def loaded_by_argparse() -> frozenset[str]:
    """Give the modules that argparse loads for one option; since Python 3.14 dataclasses and inspect, for its colours."""
    done = subprocess.run([sys.executable, "-IS", "-c", _PROGRAM], capture_output=True, text=True, check=True)
    return frozenset(done.stdout.split())


def loaded_by(*words: str, **environment: str) -> frozenset[str]:
    """Return the modules that a command, which must succeed, has loaded at its end, in a process of its own."""
    program = (
        f"import sys; from nightledger.surfaces.cli import main; assert main({list(words)!r}) == 0;"
        " print(); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(SCRIPTS), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return frozenset(done.stdout.splitlines()[-1].split())
