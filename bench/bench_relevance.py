"""Which relevance a line must have before the prompt hook shows it, on public conversations.

Run with ``LOCOMO=locomo10.json PYTHONPATH=scripts:. .venv/bin/python -m bench.bench_relevance``. The file is
LoCoMo's (snap-research/locomo, data/locomo10.json; CC BY-NC 4.0: for measuring only, not committed). Each
conversation is a home: its observations are the entries of memory, its turns the daily logs. Its
questions are prompts; an entry answers one when both name the same turn as evidence. Prompts that
nothing answers are questions of other conversations, and everyday prompts of our own.

The threshold is chosen on five conversations and reported on the other five.
"""

import json
import os
import random  # noqa: TID251 - seeded
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from bench.calibrating import Answer, Label, Row, null_labels, suggest, tabulate, try_out
from bench.everyday_prompts import EVERYDAY

from nightledger.domain.search import Kind, Query, Showing
from nightledger.files.search_index import FileState, NewChunk, NewFile, SearchWriter, build_in_memory
from nightledger.recall.names import learn_names
from nightledger.recall.searching import LEAST_SHARE, search_store
from nightledger.text.tokens import index_text

MEMORY = "MEMORY.md"
SHIPPED = 6.0
"""As ``config/staging-rules.json`` has it."""
UNRELATED = 150
ALARMS = 0.01
ADVERSARIAL = 5
"""LoCoMo's category of questions without an answer; its evidence names turns about another speaker, so it is left out."""


def main() -> None:
    """Print the table of the tuned half, and what the chosen threshold does on the other half."""
    conversations = json.loads(Path(os.environ["LOCOMO"]).read_text())
    stores = [build(conversation) for conversation in conversations]
    tuned, other = range(0, len(stores), 2), range(1, len(stores), 2)
    for earlier in (False, True):
        said = "with three unrelated earlier prompts" if earlier else "alone"
        rows = tabulate(trials(conversations, stores, tuned, earlier=earlier))
        print(f"\n{len(tuned)} conversations, prompts {said}")
        for row in rows:
            if row.threshold in (3, 4, 5, 6, 6.5, 7, 8, 10):
                tell(row)
        chosen = suggest(rows, ALARMS)
        if chosen is None:
            sys.exit("no threshold is quiet enough")
        held_out = tabulate(trials(conversations, stores, other, earlier=earlier))
        print(f"chosen: {chosen.threshold}; on the other {len(other)}:")
        for threshold in sorted({chosen.threshold, SHIPPED}):
            tell(next(row for row in held_out if row.threshold == threshold))
    compare_least(conversations, stores)
    quiet = [
        suggest(
            tabulate(
                try_out(store.store, label, lines=2) for label in null_labels(store.store, random.Random(0))
            ),
            ALARMS,
        )
        for store in stores
    ]
    print("\nwithout labels, each conversation's own:", [row.threshold for row in quiet if row])


RECALLED = 10
LEAST = (0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)


def compare_least(conversations: Sequence[dict[str, Any]], stores: Sequence[SearchWriter]) -> None:
    """Print what ``recall`` tells an agent at several least relevances of the best hit: of ten, and where nothing answers."""
    for name, chosen in (("chosen on", range(0, len(stores), 2)), ("the other", range(1, len(stores), 2))):
        answers, others = [], []
        for number in chosen:
            for label in labels(conversations, number, list(chosen), random.Random(2), earlier=False):
                query = Query(text=label.prompt, limit=RECALLED, showing=Showing.AGENT)
                hits = search_store(stores[number].store, query, date(2024, 1, 1)).hits
                told = [(hit.relevance or 0.0, (hit.chunk.path, hit.chunk.first_line)) for hit in hits]
                right = {(one.path, one.first) for one in label.answers}
                best = max((one for one, _ in told), default=-1.0)
                kept = [(one >= LEAST_SHARE * best, place in right) for one, place in told]
                answers += [(best, is_told) for is_told, is_right in kept if is_right]
                others += [] if right else [best]
        print(
            f"\n{name}: least relevance, share of {len(answers)} answers in ten hits told, of {len(others)} prompts silent"
        )
        for least in LEAST:
            share = sum(best >= least and is_told for best, is_told in answers) / len(answers)
            print(f"  {least:>4}  {share:.3f}  {sum(best < least for best in others) / len(others):.3f}")


