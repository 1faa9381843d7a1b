"""The link index of a home: its segments together, and what they say about tags.

Invariant: what is told is the fold of all segments; how the outcomes are spread over them
makes no difference. Standard library only and cheap to import: ``recall`` starts here.
"""

import os
from bisect import bisect_right
from itertools import chain, combinations

from nightledger.codec.link_cells import COUNTS
from nightledger.domain.confidence import CAP, SHOWN_FROM, confidence_of, decayed, least_evidence
from nightledger.domain.links import MAX_RIVALS, MAX_SOURCES, Link, Tally
from nightledger.files.link_segment import Guard, Segment, SegmentError

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nightledger.codec.link_cells import Part

    _Parts = tuple[Segment, Part]
    _Candidate = tuple[float, int, tuple[str, str], int, int, Link | None]

CURRENT = "current"
"""Names the segments in use, oldest first, one a line with its size and CRC-32; replaced in one step."""
FIRST_LINE = "nightledger-links 1"
SUFFIX = ".links"
MAX_CURRENT_BYTES = 1 << 16
FULL_EVIDENCE = least_evidence(CAP)
"""More raises no confidence."""
NAMED = 1 + MAX_RIVALS
"""Resolutions that a link names: the best one and its rivals."""


class Stored:
    """A segment as ``current`` names it.

    Attributes:
        name: File name in the index's directory.
        size_bytes: Its size.
        crc32: Of the whole file (ISO 3309), against damage by accident.
    """

    __slots__ = ("crc32", "name", "size_bytes")

    def __init__(self, name: str, size_bytes: int, crc32: int) -> None:
        self.name = name
        self.size_bytes = size_bytes
        self.crc32 = crc32


class Recalled:
    """A link that is shown for some tags.

    Attributes:
        link: The link, counts exact.
        confidence: Of its best resolution, decayed to now.
        idle_days: Active days since the link last occurred.
    """

    __slots__ = ("confidence", "idle_days", "link")

    def __init__(self, link: Link, confidence: float, idle_days: int) -> None:
        self.link = link
        self.confidence = confidence
        self.idle_days = idle_days


