"""How well search finds what answers: LoCoMo's evidence, beside plain FTS5 on the same logs.

Run with ``make bench-recall LOCOMO=locomo10.json`` (``bench/locomo.py`` says where the file is from and under
which licence); about a minute, ``--meaning`` several more. Everything found goes through the product's own cutting, indexing
and searching.

How it is counted. A question's evidence are the turns that its labels name: each is one line of one
log. A hit is a chunk: its own lines, about 600 characters at most. R@k is the share of a question's
evidence lines that lie in the first k hits, meant over the questions; "any" is the share of questions with one
such line at least; MRR the mean of 1 / the place of the first hit that holds one. Questions without evidence that exists
are left out and counted. "all" are categories 1 to 4; with 5 (adversarial: what nobody said) it stands beside,
because the figures that were published count it in.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from bench.locomo import ADVERSARIAL, CATEGORIES, TUNING, Conversation, Question, read_conversations

from nightledger.domain.search import Chunk, Kind, Query
from nightledger.domain.settings import MeaningSource, Operator
from nightledger.files.search_index import FileState, NewChunk, NewFile, SearchStore, build_in_memory
from nightledger.recall.meaning import Encoder, learn
from nightledger.recall.searching import search_store
from nightledger.recall.sources import cut_prose
from nightledger.surfaces.recalling import choose_encoder
from nightledger.text.markdown.chunks import cut_markdown
from nightledger.text.tokens import index_text, match_any, query_terms

DEPTH = 10
_UNKNOWN = FileState(0, 0, "", settled=True)
Finder = Callable[[SearchStore, Conversation, Question], Sequence[Chunk]]


@dataclass(slots=True)
class Tally:
    """What was found for some questions.

    Attributes:
        shares: For each k, the share of its evidence that each question found.
        places: The place of the first hit with evidence, from 1; 0 where none of ten has any.
        seconds: CPU time of each question.
    """

    shares: dict[int, list[float]] = field(default_factory=lambda: {5: [], 10: []})
    places: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def row(self) -> str:
        """Give the figures in a line."""
        recall = " ".join(f"{fmean(self.shares[k]):.3f}" for k in (5, 10))
        hit = fmean(share > 0 for share in self.shares[10])
        reciprocal = fmean(1 / place if place else 0.0 for place in self.places)
        return f"{len(self.places):>5} {recall} {hit:.3f} {reciprocal:.3f}"


def index(conversation: Conversation) -> SearchStore:
    """Index a conversation's logs with the product's own cutting and words."""
    writer = build_in_memory(index_text)
    for log in conversation.logs:
        chunks = cut_prose(log.text, None).chunks
        writer.put(NewFile(path=log.path, kind=Kind.DAILY, state=_UNKNOWN, text=log.text, chunks=chunks))
    writer.commit()
    return writer.store


def searched(store: SearchStore, conversation: Conversation, question: Question) -> Sequence[Chunk]:
    """Search as ``recall`` does, on the day of the last log."""
    found = search_store(store, Query(text=question.text, limit=DEPTH), conversation.logs[-1].day)
    return [hit.chunk for hit in found.hits]


def searched_with(encoder: Encoder) -> Finder:
    """Give a finder that searches as ``recall`` does where meaning counts."""

    def find(store: SearchStore, conversation: Conversation, question: Question) -> Sequence[Chunk]:
        query = Query(text=question.text, limit=DEPTH)
        found = search_store(store, query, conversation.logs[-1].day, encoder=encoder)
        return [hit.chunk for hit in found.hits]

    return find


def plain(store: SearchStore, _: Conversation, question: Question) -> Sequence[Chunk]:
    """Ask FTS5 alone: the query's words joined by OR, its own BM25, all columns alike."""
    ask = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank, rowid LIMIT ?"
    found = [row[0] for row in store.ask(ask, (match_any(query_terms(question.text)), DEPTH))]
    chunks = store.chunks(found)
    return [chunks[number] for number in found]


