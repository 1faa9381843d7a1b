"""What an agent is shown of itself: the constitution's principles, and the frames that choose them and a few entries for what it is about to do.

The constitution holds founding principles that an agent is never without, and that only its operator amends. What it may
look like is decided here, for the one that a home begins with and for every amendment of it; which one is in force is
said by the signed chain of trust files (``domain/trusting.py``), never by the file on disk.

Invariant: pure. A frame fills a number of places within a budget of tokens; principles have their
guaranteed places and never more than their cap, so that what the operator let the agent learn
competes for the rest. Whatever had no place is named, with why.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.exposure import tokens_of
from nightledger.domain.retention import CONSTITUTIONAL, PRIOR, SELF_TAGS, Use
from nightledger.domain.settings import PERCENT, WEIGHTS, FrameRules

SECOND_TAGS = frozenset(SELF_TAGS)
"""One of these stands beside ``self/constitutional``, which every principle has."""
OWN = "self"
"""Name of the eleventh, in the owner's words (``init --self``)."""
MAX_PRINCIPLES = 20
"""Twice those that ship: what should be permanent is little. Our choice."""
MAX_CHARACTERS = 400
"""Of one principle; the longest that ships has half of it. Our choice."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


class Principle(Struct, frozen=True, kw_only=True):
    """One principle.

    Attributes:
        name: One word by which it is known; amending the text keeps it.
        tags: ``self/constitutional`` and one of :data:`SECOND_TAGS`.
        text: What it says, one line of prose.
    """

    name: str
    tags: tuple[str, ...]
    text: str

    @property
    def id(self) -> str:
        """What outcomes and the ledger of reinforcements call it: ``constitution#care``."""
        return f"constitution#{self.name}"


class Constitution(Struct, frozen=True, kw_only=True):
    """The principles of one home: ``memory/system/constitution.json``.

    Attributes:
        v: Version of the record, 1.
        principles: In the order in which they are shown.
    """

    v: int
    principles: tuple[Principle, ...]

    def with_own(self, text: str) -> "Constitution":
        """Add a principle in the owner's words, as the last one.

        Args:
            text: ``I am …``; white space is made single spaces.
        """
        own = Principle(name=OWN, tags=(CONSTITUTIONAL, "self/context"), text=" ".join(text.split()))
        return Constitution(v=self.v, principles=(*self.principles, own))


def why_not(constitution: Constitution) -> list[str]:
    """Say everything that is wrong with a constitution; empty where it may be one."""
    found = []
    principles = constitution.principles
    if not 1 <= len(principles) <= MAX_PRINCIPLES:
        found.append(f"a constitution has 1 to {MAX_PRINCIPLES} principles, this one {len(principles)}")
    counts = Counter(principle.name for principle in principles)
    found += [f"{name}: the name stands {n} times" for name, n in sorted(counts.items()) if n > 1]
    for n, principle in enumerate(principles, 1):
        found += [f"{principle.name or n}: {problem}" for problem in _problems(principle)]
    return found


def _problems(principle: Principle) -> list[str]:
    found = []
    if not _NAME.fullmatch(principle.name):
        found.append("a name is one word of a-z, 0-9 and _, 32 characters at most")
    first, *others = principle.tags or ("",)
    if first != CONSTITUTIONAL or len(others) != 1 or others[0] not in SECOND_TAGS:
        found.append(f"its tags are {CONSTITUTIONAL} and one of {', '.join(sorted(SECOND_TAGS))}")
    if not principle.text.strip() or principle.text != " ".join(principle.text.split()):
        found.append("its text is one line, with single spaces")
    if any("\ud800" <= letter <= "\udfff" for letter in principle.text):
        found.append("its text holds half a surrogate pair")
    if len(principle.text) > MAX_CHARACTERS:
        found.append(f"its text has {len(principle.text)} characters; {MAX_CHARACTERS} is the most")
    return found


SELF_PREFIX = "self/"


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


UNTOLD = 0.5
"""Confidence of an entry that nothing tells of (FACTS, one-call analysis: else .50)."""
HALF_REINFORCED = 3
"""Reinforcements at which their measure is one half: it rises ever more slowly. Our choice."""


def confidence_of_use(use: Use, stated: float = UNTOLD) -> float:
    """Give how sure an entry is: the mean of its Beta posterior, or what was stated before any outcome.

    Args:
        use: Its outcomes.
        stated: Confidence of the proposal that it came from; :data:`UNTOLD` where it came from none.
    """
    count = use.useful + use.harmful
    return (PRIOR * stated + use.useful) / (PRIOR + count)


def reinforced_share(count: int) -> float:
    """Give ``count / (count + 3)``: 0 for none, one half for three, below 1 for ever."""
    return count / (count + HALF_REINFORCED)


