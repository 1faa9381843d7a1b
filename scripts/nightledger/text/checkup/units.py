"""Cut a memory file into what a check-up judges: items, rows, sentences, headings; and find items that say again what another says.

Invariant: units are in order and consist of whole lines. A nested item is its own unit and lies inside its parent's lines;
taking a unit out never leaves half of another one, because a parent's lines hold all its children. Of two that say the
same, the one with less in it is the repeat, else the later one; numbers and negations must agree, so that a changed rule
is no repeat.
"""

# ruff: noqa: RUF001 - marks and words of other scripts are part of these tables
import re
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from nightledger.text.markdown.blocks import introduces, table_cells
from nightledger.text.markdown.document import BlockKind, Document, last_filled, section_at
from nightledger.text.markdown.entries import Entry, EntryKind, unnumbered_entries
from nightledger.text.similar import UNSPACED, dice, fold, is_negated, numbers, shingles

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
        announces = block.kind is BlockKind.PARAGRAPH and introduces(units[-1].text)
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
        return max(first, last_filled(self.document.lines, first, last))


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
    return tuple(map(str.strip, table_cells(line)))


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


NEAR = 0.82
"""Dice coefficient from which two items of one file are taken for one: a little above
``similar.NEAR``, because items of one file share their subject and a list its pattern."""
LONG = 36
"""Folded characters from which equal wording is no accident anywhere in a file; shorter
items count under one heading only. A letter of a script without spaces counts for three."""
ATTRIBUTE = 100
"""Letters below which a label with its value is an attribute of the subject above it."""
SAME_ATTRIBUTE = 40
"""Letters from which the same words are no accident, even of a label with its value."""
WORDS = 5
"""Fewest words of an item that another may hold in full."""
INDEX = 0.6
"""Share of a list's items that begin with a name or a quotation, from which it is an index."""
SENTENCE = 20
"""Letters from which four words are a sentence and no phrase."""
MOST_HOLDERS = 40
"""Items compared for one: the work stays linear in a file of one word a thousand times."""

_NAMED = re.compile(r"[*_]{0,8}(?:`|\[|https?://|[\"“«「]|[\w.~/-]*[\w~]/[\w./-]|[\w-]+\.[a-z]{1,4}\b)")
_CODE = re.compile(r"`([^`\n]+)`|(?<![\w`])((?:[a-z]{1,32}://|[\w.-]{1,255}/)[^\s`)]+)")
_LETTERS = re.compile(r"[^\W\d_]\w+")
_LABELLED = re.compile(r"[*_`]*[^:：|`]{1,32}[*_`]*\s?[:：](?!//)")


class Repeat(Struct, frozen=True, kw_only=True):
    """One item that another makes superfluous.

    Attributes:
        unit: Index of the repeat.
        other: Index of the item that stays.
        kind: ``same_words``, ``near_words`` or ``held``.
    """

    unit: int
    other: int
    kind: str


def find_repeats(units: Sequence[Unit]) -> dict[int, Repeat]:
    """Return the repeats among the items of one file, by the index of the repeat.

    An index or a table goes as a whole or not at all; what stands twice in it is a repeat there.
    """
    found: dict[int, Repeat] = {}
    wordings = [wording(unit) for unit in units]
    same = list(_same(units, wordings))
    copies = {repeat.unit for repeat in same}
    candidates = (*same, *_worded(units, wordings, copies))
    for repeat in candidates:
        if repeat.unit in found or repeat.other in found:
            continue
        if not _is_elsewhere_true(repeat, units[repeat.unit], units[repeat.other]):
            found[repeat.unit] = repeat
    indexes = _indexes(units)
    standing = {
        unit.block for index, unit in enumerate(units) if unit.block in indexes and index not in found
    }
    return {
        index: repeat
        for index, repeat in found.items()
        if units[index].block not in standing or units[index].block == units[repeat.other].block
    }


def _is_elsewhere_true(repeat: Repeat, unit: Unit, other: Unit) -> bool:
    """Say whether a repeat is an attribute of two subjects; a section that stands twice is one subject."""
    if repeat.kind == "same_words" and (
        unit.headings[-1:] == other.headings[-1:] or weight(fold(unit.text)) >= SAME_ATTRIBUTE
    ):
        return False
    return is_attribute(unit, other)


def is_attribute(unit: Unit, other: Unit) -> bool:
    """Say whether an item is told of another subject than the other.

    A label with its value ("Server: atlas") is, elsewhere; so is a short detail of another item.
    """
    apart = unit.headings != other.headings or unit.lead != other.lead
    detail = unit.parent >= 0 and other.parent >= 0 and unit.lead != other.lead
    told = detail or _LABELLED.match(unit.text) is not None
    return apart and told and weight(fold(unit.text)) < ATTRIBUTE