def tally(indexed: Sequence[tuple[Conversation, SearchStore]], find: Finder) -> dict[tuple[bool, int], Tally]:
    """Ask every question; gives figures by half (True: tuning) and category."""
    tallies: defaultdict[tuple[bool, int], Tally] = defaultdict(Tally)
    for conversation, store in indexed:
        for question in conversation.questions:
            one = tallies[conversation.id in TUNING, question.category]
            before = time.process_time()
            chunks = find(store, conversation, question)
            one.seconds.append(time.process_time() - before)
            held = [_held(chunk, question) for chunk in chunks]
            for k, shares in one.shares.items():
                shares.append(len(frozenset().union(*held[:k])) / len(question.evidence))
            one.places.append(next((place for place, lines in enumerate(held, 1) if lines), 0))
    return tallies


def report(name: str, tallies: dict[tuple[bool, int], Tally]) -> None:
    """Print a table: halves and categories."""
    print(f"\n{name:<34} {'n':>5}   R@5  R@10   any   MRR")
    halves = {"tuning half": (True,), "held-out half": (False,), "all ten": (True, False)}
    for half, which in halves.items():
        for number, category in CATEGORIES.items():
            print(f"  {half:<14} {category:<16} {together(tallies, which, {number}).row()}")
        print(
            f"  {half:<14} {'1 to 4':<16} {together(tallies, which, set(CATEGORIES) - {ADVERSARIAL}).row()}"
        )
        print(f"  {half:<14} {'1 to 5':<16} {together(tallies, which, set(CATEGORIES)).row()}")
    seconds = together(tallies, (True, False), set(CATEGORIES)).seconds
    print(f"  CPU of a query: median {median(seconds) * 1000:.1f} ms")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("locomo", help="data/locomo10.json of github.com/snap-research/locomo")
    parser.add_argument("--meaning", metavar="URL", help="with an embedding server's /v1/embeddings, too")
    parser.add_argument("--model", default="", help="which of the server's models")
    options = parser.parse_args()
    conversations = read_conversations(options.locomo)
    indexed = [(one, index(one)) for one in conversations]
    _describe(indexed)
    report("plain FTS5 over the same chunks", tally(indexed, plain))
    report("recall", tally(indexed, searched))
    if options.meaning:
        encoder = choose_encoder(Operator(meaning=MeaningSource(url=options.meaning, model=options.model)))
        assert encoder
        before = time.process_time()
        chunks = sum(store.count() for _, store in indexed)
        left = sum(learn(None, store, encoder, most=store.count()) for _, store in indexed)
        assert not left, f"{left} chunks have no embedding"
        print(
            f"\n{chunks:,} chunks embedded; CPU of each {(time.process_time() - before) / chunks * 1000:.1f} ms"
        )
        report("recall with meaning", tally(indexed, searched_with(encoder)))


def _describe(indexed: Sequence[tuple[Conversation, SearchStore]]) -> None:
    chunks = [one for conversation, _ in indexed for one in _passages(conversation)]
    sizes = [one.end - one.start for one in chunks]
    conversations = [conversation for conversation, _ in indexed]
    print(f"{len(chunks):,} chunks, {median(sizes)} characters in the middle, {max(sizes)} at most")
    print(
        f"{sum(len(one.questions) for one in conversations):,} questions; "
        f"{sum(one.unplaced for one in conversations)} left out, whose evidence names no turn; "
        f"{sum(one.mended for one in conversations)} evidence ids read in spite of their form, "
        f"{sum(one.broken for one in conversations)} that name no turn left out"
    )


def _passages(conversation: Conversation) -> list[NewChunk]:
    return [one for log in conversation.logs for one in cut_markdown(log.text)]


def _held(chunk: Chunk, question: Question) -> frozenset[tuple[str, int]]:
    lines = range(chunk.first_line, chunk.last_line + 1)
    return frozenset(place for place in question.evidence if place[0] == chunk.path and place[1] in lines)


def together(tallies: dict[tuple[bool, int], Tally], halves: Sequence[bool], categories: set[int]) -> Tally:
    """Put the figures of some halves and categories together."""
    whole = Tally()
    for (half, category), one in tallies.items():
        if half in halves and category in categories:
            for k, shares in one.shares.items():
                whole.shares[k] += shares
            whole.places += one.places
            whole.seconds += one.seconds
    return whole


if __name__ == "__main__":
    main()
