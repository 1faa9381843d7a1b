"""What an agent is told of short memories that are asked about by other names, in typos, and not at all.

Run with ``CASES=retrieval.cases.json BELIEFS=beliefs.seed.json PYTHONPATH=scripts:. .venv/bin/python -m bench.bench_names``.
The files are PrecisionMemBench's (tenurehq/precisionMemBench, fixtures/; MIT; for measuring only, not committed). A home
holds what is in force for the case's scopes, an entry a belief, in the words of its content; the aliases that the files
list beside it are not told to the home. What is pinned counts neither way: it has a tier of its own there. Precision is
meant over the cases that are shown something, recall over those where something is due.

Rules and thresholds were chosen on every other case; the rest was looked at when they were done.
"""

import json
import os
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from bench.bench_relevance import file_of

from nightledger.domain.search import Kind, Query, Showing
from nightledger.files.search_index import SearchStore, build_in_memory
from nightledger.recall.names import learn_names
from nightledger.recall.relevant import NEAR, look, own_words
from nightledger.recall.searching import as_told, search_store
from nightledger.text.tokens import index_text

THRESHOLD, LINES, RECALLED = 6.0, 2, 5
TODAY = date(2026, 10, 1)
Case = dict[str, Any]


def main() -> None:
    """Print precision, recall and silence of the hook and of ``recall``, for each half of the cases and for all."""
    gone = ("superseded_by", "resolved_at")
    beliefs = [
        one for one in _read("BELIEFS") if one["user_id"] == "test-user" and not any(map(one.get, gone))
    ]
    cases = [one for one in _read("CASES") if one["query"].strip() and _due(one) is not None]
    for name, chosen in (("tuned", cases[::2]), ("held out", cases[1::2]), ("all", cases)):
        for way in (hooked, recalled):
            tell(f"{name:<9} {way.__name__:<9}", beliefs, chosen, way)


def tell(name: str, beliefs: Sequence[Case], cases: Iterable[Case], way: Any) -> None:
    """Print what one way of asking gives."""
    precisions, recalls, silent, nothing_due = [], [], 0, 0
    for case in cases:
        known = [one for one in beliefs if {"user:universal", *case["scope"]}.intersection(one["scope"])]
        pinned = {one["_id"] for one in known if one["pinned"]}
        due = set(_due(case) or ())
        shown = way(_store(known), case["query"], [one["_id"] for one in known])
        found = [one for one in shown if one not in pinned]
        if os.environ.get("TELL"):
            print(name, case["query"][:60], "due", due, "found", found)
        if found:
            precisions.append(len(due.intersection(found)) / len(found))
        if due:
            recalls.append(len(due.intersection(found)) / len(due))
        else:
            nothing_due += 1
            silent += not found
    print(
        f"{name} precision {_mean(precisions):.2f} of {len(precisions)} recall {_mean(recalls):.2f} of {len(recalls)}"
        f" silent {silent} of {nothing_due}"
    )


def hooked(store: SearchStore, query: str, names: Sequence[str]) -> list[str]:
    """Return what the prompt hook would show."""
    looked = look(store, own_words(query))
    best = looked.best(THRESHOLD)[:LINES]
    return [names[number - 1] for number in best if looked.scores[number] >= NEAR * looked.scores[best[0]]]


def recalled(store: SearchStore, query: str, names: Sequence[str]) -> list[str]:
    """Return what ``recall`` tells an agent."""
    asked = Query(text=query, limit=RECALLED, showing=Showing.AGENT)
    found = as_told(search_store(store, asked, TODAY), asked)
    return [names[hit.chunk.id - 1] for hit in found.hits]


def _store(beliefs: Sequence[Case]) -> SearchStore:
    writer = build_in_memory(index_text)
    writer.put(file_of("MEMORY.md", Kind.MEMORY, [one["content"] for one in beliefs]))
    learn_names(writer, "MEMORY.md")
    writer.commit()
    return writer.store


def _due(case: Case) -> list[str] | None:
    due: list[str] | None = case["expect"].get("relevantBeliefs", {}).get("shouldOnlyInclude")
    return due


def _read(name: str) -> list[Case]:
    told: list[Case] = json.loads(Path(os.environ[name]).read_text(encoding="utf-8"))
    return told


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


if __name__ == "__main__":
    main()
