"""How hits are shown: where, the lines, why; as records with ``--json``; and the way to them, for ``--explain``.

Invariant: text from files is data: secrets are masked, nothing of it acts on a terminal, and no row
is wider than the terminal.
"""

from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import Any

from nightledger.domain.search import Chunk, Found, Hit, Query, Why
from nightledger.recall.searching import Explained
from nightledger.surfaces import screen
from nightledger.text.scanners.scan import mask_secrets, told_values

MOST_REASONS = 4
"""Reasons that a hit names; ``--explain`` has all."""
_WORDS = {
    Why.TERM: "",
    Why.EXPANSION: "associated: ",
    Why.MEANING: "",
    Why.NEIGHBOUR: "",
    Why.TIME: "time: ",
}


def hit_lines(found: Found) -> Iterator[str]:
    """Give the rows that show what was found; on a terminal a table."""
    if screen.terminal() and found.hits:
        from nightledger.surfaces.screen import GAP, table

        wrap = partial(screen.wrap, less=len("1.00") + GAP)
        told = ("\n".join(one_hit(hit, wrap=wrap)).partition("  ") for hit in found.hits)
        yield from table(((score, text) for score, _, text in told), "bold green", "")
        return
    for hit in found.hits:
        yield from one_hit(hit)


def one_hit(
    hit: Hit, *, explained: bool = False, wrap: Callable[..., list[str]] = screen.wrap
) -> Iterator[str]:
    """Return the rows of one hit: score and place, its best lines, why.

    Args:
        hit: The hit.
        explained: Whether to name all reasons, each with its part of the score.
        wrap: Breaks a text to rows.
    """
    chunk = hit.chunk
    heading = f", {screen.shown(chunk.heading)}" if chunk.heading else ""
    heading = heading if chunk.text else " [unsigned: open it to read it]"
    yield from wrap(f"{hit.score:.2f}  {place(hit)}{heading}", indent="      ", first="")
    told = told_values(chunk.text)
    for line in hit.best_text.split("\n"):
        if line.strip():
            yield from wrap(screen.shown(line.strip(), told=told), indent="        ", first="      ")
    why = hit.why if explained else hit.why[:MOST_REASONS]
    parts = [f" {one.score:.2f}" * explained for one in why]
    named = [f"{_WORDS[one.why]}{screen.shown(one.what)}{part}" for one, part in zip(why, parts, strict=True)]
    if named:
        yield from wrap(", ".join(named), indent="      ", first="  why: ")
    if hit.held is not None:
        yield from wrap(f"[held: {screen.shown(hit.held)}]", indent="      ", first="  ")


def place(hit: Hit) -> str:
    """Give where a hit's best lines stand: ``memory/2026-02-28.md:12-13``."""
    first, last = hit.lines
    return screen.shown(f"{hit.chunk.path}:{first}" if first == last else f"{hit.chunk.path}:{first}-{last}")


def found_record(found: Found, query: Query) -> dict[str, Any]:
    """Give the document of ``recall QUERY --json``.

    Args:
        found: What was found.
        query: What was asked.
    """
    return {
        "query": mask_secrets(query.text[:1000]),
        "tags": list(query.tags),
        "since": _iso(found.since),
        "until": _iso(found.until),
        "only_that_time": found.only,
        "scope": sorted(kind.value for kind in query.scope),
        "showing": query.showing.value,
        "terms": list(found.terms),
        "expanded": [{"word": word, "from": source} for word, source in found.expanded],
        "hits": [hit_record(hit) for hit in found.hits],
        "notes": list(found.notes),
    }


def hit_record(hit: Hit) -> dict[str, Any]:
    """Give one hit as a record."""
    chunk = hit.chunk
    return {
        "path": chunk.path,
        "lines": list(hit.lines),
        "score": hit.score,
        "kind": chunk.kind.value,
        "day": _iso(chunk.day),
        "heading": mask_secrets(chunk.heading),
        "entry": chunk.entry or None,
        "signed": hit.signed,
        "chunk": {"lines": [chunk.first_line, chunk.last_line], "text": _masked(chunk)},
        "why": [{"why": one.why.value, "what": one.what, "score": one.score} for one in hit.why],
        "held": hit.held,
    }


def _masked(chunk: Chunk) -> str:
    return mask_secrets(chunk.text, told=told_values(chunk.text))


def explained_lines(explained: Explained, query: Query) -> Iterator[str]:
    """Return the rows for a person."""
    for line in _facts(explained, query):
        yield from screen.wrap(line, indent=screen.INSIDE, first="")
    for hit in explained.found.hits:
        yield from one_hit(hit, explained=True)
        chunk = hit.chunk
        entry = f", entry {chunk.entry}" if chunk.entry else ""
        told = f"chunk: lines {chunk.first_line}-{chunk.last_line}, {chunk.kind.value}"
        yield from screen.wrap(
            f"{told}{f', {chunk.day}' if chunk.day else ''}{entry}", indent=" " * 6, first="  "
        )


def _facts(explained: Explained, query: Query) -> Iterator[str]:
    yield (
        f"Index: {explained.chunks:,} chunks of {explained.files:,} files; "
        f"{explained.indexed:,} files were indexed for this."
    )
    found = explained.found
    for term in found.terms:
        others = [_word(explained, word) for word, source in found.expanded if source == term]
        also = f"; also, for less, {', '.join(others)}" if others else ""
        yield f"Word: {screen.shown(_word(explained, term) + also)}"
    if found.said:
        how = "only that was searched" if found.only else "what lies in it is preferred"
        yield f"Time: {screen.shown(found.said)!r} is {found.since or '...'} to {found.until or '...'}; {how}."
    narrowed = (
        [f"days {query.since or '...'} to {query.until or '...'}"] if query.since or query.until else []
    )
    narrowed += [f"what says a tag of: {', '.join(query.tags)}"] if query.tags else []
    narrowed += [f"kinds: {', '.join(sorted(kind.value for kind in query.scope))}"] if query.scope else []
    yield from (f"Only {one}." for one in narrowed)
    yield f"Weighed: {found.weighed} chunks; shown: {len(found.hits)}."


def _word(explained: Explained, word: str) -> str:
    count = explained.frequencies[word]
    return f"{word} (in {count:,} chunk{'s' * (count != 1)})"


def explained_record(explained: Explained, query: Query) -> dict[str, Any]:
    """Return the document: that of ``recall``, and how it came about."""
    found, counts = explained.found, explained.frequencies
    return {
        **found_record(found, query),
        "words": [{"word": word, "chunks": counts[word]} for word in (*found.terms, *dict(found.expanded))],
        "index": {
            "chunks": explained.chunks,
            "files": explained.files,
            "weighed": found.weighed,
            "indexed_now": explained.indexed,
        },
    }


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None
