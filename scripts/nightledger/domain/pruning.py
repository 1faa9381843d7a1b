"""What is old enough to let go, and what never goes: the rules of the weekly pruner.

Invariant: everything here only ever names candidates; a proposal is made of them, and nothing goes
without a signature. What speaks for keeping wins, whatever its age.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

from nightledger.domain.confidence import SHOWN_FROM
from nightledger.domain.lanes import MOST_FORGOTTEN
from nightledger.domain.links import Pair


class Closure(StrEnum):
    """What a status says of an item that needs nobody any more (published: Resolved; the issue names the others)."""

    RESOLVED = "resolved"
    DONE = "done"
    CLOSED = "closed"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"


WELL_USED = 3
"""Co-occurrences, of links that occurred more than once, from which a group of tags is well used:
as many sessions as a resolution needs to be shown (``confidence.py``). Our choice."""
TWICE = 2
"""A link that occurred once is an accident of one task; it does not count for a group."""


class LinkUse(NamedTuple):
    """How a link was used; a plain tuple, because there may be a million.

    Attributes:
        first: The tag that sorts first.
        second: The other one.
        co_occurrences: Distinct sessions.
        last_day: Newest log day, as a proleptic Gregorian ordinal.
        faint: Whether its best resolution is hardly believed any more (`curation.WEAK_BELOW`).
    """

    first: str
    second: str
    co_occurrences: int
    last_day: int
    faint: bool = False

    @property
    def pair(self) -> Pair:
        """Its two tags."""
        return self.first, self.second


class Groups:
    """Tags in groups, joined link by link (union-find by size with path halving: Tarjan 1975)."""

    def __init__(self) -> None:
        """Begin with no tags."""
        self._number: dict[str, int] = {}
        self._parent: list[int] = []
        self._uses: list[int] = []
        self._size: list[int] = []

    def join(self, link: LinkUse) -> None:
        """Make one group of those of a link's tags, and count its use."""
        root = self._union(self.of(link.first), self.of(link.second))
        self._uses[root] += link.co_occurrences if link.co_occurrences >= TWICE else 0

    def of(self, tag: str) -> int:
        """Give the group of a tag, by a number that holds until the next join; a new tag is a group of its own."""
        number = self._number.setdefault(tag, len(self._parent))
        if number == len(self._parent):
            self._parent.append(number)
            self._uses.append(0)
            self._size.append(1)
        while self._parent[number] != number:
            self._parent[number] = number = self._parent[self._parent[number]]
        return number

    def is_well_used(self, group: int) -> bool:
        """Tell whether a group's links occurred often enough."""
        return self._uses[group] >= WELL_USED

    def _union(self, one: int, other: int) -> int:
        if one == other:
            return one
        large, small = (one, other) if self._size[one] >= self._size[other] else (other, one)
        self._parent[small] = large
        self._size[large] += self._size[small]
        self._uses[large] += self._uses[small]
        return large


def find_bridges(groups: Groups, weak: Sequence[LinkUse]) -> frozenset[Pair]:
    """Give the weak links that must stay, so that no two well-used groups are separated.

    Of the weak links a forest is made over the groups that all other links form, the newest first.
    What is not in it closes a ring and separates nothing. An edge of a tree stays where both of its
    sides have a well-used group; so each bridge of the whole graph (Tarjan 1974) between two such
    groups stays, and of several links that only together connect them, the newest.

    Args:
        groups: The tags, joined by every link that is not weak.
        weak: The links that may be deleted.
    """
    edges = _forest(groups, weak)
    near: dict[int, list[tuple[int, Pair]]] = {}
    for one, other, pair in edges:
        near.setdefault(one, []).append((other, pair))
        near.setdefault(other, []).append((one, pair))
    seen: set[int] = set()
    found: set[Pair] = set()
    for start in near:
        if start not in seen:
            found.update(_between(groups, _walk(near, start, seen)))
    return frozenset(found)


def _forest(groups: Groups, weak: Iterable[LinkUse]) -> list[tuple[int, int, Pair]]:
    """Give a spanning forest of the weak links over the groups (Kruskal 1956), the newest first."""
    joined: dict[int, int] = {}

    def root(group: int) -> int:
        while joined.setdefault(group, group) != group:
            joined[group] = group = joined[joined[group]]
        return group

    edges = []
    for link in sorted(weak, key=lambda link: (-link.last_day, link.pair)):
        one, other = groups.of(link.first), groups.of(link.second)
        if root(one) != root(other):
            joined[root(one)] = root(other)
            edges.append((one, other, link.pair))
    return edges


