r"""Cut a memory file into what a check-up judges: items, rows, sentences, headings.

Invariant: units are in order and consist of whole lines. A nested item is its own unit
and lies inside its parent's lines; taking a unit out never leaves half of another one,
because a parent's lines hold all its children.
"""

# ruff: noqa: RUF001 - marks and words of other scripts are part of these tables
import re
from collections import deque
from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from nightledger.text.markdown.document import BlockKind, Document, section_at
from nightledger.text.markdown.entries import Entry, EntryKind, unnumbered_entries

_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?P<marker>[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)")
_BOX = re.compile(r"^\[(?P<state>[ xX~-])\]\s+")
_WHOLE = re.compile(r"^(?:\*\*|__|_|\*|[^\w\s(]|[^\s:：]{1,30}[:：]\s)|.*(?:\s\s|\\|[.!?。！？)\]*_])$")


class UnitKind(StrEnum):
    """What a unit is."""

    ITEM = "item"
    ROW = "row"
    SENTENCE = "sentence"
    QUOTE = "quote"
    COMMENT = "comment"
    CODE = "code"
    DECISION = "decision"


class Unit(Struct, frozen=True, kw_only=True):
    """One thing a memory file says.

    Attributes:
        kind: What it is.
        first: Its first line, from 1.
        last: Its last line, children included.
        own_last: The last line before its first child.
        text: Its own lines joined by a space, without list marker and tick box.
        box: A tick box: ``x`` ticked, a space open, empty where there is none.
        ordered: Whether it is a numbered item, whose place counts.
        headings: Heading texts from the outermost to its own.
        lead: The parent item, or the sentence with a colon before its list.
        columns: The header cells of a row's table.
        cells: The cells of a row.
        status: What the last field of a decision block says became of it.
        parent: Index of the parent item among all units; -1 where there is none.
        block: Index of its block in the document.
    """

    kind: UnitKind
    first: int
    last: int
    own_last: int
    text: str
    box: str = ""
    ordered: bool = False
    headings: tuple[str, ...] = ()
    lead: str = ""
    columns: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    status: str = ""
    parent: int = -1
    block: int = 0


def read_units(document: Document) -> tuple[Unit, ...]:
    """Return the units of a document in order; linear in its size."""
    units: list[Unit] = []
    entries = deque(unnumbered_entries(document))
    lead = ""
    for index, block in enumerate(document.blocks):
        headings = section_at(document, block.first_line).path
        place = _Place(document=document, index=index, headings=headings, lead=lead)
        if block.kind is BlockKind.HTML:
            units.append(place.whole(UnitKind.COMMENT, block.first_line, block.last_line))
        while entries and entries[0].first_line <= block.last_line:
            units.extend(_read(place, entries.popleft(), len(units)))
        announces = block.kind is BlockKind.PARAGRAPH and units[-1].text.endswith((":", "：", ":**"))
        lead = units[-1].text if announces else ""
    return tuple(units)


class _Place(Struct, frozen=True, kw_only=True):
    document: Document
    index: int
    headings: tuple[str, ...]
    lead: str

    def line(self, number: int) -> str:
        return self.document.lines[number - 1].rstrip("\r\n")

    def unit(self, kind: UnitKind, first: int, last: int, text: str) -> Unit:
        return Unit(
            kind=kind, first=first, last=last, own_last=last, text=text, headings=self.headings, lead=self.lead, block=self.index
        )  # fmt: skip

    def whole(self, kind: UnitKind, first: int, last: int) -> Unit:
        return self.unit(kind, first, last, "\n".join(map(self.line, range(first, last + 1))))

    def trim(self, first: int, last: int) -> int:
        """Return the last line that is not blank."""
        return next((n for n in range(last, first, -1) if self.line(n).strip()), first)


def _read(place: _Place, entry: Entry, count: int) -> Iterator[Unit]:
    first, last = entry.first_line, entry.last_line
    if entry.kind is EntryKind.DECISION and len(entry.fields) > 1:
        text = " ".join(f"{key}: {value}" for key, value in entry.fields)
        decision = place.unit(UnitKind.DECISION, first, place.trim(first, last), text)
        yield replace(decision, status=entry.field("STATUS"))
    elif entry.kind in {EntryKind.ITEM, EntryKind.DECISION} and _ITEM.match(place.line(first)):
        yield from _read_items(place, entry, count)
    elif entry.kind in {EntryKind.PARAGRAPH, EntryKind.DECISION}:
        yield from _read_sentences(place, first, last)
    elif entry.kind is EntryKind.TABLE:
        yield from _read_rows(place, first, last)
    else:
        quoted = entry.kind is EntryKind.QUOTE
        yield place.whole(UnitKind.QUOTE if quoted else UnitKind.CODE, first, last)


def _read_sentences(place: _Place, first: int, last: int) -> Iterator[Unit]:
    """Lines that each stand for themselves are units; else the paragraph is one."""
    lines = [place.line(number) for number in range(first, last + 1)]
    if len(lines) > 1 and all(_WHOLE.match(line) for line in lines):
        for number, line in enumerate(lines, first):
            yield place.unit(UnitKind.SENTENCE, number, number, line.strip().rstrip("\\"))
    else:
        yield place.unit(UnitKind.SENTENCE, first, last, " ".join(line.strip() for line in lines))


def _read_rows(place: _Place, first: int, last: int) -> Iterator[Unit]:
    columns = _cells(place.line(first))
    for number in range(first + 2, last + 1):
        line = place.line(number)
        unit = place.unit(UnitKind.ROW, number, number, line.strip().strip("|").strip())
        yield replace(unit, columns=columns, cells=_cells(line))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def _read_items(place: _Place, entry: Entry, count: int) -> Iterator[Unit]:
    """Yield an item and those below it, however deep; code inside items is skipped."""
    starts = list(_starts(place, entry))
    following = [number for number, _ in starts[1:]] + [entry.last_line + 1]
    above: list[int] = []
    for at, ((number, indent), child) in enumerate(zip(starts, following, strict=True)):
        while above and starts[above[-1]][1] >= indent:
            above.pop()
        end = next((n - 1 for n, deep in starts[at + 1 :] if deep <= indent), entry.last_line)
        own_last = place.trim(number, child - 1)
        box, head = _head(place, number)
        rest = (place.line(n).strip() for n in range(number + 1, own_last + 1))
        marker = _ITEM.match(place.line(number).expandtabs(4))
        yield replace(
            place.unit(UnitKind.ITEM, number, place.trim(number, end), " ".join([head, *rest]).strip()),
            own_last=own_last,
            box=box,
            ordered=marker is not None and marker["marker"][0].isdigit(),
            lead=_head(place, starts[above[-1]][0])[1] if above else place.lead,
            parent=count + above[-1] if above else -1,
        )
        above.append(at)


def _starts(place: _Place, entry: Entry) -> Iterator[tuple[int, int]]:
    """Yield the first line and indent of every item of an entry, its own first."""
    yield entry.first_line, 0
    fenced = False
    for number in range(entry.first_line + 1, entry.last_line + 1):
        line = place.line(number).expandtabs(4)
        fenced ^= _FENCE.match(line) is not None
        match = _ITEM.match(line)
        if match and match["indent"] and not fenced:
            yield number, len(match["indent"])


def _head(place: _Place, number: int) -> tuple[str, str]:
    """Return the tick box and the text of an item's first line."""
    text = _ITEM.sub("", place.line(number).expandtabs(4), count=1)
    box = _BOX.match(text)
    return (box["state"].lower() if box else ""), (text[box.end() :] if box else text).strip()
