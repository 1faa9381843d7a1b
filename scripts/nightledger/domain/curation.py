"""What a pass of curation reinforces, and what it would let go: after each forty active hours.

Invariant: pure, and a function of the period and of what had happened until its end; a pass that
runs thrice, late, or after several periods reinforces each of them once and the same way.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from nightledger.domain.retention import PRIOR, Memory, recency
from nightledger.domain.uses import Use

UNTOLD = 0.5
"""Confidence of an entry that nothing tells of (FACTS, one-call analysis: else .50)."""
HALF_REINFORCED = 3
"""Reinforcements at which their measure is one half: it rises ever more slowly. Our choice."""
TOP_SHARE = 5
"""One in so many is among the best connected (FACTS, elfmem, curate: top fifth)."""


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


def well_connected_from(degrees: Collection[int]) -> int:
    """Give the degree from which one is in the top fifth: at least 1, for no link is no connection.

    Equals of the last in the fifth are in it, too.
    """
    ranked = sorted(degrees, reverse=True)
    last = len(ranked) // TOP_SHARE - 1
    return max(1, ranked[last] if last >= 0 else ranked[0] + 1 if ranked else 1)


PERIOD_HOURS = 40
"""Active hours between two passes (FACTS, elfmem: curate each 40 active hours)."""
REINFORCED = 5
"""Entries that a period reinforces (FACTS: top 5 reinforced)."""
ARCHIVED_BELOW = 0.05
"""Recency under which an entry is proposed for the archive (FACTS: archive at recency < .05)."""
WEAK_BELOW = 0.10
"""Confidence under which a link is weak (FACTS: weak edges < .10 pruned)."""
MOST_ARCHIVED = 20
"""Entries that one pass proposes for the archive (FACTS, after months of use: at most 20 proposals)."""


def periods_due(now_hour: int, last: int | None) -> tuple[int, ...]:
    """Give the periods that are over and were not curated, by the count of active hours at their end.

    Before the first pass only the newest one counts: what a home did before it was curated is not
    made up for.

    Args:
        now_hour: Count of active hours up to now.
        last: End of the newest period that was curated; None before the first.
    """
    newest = now_hour // PERIOD_HOURS * PERIOD_HOURS
    if not newest or (last is not None and newest <= last):
        return ()
    first = newest if last is None else last // PERIOD_HOURS * PERIOD_HOURS + PERIOD_HOURS
    return tuple(range(first, newest + 1, PERIOD_HOURS))


class Proof(Struct):
    """What outcomes of one period say of one entry, each session once a day and kind of task.

    Attributes:
        useful: Successes after it was shown.
        harmful: Failures after it was shown.
    """

    useful: int = 0
    harmful: int = 0


def most_useful(proofs: Mapping[str, Proof], utilities: Mapping[str, float]) -> tuple[str, ...]:
    """Give the entries that a period reinforces: those that proved most useful in it, five at most.

    An entry that failed as often as it helped is none of them, however often it was shown.

    Args:
        proofs: By id.
        utilities: Of every entry that stands; ties go to the higher, then to the smaller id.
    """
    proved = [
        (proof.harmful - proof.useful, -utilities[name], name)
        for name, proof in proofs.items()
        if name in utilities and proof.useful > proof.harmful
    ]
    return tuple(name for *_, name in sorted(proved)[:REINFORCED])


def fades(memories: Sequence[Memory], degrees: Sequence[int], now_hour: int) -> list[int]:
    """Give the places of the entries that have faded, the most faded first.

    Args:
        memories: Entries that stand.
        degrees: How well each is connected.
        now_hour: Count of active hours up to now.
    """
    least = well_connected_from(degrees)
    faded = []
    for at, (memory, degree) in enumerate(zip(memories, degrees, strict=True)):
        fresh = recency(memory.tier.rate, now_hour - max(memory.created_hour, memory.used_hour))
        if fresh < ARCHIVED_BELOW and not memory.immune and degree < least:
            faded.append((fresh, at))
    return [at for _, at in sorted(faded)]


class ReinforcementKind(StrEnum):
    """Who reinforced."""

    CURATE = "curate"
    """The nightly job, once in each period of active hours."""
    MERCY = "mercy"
    """The operator, in ``curate --ask``: the entries stay and count as made anew."""


class Reinforcement(Struct, frozen=True, kw_only=True):
    """Entries and principles reinforced together; ``memory/system/reinforcements.jsonl``.

    Attributes:
        v: Version of the record, 1.
        kind: Who reinforced.
        period: What it was done for: a count of active hours, or the time of an answer. Each kind
            writes a period once.
        active_hours: Count of the home's active hours then.
        ids: Entries (``e-...``) and principles (``constitution#care``), sorted.
    """

    v: int
    kind: ReinforcementKind
    period: str
    active_hours: int
    ids: tuple[str, ...]
