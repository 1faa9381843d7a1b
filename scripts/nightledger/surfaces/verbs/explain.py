"""Say how a query is answered: its words and what stands for them, time, what was weighed, why each hit.

What an operator sees is marked [held: ...] where an agent would not see it; with --agent it is
answered as an agent is, and what was withheld is counted by why. For the operator.

Reads   as 'recall QUERY'
Writes  .nightledger/search/, the index
Changes no memory.
"""

import argparse
from collections.abc import Iterator
from typing import Any

from nightledger.domain.search.expansion import Group
from nightledger.domain.search.values import Query, Showing
from nightledger.files.configuration import load_operator
from nightledger.recall.searching import Explained, explain
from nightledger.surfaces import screen
from nightledger.surfaces.agent_host import require_person
from nightledger.surfaces.context import Context
from nightledger.surfaces.home import is_simulated
from nightledger.surfaces.recall.hits import found_record, one_hit
from nightledger.surfaces.recall.options import FILTERS
from nightledger.surfaces.recall.search_home import choose_encoder, may_write, read_query
from nightledger.surfaces.session import reading
from nightledger.text.search.tokens import shown_as

ALL_REASONS = 100


OPTIONS = {
    "query": {"metavar": "QUERY", "help": "what 'recall' was asked"},
    "--tags": ("A,B", "only what says one of these tags"),
    **FILTERS,
    "-n": {"dest": "limit", "metavar": "N", "type": int, "default": 5, "help": "hits to show (default: 5)"},
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Search and tell how."""
    require_person("explain", simulated=is_simulated(context.home_path))
    query = read_query(options, options.query)
    with reading(context) as seen:
        may = may_write(seen.gate.home)
        encoder = choose_encoder(load_operator(context.keys_dir))
        explained = explain(seen.gate, seen.ledger, query, seen.moment, may_write=may, encoder=encoder)
        context.emit(explained_record(explained, query))
        context.print_lines(explained_lines(explained, query))
        for note in explained.found.notes:
            for line in screen.wrap(screen.shown(note), indent="  ", first=""):
                context.note(line)
    return 0


def explained_lines(explained: Explained, query: Query) -> Iterator[str]:
    """Give the rows that tell how a query was read, what was looked at, and each hit with all its reasons."""
    for line in _facts(explained, query):
        yield from screen.wrap(line, indent=screen.INSIDE, first="")
    for hit in explained.found.hits:
        yield from one_hit(hit, reasons=ALL_REASONS)
        chunk = hit.chunk
        yield from screen.wrap(
            f"chunk: lines {chunk.first_line}-{chunk.last_line}, {chunk.kind.value}"
            f"{f', {chunk.day}' if chunk.day else ''}{f', entry {chunk.entry}' if chunk.entry else ''}",
            indent="      ",
            first="  ",
        )


def _facts(explained: Explained, query: Query) -> Iterator[str]:
    index = f"{explained.chunks:,} chunks of {explained.files:,} files; {explained.indexed:,} files were indexed for this"
    yield f"Index: {index}."
    if not explained.groups:
        yield "The query has no word to look for."
    for group in explained.groups:
        yield f"Word: {screen.shown(_word(explained, group, group.word, 1.0))}{_others(explained, group)}"
    if explained.said and not (explained.since or explained.until):
        yield f"Time: {screen.shown(explained.said)!r} is not known: no dated log tells of it; no time is preferred."
    elif explained.said:
        days = f"{explained.since or '...'} to {explained.until or '...'}"
        how = (
            "only that was searched"
            if explained.found.only
            else "all times were searched, what lies in it is preferred"
        )
        yield f"Time: {screen.shown(explained.said)!r} is {days}; {how}."
    yield from _filters(query)
    yield f"Weighed: {explained.candidates} chunks; shown: {len(explained.found.hits)}."
    if query.showing is Showing.AGENT:
        told = "; ".join(f"{count} {why}" for why, count in explained.found.withheld.items())
        yield f"Withheld from an agent: {told or 'nothing that was weighed so far'}."


def _filters(query: Query) -> Iterator[str]:
    if query.since or query.until:
        yield f"Only days: {query.since or '...'} to {query.until or '...'}."
    if query.tags:
        yield f"Only what says a tag of: {', '.join(query.tags)}."
    if query.scope:
        yield f"Only kinds: {', '.join(sorted(kind.value for kind in query.scope))}."


def _word(explained: Explained, group: Group, word: str, weight: float) -> str:
    count = explained.frequencies.get(word, 0)
    said = f"in {count:,} chunk{'' if count == 1 else 's'}"
    if word == group.word:
        return f"{shown_as(word)} ({said})"
    why = "associated" if word in group.linked else "stands for it"
    return f"{word} ({why}, weight {weight:.2f}, {said})"


def _others(explained: Explained, group: Group) -> str:
    found = [pair for pair in group.others if explained.frequencies.get(pair[0])]
    others = [_word(explained, group, word, weight) for word, weight in found]
    return f"; also {', '.join(map(screen.shown, others))}" if others else ""


def explained_record(explained: Explained, query: Query) -> dict[str, Any]:
    """Give the document of ``explain --json``: that of ``recall``, and how it came about."""
    return {
        **found_record(explained.found, query),
        "words": [
            {
                "word": shown_as(group.word),
                "chunks": explained.frequencies.get(group.word, 0),
                "others": [
                    {
                        "word": word,
                        "weight": weight,
                        "associated": word in group.linked,
                        "chunks": explained.frequencies.get(word, 0),
                    }
                    for word, weight in group.others
                ],
            }
            for group in explained.groups
        ],
        "time": {
            "said": explained.said,
            "since": explained.since.isoformat() if explained.since else None,
            "until": explained.until.isoformat() if explained.until else None,
            "only": explained.found.only,
        },
        "index": {
            "chunks": explained.chunks,
            "files": explained.files,
            "indexed_now": explained.indexed,
            "weighed": explained.candidates,
        },
    }
