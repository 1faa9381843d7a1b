"""Which tests execute which line of the rules: measured once, and kept until something changes.

Invariant: what is kept for a test module is used only while all sources, all that tests
share, and that module are byte for byte what they were.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.limited import End, Limits, Runner

SOURCES = "scripts/nightledger"
PACKAGES = ("domain", "gate", "trust")
TEST_PACKAGES = (*PACKAGES, "codec", "files", "jobs", "blackbox")
"""Whose tests are asked; what the black box holds the packages' own tests hold no second time."""
PYTEST = ("-q", "-x", "-p", "no:randomly", "-p", "no:xdist", "-p", "no:cacheprovider", "--no-header")
MEMORY_BYTES = 3 << 30
"""What the tests may use; broken lines have asked for 10 GB. Unbroken they need less than half of it."""
_MEASURING = Limits(memory_bytes=MEMORY_BYTES, cpu_s=3600, wall_s=3600)
_PLUGIN = """
import json, os
import coverage

seconds = {}

def pytest_runtest_logstart(nodeid, location):
    coverage.Coverage.current().switch_context(nodeid)

def pytest_runtest_logreport(report):
    seconds[report.nodeid] = seconds.get(report.nodeid, 0.0) + report.duration

def pytest_sessionfinish(session):
    with open(os.environ["MUTANTS_SECONDS"], "w") as file:
        json.dump(seconds, file)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whose lines are looked at, and whose tests are asked.

    Attributes:
        places: Folders and beginnings of paths below ``scripts/nightledger``.
        tests: Folders and modules below ``tests``.
    """

    places: tuple[str, ...] = PACKAGES
    tests: tuple[str, ...] = TEST_PACKAGES

    @classmethod
    def of(cls, only: str, more_tests: str, tree: Path, *, ask: str = "") -> "Scope":
        """Read what was asked for: ``recall,jobs/stage``; nothing stands for domain, gate and trust.

        Places in these three ask the tests that are asked about all of them. Where one is elsewhere,
        the tests of the named folders are asked: to measure those of all packages takes too long.

        Args:
            only: Places, with commas between them.
            more_tests: Folders or modules of tests that are asked, too, with commas between them.
            tree: A copy of the checkout.
            ask: Folders of tests that are asked alone, whatever the places.
        """
        places, more, alone = _listed(only), _listed(more_tests), _listed(ask)
        named = (*((SOURCES, place) for place in places), *(("tests", test) for test in (*more, *alone)))
        for folder, name in named:
            if not any((tree / folder).glob(f"{name}*")):
                sys.exit(f"nothing in {folder} begins with {name}")
        if alone:
            return cls(places=places or PACKAGES, tests=alone)
        if all(place.split("/")[0] in PACKAGES for place in places):
            return cls(places=places or PACKAGES, tests=(*TEST_PACKAGES, *more))
        nearest = (_test_folder(tree / "tests", place) for place in places)
        return cls(places=places, tests=tuple(dict.fromkeys((*nearest, *more))))

    @property
    def measured(self) -> tuple[str, ...]:
        """Places whose lines are measured: one result serves every place in domain, gate and trust."""
        return PACKAGES if self.tests == TEST_PACKAGES else self.places

    @property
    def kept(self) -> str:
        """Name of the file that keeps what was measured."""
        if self.tests == TEST_PACKAGES:
            return "mutants-covering.json"
        return f"mutants-covering-{_sha256(repr((sorted(self.places), sorted(self.tests))))[:8]}.json"

    def modules(self, tree: Path) -> list[str]:
        """List the test modules that are asked, relative to the tree."""
        found = (path for name in self.tests for path in _test_files(tree / "tests" / name))
        return list(dict.fromkeys(path.relative_to(tree).as_posix() for path in found))


def _listed(said: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.strip("/ ") for one in said.split(",") if one.strip("/ ")))


def _test_files(place: Path) -> list[Path]:
    return sorted(place.rglob("test_*.py")) if place.is_dir() else sorted(place.parent.glob(f"{place.name}*"))


def _test_folder(tests: Path, place: str) -> str:
    folder = tests / place
    while not folder.is_dir():
        folder = folder.parent
    return folder.relative_to(tests).as_posix()


@dataclass(frozen=True, slots=True, kw_only=True)
class Covering:
    """What one run of all tests showed.

    Attributes:
        tests: For each file, relative to the checkout, and each line, from 1, the tests (node
            ids) that execute it.
        seconds: How long each test takes, measuring included.
    """

    tests: Mapping[str, Mapping[int, frozenset[str]]]
    seconds: Mapping[str, float]

    def executing(self, path: str, lines: Iterable[int]) -> frozenset[str]:
        """Give the tests that execute any of some lines."""
        known = self.tests.get(path, {})
        return frozenset().union(*(known.get(line, frozenset()) for line in lines))


