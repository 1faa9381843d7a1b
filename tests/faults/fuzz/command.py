"""``make fuzz``: each target for some seconds under a coverage-guided fuzzer, and its planted error.

One process at a time. Prints inputs run, edges covered, findings and whether the planted error was found for each
target; keeps corpora and findings below ``--work``. Where atheris is missing, it says so and stops.
"""

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.faults.fuzz.guided import PLANTED
from tests.faults.fuzz.table import LISTS, TARGETS
from tests.faults.fuzz.target import Target
from tests.faults.sweep_report import report

SWEEP = "fuzzing guided by coverage"
NO_ATHERIS = (
    "skipped: atheris is not installed for this Python. It has wheels for Linux only, so it is no "
    "dependency here; '.venv/bin/pip install atheris' adds it"
)
ONE_INPUT_S = 20
MEMORY_MB = 2048
ROUNDS = 6
"""A search goes on, each time for twice as long, while the planted error is not found: some are deeper than others."""
_STATUS = re.compile(r"^#(\d+)\s.*cov: (\d+) ft: (\d+)", re.MULTILINE)
_DONE = re.compile(r"^Done (\d+) runs in", re.MULTILINE)


def search(target: Target, folder: Path, seconds: int) -> tuple[str, bool]:
    """Run one process of the fuzzer over one target; return all that it said, and whether an input ended it."""
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for n, seed in enumerate(target.inputs()):
        (corpus / f"seed-{n}").write_bytes(seed)
    module = next(module.__name__ for module in LISTS if target in module.TARGETS)
    limits = [f"-max_total_time={seconds}", f"-timeout={ONE_INPUT_S}", f"-rss_limit_mb={MEMORY_MB}"]
    command = [
        sys.executable, "-m", "tests.faults.fuzz.guided", module, target.name, str(folder),
        *limits, f"-max_len={target.max_bytes}", "-use_value_profile=1", f"-artifact_prefix={folder}/", str(corpus),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, check=False)
    text = done.stderr.decode(errors="replace")
    (folder / "output.txt").write_text(text)
    return text, done.returncode != 0


def fuzz(target: Target, work: Path, seconds: int) -> tuple[int, int, list[str], bool]:
    """Search one target, again after each input that ends the process.

    Returns:
        Inputs run, branches covered, findings, and whether the planted error was found.
    """
    folder, until, rounds = work / target.name, time.monotonic() + seconds, 0
    runs, edges, caught, aborts = 0, 0, False, list[str]()
    while True:
        left = round(until - time.monotonic())
        told, aborted = search(target, folder, max(1, left))
        newest = _STATUS.findall(told)[-1:] or [(0, 0, 0)]
        done = _DONE.search(told)
        runs, edges = runs + int(done[1] if done else newest[0][0]), int(newest[0][1])
        caught = caught or PLANTED in told
        if aborted and left > 1:
            aborts.append("an input ended the process: see output.txt")
            continue
        if caught or (rounds := rounds + 1) == ROUNDS:
            break
        until = time.monotonic() + seconds * 2**rounds
    kinds = [json.loads(path.read_text())["kind"] for path in sorted(folder.glob("crash-*.json"))]
    return runs, edges, [*kinds, *aborts], caught


def run(targets: Iterable[Target], work: Path, seconds: int) -> int:
    """Fuzz some targets; 1 where something was found or the planted error was not."""
    print(f"{'target':16} {'inputs':>10} {'edges':>6} {'findings':>8} planted", flush=True)
    held = True
    for target in targets:
        runs, edges, findings, caught = fuzz(target, work, seconds)
        print(
            f"{target.name:16} {runs:>10,} {edges:>6,} {len(findings):>8} {'found' if caught else 'MISSED'}"
        )
        for finding in findings:
            print(f"    {finding}; the input is in {work / target.name}")
        sys.stdout.flush()
        report(SWEEP, target.name, points=runs, failed=len(findings), controls=1, caught=int(caught))
        held = held and not findings and caught
    return 0 if held else 1


def main(argv: Sequence[str] | None = None) -> int:
    """Read the command line and fuzz."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--target", choices=sorted(TARGETS), help="only this one")
    parser.add_argument("--work", type=Path, required=True, help="where corpora and findings are kept")
    options = parser.parse_args(argv)
    if importlib.util.find_spec("atheris") is None:
        print(NO_ATHERIS)
        return 0
    os.nice(19 - os.nice(0))
    chosen = [TARGETS[options.target]] if options.target else list(TARGETS.values())
    return run(chosen, options.work, options.seconds)


if __name__ == "__main__":
    sys.exit(main())
