"""Fit the weights of `nightledger.text.weights` on labelled workspaces.

Reads   LABELS/*.jsonl and the daily logs that they name
Writes  nothing; prints the module's table

Usage: fit_statements.py --labels DIR --workspaces DIR > table.py
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date
from math import exp
from pathlib import Path
from typing import Any

from nightledger.text.daylog import read_daylog
from nightledger.text.estimate import Model, features_by_line

STRENGTH = 0.6
"""Weight of the log-likelihood against half the squared norm of the weights; from leaving one workspace out."""
RAREST = 20
"""A feature must occur on so many lines to get a weight."""
PASSES = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One labelled line: its workspace, its features and whether it is kept."""

    workspace: str
    features: frozenset[str]
    keep: bool


def read_rows(labels: Path, workspaces: Path) -> list[Row]:
    """Read every line of prose of the labelled logs; borderline lines are left out."""
    unsure = {(r["repo"], r["path"], r["line"]) for r in _records(labels / "ambiguous.jsonl")}
    files: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for name in ("dev-a.jsonl", "dev-b.jsonl"):
        for record in _records(labels / name):
            if record["path"] != "MEMORY.md":
                first, last = record.get("lines") or (record["line"], record["line"])
                files[record["repo"], record["path"]].update(
                    range(first, last + 1) if record["label"] == "keep" else ()
                )
    return [
        row
        for (repo, path), keeps in sorted(files.items())
        for row in _rows(workspaces, repo, path, keeps, unsure)
    ]


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        yield from (json.loads(line) for line in stream if line.strip())


def _rows(
    workspaces: Path, repo: str, path: str, keeps: set[int], unsure: Collection[tuple[object, object, object]]
) -> Iterator[Row]:
    file = workspaces / repo.replace("/", "+") / path
    named = re.search(r"\d{4}-\d\d-\d\d", path)
    if not file.exists() or named is None:
        print(f"missing: {repo} {path}", file=sys.stderr)
        return
    log = read_daylog(path, file.read_bytes().decode("utf-8", "replace"), date.fromisoformat(named[0]))
    for number, features in features_by_line(log).items():
        if (repo, path, number) not in unsure:
            yield Row(workspace=repo, features=features, keep=number in keeps)


def fit(rows: Collection[Row]) -> Model:
    """Fit by cyclic coordinate descent with Newton steps (as LIBLINEAR; Fan et al. 2008)."""
    rows = list(rows)
    counts = Counter(name for row in rows for name in row.features)
    places: dict[str, list[int]] = {name: [] for name in sorted(counts) if counts[name] >= RAREST}
    for at, row in enumerate(rows):
        for name in row.features:
            if name in places:
                places[name].append(at)
    weights = dict.fromkeys(places, 0.0)
    bias, margins = 0.0, [0.0] * len(rows)
    for _ in range(PASSES):
        bias += _step(rows, margins, range(len(rows)), 0.0, penalty=0.0)
        for name, where in places.items():
            weights[name] += _step(rows, margins, where, weights[name], penalty=1.0)
    return Model(bias=round(bias, 3), weights={name: round(w, 3) for name, w in weights.items()})


def _step(
    rows: list[Row], margins: list[float], where: Collection[int], weight: float, *, penalty: float
) -> float:
    gradient, curvature = penalty * weight, penalty + 1e-9
    for at in where:
        chance = 1 / (1 + exp(-margins[at]))
        gradient += STRENGTH * (chance - rows[at].keep)
        curvature += STRENGTH * chance * (1 - chance)
    change = max(-2.0, min(2.0, -gradient / curvature))
    for at in where:
        margins[at] += change
    return change


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--labels", required=True, type=Path)
    parser.add_argument("--workspaces", required=True, type=Path)
    options = parser.parse_args()
    rows = read_rows(options.labels, options.workspaces)
    model = fit(rows)
    print(f"# {len(rows)} lines, {sum(row.keep for row in rows)} kept, {len(model.weights)} features")
    print(f"BIAS = {model.bias}")
    print("WEIGHTS: dict[str, float] = {")
    for name, weight in model.weights.items():
        print(f'    "{name}": {weight},')
    print("}")


if __name__ == "__main__":
    main()
