"""Score nightly additions on labelled public workspaces.

Runs the nights of every labelled workspace in order, one a log day, each reading only logs of
that day and what had no room before; then asks LABELS/score.py. `--held-out` scores each half
with weights fitted on the other, and each workspace with weights fitted on the other five:
what to expect on a workspace nobody has labelled.

Reads   LABELS/{dev-a,dev-b,ambiguous}.jsonl, LABELS/score.py, WORKSPACES/<owner+name>/**/memory/**
Writes  PROPOSED.jsonl in a temporary folder (`--keep FILE` keeps it)

Usage: bench_consolidate.py --labels DIR --workspaces DIR [--held-out] [--keep FILE] [--show]
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

from bench.fit_statements import fit, read_rows

from nightledger.domain.statement import Statement
from nightledger.text.additions import choose_additions
from nightledger.text.daylog import read_daylog
from nightledger.text.estimate import SHIPPED, Model
from nightledger.text.statements import find_statements

HALVES = ("dev-a", "dev-b")
COMPETES_DAYS = 14
_DATED = re.compile(r"(?:^|/)memory/(?:.*/)?[^/]*(\d{4}-\d\d-\d\d)[^/]*\.md$")
_TOOLS = re.compile(r"/(?:dreaming|\.dreams)/")

Proposed = dict[str, object]


def repos_of(labels: Path, half: str) -> list[str]:
    """Give the workspaces of one half, sorted."""
    with (labels / f"{half}.jsonl").open(encoding="utf-8") as stream:
        return sorted({json.loads(line)["repo"] for line in stream if line.strip()})


def daily_logs(folder: Path) -> Iterator[tuple[date, str]]:
    """Give date and path of every daily log of a workspace, by date."""
    found = []
    for file in folder.rglob("*.md"):
        path = file.relative_to(folder).as_posix()
        match = _DATED.search(path)
        if match and not _TOOLS.search(f"/{path}"):
            try:
                found.append((date.fromisoformat(match[1]), path))
            except ValueError:
                continue
    yield from sorted(found)


def run_nights(folder: Path, repo: str, model: Model) -> Iterator[tuple[Proposed, Statement]]:
    """Propose night by night; the operator signs everything, so memory grows by what was proposed."""
    by_night: defaultdict[date, list[str]] = defaultdict(list)
    for night, path in daily_logs(folder):
        by_night[night].append(path)
    waiting: list[Statement] = []
    keys: list[str] = []
    for night in sorted(by_night):
        for path in by_night[night]:
            text = (folder / path).read_bytes().decode("utf-8", "replace")
            waiting += find_statements(read_daylog(path, text, night), model).statements
        waiting = [s for s in waiting if (night - _night_of(s)).days <= COMPETES_DAYS]
        choice = choose_additions(waiting, "", keys)
        waiting = list(choice.no_room)
        for statement in choice.chosen:
            keys += [statement.key, *statement.text.split("\n  - ")]
            yield (
                {"repo": repo, "path": statement.path, "lines": statement.lines, "night": str(night)},
                statement,
            )


def _night_of(statement: Statement) -> date:
    match = _DATED.search(statement.path)
    assert match is not None
    return date.fromisoformat(match[1])


def propose(
    options: argparse.Namespace, repos: list[str], model_for: Callable[[str], Model]
) -> list[Proposed]:
    """Run the nights of all workspaces; print the entries when asked to."""
    proposed = []
    for repo in repos:
        for record, statement in run_nights(
            options.workspaces / repo.replace("/", "+"), repo, model_for(repo)
        ):
            proposed.append(record)
            if options.show:
                print(
                    f"{statement.score:.2f} {statement.kind} {repo} {statement.path}:{statement.lines[0]}\n- {statement.text}"
                )
    return proposed


def score(options: argparse.Namespace, half: str, proposed: list[Proposed], title: str) -> None:
    """Print what score.py makes of it."""
    with tempfile.TemporaryDirectory() as folder:
        file = options.keep or Path(folder) / "PROPOSED.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in proposed), encoding="utf-8")
        command = [
            sys.executable, options.labels / "score.py", "additions", options.labels / f"{half}.jsonl",
            "--proposed", file, "--unsure", options.labels / "ambiguous.jsonl",
        ]  # fmt: skip
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    print(f"== {half}: {title}\n{result.stdout}{result.stderr}", end="")


def _always(model: Model) -> Callable[[str], Model]:
    return lambda _: model


def held_out(options: argparse.Namespace) -> None:
    """Score with weights that never saw what they are scored on."""
    rows = read_rows(options.labels, options.workspaces)
    repos = {half: repos_of(options.labels, half) for half in HALVES}
    for half, other in zip(HALVES, reversed(HALVES), strict=True):
        model = fit([row for row in rows if row.workspace in repos[other]])
        score(options, half, propose(options, repos[half], _always(model)), f"fitted on {other}")
    for half in HALVES:
        without = {repo: fit([row for row in rows if row.workspace != repo]) for repo in repos[half]}
        score(
            options,
            half,
            propose(options, repos[half], without.__getitem__),
            "fitted on the other five workspaces",
        )


def main() -> None:
    """Run and score."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--labels", required=True, type=Path)
    parser.add_argument("--workspaces", required=True, type=Path)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    for half in HALVES:
        repos = repos_of(options.labels, half)
        score(
            options,
            half,
            propose(options, repos, _always(SHIPPED)),
            "shipped weights, which were fitted on it",
        )
    if options.held_out:
        held_out(options)


if __name__ == "__main__":
    main()