_Step = tuple[int, int, Pair | None]
"""A group, the one it was reached from (-1 for the first), and by which link."""


def _walk(near: dict[int, list[tuple[int, Pair]]], start: int, seen: set[int]) -> list[_Step]:
    """Give a tree's groups, each behind the one that it is reached from; no recursion, for it may be deep."""
    order: list[_Step] = [(start, -1, None)]
    seen.add(start)
    for group, _, _ in order:  # grows while it is read
        for other, pair in near[group]:
            if other not in seen:
                seen.add(other)
                order.append((other, group, pair))
    return order


def _between(groups: Groups, order: list[_Step]) -> Iterator[Pair]:
    """Give the edges of one tree that have well-used groups on both sides."""
    below = {group: int(groups.is_well_used(group)) for group, _, _ in order}
    total = sum(below.values())
    for group, parent, pair in reversed(order):
        if pair is not None:
            below[parent] += below[group]
            if 0 < below[group] < total:
                yield pair


FEW_CO_OCCURRENCES = 2
"""A link of fewer is weak (published: ``co_occurrences < 2``)."""
LINK_DAYS = 60
"""A weak link that was not seen for more days may go (published)."""
CLOSED_DAYS = 90
"""An entry that is closed for more days may go to the archive (published)."""
LOG_DAYS = 30
"""A daily log that is older may be compressed (published)."""
REFERENCED_FROM = SHOWN_FROM
"""What a link with this confidence rests on stays as it is (published: .7)."""
BUDGET_SHARE = 0.25
"""Of a gated file's characters one proposal removes no more; what would is split (issue "Forgetting well")."""
MOST_MONTHS = 12
"""Proposals of a kind that wait at a time, one a month of logs or of closed entries, oldest first; a year
is what a person reads in a morning. The rest competes again. Our choice."""
BUDGET_RULE = "budget.split"


