"""Compare what was planted with what was proposed, so that the demo can be honest.

Invariant: a plant counts as found only when a change names one of its lines as evidence
(or takes out its entry) and, for a sentence, keeps most of its words. What was missed
and what was proposed though nobody planted it are both told.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nightledger.demo.sample import Expect, Place, Planted, PlantKind

_WORD = re.compile(r"[\w.:/-]{3,}")
_KEPT = 0.4
"""Share of a sentence's words that an addition must keep to count as the same statement."""
_OWN = 0.3
"""Share of an addition's words that must be planted ones: its own, or those of others that it adds as well.

Below it, the rest is the point.
"""
LET_GO = frozenset({"archive", "compress", "delete_link"})
"""What the pruner proposes: it is about age, and about nothing planted."""
_TAKEN = ("remove", "archive", "replace")
_GIVEN = ("add", "replace")
_WANTED = (Expect.ADD, Expect.REPLACE, Expect.REMOVE)
_TWINS = (PlantKind.DUPLICATE, PlantKind.NEAR_DUPLICATE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """One change of one proposal, as ``proposals --json`` shows it.

    Attributes:
        proposal: Id of the proposal.
        n: Number of the change in it.
        op: What it does.
        before: Text taken out.
        after: Text put in.
        section: Where it stands.
        places: Path, first and last line of each piece of evidence.
    """

    proposal: str
    n: int
    op: str
    before: str
    after: str
    section: str
    places: tuple[tuple[str, int, int], ...]

    @property
    def where(self) -> str:
        """Name it as the command line does: the id, shortened, and the number."""
        return f"{self.proposal[:10]}#{self.n}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of one plant.

    Attributes:
        planted: What was planted.
        right: Whether that is what an honest night should do.
        change: The change that speaks of it, where there is one.
        kind_of_miss: For a change of mind that was offered as an addition: ``as_addition``.
    """

    planted: Planted
    right: bool
    change: Proposed | None = None
    kind_of_miss: str = ""


def read_proposed(proposals: Iterable[Mapping[str, Any]]) -> tuple[Proposed, ...]:
    """Read changes from the documents of ``proposals --json``, oldest first."""
    return tuple(
        Proposed(
            proposal=proposal["id"],
            n=change["n"],
            op=change["op"],
            before=change.get("before") or "",
            after=change.get("after") or "",
            section=change.get("section") or "",
            places=tuple((item["path"], item["lines"][0], item["lines"][1]) for item in change["evidence"]),
        )
        for proposal in proposals
        for change in proposal["changes"]
    )


def judge_plants(planted: Sequence[Planted], changes: Sequence[Proposed]) -> tuple[Verdict, ...]:
    """Give a verdict on each plant, in their order; ``MASK`` is judged by bytes, not here."""
    return tuple(_judge(plant, changes, planted) for plant in planted if plant.expect is not Expect.MASK)


def unplanted(planted: Sequence[Planted], changes: Sequence[Proposed]) -> tuple[Proposed, ...]:
    """Give the changes that speak of nothing planted: ordinary work that was proposed."""
    known = [plant for plant in planted if plant.expect is not Expect.MASK]
    learned = (change for change in changes if change.op not in LET_GO)
    return tuple(change for change in learned if not any(_speaks_of(change, plant, known) for plant in known))


def wanted_by(planted: Sequence[Planted], change: Proposed) -> tuple[Planted, ...]:
    """Give what was planted to be proposed and that this change proposes.

    Nothing is wanted of a change that also says what is to be left alone or held back.
    """
    spoken = tuple(plant for plant in planted if _speaks_of(change, plant, planted))
    return spoken if all(plant.expect in _WANTED for plant in spoken) else ()


def leaks(secret: str, contents: Mapping[str, bytes], *, allowed: Collection[str]) -> tuple[str, ...]:
    """Give the files, other than the ``allowed`` ones, whose bytes hold the secret."""
    needle = secret.encode()
    return tuple(sorted(path for path, raw in contents.items() if path not in allowed and needle in raw))


def _judge(plant: Planted, changes: Sequence[Proposed], planted: Sequence[Planted]) -> Verdict:
    speaking = [change for change in changes if _speaks_of(change, plant, planted)]
    first = speaking[0] if speaking else None
    if plant.expect in (Expect.LEAVE, Expect.HOLD):
        return Verdict(planted=plant, right=first is None, change=first)
    if plant.expect is Expect.REPLACE and first is not None:
        replacing = next((change for change in speaking if change.op == "replace"), None)
        miss = "" if replacing else "as_addition"
        return Verdict(planted=plant, right=True, change=replacing or first, kind_of_miss=miss)
    return Verdict(planted=plant, right=first is not None, change=first)


def _speaks_of(change: Proposed, plant: Planted, planted: Sequence[Planted]) -> bool:
    if plant.path == "MEMORY.md":
        return change.op in _TAKEN and _takes(change, plant)
    if plant.kind is PlantKind.LESSON:
        return change.op in _GIVEN and _quotes(change, plant)
    if not _keeps(change, plant):
        return False
    if plant.expect is Expect.HOLD:
        return True
    company = (other.text for other in planted if other.expect in _WANTED and _keeps(change, other))
    return _share(change.after, " ".join((plant.text, *company))) >= _OWN


def _keeps(change: Proposed, plant: Planted) -> bool:
    """An addition keeps a sentence of one of its lines when it keeps most of the words."""
    return change.op in _GIVEN and _quotes(change, plant) and _share(plant.text, change.after) >= _KEPT


def _quotes(change: Proposed, plant: Planted) -> bool:
    places = (Place(path=plant.path, line=plant.line), *plant.also)
    return any(_covers(change, place) for place in places)


def _takes(change: Proposed, plant: Planted) -> bool:
    """An entry is taken when its text goes; of twins either may go, told by the words they share."""
    if plant.text in change.before:
        return plant.text not in change.after
    return plant.kind in _TWINS and _share(plant.text, change.before) >= 0.6  # noqa: PLR2004 - most words


def _covers(change: Proposed, place: Place) -> bool:
    return any(path == place.path and first <= place.line <= last for path, first, last in change.places)


def _share(text: str, other: str) -> float:
    words = set(_WORD.findall(text.lower()))
    return len(words & set(_WORD.findall(other.lower()))) / len(words) if words else 0.0