def _indexes(units: Sequence[Unit]) -> set[int]:
    """Give the blocks that are tables, or lists most of whose items begin with a name or a quotation."""
    items = Counter(unit.block for unit in units if unit.kind is UnitKind.ITEM)
    named = Counter(unit.block for unit in units if unit.kind is UnitKind.ITEM and _NAMED.match(unit.text))
    tables = {unit.block for unit in units if unit.kind is UnitKind.ROW}
    return tables | {block for block, count in items.items() if named[block] >= INDEX * count}


def wording(unit: Unit) -> str:
    """Give what is compared: the folded text, of a row its cells in order."""
    return fold(" ".join(unit.cells) if unit.cells else unit.text)


def weight(folded: str) -> int:
    """Give the length of folded wording in letters, one of a script without spaces for three."""
    return len(folded) + 2 * len(UNSPACED.findall(folded))


def _same(units: Sequence[Unit], wordings: Sequence[str]) -> Iterator[Repeat]:
    """Equal wording: of long items anywhere, of short ones under one heading."""
    first: dict[str, int] = {}
    equal = {index: first.setdefault(text, index) for index, text in enumerate(wordings) if text}
    for index, other in equal.items():
        if index != other and units[index].kind is not UnitKind.COMMENT:
            one, first_one = units[index], units[other]
            together = one.headings == first_one.headings and one.lead == first_one.lead
            if together or (_is_long(wordings[index]) and not is_attribute(one, first_one)):
                yield Repeat(unit=index, other=other, kind="same_words")


def _is_long(text: str) -> bool:
    words = len(text.split())
    return weight(text) >= LONG or words >= WORDS or (words == WORDS - 1 and len(text) >= SENTENCE)


def _worded(units: Sequence[Unit], wordings: Sequence[str], copies: Collection[int]) -> Iterator[Repeat]:
    """An item whose words a longer one has too, found through its two rarest words."""
    said = [_words_of(text) for text in wordings]
    holders = defaultdict[str, list[int]](list)
    for index, words in enumerate(said):
        for word in words:
            holders[word].append(index)
    for index, (unit, text) in enumerate(zip(units, wordings, strict=True)):
        if index in copies or not _is_prose(unit, text):
            continue
        rare = sorted(said[index], key=lambda word: (len(holders[word]), word))[:2]
        for other in dict.fromkeys(other for word in rare for other in holders[word][:MOST_HOLDERS]):
            longer = (len(wordings[other]), -other) > (len(text), -index)
            if longer and said[index] <= said[other] and _claims_no_more(unit, units[other]):
                near = dice(shingles(text), shingles(wordings[other])) >= NEAR
                yield Repeat(unit=index, other=other, kind="near_words" if near else "held")
                break


def _words_of(folded: str) -> frozenset[str]:
    """Return the words of a wording; of scripts without spaces pairs of letters."""
    pairs = (
        [w[at : at + 2] for at in range(max(1, len(w) - 1))] if UNSPACED.search(w) else [w]
        for w in folded.split()
    )
    return frozenset(chain.from_iterable(pairs))


def _is_prose(unit: Unit, folded: str) -> bool:
    is_told = unit.kind not in {UnitKind.COMMENT, UnitKind.CODE} and not unit.ordered
    several = len(folded.split()) >= WORDS or UNSPACED.search(folded) is not None
    return is_told and weight(folded) >= LONG and several


def _claims_no_more(shorter: Unit, longer: Unit) -> bool:
    """Return whether the shorter item names nothing, counts nothing and denies nothing else than the longer.

    What stands in backticks, a path or an address must be there letter for letter. "Anna before Bruno" is not
    "Bruno before Anna".
    """
    one, other = (
        dict.fromkeys(word for word in _LETTERS.findall(unit.text) if word[0].isupper())
        for unit in (shorter, longer)
    )
    return (
        longer.kind is not UnitKind.CODE
        and names_of(shorter) <= names_of(longer)
        and numbers(wording(shorter)) <= numbers(wording(longer))
        and is_negated(wording(shorter)) == is_negated(wording(longer))
        and [word for word in one if word in other] == [word for word in other if word in one]
    )


def names_of(unit: Unit) -> set[str]:
    """Return what stands in backticks, paths and addresses."""
    return {code or address for code, address in _CODE.findall(unit.text)}
