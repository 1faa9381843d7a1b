"""How relevant a line must be before the prompt hook shows it: measured, not guessed.

Two measures. With labels: prompts of which it is known which lines answer them, and prompts that
nothing in memory answers. Without: prompts about nothing, words drawn one by one from all over the
home's own texts; what looks relevant to these looks so by accident.

Invariant: what is measured is what the hook does (``recall/relevant.py``); nothing is written.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nightledger.files.search_reader import Line, Reader
from nightledger.recall.relevant import EARLIER_PROMPTS, NEAR, earlier_words, look, own_words
from nightledger.text.tokens import query_terms

if TYPE_CHECKING:
    from random import Random  # noqa: TID251 - the name only

THRESHOLDS = tuple(number / 4 for number in range(4, 81))
"""From 1 to 20 nats in quarters: one rare word of 10,000 chunks tells 10."""
NULL_PROMPTS = 1_000
"""A rate of one in a hundred is then known to about a third of itself (binomial)."""
NULL_WORDS = (3, 16)
"""Words of a prompt about nothing, stop words apart: from a phrase to a paragraph. Our choice."""
_SAMPLED_CHUNKS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Lines that answer a prompt.

    Attributes:
        path: Relative to the home.
        first: From 1.
        last: Included.
    """

    path: str
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A prompt and what answers it.

    Attributes:
        prompt: As a user would write it.
        earlier: Prompts before it, the newest last.
        answers: Lines that answer it; none where nothing in memory does.
    """

    prompt: str
    earlier: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a prompt would be shown at any threshold.

    Attributes:
        lines: Score of each line that would be shown, the best first, and whether it answers.
        answerable: Whether anything answers it.
    """

    lines: tuple[tuple[float, bool], ...]
    answerable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one threshold does.

    Attributes:
        threshold: Least score that is shown.
        shown: Lines shown to prompts that something answers.
        right: Those of them that answer.
        helped: Prompts that were shown a line that answers.
        answerable: Prompts that something answers.
        alarms: Prompts that nothing answers and that were shown a line.
        unanswerable: Prompts that nothing answers.
    """

    threshold: float
    shown: int
    right: int
    helped: int
    answerable: int
    alarms: int
    unanswerable: int

    @property
    def precision(self) -> float:
        """Share of the lines shown that answer, rounded to 4 decimals; 0 where none is shown."""
        return _share(self.right, self.shown)

    @property
    def recall(self) -> float:
        """Share of the answerable prompts that were helped, rounded to 4 decimals."""
        return _share(self.helped, self.answerable)

    @property
    def alarm_rate(self) -> float:
        """Share of the other prompts that were shown something, rounded to 4 decimals."""
        return _share(self.alarms, self.unanswerable)


def try_out(reader: Reader, label: Label, *, lines: int) -> Trial:
    """Ask the index as the hook does, and tell which lines answer.

    Args:
        reader: The index.
        label: A prompt.
        lines: How many lines the hook shows at most.

    Raises:
        SearchIndexError: The index cannot be used.
    """
    looked = look(reader, own_words(label.prompt), earlier_words(label.earlier, ""))
    best = looked.best(0.0)[:lines]
    near = [number for number in best if looked.scores[number] >= NEAR * looked.scores[best[0]]]
    found = reader.lines(near)
    return Trial(
        lines=tuple((looked.scores[line.id], _answers(line, label.answers)) for line in found),
        answerable=bool(label.answers),
    )


def tabulate(trials: Iterable[Trial]) -> list[Row]:
    """Give what each threshold does, the lowest first."""
    known = list(trials)
    return [_row(known, threshold) for threshold in THRESHOLDS]


def suggest(rows: Iterable[Row], alarms: float) -> Row | None:
    """Give the lowest threshold at which no more prompts about something else are shown a line.

    Args:
        rows: As :func:`tabulate` gives them.
        alarms: Share of such prompts that is borne, 0..1.
    """
    return next((row for row in rows if row.alarm_rate <= alarms), None)


def null_labels(reader: Reader, rng: "Random", count: int = NULL_PROMPTS) -> Iterator[Label]:
    """Give prompts about nothing, each after three others, in words of the home's own texts.

    Args:
        reader: The index.
        rng: Seeded.
        count: How many.

    Raises:
        SearchIndexError: The index cannot be used.
    """
    ids = [row[0] for row in reader.ask("SELECT id FROM chunks ORDER BY id")]
    sampled = sorted(rng.sample(ids, min(len(ids), _SAMPLED_CHUNKS)))
    texts = [words for line in reader.lines(sampled) if (words := query_terms(line.text))]
    for _ in range(count if texts else 0):
        prompt, *earlier = (
            " ".join(rng.choice(rng.choice(texts)) for _ in range(rng.randint(*NULL_WORDS)))
            for _ in range(1 + EARLIER_PROMPTS)
        )
        yield Label(prompt=prompt, earlier=tuple(earlier))


def _answers(line: Line, answers: Sequence[Answer]) -> bool:
    return any(
        line.path == answer.path and line.first <= answer.last and answer.first <= line.last
        for answer in answers
    )


def _row(trials: Sequence[Trial], threshold: float) -> Row:
    shown = right = helped = answerable = alarms = 0
    for trial in trials:
        over = [answers for score, answers in trial.lines if score >= threshold]
        if trial.answerable:
            answerable += 1
            shown += len(over)
            right += sum(over)
            helped += any(over)
        else:
            alarms += bool(over)
    return Row(
        threshold=threshold,
        shown=shown,
        right=right,
        helped=helped,
        answerable=answerable,
        alarms=alarms,
        unanswerable=len(trials) - answerable,
    )


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
