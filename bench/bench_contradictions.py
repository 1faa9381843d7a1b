"""Score what finds contradictions: on facts that were changed on purpose, and on memories of others.

Usage: FACTS=Conflict_Resolution.json WORKSPACES=dir python -m bench.bench_contradictions

FACTS is the conflict set of MemoryAgentBench (EvoMemBench carries it): contexts that are numbered lists of facts, of which
two with one subject and one relation say different things. Two ways are scored: the check-up of a memory that holds a
context as a list, and its facts told one after the other as a log's statements against what was told before. The last
two columns leave out the facts of smaller contexts, on which the rule was developed.
WORKSPACES holds folders with a ``MEMORY.md`` each: every pair of entries that is named there is printed, to be judged.
"""

import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from itertools import combinations
from pathlib import Path

from nightledger.domain.finding import DoubtLabel
from nightledger.text.checkup.checkup import check_memory
from nightledger.text.checkup.units import UnitKind, read_units
from nightledger.text.contradictions import Standing
from nightledger.text.markdown.document import parse_markdown

DAY = date(2026, 6, 1)
MOST_FACTS = 5_000
"""Larger contexts take minutes."""
_FACT = re.compile(r"\d+\. (.+)")
_RELATION = re.compile(
    r".+? (?:is|was|died|works?|worked|plays|speaks)\b(?: [a-z]+)*? (?:in|by|for|to|(?:citizen|city|continent|country"
    r"|field|language|position|religion|sport) of)(?: the (?:city|continent|country|field) of)? "
)
Pair = tuple[int, int]


def main() -> int:
    """Score both ways on each context, then print what is named in the memories.

    Returns:
        2 where neither variable names anything, else 0.
    """
    facts, workspaces = (Path(os.environ.get(name, "")) for name in ("FACTS", "WORKSPACES"))
    if not facts.is_file() and not workspaces.name:
        print("error: FACTS must be a file, or WORKSPACES a folder", file=sys.stderr)
        return 2
    if facts.is_file():
        _score_facts(facts)
    if workspaces.name:
        _name_pairs(workspaces)
    return 0


def _score_facts(path: Path) -> None:
    contexts = {record["context"] for record in json.loads(path.read_text("utf-8"))}
    print("facts  pairs  way         named  precision  recall  | unseen pairs: precision  recall")
    seen: set[str] = set()
    for context in sorted(contexts, key=len):
        facts = [fact[1] for line in context.split("\n") if (fact := _FACT.match(line))]
        if len(facts) > MOST_FACTS:
            continue
        true = set(_true_pairs(facts))
        for way, named in (("check-up", _of_checkup(facts)), ("statements", _of_statements(facts))):
            unseen = [{(a, b) for a, b in pairs if facts[b] not in seen} for pairs in (true, named)]
            print(
                f"{len(facts):5}  {len(true):5}  {way:10}  {len(named):5}  {_scores(true, named)}"
                f"  | {len(unseen[0]):12}: {_scores(*unseen)}"
            )
        seen.update(facts)


def _scores(true: Collection[Pair], named: Collection[Pair]) -> str:
    right = len(set(true) & set(named))
    return f"{right / max(1, len(named)):9.3f}  {right / max(1, len(true)):6.3f}"


def _true_pairs(facts: Sequence[str]) -> Iterator[Pair]:
    """Yield the places of facts that say different things of one head."""
    by_head: defaultdict[str, list[int]] = defaultdict(list)
    for place, fact in enumerate(facts):
        by_head[_head(fact)].append(place)
    for places in by_head.values():
        yield from ((a, b) for a, b in combinations(places, 2) if facts[a] != facts[b])


def _head(fact: str) -> str:
    """Return a fact's subject and relation: up to the last "is" of "The capital of Peru is", else a relation of the set's."""
    found = None if re.match("The [a-z]|.+'s child is ", fact) else _RELATION.match(fact)
    return found[0] if found else fact.rpartition(" is ")[0]


def _of_checkup(facts: Sequence[str]) -> set[Pair]:
    document = "# Facts\n\n" + "".join(f"- {fact}\n" for fact in facts)
    doubts = [doubt for doubt in check_memory(document, today=DAY) if doubt.label is DoubtLabel.CONTRADICTION]
    return {(min(a, b), max(a, b)) for doubt in doubts for a, b in ((doubt.lines[0] - 3, doubt.other - 3),)}


def _of_statements(facts: Sequence[str]) -> set[Pair]:
    standing, named = Standing(()), set()
    for place, fact in enumerate(facts):
        named |= {(int(hit.entry), place) for hit in standing.contradicted_by(fact)}
        standing.add(str(place), fact)
    return named


def _name_pairs(workspaces: Path) -> None:
    files = {path.read_bytes(): path for path in sorted(workspaces.glob("**/MEMORY.md"))}
    entries = pairs = named = 0
    for content, path in files.items():
        text = content.decode("utf-8", "surrogateescape")
        count = sum(
            unit.kind in {UnitKind.ITEM, UnitKind.SENTENCE} for unit in read_units(parse_markdown(text))
        )
        entries, pairs = entries + count, pairs + count * (count - 1) // 2
        lines = text.split("\n")
        for doubt in check_memory(text, today=DAY):
            if doubt.label is DoubtLabel.CONTRADICTION and doubt.other:
                named += 1
                print(f"{path}:{doubt.lines[0]} and {doubt.other}: {doubt.reason}")
                print("\n".join(f"    {lines[line - 1]}" for line in (doubt.lines[0], doubt.other)))
    print(f"{len(files)} memories, {entries} entries, {pairs} pairs of entries of one file: {named} named")


if __name__ == "__main__":
    sys.exit(main())
