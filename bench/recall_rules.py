"""What each rule of ranking is worth: ``bench_recall`` with one of them switched off at a time.

Run with ``PYTHONPATH=scripts:. .venv/bin/python -m bench.recall_rules locomo10.json [--only PARTS]``; ten minutes.
The tables of ``docs/decisions/0022-ranking.md``: R@10 over categories 1 to 4 and over multi-hop, on both
halves. Rows that give a weight stand for the weights beside the one that was chosen. ``--told`` asks only the
questions that tell a time, ``--by-turn`` makes each turn a chunk instead of about 600 characters.
"""

import argparse
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from statistics import fmean
from typing import Any

from bench.bench_recall import Tally, index, plain, searched, tally, together
from bench.locomo import ADVERSARIAL, CATEGORIES, Conversation, read_conversations
from msgspec.structs import replace

from nightledger.domain.search import Chunk, Kind, Query, ranking, timewords
from nightledger.domain.search.ranking import Ranked
from nightledger.files.search_index import NewChunk, NewFile, build_in_memory
from nightledger.files.search_store import FileState, SearchStore
from nightledger.recall import searching, weighing
from nightledger.recall.weighing import Asked
from nightledger.text.search import tokens
from nightledger.text.search.stop_words import STOP_WORDS

Indexed = Sequence[tuple[Conversation, SearchStore]]
MULTI_HOP = {1}
SPOKEN = set(CATEGORIES) - {ADVERSARIAL}
ORDER_AND_PLACE = (
    "above after again against before below between down during ever few get got more most off other out over "
    "own same under up"
)
"""Words that many lists of stop words have and ours leaves in."""


NEIGHBOURS = 0.35


def always(*_: object) -> bool:
    """Say yes."""
    return True


def with_neighbours(store: SearchStore, chunks: Mapping[int, Chunk], asked: Asked) -> list[Ranked]:
    """Weigh, and add to each chunk a share of what the chunks before and behind it have."""
    ranked = weighing.weigh(store, chunks, asked)
    places = {one.id: (chunks[one.id].path, chunks[one.id].n) for one in ranked}
    scores = {places[one.id]: one.score for one in ranked}

    def lent(one: Ranked) -> float:
        path, n = places[one.id]
        return NEIGHBOURS * sum(scores.get((path, beside), 0.0) for beside in (n - 1, n + 1))

    return ranking.scaled([replace(one, score=one.score + lent(one)) for one in ranked])


RULES: Mapping[str, Sequence[tuple[object, str, Any]]] = {
    "all rules": (),
    "without the day": ((ranking, "DAY_WEIGHT", 0.0),),
    "without told times": ((ranking, "TIME_WEIGHT", 0.0),),
    "told times end with their last day": ((timewords, "TOLD_LATER", timedelta(0)),),
    "told times are only preferred": ((searching, "ANSWERED_IN_TIME", 2.0),),
    "told times alone, if anything is found": ((searching, "ANSWERED_IN_TIME", 0.0),),
    "told times alone, whatever is found": ((searching, "_answers", always),),
    "told times alone from .7 on": ((searching, "ANSWERED_IN_TIME", 0.7),),
    "told times alone from .9 on": ((searching, "ANSWERED_IN_TIME", 0.9),),
    "neighbours .35 instead of the day": (
        (ranking, "DAY_WEIGHT", 0.0),
        (searching, "weigh", with_neighbours),
    ),
    "neighbours .35 beside the day": ((searching, "weigh", with_neighbours),),
    "the item before counts not at all": ((weighing, "BEFORE_WEIGHT", 0.0),),
    "the item before counts in full": ((weighing, "BEFORE_WEIGHT", 1.0),),
    "50 candidates": ((searching, "CANDIDATES", 50),),
    "200 candidates": ((searching, "CANDIDATES", 200),),
    "the day .2": ((ranking, "DAY_WEIGHT", 0.2),),
    "the day .6": ((ranking, "DAY_WEIGHT", 0.6),),
    "told times .2": ((ranking, "TIME_WEIGHT", 0.2),),
    "told times hold a week longer": ((timewords, "TOLD_LATER", timedelta(7)),),
    "told times hold a month longer": ((timewords, "TOLD_LATER", timedelta(30)),),
    "words of order and place left out": (
        (tokens.query_terms, "__kwdefaults__", {"stop_words": STOP_WORDS | set(ORDER_AND_PLACE.split())}),
    ),
}


@contextmanager
def switched(changes: Sequence[tuple[object, str, Any]]) -> Iterator[None]:
    """Set attributes of modules, and set them back."""
    before = [(module, name, getattr(module, name)) for module, name, _ in changes]
    for module, name, value in changes:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


def by_turn(conversation: Conversation) -> SearchStore:
    """Index a conversation's logs with a chunk a turn; the turn before is indexed with it."""
    writer = build_in_memory(tokens.index_text)
    for log in conversation.logs:
        chunks: list[NewChunk] = []
        at = before = 0
        for number, line in enumerate(log.text.split("\n"), 1):
            if number in log.turns:
                lead = at - before if chunks else 0
                chunks.append(
                    NewChunk(
                        start=at,
                        end=at + len(line),
                        first_line=number,
                        last_line=number,
                        heading=str(log.day),
                        day=log.day,
                        lead=lead,
                    )
                )
                before = at
            at += len(line) + 1
        state = FileState(0, 0, "", settled=True)
        writer.put(NewFile(path=log.path, kind=Kind.DAILY, state=state, text=log.text, chunks=chunks))
    writer.commit()
    return writer.store


def telling_a_time(conversation: Conversation, store: SearchStore) -> Conversation:
    """Give a conversation with those of its questions that tell a time."""
    today = conversation.logs[-1].day
    told = [
        one
        for one in conversation.questions
        if searching.read_query(store, Query(text=one.text), today).times.bounded
    ]
    return dataclasses.replace(conversation, questions=told)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("locomo", help="data/locomo10.json of github.com/snap-research/locomo")
    parser.add_argument("--only", nargs="*", default=[""], help="only rows whose names hold one of these")
    parser.add_argument("--told", action="store_true", help="only questions that tell a time")
    parser.add_argument("--by-turn", action="store_true", help="each turn a chunk")
    options = parser.parse_args()
    made: Callable[[Conversation], SearchStore] = by_turn if options.by_turn else index
    indexed: Indexed = [(one, made(one)) for one in read_conversations(options.locomo)]
    if options.told:
        indexed = [(telling_a_time(one, store), store) for one, store in indexed]
    print(f"{'':<36} tuning: R@10  multi-hop   held-out: R@10  multi-hop")
    if "" in options.only:
        _row("plain FTS5", tally(indexed, plain))
    for name, changes in RULES.items():
        if not any(part in name for part in options.only):
            continue
        with switched(changes):
            _row(name, tally(indexed, searched))


def _row(name: str, tallies: dict[tuple[bool, int], Tally]) -> None:
    figures = [
        fmean(together(tallies, (half,), categories).shares[10])
        for half in (True, False)
        for categories in (SPOKEN, MULTI_HOP)
    ]
    print(
        f"{name:<36} {figures[0]:>12.4f} {figures[1]:>10.4f} {figures[2]:>16.4f} {figures[3]:>10.4f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
