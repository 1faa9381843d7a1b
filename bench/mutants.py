#!/usr/bin/env python3
"""Break random lines of domain, gate and trust, or of other packages, one at a time; the tests must notice.

Works on a copy of the checkout, so that nothing broken stays behind, whatever ends it.
For each line only the tests that execute it run (``bench/covering.py``), and those of the
module's own test file; each run has a limit of memory and of time as a multiple of what
the tests take unbroken. Prints survivors as they are found, and how many broken lines made
a test fail. Exit status 1 below 90 %.

Usage: make mutants [COUNT=200] [MUTANTS_SEED=1] [MUTANTS_JOBS=2] [MUTANTS_ONLY=gate/applying,gate/reviewing]
       make mutants MUTANTS_ASK=blackbox MUTANTS_ONLY=gate,trust      (the black box alone; exit 1 below 75 %)

``MUTANTS_ONLY`` names folders or beginnings of paths below ``scripts/nightledger``, in any
package (``recall,jobs/stage``); outside of these three the tests of the same folders are asked, and
those that ``MUTANTS_TESTS`` names below ``tests`` (``surfaces/verbs/test_hook``).
"""

import dataclasses
import os
import random  # noqa: TID251 - which lines are broken is a sample, from a seed
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bench.breaking import break_source
from bench.covering import MEMORY_BYTES, PYTEST, SOURCES, Covering, Scope, cover
from bench.limited import End, Limits, Runner

ROOT = Path(__file__).resolve().parents[1]
STAMPS = ROOT / ".stamps"
LEAST_NOTICED, LEAST_NOTICED_OUTSIDE = 0.90, 0.75
"""By all tests of the packages; by the tests that ``MUTANTS_ASK`` names, alone."""
MOST_TESTS_S = 120.0
"""Unbroken time of the tests that are asked about one line; those of its own test file all run."""
CPU_FACTOR, CPU_START_S = 4, 60
WALL_FACTOR, WALL_START_S = 12, 240
"""Limits as multiples of the unbroken time; other work may share the processors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One broken line and who is asked to notice.

    Attributes:
        path: File, relative to the checkout.
        line: The line, from 1.
        what: What was done to it.
        source: The whole file with it.
        tests: Node ids, in the order in which they run.
        tests_s: How long they take unbroken.
    """

    path: str
    line: int
    what: str
    source: str
    tests: tuple[str, ...]
    tests_s: float


def main() -> int:
    """Run the sample and print the result."""
    count = int(os.environ.get("COUNT") or 200)
    seed = int(os.environ.get("MUTANTS_SEED") or 1)
    jobs = int(os.environ.get("MUTANTS_JOBS") or os.cpu_count() or 2)
    runner = Runner()
    stop_on_signals(runner)
    with tempfile.TemporaryDirectory(prefix="nightledger-mutants-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder)
        only, more, ask = (os.environ.get(f"MUTANTS_{name}", "") for name in ("ONLY", "TESTS", "ASK"))
        try:
            tree = make_copy(scratch / "tree")
            scope = Scope.of(only, more, tree, ask=ask)
            covering = cover(scope, tree, scratch, STAMPS / scope.kept, runner, jobs)
            warm_up(scope, tree, scratch, runner)
            mutants = sample(scope, tree, covering, count, random.Random(seed))
            require_whole(max(mutants, key=lambda mutant: mutant.tests_s), tree, runner)
            survivors = run_all(mutants, tree, runner, jobs)
        finally:
            runner.stop()
    noticed = len(mutants) - len(survivors)
    share = noticed / len(mutants)
    print(f"{len(mutants)} lines broken (seed {seed}), {noticed} noticed: {share:.1%}")
    for mutant in survivors:
        print(f"  {describe(mutant)}")
    return 0 if share >= (LEAST_NOTICED_OUTSIDE if ask else LEAST_NOTICED) else 1


def stop_on_signals(runner: Runner) -> None:
    """End the tests at once when we are told to end; they are in process groups of their own."""

    def stop(number: int, _frame: object) -> None:
        runner.stop()
        sys.exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)


def make_copy(target: Path) -> Path:
    """Copy what the tests need."""
    skip = shutil.ignore_patterns(
        ".git", ".venv", ".stamps", "demo-home*", "__pycache__", ".*_cache", ".hypothesis", ".coverage*"
    )
    shutil.copytree(ROOT, target, ignore=skip)
    python = target / ".venv/bin/python"  # what lines for cron name must be there
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return target


def warm_up(scope: Scope, tree: Path, scratch: Path, runner: Runner) -> None:
    """Compile all once, so that each copy of the copy need not."""
    command = [sys.executable, "-m", "pytest", *PYTEST, "--collect-only", *scope.modules(tree)]
    limits = Limits(memory_bytes=MEMORY_BYTES, cpu_s=600, wall_s=1200)
    environment = {"PYTHONPATH": str(tree / "scripts")}
    output = scratch / "collected"
    if (
        runner.run(command, folder=tree, environment=environment, limits=limits, output=output)
        is not End.PASSED
    ):
        sys.exit(f"the tests cannot be collected:\n{output.read_text()[-3000:]}")


