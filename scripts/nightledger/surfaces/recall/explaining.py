"""How ``recall --explain`` tells the way to an answer: words, time, what was weighed, and each hit with all its reasons."""

from collections.abc import Iterator
from typing import Any

from nightledger.domain.search.expansion import Group
from nightledger.domain.search.values import Query, Showing
from nightledger.recall.explaining import Explained
from nightledger.surfaces import screen
from nightledger.surfaces.recall.hits import found_record, one_hit
from nightledger.text.search.tokens import shown_as

ALL_REASONS = 100


def explained_lines(explained: Explained, query: Query) -> Iterator[str]:
    """Return the rows for a person."""
    for line in _facts(explained, query):
        yield from screen.wrap(line, indent=screen.INSIDE, first="")
    for hit in explained.found.hits:
        yield from one_hit(hit, reasons=ALL_REASONS)
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
    for group in explained.groups:
        alike = [one for one in group.others if explained.frequencies.get(one[0])]
        others = [_word(explained, group, word, weight) for word, weight in alike]
        also = f"; also {', '.join(others)}" if others else ""
        yield f"Word: {screen.shown(_word(explained, group, group.word, 1.0) + also)}"
    for name in explained.names:
        yield f"Name: {screen.shown(' '.join(name))}"
    if explained.said:
        days = f"is {explained.since or '...'} to {explained.until or '...'}"
        how = "only that was searched" if explained.found.only else "what lies in it is preferred"
        known = explained.since or explained.until
        yield f"Time: {screen.shown(explained.said)!r} {f'{days}; {how}' if known else 'is not known'}."
    narrowed = (
        [f"days {query.since or '...'} to {query.until or '...'}"] if query.since or query.until else []
    )
    narrowed += [f"what says a tag of: {', '.join(query.tags)}"] if query.tags else []
    narrowed += [f"kinds: {', '.join(sorted(kind.value for kind in query.scope))}"] if query.scope else []
    yield from (f"Only {one}." for one in narrowed)
    yield f"Weighed: {explained.candidates} chunks; shown: {len(explained.found.hits)}."
    if query.showing is Showing.AGENT:
        told = "; ".join(f"{count} {why}" for why, count in explained.found.withheld.items())
        yield f"Withheld from an agent: {told or 'nothing that was weighed so far'}."


def _word(explained: Explained, group: Group, word: str, weight: float) -> str:
    count = explained.frequencies.get(word, 0)
    said = f"in {count:,} chunk{'s' * (count != 1)}"
    if word == group.word:
        return f"{shown_as(word)} ({said})"
    return (
        f"{word} ({'associated' if word in group.linked else 'stands for it'}, weight {weight:.2f}, {said})"
    )


def explained_record(explained: Explained, query: Query) -> dict[str, Any]:
    """Return the document: that of ``recall``, and how it came about."""

    def others(group: Group) -> list[dict[str, Any]]:
        return [
            {
                "word": word,
                "weight": weight,
                "associated": word in group.linked,
                "chunks": explained.frequencies.get(word, 0),
            }
            for word, weight in group.others
        ]

    return {
        **found_record(explained.found, query),
        "words": [
            {
                "word": shown_as(group.word),
                "chunks": explained.frequencies.get(group.word, 0),
                "others": others(group),
            }
            for group in explained.groups
        ],
        "names": [" ".join(name) for name in explained.names],
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
