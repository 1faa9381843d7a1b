"""``make fuzz``: each target for some seconds under a coverage-guided fuzzer, and its two planted faults.

One process at a time. Prints inputs run, edges covered, findings and planted faults found for each
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
from dataclasses import dataclass
from pathlib import Path

from tests.faults.fuzz.planted import KINDS
from tests.faults.fuzz.table import TARGETS, module_of
from tests.faults.fuzz.target import Target
from tests.faults.sweep_report import report

SWEEP = "fuzzing guided by coverage"
NO_ATHERIS = (
    "skipped: atheris is not installed for this Python. It has wheels for Linux only, so it is no "
    "dependency here; '.venv/bin/pip install atheris' adds it"
)
ONE_INPUT_S = 20
MEMORY_MB = 2048
_STATUS = re.compile(r"^#(\d+)\s.*cov: (\d+) ft: (\d+)", re.MULTILINE)
_DONE = re.compile(r"^Done (\d+) runs in", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What libFuzzer said of one run.

    Attributes:
        runs: Inputs run.
        edges: Branches covered.
        features: Branches by how often they were taken, and compared values.
        aborted: Whether it ended by itself: an input that hangs, eats memory or kills the process.
    """

    runs: int
    edges: int
    features: int
    aborted: bool


def read_output(text: str, status: int) -> Searched:
    """Read what libFuzzer printed."""
    lines = _STATUS.findall(text)
    last = [int(number) for number in lines[-1]] if lines else [0, 0, 0]
    done = _DONE.search(text)
    runs = int(done[1]) if done else last[0]
    return Searched(runs=runs, edges=last[1], features=last[2], aborted=status != 0)


def search(target: Target, folder: Path, seconds: int) -> tuple[Searched, str]:
    """Run one process of the fuzzer over one target; give what it did and all that it said."""
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for n, seed in enumerate(target.seeds()):
        (corpus / f"seed-{n}").write_bytes(seed)
    limits = [f"-max_total_time={seconds}", f"-timeout={ONE_INPUT_S}", f"-rss_limit_mb={MEMORY_MB}"]
    command = [
        sys.executable, "-m", "tests.faults.fuzz.guided", module_of(target.name), target.name, str(folder),
        *limits, f"-max_len={target.max_bytes}", "-use_value_profile=1", f"-artifact_prefix={folder}/", str(corpus),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, check=False)
    text = done.stderr.decode(errors="replace")
    (folder / "output.txt").write_text(text)
    return read_output(text, done.returncode), text


def fuzz(target: Target, work: Path, seconds: int) -> tuple[Searched, list[str], int]:
    """Search one target, again after each input that ends the process; give findings and planted faults found, too."""
    folder, caught, aborts = work / target.name, set[str](), list[str]()
    until, runs = time.monotonic() + seconds, 0
    while True:
        left = round(until - time.monotonic())
        got, told = search(target, folder, max(1, left))
        runs += got.runs
        caught.update(kind for kind in KINDS if f"PLANTED {kind}\n" in told)
        if not got.aborted or left <= 1:
            break
        aborts.append("an input ended the process: see output.txt")
    kinds = [json.loads(path.read_text())["kind"] for path in sorted(folder.glob("crash-*.json"))]
    return (
        Searched(runs=runs, edges=got.edges, features=got.features, aborted=bool(aborts)),
        [*kinds, *aborts],
        len(caught),
    )


def run(targets: Iterable[Target], work: Path, seconds: int) -> int:
    """Fuzz some targets; 1 where something was found or a planted fault was not."""
    print(
        f"{'target':16} {'inputs':>10} {'edges':>6} {'features':>8} {'findings':>8} {'planted found':>13}",
        flush=True,
    )
    held = True
    for target in targets:
        got, findings, caught = fuzz(target, work, seconds)
        of = f"{caught} of {len(KINDS)}"
        print(
            f"{target.name:16} {got.runs:>10,} {got.edges:>6,} {got.features:>8,} {len(findings):>8} {of:>13}"
        )
        for finding in findings:
            print(f"    {finding}; the input is in {work / target.name}")
        sys.stdout.flush()
        report(SWEEP, target.name, points=got.runs, failed=len(findings), controls=len(KINDS), caught=caught)
        held = held and not findings and caught == len(KINDS)
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