class Network(Struct, frozen=True):
    """How many links each tag has, and how tags are told in a wording.

    Attributes:
        degrees: Links by tag.
        lengths: By the first word of a tag, how many words such tags have: ``time_zone`` has two.
    """

    degrees: Mapping[str, int]
    lengths: Mapping[str, tuple[int, ...]]

    def degree(self, words: Sequence[str]) -> int:
        """Give how many ends of links an entry names: its place in the network of what worked together.

        An entry carries no tags but ``self/*``; it stands with the tags that its own words name, so
        that showing it, or tagging outcomes after it, moves it nowhere.

        Args:
            words: The entry's wording, folded, in order; "time zone" names ``time_zone``.
        """
        lengths, degrees = self.lengths, self.degrees
        named = {
            tag
            for at, word in enumerate(words)
            if word in lengths
            for length in lengths[word]
            for tag in ("_".join(words[at : at + length]),)
            if tag in degrees
        }
        return sum(degrees[tag] for tag in named)


def network_of(pairs: Iterable[tuple[str, str]]) -> Network:
    """Give the network of some links, each named by its two tags."""
    degrees: dict[str, int] = {}
    lengths: dict[str, set[int]] = {}
    for pair in pairs:
        for tag in pair:
            degrees[tag] = degrees.get(tag, 0) + 1
    for tag in degrees:
        first, *others = tag.split("_")
        lengths.setdefault(first, set()).add(1 + len(others))
    return Network(degrees=degrees, lengths={word: tuple(sorted(found)) for word, found in lengths.items()})


def centralities(degrees: Sequence[int]) -> list[float]:
    """Give each degree as a share of the highest, 0..1; zeros where none has any."""
    most = max(degrees, default=0) or 1
    return [degree / most for degree in degrees]


class Candidate(Struct, frozen=True, kw_only=True):
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
        score: What it is worth in a frame, 0..1: the weighted sum of its five measures; 0 until it is ranked.
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
    score: float = 0.0

    @property
    def tokens(self) -> int:
        """How many tokens it is taken for (``domain/exposure.py``)."""
        return tokens_of(self.text)


class Dropped(StrEnum):
    """Why a candidate has no place."""

    OVER_CAP = "over_cap"
    """Principles have as many places, or tokens, as they get."""
    OVER_BUDGET = "over_budget"
    """It does not fit what is left of the tokens."""
    BELOW_PLACES = "below_places"
    """Others score higher, and the places are taken."""


class Chosen(Struct, frozen=True, kw_only=True):
    """What a frame shows.

    Attributes:
        shown: The best first.
        dropped: What had no place, with why, the best first.
        outside: How many candidates the frame is not about: SELF asks for a tag of ``self/``.
        tokens: What the shown cost together.
    """

    shown: tuple[Candidate, ...]
    dropped: tuple[tuple[Candidate, Dropped], ...]
    outside: int
    tokens: int


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
    about = [
        one
        for one in candidates
        if frame is not Frame.SELF or any(t.startswith(SELF_PREFIX) for t in one.tags)
    ]
    ranked = _ranked(rules, about, turn)
    taken: dict[str, Candidate] = {}
    dropped: list[tuple[Candidate, Dropped]] = []
    sure = [(one, True) for one in ranked if one.principle]
    for candidate, guaranteed in [*sure, *((one, False) for one in ranked)]:
        if candidate.id in taken or (guaranteed and len(taken) >= rules.guaranteed):
            continue
        why = _why_not(rules, taken.values(), candidate)
        if why is None:
            taken[candidate.id] = candidate
        elif not guaranteed:
            dropped.append((candidate, why))
    return Chosen(
        shown=tuple(one for one in ranked if one.id in taken),
        dropped=tuple(dropped),
        outside=len(candidates) - len(about),
        tokens=sum(one.tokens for one in taken.values()),
    )


def _why_not(rules: FrameRules, taken: Collection[Candidate], candidate: Candidate) -> Dropped | None:
    principles = [one.tokens for one in taken if one.principle]
    over_cap = (
        len(principles) >= rules.most_principles
        or sum(principles) + candidate.tokens > rules.principle_tokens
    )
    if candidate.principle and over_cap:
        return Dropped.OVER_CAP
    if len(taken) >= rules.places:
        return Dropped.BELOW_PLACES
    if sum(one.tokens for one in taken) + candidate.tokens > rules.tokens:
        return Dropped.OVER_BUDGET
    return None


def _ranked(rules: FrameRules, candidates: Sequence[Candidate], turn: int) -> list[Candidate]:
    count = sum(candidate.principle for candidate in candidates)
    nth = 0
    keyed = []
    for place, candidate in enumerate(candidates):
        score = sum(getattr(rules, name) * getattr(candidate, name) for name in WEIGHTS) / PERCENT
        at = place
        if candidate.principle:
            at = (nth - turn * max(1, rules.most_principles)) % count
            nth += 1
        keyed.append((-score, at, place, replace(candidate, score=score)))
    return [candidate for *_, candidate in sorted(keyed, key=lambda row: row[:3])]
