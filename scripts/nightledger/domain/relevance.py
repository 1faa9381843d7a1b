"""How much a prompt and a memory have to do with each other, told by the words that they share.

The score is the information of the shared words (in nats, by how few chunks of the home hold each),
times the share that they are of what the prompt itself says. A word that no chunk holds counts
among what the prompt says: a prompt about something else scores little whatever it shares.

Invariant: pure and cheap to import; the prompt hook asks it at each prompt. The threshold is not
here: it was measured (docs/decisions/0023-what-an-agent-is-shown.md) and stands in the staging rules.
"""

import math

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST_TERMS = 12
"""Words that are looked for; the rarest say most. DESIGN, issue 4."""
EARLIER = 0.3
"""What a word of an earlier prompt or of the topic counts; measured in docs/decisions/0023-what-an-agent-is-shown.md."""
LEAST_CHUNKS = 300
"""A smaller home counts as one of so many: in a handful of lines every word is rare, and a young memory
would say nothing. Measured with 10, 30 and 100 entries in docs/decisions/0023-what-an-agent-is-shown.md."""
MOST_UNKNOWN = 12
"""Words that nothing holds count up to so many, as the others do."""


def information(chunks: int, holding: int) -> float:
    """Give what a word tells, in nats: ``ln(1 + (N - n + .5) / (n + .5))``.

    The inverse document frequency of BM25 (Robertson and Zaragoza, 2009, section 3.4.1) in the form that
    is never negative.

    Args:
        chunks: How many there are; at least :data:`LEAST_CHUNKS` are assumed.
        holding: How many of them hold the word.
    """
    return math.log(1 + (max(chunks, holding, LEAST_CHUNKS) - holding + 0.5) / (holding + 0.5))


class Asked:
    """A prompt, weighed.

    Attributes:
        words: The words to look for, the most telling first, each with what it tells, weighted.
        own: What the prompt itself tells, words that nothing holds included.
    """

    __slots__ = ("own", "words")

    def __init__(self, words: "dict[str, float]", own: float) -> None:
        self.words = words
        self.own = own

    def score(self, shared: "Iterable[str]") -> float:
        """Give how relevant a text is, rounded to 4 decimals; 0 and up.

        Args:
            shared: Which of the words it holds.
        """
        told = sum(self.words[word] for word in shared)
        share = min(1.0, told / self.own) if self.own else 0.0
        return round(told * share, 4)


def weigh(own: "Iterable[str]", earlier: "Iterable[str]", holding: "Mapping[str, int]", chunks: int) -> Asked:
    """Weigh the words of a prompt and of what came before it.

    Args:
        own: Words of the prompt.
        earlier: Words of earlier prompts and of the topic; those of the prompt among them count as its own.
        holding: In how many chunks each stands.
        chunks: How many chunks there are.
    """
    weights = {**dict.fromkeys(earlier, EARLIER), **dict.fromkeys(own, 1.0)}
    tells = {word: weight * information(chunks, holding[word]) for word, weight in weights.items()}
    known = sorted((word for word in weights if holding[word]), key=lambda word: (-tells[word], word))
    chosen = {word: tells[word] for word in known[:MOST_TERMS]}
    unknown = sum(weights[word] == 1.0 and not holding[word] for word in weights)
    total = sum(told for word, told in chosen.items() if weights[word] == 1.0)
    return Asked(chosen, total + min(unknown, MOST_UNKNOWN) * information(chunks, 0))