def cover(scope: Scope, tree: Path, scratch: Path, kept: Path, runner: Runner, jobs: int) -> Covering:
    """Measure which tests execute which line; what ``kept`` still says is taken from there.

    Args:
        scope: Whose lines and which tests.
        tree: A copy of the checkout.
        scratch: Folder for what is in the way afterwards.
        kept: File that keeps the result.
        runner: Runs the tests.
        jobs: How many processes at a time.
    """
    base = _base_key(tree)
    modules = {path: _sha256(base, (tree / path).read_bytes()) for path in scope.modules(tree)}
    known: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    stale = [path for path, key in modules.items() if known.get(path, {}).get("key") != key]
    if stale:
        print(
            f"measuring which tests execute which line ({len(stale)} of {len(modules)} modules)", flush=True
        )
    stale.sort(key=lambda path: (tree / path).stat().st_size)
    groups = [group for n in range(jobs) if (group := stale[n::jobs])]
    with ThreadPoolExecutor(jobs) as pool:
        measured = list(pool.map(lambda group: _measure(scope, tree, scratch, group, runner), groups))
    for found in measured:
        known.update({path: {"key": modules[path], "tests": tests} for path, tests in found.items()})
    known = {path: known[path] for path in modules}
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps(known))
    return _gather(known)


def _base_key(tree: Path) -> str:
    shared = [
        path
        for folder in ("scripts", "tests", "schemas", "config", "pyproject.toml")
        for path in _files(tree / folder)
        if "__pycache__" not in path.parts and not path.name.startswith("test_")
    ]
    named = [path.relative_to(tree).as_posix().encode() + b"\0" + path.read_bytes() for path in shared]
    return _sha256(sys.version, _PLUGIN, *(hashlib.sha256(one).hexdigest() for one in named))


def _files(path: Path) -> Iterator[Path]:
    yield from sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]


def _sha256(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() if isinstance(part, str) else part)
    return digest.hexdigest()


def _measure(
    scope: Scope, tree: Path, scratch: Path, modules: Sequence[str], runner: Runner
) -> dict[str, list[Any]]:
    """Give for each module its tests: node id, seconds, and the lines of each file."""
    import coverage

    own = scratch / hashlib.sha256("\n".join(modules).encode()).hexdigest()[:12]
    own.mkdir()
    (own / "covering_plugin.py").write_text(_PLUGIN)
    # A star stands for no slash, but at the end for everything below.
    include = ",".join(f"{tree}/{SOURCES}/{place}*,{tree}/{SOURCES}/{place}*/*" for place in scope.measured)
    end = runner.run(
        [
            *(sys.executable, "-m", "coverage", "run", "--rcfile=/dev/null", f"--include={include}"),
            *("-m", "pytest", "-p", "covering_plugin", *PYTEST, *modules),
        ],
        folder=tree,
        environment={
            "PYTHONPATH": os.pathsep.join((str(tree / "scripts"), str(own))),
            "COVERAGE_FILE": str(own / "coverage"),
            "MUTANTS_SECONDS": str(own / "seconds.json"),
        },
        limits=_MEASURING,
        output=own / "output",
    )
    if end is not End.PASSED:
        sys.exit(f"the tests fail before anything is broken:\n{(own / 'output').read_text()[-3000:]}")
    data = coverage.CoverageData(str(own / "coverage"))
    data.read()
    lines: dict[str, dict[str, list[int]]] = {}
    for path in data.measured_files():
        for line, tests in data.contexts_by_lineno(path).items():
            for test in filter(None, tests):
                lines.setdefault(test, {}).setdefault(os.path.relpath(path, tree), []).append(line)
    found: dict[str, list[Any]] = {module: [] for module in modules}
    for test, seconds in json.loads((own / "seconds.json").read_text()).items():
        found[test.partition("::")[0]].append([test, round(seconds, 3), lines.get(test, {})])
    return found


def _gather(known: Mapping[str, Any]) -> Covering:
    tests: dict[str, dict[int, set[str]]] = {}
    seconds: dict[str, float] = {}
    for module in known.values():
        for test, duration_s, files in module["tests"]:
            seconds[test] = duration_s
            for path, lines in files.items():
                for line in lines:
                    tests.setdefault(path, {}).setdefault(line, set()).add(test)
    return Covering(
        tests={path: {line: frozenset(who) for line, who in lines.items()} for path, lines in tests.items()},
        seconds=seconds,
    )
