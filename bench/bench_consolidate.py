"""Score nightly additions on labelled public workspaces.

Each workspace becomes a simulated home whose memory starts empty. Its labelled logs (`--all-logs`:
all its logs) appear day by day; every night is consolidated without looking ahead, its operator
signs all that is proposed, and it is applied. LABELS/score.py then judges the sources of what was
proposed. `--held-out` scores each workspace with weights fitted on all others, instead of the
shipped weights, which were fitted on these too: what to expect on a workspace nobody has labelled.
`--without dev-b` fits on everything but that half and scores both. `--folds 12` deals all labelled workspaces, those of
bench/labels too, into twelve parts, fits on eleven and scores the twelfth, each in turn: the honest measure. The readers of
bench/labels left as many lines undecided as they kept; what cites one counts neither way, so precision there is generous.

Reads   LABELS/{dev-a,dev-b,ambiguous}.jsonl, LABELS/score.py, bench/labels, WORKSPACES/<owner+name>/**/memory/**
Writes  homes and PROPOSED.jsonl in a temporary folder (`--keep FILE` keeps the latter)

With `--exchange` a model chooses: whoever answers DIR/owner+name/HASH.md as HASH.json (`bench_think.py`).

Usage: bench_consolidate.py --labels DIR --workspaces DIR [--held-out | --without HALF | --folds N] [--all-logs] [--exchange DIR] [--keep FILE] [--show]
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from functools import cache, partial
from pathlib import Path
from unittest.mock import patch

from bench.exchange import PATIENCE_S, ExchangeServer
from bench.fit_statements import HALVES, Row, fit, own_files, read_rows
from bench.living import live_night, make_home

from nightledger.codec.records import to_plain
from nightledger.domain.proposal import Change, Proposal
from nightledger.gate.opening import Gate
from nightledger.jobs.consolidate import statements
from nightledger.text.similar import fold
from nightledger.text.statements.estimate import SHIPPED, Model
from nightledger.text.statements.statements import SPAN, find_statements
from nightledger.think.analyst import Server

_DATED = re.compile(r"(?:^|/)memory/(?:.*/)?[^/]*(\d{4}-\d\d-\d\d)[^/]*\.md$")
_TOOLS = re.compile(r"/(?:dreaming|\.dreams)/|/(?:AGENTS|IDENTITY|MEMORY|SOUL|TOOLS|USER)[-_.][^/]*$")
"""Where a tool's own files lie, and dated copies of what a host loads."""
_FOLDERS = ("memory", "memory/daily")
"""Where a home of ours looks for daily logs; a workspace may keep them elsewhere."""
OWN = "own"
"""What the labels of bench/labels are called here, beside the halves."""

Proposed = dict[str, object]


