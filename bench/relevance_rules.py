"""What the parts of the prompt hook's relevance are worth: ``bench_relevance`` with one of them changed at a time.

Run with ``LOCOMO=locomo10.json PYTHONPATH=scripts:. .venv/bin/python -m bench.relevance_rules``; the figures of
``docs/decisions/0023-what-an-agent-is-shown.md`` beside the table of the threshold. Where nothing else is said: the five
conversations on which the threshold was chosen, at that threshold.

*Scores* are compared by the lines with the highest, of all prompts: the share of them that answer. *Young
homes* are the first entries of each of ten conversations and nothing else; prompts that these entries
answer are asked alone, then behind three unrelated ones. *Follow-ups* are one prompt that says nothing by itself, each time
behind a question that something answers.
"""

import json
import os
import random  # noqa: TID251 - seeded
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.bench_relevance import build, labels, tell, trials
from bench.calibrating import Label, Row, Trial, tabulate, try_out

from bench import calibrating
from nightledger.domain import exposure
from nightledger.files.search_index import SearchWriter

THRESHOLD = 6.0
FOLLOW_UP = "And why is that?"
Stores = Sequence[SearchWriter]


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


def information_alone(asked: exposure.Asked, shared: Sequence[str]) -> float:
    """Score by what the shared words tell."""
    return round(sum(asked.words[word] for word in shared), 4)


def share_alone(asked: exposure.Asked, shared: Sequence[str]) -> float:
    """Score by how much of the prompt the shared words are."""
    told = sum(asked.words[word] for word in shared)
    return round(min(1.0, told / asked.own), 4) if asked.own else 0.0


SCORES: Mapping[str, Any] = {
    "information times share": exposure.Asked.score,
    "information alone": information_alone,
    "share alone": share_alone,
}


def main() -> None:
    """Print the figures."""
    conversations = json.loads(Path(os.environ["LOCOMO"]).read_text(encoding="utf-8"))
    stores = [build(conversation) for conversation in conversations]
    compare_scores(conversations, stores)
    compare_nearness(conversations, stores)
    compare_young(conversations)
    compare_earlier(conversations, stores)


def compare_scores(conversations: Sequence[dict[str, Any]], stores: Stores) -> None:
    """Print how many of the best lines answer, for each score."""
    print("\nscores: share of the best 200 and 400 lines that answer, prompts alone")
    for name, score in SCORES.items():
        with switched([(exposure.Asked, "score", score)]):
            tried = list(trials(conversations, stores, range(0, len(stores), 2), earlier=False))
        lines = sorted(
            (line for trial in tried for line in trial.lines), key=lambda line: (-line[0], line[1])
        )
        print(
            f"  {name:<26}"
            + "".join(f" {sum(answers for _, answers in lines[:k]) / k:.3f}" for k in (200, 400))
        )


def compare_nearness(conversations: Sequence[dict[str, Any]], stores: Stores) -> None:
    """Print what a second line is worth."""
    for near in (0.0, 0.6, 1.0):
        print(f"\na second line from {near} of the first one's score up")
        with switched([(calibrating, "NEAR", near)]):
            tell(at(THRESHOLD, trials(conversations, stores, range(0, len(stores), 2), earlier=False)))


def compare_young(conversations: Sequence[dict[str, Any]]) -> None:
    """Print what homes of a few entries are shown, with and without the least size that is assumed."""
    for count in (10, 30, 100):
        homes = [young(conversation, count) for conversation in conversations]
        stores = [build(home) for home in homes]
        for least in (exposure.LEAST_CHUNKS, 0):
            print(
                f"\nhomes of {count} entries, counted as {least} chunks at least; alone, behind unrelated prompts"
            )
            with switched([(exposure, "LEAST_CHUNKS", least)]):
                for earlier in (False, True):
                    tell(at(THRESHOLD, trials(homes, stores, range(len(homes)), earlier=earlier)))


def compare_earlier(conversations: Sequence[dict[str, Any]], stores: Stores) -> None:
    """Print what words of earlier prompts do at several weights: behind unrelated prompts, and in follow-ups."""
    tuned = range(0, len(stores), 2)
    for weight in (0.0, exposure.EARLIER, 0.5, 0.8):
        print(f"\nwords of earlier prompts at {weight}, behind three unrelated prompts")
        with switched([(exposure, "EARLIER", weight)]):
            tell(at(THRESHOLD, trials(conversations, stores, tuned, earlier=True)))
            pairs = list(follow_ups(conversations, stores, tuned))
        helped = [before for before, after in pairs if helps(after)]
        print(
            f"  follow-ups helped: {len(helped)} of {len(pairs)}, "
            f"of these {sum(map(helps, helped))} behind a question that was helped itself"
        )


def follow_ups(
    conversations: Sequence[dict[str, Any]], stores: Stores, chosen: Sequence[int]
) -> Iterator[tuple[Trial, Trial]]:
    """Try each question that something answers, and a follow-up behind it."""
    for number in chosen:
        for one in own_questions(conversations, number):
            after = Label(prompt=FOLLOW_UP, earlier=(one.prompt,), answers=one.answers)
            store = stores[number].store
            yield try_out(store, one, lines=2), try_out(store, after, lines=2)


def own_questions(conversations: Sequence[dict[str, Any]], number: int) -> Iterator[Label]:
    """Give a conversation's questions that something answers."""
    everything = labels(conversations, number, [number], random.Random(0), earlier=False)
    return (one for one in everything if one.answers)


def helps(trial: Trial) -> bool:
    """Tell whether a line that answers would be shown."""
    return any(score >= THRESHOLD and answers for score, answers in trial.lines)


def young(conversation: dict[str, Any], count: int) -> dict[str, Any]:
    """Give a conversation with its first entries and no logs."""
    told = [
        one
        for speakers in conversation["observation"].values()
        for observations in speakers.values()
        for one in observations
    ]
    return {**conversation, "observation": {"first": {"all": told[:count]}}, "conversation": {}}


def at(threshold: float, tried: Iterator[Trial]) -> Row:
    """Give the row of one threshold."""
    return next(row for row in tabulate(tried) if row.threshold == threshold)


if __name__ == "__main__":
    main()
