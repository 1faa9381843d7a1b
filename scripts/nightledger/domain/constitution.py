"""The constitution: founding principles that an agent is never without, and that only its operator amends.

Invariant: pure. What a constitution may look like is decided here, for the one that a home
begins with and for every amendment of it; which one is in force is said by the signed chain of
trust files (``domain/trusting.py``), never by the file on disk.
"""

import re
from collections import Counter

from msgspec import Struct

from nightledger.domain.retention import CONSTITUTIONAL, SELF_TAGS

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
