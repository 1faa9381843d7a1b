"""What each rule of ranking is worth: ``bench_recall`` with one of them switched off at a time.

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.recall_rules locomo10.json``; ten minutes. The table
of ``docs/decisions/0046-ranking.md``: R@10 over categories 1 to 4 and over multi-hop, on both halves.
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

Indexed = Sequence[tuple[Conversation, SearchStore]]
MULTI_HOP = {1}
SPOKEN = set(CATEGORIES) - {ADVERSARIAL}


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
    conversations = read_conversations(parser.parse_args().locomo)
    indexed = [(one, index(one)) for one in conversations]
    print(f"{'':<36} tuning: R@10  multi-hop   held-out: R@10  multi-hop")
    _row("plain FTS5", tally(indexed, plain))
    for name, changes in RULES.items():
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
