#!/usr/bin/env python3
"""Break random lines of domain, gate and trust, one at a time; the tests must notice.

For each line the tests that execute it are known from one coverage run, and only they
run against a copy of the tree with that line broken. Prints how many broken lines made a
test fail and lists those that did not. Exit status 1 below 90 %.

Usage: make mutants [COUNT=200] [MUTANTS_SEED=1]
"""

import ast
import concurrent.futures
import copy
import os
import random  # noqa: TID251 - which lines are broken is a sample, from a seed
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("domain", "gate", "trust")
TESTS = tuple(f"tests/{name}" for name in (*PACKAGES, "codec", "files", "jobs"))
"""What is asked to notice; the tests of the surfaces and the demo take longer and see less."""
LEAST_KILLED = 0.90
MOST_TESTS = 60
TIMEOUT_S = 300
PLUGIN = """
import coverage

def pytest_runtest_logstart(nodeid, location):
    current = coverage.Coverage.current()
    if current is not None:
        current.switch_context(nodeid)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One broken line.

    Attributes:
        path: File, relative to the checkout.
        line: The line, from 1.
        what: What was done to it.
        source: The whole file with it.
        tests: Node ids of the tests that execute the line.
    """

    path: str
    line: int
    what: str
    source: str
    tests: tuple[str, ...]


def main() -> int:
    """Run the sample and print the result."""
    count = int(os.environ.get("COUNT") or 200)
    seed = int(os.environ.get("MUTANTS_SEED") or 1)
    with tempfile.TemporaryDirectory(prefix="nightledger-mutants-") as scratch:
        covered = run_coverage(Path(scratch))
        mutants = sample(covered, count, random.Random(seed))
        jobs = max(1, (os.cpu_count() or 2))
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            copies = [make_copy(Path(scratch) / f"copy{n}") for n in range(jobs)]
            killed = list(
                pool.map(lambda pair: survives(pair[1], copies, pair[0]) is False, enumerate(mutants))
            )
    survivors = [mutant for mutant, dead in zip(mutants, killed, strict=True) if not dead]
    share = 1 - len(survivors) / len(mutants)
    print(f"{len(mutants)} lines broken (seed {seed}), {len(mutants) - len(survivors)} noticed: {share:.1%}")
    for mutant in survivors:
        print(f"  survived {mutant.path}:{mutant.line}: {mutant.what}")
    return 0 if share >= LEAST_KILLED else 1


def run_coverage(scratch: Path) -> dict[str, dict[int, tuple[str, ...]]]:
    """Give for each file and line the tests that execute it."""
    import coverage

    (scratch / "mutants_contexts.py").write_text(PLUGIN)
    store = scratch / "coverage"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'scripts'}:{scratch}", "COVERAGE_FILE": str(store)}
    include = ",".join(f"{ROOT}/scripts/nightledger/{name}/*" for name in PACKAGES)
    command = [
        sys.executable,
        "-m",
        "coverage",
        "run",
        "--rcfile=/dev/null",
        f"--include={include}",
        "-m",
        "pytest",
    ]
    options = ["-q", "-x", "-p", "mutants_contexts", "-p", "no:randomly", "-n", "0", *TESTS]
    done = subprocess.run(
        [*command, *options], cwd=ROOT, env=environment, check=False, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"the tests fail before anything is broken:\n{done.stdout[-2000:]}")
    data = coverage.CoverageData(str(store))
    data.read()
    return {
        os.path.relpath(path, ROOT): {
            line: tuple(sorted(test for test in tests if test))
            for line, tests in data.contexts_by_lineno(path).items()
        }
        for path in data.measured_files()
    }


def sample(covered: dict[str, dict[int, tuple[str, ...]]], count: int, dice: random.Random) -> list[Mutant]:
    """Choose lines at random, over all files alike, and one way to break each."""
    candidates: list[Mutant] = []
    for name in PACKAGES:
        for path in sorted((ROOT / "scripts" / "nightledger" / name).rglob("*.py")):
            relative = str(path.relative_to(ROOT))
            source = path.read_text(encoding="utf-8")
            lines = covered.get(relative, {})
            by_line: dict[int, list[Mutant]] = {}
            for line, what, broken in break_source(source):
                tests = lines.get(line, ())
                by_line.setdefault(line, []).append(
                    Mutant(path=relative, line=line, what=what, source=broken, tests=tests)
                )
            candidates += [dice.choice(options) for _, options in sorted(by_line.items())]
    return sorted(dice.sample(candidates, min(count, len(candidates))), key=lambda m: (m.path, m.line))