class LinkIndex:
    """All segments of a home, oldest first.

    Attributes:
        directory: Where they are.
        segments: Open segments.
    """

    __slots__ = ("directory", "segments")

    def __init__(self, directory: str, segments: "Sequence[Segment]") -> None:
        self.directory = directory
        self.segments = tuple(segments)

    def link(self, first: str, second: str) -> Link | None:
        """Give the link of two canonical tags, in either order; None where there is none.

        Raises:
            LinkIndexError: When the index is damaged.
        """
        with Guard(self.directory):
            parts = self._parts_of(min(first, second), max(first, second))
            return _merge(parts) if parts else None

    def recall(self, tags: "Sequence[str]", limit: int) -> "tuple[list[Recalled], int]":
        """Give the links whose best resolution still has a confidence of .7 or more, the surest first.

        For one tag all of its links; for several those between them.

        Args:
            tags: Canonical, each once.
            limit: How many to give.

        Returns:
            The links, and how many more there are.

        Raises:
            LinkIndexError: When the index is damaged.
        """
        with Guard(self.directory):
            found, total = self._candidates(tags, limit)
            shown = [
                Recalled(link or self._link_of_row(row), -confidence, idle_days)
                for confidence, _, _, idle_days, row, link in sorted(found)[:limit]
            ]
        return shown, total - len(shown)

    def top_links(self, limit: int) -> "tuple[list[Link], int]":
        """Give the links that occurred in most sessions; of equals, those whose names sort first.

        Args:
            limit: How many to give.

        Returns:
            The links, sorted by their tags, and how many links there are in all.

        Raises:
            LinkIndexError: When the index is damaged.
        """
        with Guard(self.directory):
            base, newer = self._base, self._newer_parts()
            rows = {pair: base.find_row(*pair) if base else -1 for pair in newer}
            ranked = []
            for pair, parts in newer.items():
                old = base.sessions(rows[pair]) if base and rows[pair] >= 0 else 0
                ranked.append((-old - sum(part.sessions for _, part in parts), pair, rows[pair]))
            for sessions, row in base.top_rows(limit) if base else ():
                pair = base.pair(row) if base else ("", "")
                if pair not in newer:
                    ranked.append((-sessions, pair, row))
            chosen = sorted((pair, row) for _, pair, row in sorted(ranked)[:limit])
            links = [self._joined(row, newer.get(pair, [])) for pair, row in chosen]
        return links, (base.rows if base else 0) + sum(row < 0 for row in rows.values())

    def every(self) -> "Iterator[Recalled]":
        """Give every link with its confidence of now, one at a time, in no order that matters.

        Raises:
            LinkIndexError: When the index is damaged.
        """
        with Guard(self.directory):
            fading = _Fading({day for segment in self.segments for day in segment.active_days})
            base, newer = self._base, self._newer_parts()
            pairs = (base.pair(row) for row in range(base.rows)) if base else ()
            old = (self._joined(row, newer.pop(pair, [])) for row, pair in enumerate(pairs))
            for link in chain(old, (_merge(parts) for parts in newer.values())):
                yield Recalled(link, *fading.now(link.counted(link.best), link.last_day))

    def _joined(self, row: int, newer: "list[_Parts]") -> Link:
        base = self._base
        if base is None or row < 0:
            return _merge(newer)
        return _merge([(base, base.row(row, None if newer else NAMED)), *newer])

    @property
    def _base(self) -> Segment | None:
        """The first segment, when it has sorted tables and so knows its strong links."""
        return self.segments[0] if self.segments and self.segments[0].folded else None

    @property
    def _newer(self) -> "tuple[Segment, ...]":
        return self.segments[1:] if self._base else self.segments

    def _parts_of(self, first: str, second: str) -> "list[_Parts]":
        parts = ((segment, segment.link(first, second)) for segment in self.segments)
        return [(segment, part) for segment, part in parts if part is not None]

    def _newer_parts(self) -> "dict[tuple[str, str], list[_Parts]]":
        found: dict[tuple[str, str], list[_Parts]] = {}
        for segment in self._newer:
            for part in segment.links():
                found.setdefault((part.first, part.second), []).append((segment, part))
        return found

    def _candidates(self, tags: "Sequence[str]", limit: int) -> "tuple[list[_Candidate], int]":
        """Give the links that may be shown, of the strong ones in the base the best; and how many there are."""
        fading = _Fading({day for segment in self.segments for day in segment.active_days})
        merged = self._between(tags) if len(tags) > 1 else self._changed(tags[0])
        found = [item for item in map(fading.judge, merged) if -item[0] >= SHOWN_FROM]
        base = self._base
        if base is None or len(tags) > 1:
            return found, len(found)
        known = {base.find_row(link.first, link.second) for link in merged}
        strong = [
            (-confidence, -score, other, idle_days, row)
            for other, row, evidence, last_day in base.strong(tags[0])
            for score in (min(evidence, base.sessions(row)),)  # as ``Link.counted``
            if row not in known and (now := fading.now(score, last_day))[0] >= SHOWN_FROM
            for confidence, idle_days in (now,)
        ]
        best: list[_Candidate] = [
            (confidence, score, base.pair(row), idle_days, row, None)
            for confidence, score, _, idle_days, row in sorted(strong)[:limit]
        ]
        return found + best, len(found) + len(strong)

    def _between(self, tags: "Sequence[str]") -> list[Link]:
        pairs = combinations(sorted(tags), 2)
        return [_merge(parts) for pair in pairs if (parts := self._parts_of(*pair))]

    def _changed(self, tag: str) -> list[Link]:
        """Give the links of a tag of which another segment than the base knows."""
        base = self._base
        found: dict[tuple[str, str], list[_Parts]] = {}
        for segment in self._newer:
            for part in segment.links_of(tag):
                found.setdefault((part.first, part.second), []).append((segment, part))
        for pair, parts in found.items() if base else ():
            row = base.find_row(*pair) if base else -1
            if base and row >= 0:
                parts.insert(0, (base, base.row(row)))
        return [_merge(parts) for parts in found.values()]

    def _link_of_row(self, row: int) -> Link:
        base = self.segments[0]
        return _merge([(base, base.row(row, NAMED))])


class _Fading:
    """What is left of a confidence, by the active days of all segments; remembers what it worked out."""

    __slots__ = ("_days", "_known")

    def __init__(self, days: "set[int]") -> None:
        self._days = sorted(days)
        self._known: dict[tuple[int, int], tuple[float, int]] = {}

    def now(self, score: int, last_day: int) -> "tuple[float, int]":
        """Give confidence and idle days."""
        score = min(score, FULL_EVIDENCE)
        found = self._known.get((score, last_day))
        if found is None:
            idle_days = len(self._days) - bisect_right(self._days, last_day)
            found = decayed(confidence_of(score), idle_days), idle_days
            self._known[score, last_day] = found
        return found

    def judge(self, link: Link) -> "_Candidate":
        """Give a link as a candidate; they sort the surest first, of equals by evidence, then by name."""
        score = link.counted(link.best)
        confidence, idle_days = self.now(score, link.last_day)
        return (-confidence, -score, (link.first, link.second), idle_days, -1, link)


