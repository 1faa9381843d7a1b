"""What of a memory over its host's cap the agent never sees, and which whole runs of lines may go to get it under.

Invariant: pure; a piece is whole sections or whole entries, and none holds a line that is to stay. Rules and
what a heading calls lasting are offered last or not at all; ``docs/decisions/0010-check-up.md`` has the order.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date, timedelta
from itertools import accumulate, takewhile

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.words import count_of
from nightledger.text.checkup.signs import has, pattern, tells
from nightledger.text.dates import NEAR_DAYS, find_dates
from nightledger.text.markdown.document import Document, Path, Section, is_blank, last_filled
from nightledger.text.markdown.entries import unnumbered_entries

OLD_DAYS = 30
"""Days after its newest date from which a dated run of lines is old. Our choice."""
MOST_PIECES = 10
"""Pieces of one plan: what a person answers in a morning. Our choice."""
SPARE = 0.05
"""Share of the cap that a plan leaves free, so that the next nights can add something. Our choice."""
LEAST = 80
"""Characters below which a piece is not worth a question. Our choice."""
RECENT_DAYS = 3
"""Days after its newest date for which a section is at work: nothing offers it. Our choice."""
LARGEST_SHARE = 0.3
"""Share of the file above which a section that may still hold is too much for one question. Our choice."""
WHOLE = 0.99
PART_UNSEEN = 0.25
"""Share of a section from which it counts as one that the agent does not see. Our choice."""
MOST_SHARE = 0.6
"""Share of the file above which a section is the file and no part of it. Our choice."""
_OPENING = 60
"""Characters of an entry in which a date says when it was noted."""
_BACK = timedelta(days=NEAR_DAYS - 60)
"""So far back lies what a day without a year is near to: one that would be more than two months ahead is of the past."""
MAY_HOLD = "it is dated, and may still hold"
TOP = "the top of the file"


class Unseen(Struct, frozen=True, kw_only=True):
    """A section of which the agent does not see all.

    Attributes:
        section: Heading texts from the outermost to its own; () is the top of the file.
        line: Its first line.
        characters: How many of its own characters are not shown, sub-sections aside.
        of: How many it has.
    """

    section: Path
    line: int
    characters: int
    of: int


class Piece(Struct, frozen=True, kw_only=True):
    """A run of whole lines that may go.

    Attributes:
        lines: First and last line, from 1; blank ones above it are in it.
        characters: How many the file gets shorter by.
        title: What it is: a heading, or how many entries of which section.
        reason: Why it may go.
        tier: 0 for what repeats or is an old record, 1 for what is old and may still hold; whole sections that may
            still hold are 2 below a dated heading, and 3 elsewhere.
        moves: Whether it moves to the archive; else it is removed.
        newest: Its newest date; None where it repeats.
        level: Of its heading, 1 to 6; 0 where it is entries of a section.
    """

    lines: tuple[int, int]
    characters: int
    title: str
    reason: str
    tier: int
    moves: bool = True
    newest: date | None = None
    level: int = 0


class _Hidden:
    """How much of some lines the agent does not see.

    Args:
        document: The memory file.
        shown: Characters that are shown from its beginning, and from its end; None where all are.
    """

    def __init__(self, document: Document, shown: tuple[int, int] | None) -> None:
        self._ends = [0, *accumulate(map(len, document.lines))]
        size = len("".join(document.lines).rstrip())
        self._first, self._last = (shown[0], size - shown[1]) if shown else (size, 0)

    def of(self, first: int, last: int) -> tuple[int, int]:
        """Return the characters that are not shown of some lines, from 1, and how many they have."""
        begin, end = self._ends[first - 1], self._ends[last]
        return max(0, min(end, self._last) - max(begin, self._first)), end - begin


def unseen(document: Document, shown: tuple[int, int]) -> tuple[Unseen, ...]:
    """Return the sections that are not shown in full, in the file's order.

    Args:
        document: The memory file.
        shown: How many characters are shown from its beginning, and from its end.
    """
    hidden, found = _Hidden(document, shown), []
    for section in document.sections:
        line = max(section.heading[0], 1)
        characters, size = hidden.of(line, max(section.body[1], section.heading[1], line))
        if characters:
            found.append(Unseen(section=section.path, line=line, characters=characters, of=size))
    return tuple(found)


def find_pieces(
    document: Document, today: date, kept: Collection[int], shown: tuple[int, int] | None = None
) -> Iterator[tuple[Piece, ...]]:
    """Yield what may go, cut by month, then by year.

    Args:
        document: The memory file.
        today: The date in the home's zone.
        kept: Lines that are to stay.
        shown: How many characters the agent sees from its beginning, and from its end; None where nobody knows.
    """
    days = _Days(document, today)
    hidden, stays = _Hidden(document, shown), frozenset(kept)
    repeated, noted = list(_repeated(document, hidden)), list(_noted(document, days))
    taken = {piece.lines for piece in (*repeated, *noted)}
    whole = (one for one in _sections(document, days, hidden) if one.lines not in taken or one.tier < 2)  # noqa: PLR2004 - what may still hold
    single = [*repeated, *noted, *whole]
    for names_period in (lambda day: (day.year, day.month), lambda day: (day.year,)):
        joined = _joined(document, single, names_period)
        large = (piece for piece in joined if piece.characters >= LEAST)
        yield tuple(one for one in large if stays.isdisjoint(range(one.lines[0], one.lines[1] + 1)))


def choose_pieces(pieces: Sequence[Piece], need: int) -> list[Piece]:
    """Return as few pieces as free so many characters, the largest first.

    What may still hold is taken only where nothing else suffices; where one suffices, it is the smallest that does.

    Args:
        pieces: What may go.
        need: Characters to free.
    """
    chosen: list[Piece] = []
    for tier in range(4):
        chosen, left = [], need
        while left > 0 and len(chosen) < MOST_PIECES:
            free = [one for one in pieces if one.tier <= tier and not any(_overlap(one, it) for it in chosen)]
            if not free:
                break
            enough = [one for one in free if one.characters >= left]
            picked = min(enough, key=_order) if enough else max(free, key=_order)
            chosen.append(picked)
            left -= picked.characters
        if left <= 0:
            break
    return sorted(chosen, key=_order, reverse=True)


def _order(piece: Piece) -> tuple[int, int]:
    return piece.characters, -piece.lines[0]


def _overlap(one: Piece, other: Piece) -> bool:
    return one.lines[0] <= other.lines[1] and other.lines[0] <= one.lines[1]


class _Days:
    """The dates of a document's lines, each line read once.

    Args:
        document: The memory file.
        today: The date in the home's zone.
    """

    def __init__(self, document: Document, today: date) -> None:
        self._today = today
        self._newest = [max(self.of(line), default=None) for line in document.lines]

    def of(self, text: str) -> list[date]:
        return [found.day for found in find_dates(text, near=self._today - _BACK)]

    def newest(self, lines: tuple[int, int], *texts: str) -> date | None:
        """Return the newest date of some lines and texts beside them."""
        found = (day for day in self._newest[lines[0] - 1 : lines[1]] if day)
        return max((*found, *(day for text in texts for day in self.of(text))), default=None)

    def young(self, day: date | None, days: int = RECENT_DAYS) -> bool:
        """Tell whether a day is no older than so many days."""
        return day is not None and (self._today - day).days < days


def _repeated(document: Document, hidden: "_Hidden") -> Iterator[Piece]:
    """Yield whole sections that another one says word for word, sub-sections included; the first that the agent sees stays."""
    alike: dict[tuple[str, ...], list[Section]] = {}
    for section in document.sections[1:]:
        lines = document.lines[section.heading[0] - 1 : section.last_line]
        said = tuple(line.rstrip() for line in lines if not is_blank(line))
        alike.setdefault(said, []).append(section)
    for said, sections in alike.items():
        seen = (one for one in sections if not hidden.of(one.heading[0], one.last_line)[0])
        stays = next(seen, sections[0])
        for section in sections if len(said) > 1 else ():
            if section is not stays:
                reason = f"it says word for word what the section at line {stays.heading[0]} says"
                piece = _piece(document, (section.heading[0], section.last_line), _title(section), reason, 0)
                yield replace(piece, moves=False)


def _sections(document: Document, days: _Days, hidden: _Hidden) -> Iterator[Piece]:
    """Yield whole sections: dated ones with an old newest date, and others that may still hold.

    Of these none lasts or has a young date, but where the agent does not see it.
    """
    for at, section in enumerate(document.sections[1:], 1):
        heading, lines = section.path[-1], (section.heading[0], section.last_line)
        newest, lasts = days.newest(lines), _holds_lasting(document, at)
        is_part = lines[1] - lines[0] < MOST_SHARE * len(document.lines)
        if is_part and days.of(heading) and newest and not days.young(newest, OLD_DAYS) and not lasts:
            tier = 0 if _is_record(heading, newest) else 1
            told = f"{MAY_HOLD}; its" if tier else "its"
            piece = _piece(document, lines, _title(section), f"{told} newest date is {newest}", tier)
            yield replace(piece, newest=newest, level=section.level)
        elif heading:
            yield from _other(document, section, days, hidden.of(*lines), lasts=lasts)


def _other(
    document: Document, section: Section, days: _Days, unseen: tuple[int, int], *, lasts: bool
) -> Iterator[Piece]:
    above, lines = section.path[1:] or section.path, (section.heading[0], section.last_line)
    newest, share = days.newest(lines, *above), unseen[0] / max(1, unseen[1])
    lasts = lasts or _lasts(*above)
    if share >= PART_UNSEEN:
        tier = 3 if lasts else 2
        told = "the agent does not see it" if share > WHOLE else "the agent sees a part of it alone"
    elif lasts or days.young(newest):
        return
    else:
        tier = 2 if any(map(days.of, above)) else 3
        told = f"its newest date is {newest}" if newest else "nothing in it has a date"
    piece = _piece(document, lines, _title(section), f"{told}, and it may still hold", tier)
    if piece.characters <= LARGEST_SHARE * sum(map(len, document.lines)):
        yield replace(piece, newest=newest, level=section.level)


def _holds_lasting(document: Document, at: int) -> bool:
    end = document.sections[at].last_line
    inside = takewhile(lambda one: one.heading[0] <= end, document.sections[at:])
    return any(_lasts(one.path[-1]) for one in inside)


def _is_record(heading: str, near: date) -> bool:
    """Tell whether a heading is that of a record of its day, and no subject that was touched on that day."""
    if any(has(kind, heading) for kind in ("report", "gone", "over")) or pattern("left").search(heading):
        return True
    found = find_dates(heading, near=near)
    touched = all(pattern("in_brackets").search(heading[: one.start]) for one in found)
    return pattern("updated").search(heading) is None and not touched


def _noted(document: Document, days: _Days) -> Iterator[Piece]:
    """Yield single entries that begin with an old date; rules among them only where nothing else helps."""
    for entry in unnumbered_entries(document):
        lines = (entry.first_line, entry.last_line)
        newest = days.newest(lines)
        if any(pattern("stays").search(heading) for heading in entry.section) or days.young(newest, OLD_DAYS):
            continue
        if newest and days.of(entry.text[:_OPENING]):
            tier = 1 if tells("rule", entry.text) or _lasts(*entry.section[-1:]) else 0
            reason = MAY_HOLD if tier else "they are old notes"
            piece = _piece(document, lines, "".join(entry.section[-1:]) or TOP, reason, tier)
            yield replace(piece, newest=newest)


def _lasts(*headings: str) -> bool:
    return any(
        has("lasting", one) or has("rule", one) or pattern("stays").search(one) is not None
        for one in headings
    )


def _title(section: Section) -> str:
    """Return the heading with the one above it, the title of the file aside."""
    return " > ".join(section.path[1:][-2:] or section.path)


def _piece(document: Document, lines: tuple[int, int], title: str, reason: str, tier: int) -> Piece:
    first, last = lines
    last = max(first, last_filled(document.lines, first, last))
    while first > 1 and is_blank(document.lines[first - 2]):
        first -= 1
    size = len(document.text(first, last))
    return Piece(lines=(first, last), characters=size, title=title, reason=reason, tier=tier)


def _joined(
    document: Document, single: Sequence[Piece], period: Callable[[date], tuple[int, ...]]
) -> Iterator[Piece]:
    """Yield pieces, those of one kind and period that follow each other as one."""
    groups: list[list[Piece]] = []
    for piece in sorted(single, key=lambda one: (one.moves, one.tier, one.level, one.lines)):
        before = groups[-1][-1] if groups else None
        dated = before and before.newest and piece.newest and period(before.newest) == period(piece.newest)
        if before and dated and _follows(before, piece):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    for group in groups:
        yield _as_one(document, group)


def _follows(before: Piece, piece: Piece) -> bool:
    """Tell whether records of a time or notes are one run; what may still hold is asked about one by one elsewhere."""
    same = (before.moves, before.tier, before.level) == (piece.moves, piece.tier, piece.level)
    if not same or before.lines[1] + 1 != piece.lines[0]:
        return False
    below = piece.tier == 2 and piece.level > 2  # noqa: PLR2004 - parts of one dated section, whose rules stay
    return piece.tier == 0 or below if piece.level else before.title == piece.title


def _as_one(document: Document, group: Sequence[Piece]) -> Piece:
    first, last = group[0], group[-1]
    if first.newest is None or (len(group) == 1 and first.level):
        return first
    days = sorted(piece.newest for piece in group if piece.newest)
    span = f"{days[0]}" if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    entries = count_of(len(group), "entry", "entries")
    title = f"{entries} of {first.title}, {span}"
    reason = first.reason
    if first.level:
        title = f"{first.title}, and {len(group) - 1} more to {last.title.rpartition(' > ')[2]}"
        reason = first.reason.replace(str(first.newest), str(days[-1]))
    lines = (first.lines[0], last.lines[1])
    size = len(document.text(*lines))
    return replace(first, lines=lines, characters=size, title=title, reason=reason, newest=days[-1])
