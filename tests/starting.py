"""What a start costs whoever writes it."""

import subprocess
import sys
from functools import cache

_PROGRAM = "import argparse, sys; argparse.ArgumentParser().add_argument('--x'); print(*sys.modules)"


@cache
def loaded_by_argparse() -> frozenset[str]:
    """Give the modules that argparse loads for one option; since Python 3.14 dataclasses and inspect, for its colours."""
    done = subprocess.run([sys.executable, "-IS", "-c", _PROGRAM], capture_output=True, text=True, check=True)
    return frozenset(done.stdout.split())
