"""What else a word of a query may be written as: what the home associates with it.

Words that stand for one word of the query make a *group*; a chunk is credited with the best of a
group, never with all of it. So an expansion finds what the query's own words miss, and does not
outweigh a chunk that has these.

Invariant: the query's own word weighs 1 and every other less.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct


def bases(word: str) -> tuple[str, ...]:
    """Give what an English word may be a regular form of, itself first.

    ``cities`` may come from ``city``, ``planned`` from ``plan``; what is no word is in no table.
    """
    found = [word]
    for ending, instead in (
        ("ies", ("y",)),
        ("es", ("", "e")),
        ("s", ("",)),
        ("ing", ("", "e")),
        ("ed", ("", "e")),
    ):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1:
            found += [stem + end for end in instead]
            if ending in ("ing", "ed") and stem[-1] == stem[-2]:
                found.append(stem[:-1])
    return tuple(dict.fromkeys(found))


LINK_WEIGHT = 0.35
"""Of a word that the home associates with it, times the association's confidence."""
MOST_LINKED = 6
"""Associated words of one query word: the surest. Our choice, so that a busy tag stays a word among others."""


class Group(Struct, frozen=True, kw_only=True):
    """A word of the query, and what may stand for it.

    Attributes:
        word: As it was asked for.
        others: Words that may stand for it, with their weights, 0..1; the weightiest first.
        linked: Those of them that an association of the home gave.
    """

    word: str
    others: tuple[tuple[str, float], ...] = ()
    linked: frozenset[str] = frozenset()

    @property
    def weights(self) -> dict[str, float]:
        """Give every word of the group with its weight."""
        return {**dict(self.others), self.word: 1.0}


def groups(
    terms: Sequence[str], *, links: Mapping[str, Mapping[str, float]] | None = None
) -> tuple[Group, ...]:
    """Give each word of a query with what may stand for it.

    Args:
        terms: Words of the query, in lower case, each once.
        links: For a word, the words that the home's associations tie to it, with confidence 0..1.
    """
    asked = frozenset(terms)
    return tuple(_group(term, asked, (links or {}).get(term, {})) for term in terms)


def words_of(grouped: Sequence[Group]) -> tuple[str, ...]:
    """Give all words to look for, each once: the query's own first."""
    own = [group.word for group in grouped]
    return tuple(dict.fromkeys([*own, *(word for group in grouped for word, _ in group.others)]))


def _group(term: str, asked: frozenset[str], linked: Mapping[str, float]) -> Group:
    surest = sorted(linked.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_LINKED]
    weights = {word: round(LINK_WEIGHT * min(confidence, 1.0), 4) for word, confidence in surest}
    # A word that was asked for itself counts as itself only.
    others = {word: weight for word, weight in weights.items() if word not in asked and weight > 0}
    ordered = sorted(others.items(), key=lambda pair: (-pair[1], pair[0]))
    return Group(
        word=term, others=tuple(ordered), linked=frozenset(word for word, _ in surest if word in others)
    )