def tell(row: Row) -> None:
    """Print one row."""
    print(
        f"  {row.threshold:>5}  right {row.precision:.3f} of {row.shown} lines  helped {row.recall:.3f} of "
        f"{row.answerable}  unrelated {row.alarm_rate:.4f} of {row.unanswerable}"
    )


def build(conversation: dict[str, Any]) -> SearchWriter:
    """Index one conversation in memory."""
    writer = build_in_memory(index_text)
    writer.put(file_of(MEMORY, Kind.MEMORY, [text for text, _ in entries(conversation)]))
    for name, turns in conversation["conversation"].items():
        if name.startswith("session_") and isinstance(turns, list):
            writer.put(
                file_of(
                    f"memory/{name}.md", Kind.DAILY, [f"{turn['speaker']}: {turn['text']}" for turn in turns]
                )
            )
    for path in writer.store.files():
        learn_names(writer, path)
    writer.commit()
    return writer


def entries(conversation: dict[str, Any]) -> list[tuple[str, frozenset[str]]]:
    """Give each observation with the turns that it rests on."""
    return [
        (text.replace("\n", " "), _turns(turns))
        for speakers in conversation["observation"].values()
        for observations in speakers.values()
        for text, turns in observations
    ]


def trials(
    conversations: Sequence[dict[str, Any]],
    stores: Sequence[SearchWriter],
    chosen: Iterable[int],
    *,
    earlier: bool,
) -> Iterator[Any]:
    """Try every prompt of some conversations."""
    rng = random.Random(2)
    numbers = list(chosen)
    for number in numbers:
        for label in labels(conversations, number, numbers, rng, earlier=earlier):
            yield try_out(stores[number].store, label, lines=2)


def labels(
    conversations: Sequence[dict[str, Any]],
    number: int,
    numbers: Sequence[int],
    rng: random.Random,
    *,
    earlier: bool,
) -> Iterator[Label]:
    """Give a conversation's own questions, questions of others, and everyday prompts."""
    known = entries(conversations[number])
    own = _questions(conversations[number])
    others = [q for n in numbers if n != number for q in _questions(conversations[n])]
    for question in own:
        evidence = _turns(question.get("evidence") or [])
        answers = tuple(
            Answer(path=MEMORY, first=n, last=n) for n, (_, turns) in enumerate(known, 1) if turns & evidence
        )
        if answers:
            yield _label(question["question"], [q["question"] for q in own], rng, answers, earlier=earlier)
    for question in rng.sample(others, min(len(others), UNRELATED)):
        yield _label(question["question"], [q["question"] for q in others], rng, (), earlier=earlier)
    for prompt in EVERYDAY:
        yield _label(prompt, EVERYDAY, rng, (), earlier=earlier)


def _label(
    prompt: str, before: Sequence[str], rng: random.Random, answers: tuple[Answer, ...], *, earlier: bool
) -> Label:
    return Label(prompt=prompt, earlier=tuple(rng.sample(before, 3)) if earlier else (), answers=answers)


def _questions(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    return [question for question in conversation["qa"] if question["category"] != ADVERSARIAL]


def _turns(named: Any) -> frozenset[str]:
    """Give ids of turns: ``D1:3``, also where several stand in one text."""
    texts = named if isinstance(named, list) else [named]
    return frozenset(
        part.strip() for text in texts for part in str(text).replace(";", ",").split(",") if part.strip()
    )


def file_of(path: str, kind: Kind, lines: Sequence[str]) -> NewFile:
    """Give a file as the index takes it, a chunk a line."""
    text, chunks = "", []
    for n, line in enumerate(lines, 1):
        flat = line.replace("\n", " ")
        chunks.append(
            NewChunk(
                start=len(text),
                end=len(text) + len(flat),
                first_line=n,
                last_line=n,
                held="" if kind is Kind.MEMORY else None,
            )
        )
        text += flat + "\n"
    return NewFile(
        path=path, kind=kind, state=FileState(len(text), 0, "0" * 64, settled=True), text=text, chunks=chunks
    )


if __name__ == "__main__":
    main()