def labelled(labels: Path, half: str) -> dict[str, frozenset[str]]:
    """Give the labelled logs of each workspace of one half."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    with (labels / f"{half}.jsonl").open(encoding="utf-8") as stream:
        for record in (json.loads(line) for line in stream if line.strip()):
            if record["path"] != "MEMORY.md":
                found[record["repo"]].add(record["path"])
    return {repo: frozenset(paths) for repo, paths in sorted(found.items())}


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


def run_nights(
    folder: Path, repo: str, wanted: frozenset[str] | None, server: Server | None = None
) -> Iterator[tuple[Proposed, Change]]:
    """Live through a workspace's days in a home; give what each night proposed, by the rules or a model's choice."""
    by_night: defaultdict[date, list[str]] = defaultdict(list)
    for night, path in daily_logs(folder):
        if wanted is None or path in wanted:
            by_night[night].append(path)
    with tempfile.TemporaryDirectory(prefix="nightledger-nights-") as temporary:
        root = Path(temporary) / "home"
        gate = make_home(root, Path(temporary) / "keys", min(by_night) - timedelta(days=1))
        origin: dict[str, str] = {}
        for night in sorted(by_night):
            for path in by_night[night]:
                origin[_put(root, folder, path)] = path
            yield from _live(gate, night, repo, origin, server)


def _put(root: Path, folder: Path, path: str) -> str:
    """Copy a log to where the home looks for it; give its path there."""
    name = path.rpartition("/")[2]
    name = name[re.search(r"\d{4}-", name).start() :]  # type: ignore[union-attr]  # _DATED has found one
    numbered = (f"{_FOLDERS[0]}/{name[:10]}-{n:04}{name[10:]}" for n in range(100))
    places = (*(f"{folder}/{name}" for folder in _FOLDERS), *numbered)
    place = next(place for place in places if not (root / place).exists())
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    (root / place).write_bytes((folder / path).read_bytes())
    return place


def _live(
    gate: Gate, night: date, repo: str, origin: dict[str, str], server: Server | None
) -> Iterator[tuple[Proposed, Change]]:
    done = live_night(gate, night, server)
    if done.record.analyst:
        print(json.dumps({"night": str(night), **to_plain(done.record.analyst)}), file=sys.stderr, flush=True)
    proposal: Proposal | None = done.proposal
    for change in proposal.changes if proposal else ():
        source = change.evidence[0]
        near = [one.lines for one in change.evidence if one.path == source.path and one.lines]
        first, last = min(lines[0] for lines in near), max(lines[1] for lines in near)
        record: Proposed = {
            "repo": repo,
            "path": origin[source.path],
            "lines": (first, last) if last - first < SPAN else source.lines,
            "night": str(night),
            "confidence": change.confidence,
        }
        yield record, change


def propose(
    options: argparse.Namespace, wanted: dict[str, frozenset[str]], model_for: Callable[[str], Model]
) -> list[Proposed]:
    """Run the nights of all workspaces; print the entries when asked to."""
    proposed = []
    for repo, paths in wanted.items():
        seen = partial(find_statements, model=model_for(repo))
        with patch.object(statements, "find_statements", seen):
            folder = options.workspaces / repo.replace("/", "+")
            logs = None if options.all_logs else paths
            for record, change in run_nights(folder, repo, logs, _server(options, folder.name)):
                proposed.append(record)
                if options.show:
                    print(
                        f"{change.confidence:.2f} {repo} {record['path']}:{record['lines']}\n{change.after}"
                    )
    return proposed


def _server(options: argparse.Namespace, name: str) -> Server | None:
    return (
        ExchangeServer(folder=str(options.exchange / name), wait_s=PATIENCE_S) if options.exchange else None
    )


def write_own_labels(workspaces: Path, folder: Path) -> None:
    """Write bench/labels as score.py reads labels: own.jsonl, where a line in the words of an earlier one repeats it, and ambiguous.jsonl."""
    first: dict[tuple[str, str], str] = {}
    rows, unsure = [], []
    for file in own_files():
        lines = (workspaces / file.repo.replace("/", "+") / file.path).read_bytes().split(b"\n")
        place = {"repo": file.repo, "path": file.path}
        rows.append({**place, "line": 0, "label": "read"})
        unsure += [{**place, "line": line} for line in sorted(file.unsure)]
        for line in sorted(file.keep):
            words = fold(lines[line - 1].decode("utf-8", "replace"))
            same = first.setdefault((file.repo, words), f"{file.path}:{line}")
            rows.append({**place, "line": line, "label": "keep", "same_as": same})
    for name, records in ((OWN, rows), ("ambiguous", unsure)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


def score(options: argparse.Namespace, labels: Path, half: str, proposed: list[Proposed], title: str) -> None:
    """Print what score.py makes of it."""
    with tempfile.TemporaryDirectory() as folder:
        file = options.keep or Path(folder) / "PROPOSED.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in proposed), encoding="utf-8")
        command = [
            sys.executable, options.labels / "score.py", "additions", labels / f"{half}.jsonl",
            "--proposed", file, "--unsure", labels / "ambiguous.jsonl",
        ]  # fmt: skip
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    print(f"== {half}: {title}\n{result.stdout}{result.stderr}", end="", flush=True)


def models(options: argparse.Namespace) -> tuple[str, Callable[[str], Model]]:
    """Give what the weights were fitted on, and the model for each workspace."""
    if not (options.held_out or options.without or options.folds):
        return "shipped weights, fitted on it too", lambda _: SHIPPED
    rows = read_rows(options.labels, options.workspaces)
    if options.held_out:
        return "weights fitted on all other workspaces", lambda repo: fit(
            [row for row in rows if row.workspace != repo]
        )
    if options.folds:
        return f"weights fitted without a part of {options.folds}", _by_folds(rows, options.folds)
    left_out = labelled(options.labels, options.without)
    model = fit([row for row in rows if row.workspace not in left_out])
    return f"weights fitted without {options.without}", lambda _: model


def _by_folds(rows: Sequence[Row], folds: int) -> Callable[[str], Model]:
    """Give the model of each workspace, of the rows outside its part; the parts are dealt by name."""
    part = {repo: at % folds for at, repo in enumerate(sorted({row.workspace for row in rows}))}

    @cache
    def without(one: int) -> Model:
        return fit([row for row in rows if part[row.workspace] != one])

    return lambda repo: without(part[repo])


def main() -> None:
    """Run and score."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--labels", required=True, type=Path)
    parser.add_argument("--workspaces", required=True, type=Path)
    weights = parser.add_mutually_exclusive_group()
    weights.add_argument("--held-out", action="store_true")
    weights.add_argument("--without", choices=HALVES)
    weights.add_argument("--folds", type=int)
    parser.add_argument("--all-logs", action="store_true")
    parser.add_argument("--exchange", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    title, model_for = models(options)
    with tempfile.TemporaryDirectory() as own:
        places = {**dict.fromkeys(HALVES, options.labels), **({OWN: Path(own)} if options.folds else {})}
        if options.folds:
            write_own_labels(options.workspaces, Path(own))
        for half, labels in places.items():
            proposed = propose(options, labelled(labels, half), model_for)
            score(options, labels, half, proposed, title)


if __name__ == "__main__":
    main()
