"""Search before and after pruning: do sampled queries find archived text as before?

    python -m bench.bench_pruned [--queries 100] [--seed 1] [--workspace FOLDER]

A home (an invented one, or a copy of a workspace of others) is pruned by the real gate until nothing is left
to propose, as ``bench.bench_prune`` does. A query is some words of one line of a log that was then
compressed. *As before* means that the best lines of the best hit say the same, wherever they stand now:
in the log before, in its full text under ``memory/archive/daily/`` after. Exit status 1 where one differs.
"""

import argparse
import random  # noqa: TID251 - sampled by a seed
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from bench.worlds.generate import generate, write_home

from bench import bench_prune
from nightledger.domain.decision import Moment
from nightledger.domain.search import Hit, Query, Showing
from nightledger.files.home import Home
from nightledger.gate.opening import Gate, read_ledger
from nightledger.recall.indexing import refresh
from nightledger.recall.searching import search_in
from nightledger.text.tokens import query_terms

WORDS = 5
"""Words of a line that make a query."""
SAME, MOVED, LOST = "the same lines first", "the same lines among the first five", "other lines"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """A query with what answered it.

    Attributes:
        query: Words of one line.
        best: What the best lines of the best hit said.
        path: Where they stood.
    """

    query: str
    best: str
    path: str


def main(words: Sequence[str] | None = None) -> int:
    """Print how many of the queries find what they found."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--queries", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--workspace", type=Path, help="a workspace with logs (default: an invented one)")
    chosen = options.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="nightledger-pruned-") as trial:
        figures = run_trial(Path(trial), chosen.workspace, chosen.queries, chosen.seed)
    for what, count in figures.items():
        print(f"  {count:>8,}  {what}")
    return 0 if figures[SAME] == figures["queries"] and figures["queries"] else 1


def run_trial(trial: Path, workspace: Path | None, queries: int, seed: int) -> Mapping[str, int]:
    """Sample queries, prune, ask again; give counts by what is counted."""
    home = Home(trial / "home")
    if workspace is None:
        write_home(generate(seed), Path(home.root))
    else:
        bench_prune._copy(workspace, Path(home.root))  # noqa: SLF001 - benches share their steps
    gate, start = bench_prune._found(home, trial / "keys")  # noqa: SLF001
    logs = _logs(home)
    candidates = list(_ask_all(gate, start, _queries(logs, queries * 20, seed)))
    figures = bench_prune.Figures()
    end = bench_prune._prune_all(gate, Moment(at=start.at + bench_prune.AFTER), figures)  # noqa: SLF001
    copies = read_ledger(gate).book.copies
    sampled = [one for one in candidates if one.path in copies][:queries]
    after = _ask(gate, end, start.at.date(), [one.query for one in sampled])
    counts = {"logs": len(logs), "logs that were compressed": len(copies), "queries": len(sampled)}
    counts |= dict.fromkeys((SAME, MOVED, LOST), 0)
    for one, hits in zip(sampled, after, strict=True):
        said = [_said(hit) for hit in hits]
        counts[SAME if said[:1] == [one.best] else MOVED if one.best in said[:5] else LOST] += 1
    return counts


def _logs(home: Home) -> dict[str, list[str]]:
    """Give the lines of each log, by its path."""
    paths = [path for path in Path(home.memory_dir).rglob("*.md") if path.is_file()]
    return {
        home.relative(str(path)): path.read_text("utf-8", "replace").split("\n") for path in sorted(paths)
    }


def _queries(logs: Mapping[str, Sequence[str]], count: int, seed: int) -> list[str]:
    """Give words of lines, drawn from all logs."""
    dice = random.Random(seed)
    lines = [terms for text in logs.values() for line in text if len(terms := query_terms(line)) >= WORDS]
    drawn = [dice.choice(lines) for _ in range(count)]
    return list(dict.fromkeys(" ".join(dice.sample(terms, WORDS)) for terms in drawn))


def _ask_all(gate: Gate, moment: Moment, queries: Sequence[str]) -> Iterator[Sampled]:
    answers = _ask(gate, moment, moment.at.date(), queries)
    for query, hits in zip(queries, answers, strict=True):
        if hits:
            yield Sampled(query=query, best=_said(hits[0]), path=hits[0].chunk.path)


def _ask(gate: Gate, moment: Moment, today: date, queries: Sequence[str]) -> list[tuple[Hit, ...]]:
    """Ask on one day, however late it is: words that tell a time are to mean the same."""
    refreshed = refresh(gate, read_ledger(gate), moment)
    with closing(refreshed.store):
        return [
            search_in(refreshed, Query(text=query, showing=Showing.OPERATOR), today).hits for query in queries
        ]


def _said(hit: Hit) -> str:
    first, last = (number - hit.chunk.first_line for number in hit.lines)
    return "\n".join(line.strip() for line in hit.chunk.text.split("\n")[first : last + 1])


if __name__ == "__main__":
    sys.exit(main())
