"""Score nightly additions on labelled public workspaces.

Each workspace becomes a simulated home whose memory starts empty. Its labelled logs (`--all-logs`:
all its logs) appear day by day; every night is consolidated without looking ahead, its operator
signs all that is proposed, and it is applied. LABELS/score.py then judges the sources of what was
proposed. `--held-out` scores each workspace with weights fitted on all others, instead of the
shipped weights, which were fitted on these too: what to expect on a workspace nobody has labelled.
`--without dev-b` fits on everything but that half and scores both.

Reads   LABELS/{dev-a,dev-b,ambiguous}.jsonl, LABELS/score.py, WORKSPACES/<owner+name>/**/memory/**
Writes  homes and PROPOSED.jsonl in a temporary folder (`--keep FILE` keeps the latter)

Usage: bench_consolidate.py --labels DIR --workspaces DIR [--held-out | --without HALF] [--all-logs] [--keep FILE] [--show]
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from unittest.mock import patch

from bench.fit_statements import HALVES, fit, read_rows
from bench.living import live_night, make_home

from nightledger.codec.records import to_plain
from nightledger.domain.proposal import Change, Proposal
from nightledger.gate.opening import Gate
from nightledger.jobs.consolidate import statements
from nightledger.text.statements.estimate import SHIPPED, Model
from nightledger.text.statements.statements import find_statements
from nightledger.think.analyst import Server

_DATED = re.compile(r"(?:^|/)memory/(?:.*/)?[^/]*(\d{4}-\d\d-\d\d)[^/]*\.md$")
_TOOLS = re.compile(r"/(?:dreaming|\.dreams)/|/(?:AGENTS|IDENTITY|MEMORY|SOUL|TOOLS|USER)[-_.][^/]*$")
"""Where a tool's own files lie, and dated copies of what a host loads."""
_FOLDERS = ("memory", "memory/daily")
"""Where a home of ours looks for daily logs; a workspace may keep them elsewhere."""

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
        record: Proposed = {
            "repo": repo,
            "path": origin[source.path],
            "lines": source.lines,
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
            for record, change in run_nights(folder, repo, None if options.all_logs else paths):
                proposed.append(record)
                if options.show:
                    print(
                        f"{change.confidence:.2f} {repo} {record['path']}:{record['lines']}\n{change.after}"
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
    print(f"== {half}: {title}\n{result.stdout}{result.stderr}", end="", flush=True)


def models(options: argparse.Namespace) -> tuple[str, Callable[[str], Model]]:
    """Give what the weights were fitted on, and the model for each workspace."""
    if not options.held_out and not options.without:
        return "shipped weights, fitted on it too", lambda _: SHIPPED
    rows = read_rows(options.labels, options.workspaces)
    if options.held_out:
        return "weights fitted on all other workspaces", lambda repo: fit(
            [row for row in rows if row.workspace != repo]
        )
    left_out = labelled(options.labels, options.without)
    model = fit([row for row in rows if row.workspace not in left_out])
    return f"weights fitted without {options.without}", lambda _: model


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
    parser.add_argument("--all-logs", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    title, model_for = models(options)
    for half in HALVES:
        wanted = labelled(options.labels, half)
        score(options, half, propose(options, wanted, model_for), title)


if __name__ == "__main__":
    main()
