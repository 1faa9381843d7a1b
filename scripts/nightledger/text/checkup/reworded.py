"""Items that say the same with their words turned round: told apart from those that mean another thing.

Invariant: every word of the shorter item that carries meaning stands in the longer one
too, in the same order but for one; two names that change places are two of them.
"""

from collections.abc import Callable, Sequence

WORDS = 5
"""Fewest words with a meaning that two items must share: fewer may agree by accident."""
MORE = 3
"""Words with a meaning that the longer one may have of its own; beyond them it says more."""
_WITHOUT_MEANING = (
    "a an the it its they their this that these those and or is are be",
    "der die das den dem des ein eine einen einem einer es sie ist sind und oder",
    "le la les l un une des il elle ils elles est sont et ou",
    "el los las lo una unos unas es son y o",
    "os as um uma uns umas é são e",
    "het een zij zijn",
)
_EMPTY = frozenset(word for line in _WITHOUT_MEANING for word in line.split())
"""Words that may come and go without a change of meaning: no preposition, no negation and nobody's name or pronoun is one."""
_SYNONYMS = (
    "run runs start starts begin begins läuft startet beginnt démarre commence empieza comienza inicia começa parte start draait",
    "want wants wish wishes like likes prefer prefers will möchte wünscht mag bevorzugt veut souhaite préfère quiere prefiere desea quer prefere deseja vuole preferisce wil",
)
"""Words of a schedule, and of a wish: within a line each stands for the others."""
_SAME = {word: line.split()[0] for line in reversed(_SYNONYMS) for word in line.split()}
_WISH = _SYNONYMS[1].split()[0]


def says_again(shorter: Sequence[str], longer: Sequence[str], is_in: Callable[[str, str], bool]) -> bool:
    """Say whether the longer item says all of the shorter, but for one word that has moved.

    "Mail Anna the plan" is taken for "Anna wants the plan": what is asked for opens the one
    and is a wish in the other.

    Args:
        shorter: Its folded words, in order.
        longer: Those of the other.
        is_in: Whether a word of the shorter is a form of a word of the longer.
    """
    inner, outer = _meaning(shorter), _meaning(longer)
    if len(inner) < WORDS:
        return False
    if inner[:1] != outer[:1] and _WISH in outer and not any(is_in(inner[0], word) for word in outer):
        inner = inner[1:]
    if len(inner) < WORDS or len(set(outer) - set(inner)) > MORE:
        return False
    odd = _odd_one(inner, outer, is_in)
    return odd is not None and any(is_in(inner[odd], word) for word in outer)


def _meaning(words: Sequence[str]) -> list[str]:
    return [_SAME.get(word, word) for word in words if word not in _EMPTY]


def _odd_one(inner: Sequence[str], outer: Sequence[str], is_in: Callable[[str, str], bool]) -> int | None:
    """Give the place of a word of ``inner`` without which the others stand in ``outer`` in order, gaps aside.

    Each word is taken where it stands first, from the left and from the right: if any words
    serve, these do, in one pass over both items.
    """
    before, behind = _reach(inner, outer, is_in), _reach(inner[::-1], outer[::-1], is_in)
    places = range(len(inner))
    return next((at for at in places if before[at] + behind[len(inner) - at - 1] <= len(outer)), None)


def _reach(inner: Sequence[str], outer: Sequence[str], is_in: Callable[[str, str], bool]) -> list[int]:
    """Give for each number of first words how many of the other item's hold them in order; one too many where none do."""
    reached = [0]
    at = 0
    for word in inner:
        while at < len(outer) and not is_in(word, outer[at]):
            at += 1
        at += 1
        reached.append(min(at, len(outer) + 1))
    return reached
