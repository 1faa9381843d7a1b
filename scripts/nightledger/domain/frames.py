"""Frames: which few entries and principles an agent is shown, for what it is about to do.

Invariant: pure. A frame fills a number of places within a budget of tokens; principles have their
guaranteed places and never more than their cap, so that what the operator let the agent learn
competes for the rest. Whatever had no place is named, with why.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum

from nightledger.domain.tokens import tokens_of

SELF_PREFIX = "self/"
PERCENT = 100


class Frame(StrEnum):
    """What the agent is about to do."""

    SELF = "self"
    """Who it is: entries and principles with a tag of ``self/`` only."""
    ATTENTION = "attention"
    """What matters for what was just said."""
    TASK = "task"
    """What helps with a task."""
    SIMULATE = "simulate"
    """What speaks for and against a plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameRules:
    """How one frame chooses; ``frames`` of ``config/nightledger.yaml``.

    Attributes:
        similarity: Weight of likeness to the query, in percent; the five add up to 100.
        confidence: Weight of how sure an entry is.
        recency: Weight of how lately it was made or of use.
        centrality: Weight of how much it hangs together with others.
        reinforcement: Weight of how often it was reinforced.
        tokens: Budget of all that is shown.
        places: How many entries and principles are shown at most.
        guaranteed: How many places are kept for principles.
        most_principles: How many places principles take at most.
        principle_tokens: Budget of the principles among them.
    """

    similarity: int
    confidence: int
    recency: int
    centrality: int
    reinforcement: int
    tokens: int
    places: int
    guaranteed: int
    most_principles: int
    principle_tokens: int

    def why_not(self) -> list[str]:
        """Say what does not fit together; empty where all does."""
        total = sum(getattr(self, name) for name in WEIGHTS)
        found = [f"the five weights add up to {total}, not to {PERCENT}"] if total != PERCENT else []
        if not self.guaranteed <= self.most_principles <= self.places:
            found.append("guaranteed is not above most_principles, nor that above places")
        if self.principle_tokens > self.tokens:
            found.append("principle_tokens is not above tokens")
        return found


WEIGHTS = tuple(field.name for field in fields(FrameRules))[:5]

PUBLISHED: Mapping[str, FrameRules] = {
    Frame.SELF.value: FrameRules(
        similarity=10, confidence=30, recency=5, centrality=25, reinforcement=30,
        tokens=600, places=5, guaranteed=2, most_principles=2, principle_tokens=240,
    ),
    Frame.ATTENTION.value: FrameRules(
        similarity=35, confidence=15, recency=25, centrality=15, reinforcement=10,
        tokens=2000, places=5, guaranteed=0, most_principles=1, principle_tokens=240,
    ),
    Frame.TASK.value: FrameRules(
        similarity=20, confidence=20, recency=20, centrality=20, reinforcement=20,
        tokens=800, places=5, guaranteed=0, most_principles=1, principle_tokens=240,
    ),
    Frame.SIMULATE.value: FrameRules(
        similarity=25, confidence=25, recency=15, centrality=20, reinforcement=15,
        tokens=2000, places=5, guaranteed=0, most_principles=1, principle_tokens=240,
    ),
}  # fmt: skip
"""Weights, token budgets and five places as published (FACTS, elfmem). The published SELF frame
guaranteed every principle a place, and ten took five of five for every query: two of five with
240 tokens, which two of 400 characters fit, and one elsewhere, is our choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An entry or a principle that might be shown.

    Attributes:
        id: Of the entry, or ``constitution#care``.
        text: What would be shown.
        tags: Its tags.
        principle: Whether it is one of the constitution.
        similarity: Likeness to the query, 0..1; 0 without a query.
        confidence: How sure it is, 0..1.
        recency: How fresh, 0..1.
        centrality: How much it hangs together with others, 0..1.
        reinforcement: How often it was reinforced, 0..1.
    """

    id: str
    text: str
    tags: tuple[str, ...] = ()
    principle: bool = False
    similarity: float = 0.0
    confidence: float = 0.0
    recency: float = 0.0
    centrality: float = 0.0
    reinforcement: float = 0.0

    @property
    def tokens(self) -> int:
        """How many tokens it is taken for (``domain/tokens.py``)."""
        return tokens_of(self.text)


