"""What frames and curation weigh beside the wording: how sure an entry is, how central, how often reinforced.

Invariant: pure, each measure in 0..1, and none of them grows because something was shown often.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from nightledger.domain.retention import PRIOR
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


@dataclass(frozen=True, slots=True)
class Network:
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