class Kept(StrEnum):
    """Why something that is old enough stays as it is."""

    REFERENCED = "referenced"
    """A link with a confidence of .7 or more rests on an outcome that is written there."""
    PINNED = "pinned"
    """The operator signed that it stays. Principles are no entries: no proposal may write their file."""
    CONSENT = "consent"
    """It names something that the consent graph blocks, and may be why."""
    BRIDGE = "bridge"
    """Without it two well-used groups of links would be apart."""
    NO_DATE = "no_date"
    """Nobody can tell since when it is closed."""
    IMPOSSIBLE_DATE = "impossible_date"
    FUTURE_DATE = "future_date"
    REVISIT = "revisit"
    """It is to be looked at again, on a day that is still to come."""
    OF_SECTION = "of_section"
    """It is nothing but a status, and speaks for what stands around it."""
    TWICE = "twice"
    """The very same entry stands there a second time."""
    REFUSED = "refused"
    """The operator rejected it before, or took it back."""
    SHORT = "short"
    """A summary would be no shorter."""
    SUMMARY = "summary"
    """It is a summary already."""
    ODD_FILE = "odd_file"
    """It is a link, has a second name, cannot be read, or holds what was expunged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeakLinks:
    """What a look at all links found.

    Attributes:
        removable: Weak or faint links that hold nothing together, the longest unseen first.
        bridges: Those that stay because they do.
        links: How many links there are.
    """

    removable: tuple[LinkUse, ...]
    bridges: tuple[LinkUse, ...]
    links: int


def find_weak(links: Iterable[LinkUse], today: date) -> WeakLinks:
    """Give the links that may be deleted: the weak ones, which the pruner asks about, and the faint ones, which curation does.

    Both are judged together, so that whatever goes of either, no two well-used groups are separated.

    Args:
        links: All links, each once; read once.
        today: The date in the home's zone.
    """
    groups = Groups()
    weak: list[LinkUse] = []
    count = 0
    for link in links:
        count += 1
        if is_weak(link, today) or is_faint(link, today):
            weak.append(link)
        else:
            groups.join(link)
    bridges = find_bridges(groups, weak)
    removable = sorted((link.last_day, link.pair, link) for link in weak if link.pair not in bridges)
    return WeakLinks(
        removable=tuple(link for _, _, link in removable),
        bridges=tuple(link for link in weak if link.pair in bridges),
        links=count,
    )


def is_weak(link: LinkUse, today: date) -> bool:
    """Tell whether a link occurred too seldom and too long ago; one of a day to come did not."""
    return link.co_occurrences < FEW_CO_OCCURRENCES and _is_long_unseen(link, today)


def is_faint(link: LinkUse, today: date) -> bool:
    """Tell whether nothing speaks for a link any more and it was not seen for as long as a weak one.

    One that failed lately stays: deleted, it would begin anew, and what failed would be believed as
    much as what was never tried.
    """
    return link.faint and _is_long_unseen(link, today)


def _is_long_unseen(link: LinkUse, today: date) -> bool:
    return today.toordinal() - link.last_day > LINK_DAYS


def is_long_closed(since: date, today: date) -> bool:
    """Tell whether an entry is closed for long enough."""
    return (today - since).days > CLOSED_DAYS


def is_old_log(day: date, today: date) -> bool:
    """Tell whether a daily log is old enough to be compressed."""
    return (today - day).days > LOG_DAYS


def clock_problem(now: datetime, newest: datetime | None) -> str:
    """Say why nothing may be judged by its age: the clock stands before what was recorded last; empty where it may.

    Args:
        now: Aware, UTC.
        newest: When the newest record was made; None where there is none.
    """
    if newest is None or newest <= now:
        return ""
    return f"the clock says {now:%Y-%m-%d %H:%M} UTC, and the newest record is of {newest:%Y-%m-%d %H:%M} UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """What one proposal takes of a month.

    Attributes:
        part: Which part it is, from 1.
        parts: How many there are.
        members: Places of what it takes, from 0, in order.
        share: Of the file's characters, how much it removes; 0..1.
        whole: The same for all parts together.
    """

    part: int
    parts: int
    members: tuple[int, ...]
    share: float
    whole: float

    @property
    def flag(self) -> str:
        """What the operator is told; empty where all is within the budget."""
        if self.whole <= BUDGET_SHARE:
            return ""
        split = (
            f"; this is part {self.part} of {self.parts} and removes {self.share:.0%}"
            if self.parts > 1
            else ""
        )
        return f"together this would remove {self.whole:.0%} of the file, more than {BUDGET_SHARE:.0%}{split}"


def split_by_budget(sizes: Sequence[int], total: int) -> tuple[Portion, ...]:
    """Split removals from one file so that no proposal takes more than its share, in their order.

    One that is larger than the share alone is a portion of its own.

    Args:
        sizes: Characters that each removal takes.
        total: Characters of the file.
    """
    budget = BUDGET_SHARE * total
    portions: list[list[int]] = []
    room = 0.0
    for at, size in enumerate(sizes):
        if not portions or size > room or len(portions[-1]) >= MOST_FORGOTTEN:
            portions.append([])
            room = budget
        portions[-1].append(at)
        room -= size
    return tuple(
        Portion(
            part=part,
            parts=len(portions),
            members=tuple(members),
            share=sum(sizes[at] for at in members) / max(1, total),
            whole=sum(sizes) / max(1, total),
        )
        for part, members in enumerate(portions, 1)
    )


def month_of(day: date) -> str:
    """Give the month that a proposal is about: ``2026-02``."""
    return f"{day:%Y-%m}"


def blocked_words(actions: Iterable[str]) -> frozenset[str]:
    """Give the names of blocked actions by which an entry is known to speak of one.

    Single words ("delete") stand in any entry and tell nothing; names of several words do.

    Args:
        actions: As the consent graph names them: ``unlock_doors``.
    """
    return frozenset(action.replace("_", " ").casefold() for action in actions if "_" in action.strip("_*"))


def names_blocked(text: str, words: Collection[str]) -> bool:
    """Tell whether a text speaks of a blocked action, written with ``_``, ``-`` or spaces.

    Args:
        text: Any text.
        words: As :func:`blocked_words` gives them.
    """
    plain = " ".join(text.casefold().replace("_", " ").replace("-", " ").split())
    return any(word in plain for word in words)
