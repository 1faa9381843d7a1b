"""Fit the weights of lines worth keeping (``config/words/statement-weights.json``) on labelled workspaces.

Reads   LABELS/{dev-a,dev-b,ambiguous}.jsonl, bench/labels/statements.jsonl and the logs that they name
Writes  OUT/statement-weights.json

Usage: fit_statements.py --labels DIR --workspaces DIR --out DIR
"""

import argparse
import json
import math
import re
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nightledger.text.statements.daylog import read_daylog
from nightledger.text.statements.estimate import Model, features_by_line

OWN = Path(__file__).parent / "labels" / "statements.jsonl"
HALVES = ("dev-a", "dev-b")

STRENGTH = 0.15
"""Weight of the log-likelihood against half the squared norm of the weights."""
RAREST = 20
"""A feature must occur on so many lines to get a weight."""
SPREAD = 8
"""A word must occur in so many workspaces."""
NAME_SHARE = 0.5
"""A word that is capitalized within sentences more often than this is a name, and no feature."""
_WORKERS = re.compile(r"sub-?agents?")
"""What hosts call an agent's helpers is a name too, though nobody capitalizes it."""
WORD_PENALTY = 1 / 0.6**2
"""Words are many: each is held back more than a named feature, ..."""
ALIKE = 0.5
"""... and by this part all alike; by the rest a feature less, the more often it stands in kept lines than in others, or the
less (S. Wang, C. Manning 2012, "Baselines and bigrams": its ratio by naive Bayes)."""
WORDS = 1200
"""So many words are kept, by weight times the root of how often they occur."""
PASSES = 400
REMEMBERED = 10
SMALLEST = 1e-3

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One labelled line: its workspace, its features, its text and whether it is kept."""

    workspace: str
    features: frozenset[str]
    text: str
    keep: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One labelled log: the lines worth keeping, and those that count neither way."""

    repo: str
    path: str
    keep: frozenset[int]
    unsure: frozenset[int]


def read_rows(labels: Path, workspaces: Path) -> list[Row]:
    """Read every line of prose of the labelled logs; borderline lines are left out."""
    files = [*_scored_files(labels), *own_files()]
    return [row for file in files for row in _rows(workspaces, file)]


def _scored_files(labels: Path) -> Iterator[File]:
    unsure: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for record in _records(labels / "ambiguous.jsonl"):
        unsure[record["repo"], record["path"]].add(record["line"])
    keeps: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for half in HALVES:
        for record in _records(labels / f"{half}.jsonl"):
            if record["path"] != "MEMORY.md":
                first, last = record.get("lines") or (record["line"], record["line"])
                kept = range(first, last + 1) if record["label"] == "keep" else ()
                keeps[record["repo"], record["path"]].update(kept)
    for (repo, path), keep in sorted(keeps.items()):
        yield File(repo=repo, path=path, keep=frozenset(keep), unsure=frozenset(unsure[repo, path]))


def own_files() -> Iterator[File]:
    """Give the labelled logs of bench/labels."""
    for record in _records(OWN):
        yield File(
            repo=record["repo"],
            path=record["path"],
            keep=frozenset(record["keep"]),
            unsure=frozenset(record["unsure"]),
        )


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        yield from (json.loads(line) for line in stream if line.strip())


def _rows(workspaces: Path, file: File) -> Iterator[Row]:
    place = workspaces / file.repo.replace("/", "+") / file.path
    named = re.search(r"\d{4}-\d\d-\d\d", file.path)
    if not place.exists() or named is None:
        print(f"missing: {file.repo} {file.path}", file=sys.stderr)
        return
    log = read_daylog(file.path, place.read_bytes().decode("utf-8", "replace"), date.fromisoformat(named[0]))
    for number, features in features_by_line(log).items():
        if number not in file.unsure:
            yield Row(
                workspace=file.repo,
                features=features,
                text=log.lines[number - 1].content,
                keep=number in file.keep,
            )


def is_word(feature: str) -> bool:
    """Say whether a feature is a word, and no named feature."""
    return feature.startswith(("w.", "wl.", "wh."))


def vocabulary(rows: Sequence[Row]) -> list[str]:
    """Give the features that may get a weight, sorted: common enough, and no names."""
    counts = Counter(name for row in rows for name in row.features)
    homes: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        for name in row.features:
            if is_word(name):
                homes[name].add(row.workspace)
    names = _names(row.text for row in rows)
    return sorted(
        name
        for name, count in counts.items()
        if count >= RAREST
        and (not is_word(name) or (len(homes[name]) >= SPREAD and name.split(".", 1)[1] not in names))
    )


def _names(texts: Iterable[str]) -> frozenset[str]:
    seen: Counter[str] = Counter()
    capitalized: Counter[str] = Counter()
    for text in texts:
        for match in re.finditer(r"(?<=[a-z,;] )[A-Za-z][A-Za-z'\u2019-]+", text):
            seen[match[0].lower()] += 1
            capitalized[match[0].lower()] += match[0][0].isupper()
    return frozenset(
        word
        for word, count in seen.items()
        if capitalized[word] > NAME_SHARE * count or _WORKERS.fullmatch(word)
    )


