"""Fit what a score is worth: the chance that an owner signs what has it, as it stands or in other words.

A logistic curve over the log-odds of the score (J. Platt 1999, with his smoothed targets), for each source by itself. Fitted
twice, and the second is what ships: on the labelled lines of half a, where "worth it" is a line that its reader kept, reported
on half b; and on the verdicts of bench/labels/verdicts.jsonl, of readers who judged every proposal of workspaces that
nobody developed on as their owner would (S sign, E sign after a change of words, R refuse), each workspace reported by the
curve of the others. The rules' weights were fitted on both halves, so that the first says little of a new home.

Reads   LABELS/{dev-a,dev-b,ambiguous}.jsonl, LABELS/score.py, WORKSPACES/**, bench/labels/verdicts.jsonl
Writes  OUT/calibration.json

Usage: fit_confidence.py [--labels DIR --workspaces DIR [--held-out]] [--out DIR]
"""

import argparse
import importlib.util
import json
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.bench_consolidate import Proposed, labelled, models, propose
from bench.fit_statements import HALVES

from nightledger.jobs.consolidate import statements

VERDICTS = Path(__file__).parent / "labels" / "verdicts.jsonl"
KNOTS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
"""Scores of the table; between two of them a straight line. Our choice: all that is proposed lies above .5."""
LEAST_SLOPE = 0.05
"""The curve always rises, so that of two the one with the higher score stays the surer."""
BANDS = (0.0, 0.7, 0.8, 0.9, 1.01)
PASSES = 60

Row = tuple[float, bool]
"""A score, and whether what has it was worth signing."""
Curve = Callable[[float], float]


def fit(rows: Sequence[Row]) -> Curve:
    """Return the curve of some proposals, fitted by Newton's method with halved steps against overshooting."""
    good = sum(worth for _, worth in rows)
    high, low = (good + 1) / (good + 2), 1 / (len(rows) - good + 2)
    a, b = 0.0, _logit((good + 1) / (len(rows) + 2))
    for _ in range(PASSES):
        g0 = g1 = h00 = h01 = h11 = 0.0
        for score, worth in rows:
            x = _logit(score)
            p = _sigmoid(a * x + b)
            error, weight = p - (high if worth else low), p * (1 - p)
            g0, g1 = g0 + error * x, g1 + error
            h00, h01, h11 = h00 + weight * x * x, h01 + weight * x, h11 + weight
        scale = h00 * h11 - h01 * h01 + 1e-9
        a -= 0.5 * (h11 * g0 - h01 * g1) / scale
        b -= 0.5 * (h00 * g1 - h01 * g0) / scale
    if a < LEAST_SLOPE:
        middle = sum(_logit(score) for score, _ in rows) / len(rows)
        a, b = LEAST_SLOPE, _logit((good + 1) / (len(rows) + 2)) - LEAST_SLOPE * middle
    return lambda score: _sigmoid(a * _logit(score) + b)


def _logit(share: float) -> float:
    inside = min(0.99, max(0.01, share))
    return math.log(inside / (1 - inside))


def _sigmoid(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def brier(rows: Sequence[Row], curve: Curve) -> float:
    """Return the mean squared distance of what is said from what came (G. Brier 1950)."""
    return sum((curve(score) - worth) ** 2 for score, worth in rows) / len(rows)


def report(title: str, rows: Sequence[Row], said: Curve) -> None:
    """Print how sure was said, and how much was worth it, by band of score."""
    print(f"== {title}: {len(rows)} judged, {sum(w for _, w in rows)} worth signing")
    print(f"  Brier: {brier(rows, float):.3f} as scored, {brier(rows, said):.3f} calibrated")
    for low, high in pairwise(BANDS):
        band = [row for row in rows if low <= row[0] < high]
        if band:
            shares = (sum(f(s) for s, _ in band) / len(band) for f in (float, said))
            worth = sum(w for _, w in band) / len(band)
            print("  score from {:.2f}: {:3d}, scored {:.2f}, calibrated {:.2f}, worth {:.2f}".format(
                low, len(band), *shares, worth))  # fmt: skip


def judged(labels: Path, half: str, proposed: Iterable[Proposed]) -> list[Row]:
    """Return scores of what LABELS/score.py judges, and whether it counts each as right."""
    spec = importlib.util.spec_from_file_location("label_score", labels / "score.py")
    score: Any = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]  # the file is there, or the import fails
    spec.loader.exec_module(score)  # type: ignore[union-attr]
    files = score.by_file(r for r in score.rows([labels / f"{half}.jsonl"]) if r["path"] != "MEMORY.md")
    unsure = {(r["repo"], r["path"], r["line"]) for r in score.rows([labels / "ambiguous.jsonl"])}
    found: set[Any] = set()
    rows = []
    for one in proposed:
        place, (first, last) = (one["repo"], one["path"]), score.span(one)
        if not score.was_read(one, files.get(place, [])) or any(
            (*place, n) in unsure for n in range(first, last + 1)
        ):
            continue
        kept = {score.statement(r) for r in score.touching(one, files[place], 0) if r["label"] == "keep"}
        rows.append((float(str(one["confidence"])), bool(kept - found)))
        found |= kept
    return rows


def by_labels(options: argparse.Namespace) -> None:
    """Fit the rules on half a, and report half b."""
    title, model_for = models(options)
    with patch.object(statements, "calibrated", lambda _, score: score):
        rows = {
            half: judged(options.labels, half, propose(options, labelled(options.labels, half), model_for))
            for half in HALVES
        }
    curve = fit(rows["dev-a"])
    report(f"rules, dev-a, which it was fitted on; {title}", rows["dev-a"], curve)
    report(f"rules, dev-b, by the curve of dev-a; {title}", rows["dev-b"], curve)


def by_verdicts() -> dict[str, Any]:
    """Fit each source on all verdicts, report each workspace by the others; return the tables that tell more than the score."""
    told = [json.loads(line) for line in VERDICTS.read_text().splitlines()]
    tables: dict[str, Any] = {}
    for source in sorted({one["source"] for one in told}):
        ours = [one for one in told if one["source"] == source]
        rows = [_row(one) for one in ours]
        curves = {
            repo: fit([_row(one) for one in ours if one["repo"] != repo])
            for repo in {one["repo"] for one in ours}
        }
        report(f"{source}, by a curve of all", rows, fit(rows))
        left_out = sum((curves[o["repo"]](o["score"]) - _row(o)[1]) ** 2 for o in ours) / len(ours)
        signed = sum(one["verdict"] == "S" for one in ours)
        print(
            f"  Brier, each workspace by the curve of the others: {left_out:.3f}; signed as it stands: {signed}"
        )
        curve = fit(rows)
        if left_out < brier(rows, float):  # else what is stated is as good as what we could say
            tables[source] = [[knot, round(curve(knot), 4)] for knot in KNOTS]
    return tables


def _row(one: dict[str, Any]) -> Row:
    return one["score"], one["verdict"] in "SE"


def main() -> None:
    """Fit, report and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--labels", type=Path)
    parser.add_argument("--workspaces", type=Path)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(
        namespace=argparse.Namespace(without=None, folds=None, all_logs=False, show=False)
    )
    if options.labels:
        by_labels(options)
    tables = by_verdicts()
    if options.out:
        told = (f' "{source}": {json.dumps(rows)}' for source, rows in tables.items())
        text = "{\n" + ",\n".join(told) + "\n}"
        (options.out / "calibration.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