def sample(scope: Scope, tree: Path, covering: Covering, count: int, dice: random.Random) -> list[Mutant]:
    """Choose lines at random, over all files alike, and one way to break each."""
    candidates: list[Mutant] = []
    begins = tuple(f"{SOURCES}/{place}" for place in scope.places)
    for file in sorted((tree / SOURCES).rglob("*.py")):
        path = file.relative_to(tree).as_posix()
        if not path.startswith(begins):
            continue
        by_line: dict[int, list[Mutant]] = {}
        for broken in break_source(file.read_text(encoding="utf-8")):
            first, last = broken.lines
            tests = choose_tests(covering, path, range(first, last + 1))
            by_line.setdefault(broken.line, []).append(
                Mutant(
                    path=path,
                    line=broken.line,
                    what=broken.what,
                    source=broken.source,
                    tests=tests,
                    tests_s=sum(covering.seconds[test] for test in tests),
                )
            )
        candidates += [dice.choice(options) for _, options in sorted(by_line.items())]
    return sorted(dice.sample(candidates, min(count, len(candidates))), key=lambda m: (m.path, m.line))


def choose_tests(covering: Covering, path: str, lines: Sequence[int]) -> tuple[str, ...]:
    """Give the tests that are asked about a line, those that most likely notice first.

    First those of the module's own test file that execute it, then others that do, the
    quickest first, and then the rest of the own file, because a fixture that several tests
    share counts for the first of them only.
    """
    file = PurePosixPath(path).relative_to(SOURCES)
    mirror = f"tests/{file.parent}/test_{file.stem}.py::"
    executing = covering.executing(path, lines)
    quickest = sorted(covering.seconds, key=lambda test: (covering.seconds[test], test))
    own = [test for test in quickest if test.startswith(mirror)]
    others: list[str] = []
    left_s = MOST_TESTS_S
    for test in quickest:
        if test in executing and not test.startswith(mirror) and left_s > 0:
            left_s -= covering.seconds[test]
            others.append(test)
    return (
        *(test for test in own if test in executing),
        *others,
        *(test for test in own if test not in executing),
    )


def require_whole(mutant: Mutant, tree: Path, runner: Runner) -> None:
    """Try the largest of the mutants with the line whole: what fails then is no notice taken."""
    whole = dataclasses.replace(mutant, source=(tree / mutant.path).read_text(encoding="utf-8"))
    if try_one(whole, tree, runner) is not End.PASSED:
        sys.exit(f"the tests of {mutant.path}:{mutant.line} fail with nothing broken")


def run_all(mutants: Sequence[Mutant], tree: Path, runner: Runner, jobs: int) -> list[Mutant]:
    """Give the mutants that no test noticed; tells how far it is."""
    survivors: list[Mutant] = []
    start_s = time.monotonic()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            futures = {pool.submit(try_one, mutant, tree, runner): mutant for mutant in mutants}
            for done, future in enumerate(as_completed(futures), 1):
                end = future.result()
                if end is End.LIMIT:
                    print(f"  out of time {describe(futures[future])}", flush=True)
                if end is End.PASSED:
                    survivors.append(futures[future])
                    print(f"  survived {describe(futures[future])}", flush=True)
                if not done % 10 or done == len(mutants):
                    spent_s = time.monotonic() - start_s
                    print(
                        f"{done} of {len(mutants)} tried, {done - len(survivors)} noticed, {spent_s:.0f} s",
                        flush=True,
                    )
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            runner.stop()
            raise
    return sorted(survivors, key=lambda mutant: (mutant.path, mutant.line))


def describe(mutant: Mutant) -> str:
    """Give where a mutant is and what it breaks."""
    return f"{mutant.path}:{mutant.line}: {mutant.what} ({len(mutant.tests)} tests)"


def try_one(mutant: Mutant, base: Path, runner: Runner) -> End:
    """Tell how the tests end with the line broken; out of time is noticed, too."""
    if not mutant.tests:
        return End.PASSED
    place = Path(tempfile.mkdtemp(dir=base.parent))
    try:
        tree = place / "tree"
        shutil.copytree(base, tree, copy_function=os.link)  # so that a broken line costs one file
        broken = tree / mutant.path
        broken.unlink()  # writing in place would break every copy
        broken.write_text(mutant.source, encoding="utf-8")
        for compiled in (broken.parent / "__pycache__").glob(f"{broken.stem}.*"):
            compiled.unlink()
        (place / "tests").write_text("".join(f"{test}\n" for test in mutant.tests))
        return runner.run(
            [sys.executable, "-m", "pytest", *PYTEST, f"@{place / 'tests'}"],
            folder=tree,
            environment={"PYTHONPATH": str(tree / "scripts"), "PYTHONDONTWRITEBYTECODE": "1"},
            limits=Limits(
                memory_bytes=MEMORY_BYTES,
                cpu_s=CPU_START_S + int(CPU_FACTOR * mutant.tests_s),
                wall_s=WALL_START_S + int(WALL_FACTOR * mutant.tests_s),
            ),
            output=place / "output",
        )
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