def fit(rows: Collection[Row]) -> Model:
    """Fit all features, keep the words that tell most, and fit these again."""
    rows = list(rows)
    places = _places(rows, vocabulary(rows))
    keeps = np.array([row.keep for row in rows], dtype=np.float64)
    penalties = _penalties(places, keeps)
    first = _fit(keeps, places, penalties)
    words = sorted(
        filter(is_word, places), key=lambda name: (-abs(first.weights[name]) * len(places[name]) ** 0.5, name)
    )
    dropped = frozenset(words[WORDS:])
    return _fit(keeps, {name: places[name] for name in places if name not in dropped}, penalties)


def _fit(keeps: Floats, places: dict[str, Places], penalties: dict[str, float]) -> Model:
    """Fit a logistic regression with an L2 penalty for each feature."""
    rows = np.concatenate(list(places.values()))
    columns = np.repeat(np.arange(len(places)), [len(where) for where in places.values()])
    scale = np.array([penalties[name] ** -0.5 for name in places])

    def loss(point: Floats) -> tuple[float, Floats]:
        weights = point[:-1]
        margins = point[-1] + np.bincount(rows, (scale * weights)[columns], len(keeps))
        value = STRENGTH * (np.logaddexp(0, margins) - keeps * margins).sum() + weights @ weights / 2
        errors = STRENGTH * (np.exp(-np.logaddexp(0, -margins)) - keeps)
        slopes = scale * np.bincount(columns, errors[rows], len(places)) + weights
        return float(value), np.append(slopes, errors.sum())

    best = _least(loss, np.zeros(len(places) + 1))
    weights = {name: round(float(w), 3) for name, w in zip(places, scale * best[:-1], strict=True)}
    return Model(bias=round(float(best[-1]), 3), weights=weights)


def _least(loss: Callable[[Floats], tuple[float, Floats]], point: Floats) -> Floats:
    """Return where a convex function is least (L-BFGS with halved steps: Nocedal, Wright 2006, algorithms 7.4 and 3.1)."""
    value, slope = loss(point)
    past: deque[tuple[Floats, Floats]] = deque(maxlen=REMEMBERED)
    for _ in range(PASSES):
        way, step = -_newton_step(slope, past), 1.0
        while (found := loss(point + step * way))[0] > value + 1e-4 * step * (
            slope @ way
        ) and step > SMALLEST:
            step /= 2
        past.append((step * way, found[1] - slope))
        point = point + step * way
        value, slope = found
        if np.abs(slope).max() < SMALLEST:
            break
    return point


def _newton_step(slope: Floats, past: Sequence[tuple[Floats, Floats]]) -> Floats:
    """Return the slope times the inverse of the curvature, as far as past steps tell it."""
    step, shares = slope, []
    for moved, turned in reversed(past):
        shares.append((moved @ step) / (moved @ turned))
        step = step - shares[-1] * turned
    if past:
        moved, turned = past[-1]
        step = step * (moved @ turned) / (turned @ turned)
    for moved, turned in past:
        step = step + moved * (shares.pop() - (turned @ step) / (moved @ turned))
    return step


def _places(rows: Sequence[Row], names: Sequence[str]) -> dict[str, Places]:
    places: dict[str, list[int]] = {name: [] for name in names}
    for at, row in enumerate(rows):
        for name in row.features:
            if name in places:
                places[name].append(at)
    return {name: np.array(where, dtype=np.int64) for name, where in places.items()}


def _penalties(places: dict[str, Places], keeps: Floats) -> dict[str, float]:
    """Give how much each feature is held back."""
    kept = {name: 1 + float(keeps[where].sum()) for name, where in places.items()}
    others = {name: 2 + len(where) - kept[name] for name, where in places.items()}
    usual = math.log(sum(kept.values()) / sum(others.values()))
    told = {name: abs(math.log(kept[name] / others[name]) - usual) for name in places}
    of_words = fmean(told[name] for name in places if is_word(name))
    return {
        name: (WORD_PENALTY if is_word(name) else 1.0) / (ALIKE + (1 - ALIKE) * told[name] / of_words) ** 2
        for name in places
    }


def write_tables(model: Model, out: Path) -> None:
    """Write ``statement-weights.json``: what named features and words weigh; a word without weight is left out."""
    named = {name: weight for name, weight in model.weights.items() if not is_word(name)}
    words = {name: weight for name, weight in model.weights.items() if is_word(name) and weight}
    told = {"bias": model.bias, "weights": named, "words": words}
    text = json.dumps(told, ensure_ascii=False, indent=1)
    (out / "statement-weights.json").write_text(f"{text}\n", encoding="utf-8")


def main() -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--labels", required=True, type=Path)
    parser.add_argument("--workspaces", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    options = parser.parse_args()
    rows = read_rows(options.labels, options.workspaces)
    write_tables(fit(rows), options.out)


if __name__ == "__main__":
    main()