class Dropped(StrEnum):
    """Why a candidate has no place."""

    OVER_CAP = "over_cap"
    """Principles have as many places, or tokens, as they get."""
    OVER_BUDGET = "over_budget"
    """It does not fit what is left of the tokens."""
    BELOW_PLACES = "below_places"
    """Others score higher, and the places are taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A candidate with its score in a frame.

    Attributes:
        candidate: The candidate.
        score: 0..1.
    """

    candidate: Candidate
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What a frame shows.

    Attributes:
        shown: The best first.
        dropped: What had no place, with why, the best first.
        outside: How many candidates the frame is not about: SELF asks for a tag of ``self/``.
        tokens: What the shown cost together.
    """

    shown: tuple[Scored, ...]
    dropped: tuple[tuple[Scored, Dropped], ...]
    outside: int
    tokens: int


def score_of(rules: FrameRules, candidate: Candidate) -> float:
    """Give what a candidate is worth in a frame, 0..1: the weighted sum of its five measures."""
    return (
        rules.similarity * candidate.similarity
        + rules.confidence * candidate.confidence
        + rules.recency * candidate.recency
        + rules.centrality * candidate.centrality
        + rules.reinforcement * candidate.reinforcement
    ) / PERCENT


def choose(frame: Frame, rules: FrameRules, candidates: Sequence[Candidate], *, turn: int = 0) -> Chosen:
    """Fill a frame.

    First come the guaranteed principles: those that score highest for the query. Then everything
    else by score, as far as places, tokens and the cap on principles reach; what does not fit is
    passed over, and something shorter may still come in.

    Args:
        frame: Which.
        rules: How it chooses.
        candidates: Entries and principles, in the order in which they stand.
        turn: Counts on with the home's active hours: of principles that score alike, as without
            a query, others come first each time, so that none is shown always and none never.
    """
    about = [c for c in candidates if frame is not Frame.SELF or _is_self(c)]
    ranked = _ranked(rules, about, turn)
    places = _Places(rules)
    sure = [scored for scored in ranked if scored.candidate.principle]
    for scored in sure:
        if places.principles < rules.guaranteed and places.why_not(scored.candidate) is None:
            places.take(scored)
    for scored in ranked:
        places.offer(scored)
    shown = [scored for scored in ranked if scored.candidate.id in places.taken]
    return Chosen(
        shown=tuple(shown),
        dropped=tuple(places.dropped),
        outside=len(candidates) - len(about),
        tokens=places.tokens,
    )


def _is_self(candidate: Candidate) -> bool:
    return any(tag.startswith(SELF_PREFIX) for tag in candidate.tags)


def _ranked(rules: FrameRules, candidates: Sequence[Candidate], turn: int) -> list[Scored]:
    count = sum(candidate.principle for candidate in candidates)
    nth = 0
    keyed = []
    for place, candidate in enumerate(candidates):
        score = score_of(rules, candidate)
        at = place
        if candidate.principle:
            at = (nth - turn * max(1, rules.most_principles)) % count
            nth += 1
        keyed.append((-score, at, place, Scored(candidate=candidate, score=score)))
    return [scored for *_, scored in sorted(keyed, key=lambda row: row[:3])]


class _Places:
    """The places of a frame while they are filled."""

    def __init__(self, rules: FrameRules) -> None:
        self._rules = rules
        self.taken: set[str] = set()
        self.dropped: list[tuple[Scored, Dropped]] = []
        self.tokens = 0
        self.principles = 0
        self._principle_tokens = 0

    def offer(self, scored: Scored) -> None:
        if scored.candidate.id in self.taken:
            return
        why = self.why_not(scored.candidate)
        if why is None:
            self.take(scored)
        else:
            self.dropped.append((scored, why))

    def take(self, scored: Scored) -> None:
        candidate = scored.candidate
        self.taken.add(candidate.id)
        self.tokens += candidate.tokens
        if candidate.principle:
            self.principles += 1
            self._principle_tokens += candidate.tokens

    def why_not(self, candidate: Candidate) -> Dropped | None:
        rules = self._rules
        if candidate.principle and (
            self.principles >= rules.most_principles
            or self._principle_tokens + candidate.tokens > rules.principle_tokens
        ):
            return Dropped.OVER_CAP
        if len(self.taken) >= rules.places:
            return Dropped.BELOW_PLACES
        if self.tokens + candidate.tokens > rules.tokens:
            return Dropped.OVER_BUDGET
        return None