def open_index(directory: str) -> LinkIndex | None:
    """Open the link index of a home; None where none was made yet.

    Args:
        directory: ``Home.link_index_dir``.

    Raises:
        LinkIndexError: When it is damaged, or cannot be read.
    """
    raw = read_current(directory)
    if raw is None:
        return None
    stored = parse_current(raw, directory)
    segments: list[Segment] = []
    with Guard(directory):
        segments += [open_segment(directory, item) for item in stored]
    return LinkIndex(directory, segments)


def open_segment(directory: str, stored: Stored) -> Segment:
    """Open a segment that ``current`` names.

    Raises:
        SegmentError: When it is missing, damaged, or of another size.
    """
    segment = Segment(os.path.join(directory, stored.name))
    if segment.size_bytes != stored.size_bytes:
        raise SegmentError(f"{segment.path} has {segment.size_bytes} bytes instead of {stored.size_bytes}")
    return segment


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # a FIFO of that name is no reason to wait


def read_current(directory: str) -> bytes | None:
    """Give the bytes of ``current``; None where no index was made yet.

    Raises:
        LinkIndexError: When it cannot be read.
    """
    try:
        with open(os.path.join(directory, CURRENT), "rb", opener=_at_once) as stream:
            return stream.read(MAX_CURRENT_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        from nightledger.domain.errors import LinkIndexError

        raise LinkIndexError(f"the link index in {directory} cannot be read ({error.strerror})") from error


def parse_current(raw: bytes, directory: str) -> list[Stored]:
    """Give the segments in use, oldest first.

    Args:
        raw: The bytes of ``current``.
        directory: For messages.

    Raises:
        LinkIndexError: When it is no such list, or of another version.
    """
    first, *lines = raw.decode("utf-8", "replace").split("\n")
    fields = [line.split(" ") for line in lines[:-1]]
    if first != FIRST_LINE or lines[-1:] != [""] or not all(_is_entry(words) for words in fields):
        from nightledger.domain.errors import LinkIndexError

        raise LinkIndexError(f"the link index in {directory} is damaged, or of another version")
    return [Stored(name, int(size), int(crc32, 16)) for name, size, crc32 in fields]


def dump_current(stored: "Sequence[Stored]") -> bytes:
    """Give the bytes of ``current``."""
    lines = (f"{item.name} {item.size_bytes} {item.crc32:08x}\n" for item in stored)
    return f"{FIRST_LINE}\n{''.join(lines)}".encode("ascii")


def _is_entry(words: list[str]) -> bool:
    """Tell whether words are those of a line that ``dump_current`` writes."""
    try:
        name, size, crc32 = words
        same = size == f"{int(size)}" and crc32 == f"{int(crc32, 16):08x}"
    except ValueError:
        return False
    return (
        same
        and "-" not in (size[:1], crc32[:1])
        and name.isascii()
        and "/" not in name
        and name.endswith(SUFFIX)
    )


def _merge(parts: "list[_Parts]") -> Link:
    """Add up what segments know of one link, oldest first; at least one of them knows it."""
    tallies: dict[str, Tally] = {}
    records: dict[str, list[tuple[Segment, int]]] = {}
    for segment, part in reversed(parts):
        for cells in part.tallies:
            name = segment.resolution(cells[0])
            if name not in tallies:
                tallies[name], records[name] = Tally(name), []
            tallies[name].add(cells)
            newest = cells[COUNTS:][: -1 - MAX_SOURCES + len(records[name]) : -1]
            records[name] += [(segment, record) for record in newest]
    first = parts[0][1]
    link = Link(
        (first.first, first.second),
        co_occurrences=sum(part.sessions for _, part in parts),
        tallies=list(tallies.values()),
        resolutions=first.resolutions if len(parts) == 1 else len(tallies),
        last_day=max(part.last_day for _, part in parts),
    )
    named = records[link.best.resolution]
    link.best.sources = tuple([segment.outcome_id(record) for segment, record in named])
    return link
