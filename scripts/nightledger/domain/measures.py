"""What frames and curation weigh beside the wording: how sure an entry is, how central, how often reinforced.

Invariant: pure, each measure in 0..1, and none of them grows because something was shown often.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from nightledger.domain.retention import PRIOR
from nightledger.domain.uses import Use

UNTOLD = 0.5
"""Confidence of an entry that nothing tells of (FACTS, one-call analysis: else .50)."""
HALF_REINFORCED = 3
"""Reinforcements at which their measure is one half: it rises ever more slowly. Our choice."""
LONGEST_TAG_WORDS = 4
"""Words of a tag that are looked for in a text; longer tags are rare. Our choice."""
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


def tag_degrees(pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Count the links of each tag."""
    found: dict[str, int] = {}
    for pair in pairs:
        for tag in pair:
            found[tag] = found.get(tag, 0) + 1
    return found


def degree_of(words: Sequence[str], degrees: Mapping[str, int]) -> int:
    """Give how many ends of links an entry names: its place in the network of what worked together.

    An entry carries no tags but ``self/*``; it stands with the tags that its own words name, so
    that showing it, or tagging outcomes after it, moves it nowhere.

    Args:
        words: The entry's wording, folded, in order.
        degrees: As :func:`tag_degrees` gives them; ``time_zone`` is named by "time zone".
    """
    named = {
        tag
        for at in range(len(words))
        for length in range(1, LONGEST_TAG_WORDS + 1)
        for tag in ("_".join(words[at : at + length]),)
        if tag in degrees
    }
    return sum(degrees[tag] for tag in named)


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
