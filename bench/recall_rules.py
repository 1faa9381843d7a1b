"""What each rule of ranking is worth: ``bench_recall`` with one of them switched off at a time.

Run with ``PYTHONPATH=scripts:. .venv/bin/python -m bench.recall_rules locomo10.json [--only PARTS]``; ten minutes.
The tables of ``docs/decisions/0046-ranking.md``: R@10 over categories 1 to 4 and over multi-hop, on both
halves. Rows that give a weight stand for the weights beside the one that was chosen.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from statistics import fmean
from typing import Any

from bench.bench_recall import Tally, index, plain, searched, tally, together
from bench.locomo import ADVERSARIAL, CATEGORIES, Conversation, read_conversations

from nightledger.domain.search import expansion, hops, ranking, timewords
from nightledger.files.search_store import SearchStore
from nightledger.recall import searching, weighing
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


def nothing(_word: str) -> tuple[str, ...]:
    """Give no other words."""
    return ()


RULES: Mapping[str, Sequence[tuple[object, str, Any]]] = {
    "all rules": (),
    "without the day": ((ranking, "DAY_WEIGHT", 0.0),),
    "without told times": ((ranking, "TIME_WEIGHT", 0.0),),
    "told times end with their last day": ((timewords, "TOLD_LATER", timedelta(0)),),
    "without kin": ((expansion, "kin_of", nothing),),
    "without irregular forms": ((expansion, "forms_of", nothing),),
    "without names": ((ranking, "NAME_WEIGHT", 0.0),),
    "without the hop": ((hops, "ANSWERED", 0.0),),
    "the item before counts not at all": ((weighing, "BEFORE_WEIGHT", 0.0),),
    "the item before counts in full": ((weighing, "BEFORE_WEIGHT", 1.0),),
    "50 candidates": ((searching, "CANDIDATES", 50),),
    "200 candidates": ((searching, "CANDIDATES", 200),),
    "the day .2": ((ranking, "DAY_WEIGHT", 0.2),),
    "the day .6": ((ranking, "DAY_WEIGHT", 0.6),),
    "told times .2": ((ranking, "TIME_WEIGHT", 0.2),),
    "told times hold a week longer": ((timewords, "TOLD_LATER", timedelta(7)),),
    "told times hold a month longer": ((timewords, "TOLD_LATER", timedelta(30)),),
    "kin .2": ((expansion, "KIN_WEIGHT", 0.2),),
    "kin .5": ((expansion, "KIN_WEIGHT", 0.5),),
    "words of order and place left out": (
        (
            tokens.query_terms,
            "__kwdefaults__",
            {"stop_words": STOP_WORDS | set(ORDER_AND_PLACE.split())},
        ),
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


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("locomo", help="data/locomo10.json of github.com/snap-research/locomo")
    parser.add_argument("--only", nargs="*", default=[""], help="only rows whose names hold one of these")
    options = parser.parse_args()
    conversations = read_conversations(options.locomo)
    indexed = [(one, index(one)) for one in conversations]
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