def break_source(source: str) -> Iterator[tuple[int, str, str]]:
    """Give every way to break one line: the line, what is done, and the whole file with it."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    inside = [child for function in functions for statement in function.body for child in ast.walk(statement)]
    lines = source.encode().split(b"\n")
    for node in inside:
        for place, what, changed in mutate(node):
            first, last = place.lineno - 1, (place.end_lineno or place.lineno) - 1
            text = ast.unparse(changed)
            new = f"({text})" if isinstance(place, ast.expr) else text
            line = lines[first][: place.col_offset] + new.encode() + lines[last][place.end_col_offset :]
            broken = b"\n".join([*lines[:first], line, *lines[last + 1 :]]).decode()
            try:
                compile(broken, "mutant", "exec")
            except SyntaxError:
                continue
            yield first + 1, f"{what}: {lines[first].decode().strip()[:70]}", broken


_COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
}  # fmt: skip
Place = ast.expr | ast.stmt


def mutate(node: ast.AST) -> Iterator[tuple[Place, str, ast.AST]]:
    """Give the ways to break one node of the syntax tree: where, what, and what stands there then."""
    if isinstance(node, (ast.If, ast.IfExp)) and not isinstance(node.test, (ast.Compare, ast.BoolOp)):
        yield node.test, "condition turned round", ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.expr):
        yield from _mutate_expression(node)
    elif isinstance(node, ast.Return) and node.value is not None:
        yield node, "returns None", ast.Return(ast.Constant(None))
    elif isinstance(node, (ast.AugAssign, ast.Raise)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield node, "statement left out", ast.Pass()


def _mutate_expression(node: ast.expr) -> Iterator[tuple[Place, str, ast.AST]]:
    changed = copy.deepcopy(node)
    if isinstance(changed, ast.Compare) and type(changed.ops[0]) in _COMPARE:
        changed.ops[0] = _COMPARE[type(changed.ops[0])]()
        yield node, "comparison turned round", changed
    elif isinstance(changed, ast.BinOp) and type(changed.op) in _BINARY:
        changed.op = _BINARY[type(changed.op)]()
        yield node, "arithmetic changed", changed
    elif isinstance(changed, ast.BoolOp):
        changed.op = ast.Or() if isinstance(changed.op, ast.And) else ast.And()
        yield node, "and/or exchanged", changed
    elif isinstance(changed, ast.Constant) and isinstance(changed.value, bool):
        changed.value = not changed.value
        yield node, "constant turned round", changed
    elif isinstance(changed, ast.Constant) and isinstance(changed.value, int):
        changed.value += 1
        yield node, "constant plus one", changed


def make_copy(target: Path) -> Path:
    """Copy what the tests need."""
    skip = shutil.ignore_patterns(
        ".git", ".venv", ".stamps", "demo-home*", "__pycache__", ".*_cache", ".coverage*"
    )
    shutil.copytree(ROOT, target, ignore=skip)
    return target


def survives(mutant: Mutant, copies: list[Path], n: int) -> bool:
    """Tell whether every test that executes the line still passes."""
    if not mutant.tests:
        return True
    place = Path(tempfile.mkdtemp(dir=copies[n % len(copies)].parent))
    tree = make_copy_of(copies[n % len(copies)], place / "tree")
    (tree / mutant.path).unlink()  # a hard link: writing in place would break every copy
    (tree / mutant.path).write_text(mutant.source, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tree / "scripts"), "PYTHONDONTWRITEBYTECODE": "1"}
    tests = (
        mutant.tests if len(mutant.tests) <= MOST_TESTS else mutant.tests[:: len(mutant.tests) // MOST_TESTS]
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:randomly",
        "-n",
        "0",
        "--no-header",
        *tests,
    ]
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, check=False, capture_output=True, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return False
    else:
        return done.returncode == 0
    finally:
        shutil.rmtree(place, ignore_errors=True)


def make_copy_of(source: Path, target: Path) -> Path:
    """Copy a copy by hard links, so that a broken line costs one file."""
    shutil.copytree(source, target, copy_function=os.link)
    return target


if __name__ == "__main__":
    sys.exit(main())
