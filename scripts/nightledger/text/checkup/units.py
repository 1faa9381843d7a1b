r"""Cut a memory file into what a check-up judges: items, rows, sentences, headings.

Invariant: units are in order and consist of whole lines. A nested item is its own unit
and lies inside its parent's lines; taking a unit out never leaves half of another one,
because a parent's lines hold all its children.
"""

# ruff: noqa: RUF001 - marks and words of other scripts are part of these tables
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from nightledger.text.markdown.document import Block, BlockKind, Document, Section, heading_text
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
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
    """Give the units of a document in order; linear in its size."""
    units: list[Unit] = []
    headings: tuple[str, ...] = ()
    sections = list(reversed(document.sections[1:]))
    decisions = {
        entry.first_line: entry
        for entry in unnumbered_entries(document)
        if entry.kind is EntryKind.DECISION and len(entry.fields) > 1
    }
    lead = ""
    for index, block in enumerate(document.blocks):
        while sections and sections[-1].heading[0] <= block.first_line:
            headings, lead = _path(document, sections.pop()), ""
        place = _Place(
            document=document, block=block, index=index, headings=headings, lead=lead, decisions=decisions
        )
        units.extend(_READERS[block.kind](place, len(units)) if block.kind in _READERS else ())
        lead = (
            units[-1].text
            if block.kind is BlockKind.PARAGRAPH and units[-1].text.endswith((":", "：", ":**"))
            else ""
        )
    return tuple(units)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    document: Document
    block: Block
    index: int
    headings: tuple[str, ...]
    lead: str
    decisions: Mapping[int, Entry]

    def line(self, number: int) -> str:
        return self.document.lines[number - 1].rstrip("\r\n")

    def unit(self, kind: UnitKind, first: int, last: int, text: str) -> Unit:
        return Unit(
            kind=kind, first=first, last=last, own_last=last, text=text, headings=self.headings, lead=self.lead, block=self.index
        )  # fmt: skip


def _path(document: Document, section: Section) -> tuple[str, ...]:
    first, last = section.heading
    return (
        *section.path[:-1],
        heading_text([line.rstrip("\r\n") for line in document.lines[first - 1 : last]]),
    )


def _read_paragraph(place: _Place, _count: int) -> Iterator[Unit]:
    """Decision blocks are units; what stands before them is read as sentences."""
    first = place.block.first_line
    for number in range(first, place.block.last_line + 1):
        decision = place.decisions.get(number)
        if decision:
            yield from _read_sentences(place, first, number - 1)
            yield _decision(place, decision)
            first = decision.last_line + 1
    yield from _read_sentences(place, first, place.block.last_line)


def _decision(place: _Place, entry: Entry) -> Unit:
    text = " ".join(f"{key}: {value}" for key, value in entry.fields)
    unit = place.unit(
        UnitKind.DECISION, entry.first_line, _trim(place, entry.first_line, entry.last_line), text
    )
    return replace(unit, status=entry.field("STATUS"))


def _read_sentences(place: _Place, first: int, last: int) -> Iterator[Unit]:
    """Lines that each stand for themselves are units; else the paragraph is one."""
    if first > last:
        return
    lines = [place.line(number) for number in range(first, last + 1)]
    if len(lines) > 1 and all(_WHOLE.match(line) for line in lines):
        for number, line in enumerate(lines, first):
            yield place.unit(UnitKind.SENTENCE, number, number, line.strip().rstrip("\\"))
    else:
        yield place.unit(UnitKind.SENTENCE, first, last, " ".join(line.strip() for line in lines))


def _read_whole(kind: UnitKind) -> Callable[[_Place, int], Iterator[Unit]]:
    def read(place: _Place, _count: int) -> Iterator[Unit]:
        first, last = place.block.first_line, place.block.last_line
        yield place.unit(
            kind, first, last, "\n".join(place.line(number) for number in range(first, last + 1))
        )

    return read


def _read_rows(place: _Place, _count: int) -> Iterator[Unit]:
    columns = _cells(place.line(place.block.first_line))
    for number in range(place.block.first_line + 2, place.block.last_line + 1):
        line = place.line(number)
        unit = place.unit(UnitKind.ROW, number, number, line.strip().strip("|").strip())
        yield replace(unit, columns=columns, cells=_cells(line))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def _read_items(place: _Place, count: int) -> Iterator[Unit]:
    starts = list(_starts(place))
    parents, ends = _nest(starts, place.block.last_line)
    following = [number for number, _ in starts[1:]] + [place.block.last_line + 1]
    for (number, _), parent, end, child in zip(starts, parents, ends, following, strict=True):
        own_last = _trim(place, number, min(child - 1, end))
        lead = place.lead if parent < 0 else _head(place, starts[parent][0])[1]
        box, text = _text(place, number, own_last)
        marker = _ITEM.match(place.line(number).expandtabs(4))
        decision = place.decisions.get(number)
        if decision:
            yield _decision(place, decision)
            continue
        unit = place.unit(UnitKind.ITEM, number, _trim(place, number, end), text)
        yield replace(
            unit,
            own_last=own_last,
            box=box,
            ordered=marker is not None and marker["marker"][0].isdigit(),
            lead=lead,
            parent=-1 if parent < 0 else count + parent,
        )


def _nest(starts: Sequence[tuple[int, int]], last_line: int) -> tuple[list[int], list[int]]:
    """Give for each item the position of its parent (-1 for none) and its last line."""
    parents, ends = [-1] * len(starts), [last_line] * len(starts)
    open_items: list[int] = []
    for position, (number, indent) in enumerate(starts):
        while open_items and starts[open_items[-1]][1] >= indent:
            ends[open_items.pop()] = number - 1
        parents[position] = open_items[-1] if open_items else -1
        open_items.append(position)
    return parents, ends


def _starts(place: _Place) -> Iterator[tuple[int, int]]:
    """Give the first line and indent of every item, however deep; code inside items is skipped."""
    fenced = False
    tops = {first for first, _ in place.block.items}
    within = 0
    for number in range(place.block.first_line, place.block.last_line + 1):
        line = place.line(number).expandtabs(4)
        if _FENCE.match(line):
            fenced = not fenced
        match = _ITEM.match(line)
        if number in place.decisions:
            within = place.decisions[number].last_line
        elif number <= within:
            continue
        if match and (number in tops or (not fenced and match["indent"])):
            yield number, 0 if number in tops else len(match["indent"])


def _trim(place: _Place, first: int, last: int) -> int:
    while last > first and not place.line(last).strip():
        last -= 1
    return last


def _text(place: _Place, first: int, last: int) -> tuple[str, str]:
    box, head = _head(place, first)
    rest = (place.line(number).strip() for number in range(first + 1, last + 1))
    return box, " ".join([head, *rest]).strip()


def _head(place: _Place, number: int) -> tuple[str, str]:
    """Give the tick box and the text of an item's first line."""
    text = _ITEM.sub("", place.line(number).expandtabs(4), count=1)
    box = _BOX.match(text)
    return (box["state"].lower() if box else ""), (text[box.end() :] if box else text).strip()


_READERS: dict[BlockKind, Callable[[_Place, int], Iterator[Unit]]] = {
    BlockKind.LIST: _read_items,
    BlockKind.TABLE: _read_rows,
    BlockKind.PARAGRAPH: _read_paragraph,
    BlockKind.QUOTE: _read_whole(UnitKind.QUOTE),
    BlockKind.FENCE: _read_whole(UnitKind.CODE),
    BlockKind.CODE: _read_whole(UnitKind.CODE),
    BlockKind.HTML: _read_whole(UnitKind.COMMENT),
}
