r"""Entries of a document: what a person would call one item of memory.

An entry is a top-level list item with its children, a decision block, a paragraph, a
table, a quote or a block of code. Headings, comments, rules and front matter are none.

Invariant: entries are in order, do not overlap, and each consists of whole lines. While somebody edits the file that holds
them, an id goes to one entry only, and never by a guess between two.
"""

import hashlib
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.canonical import canonical
from nightledger.domain.words import digest_id
from nightledger.text.markdown.document import Block, BlockKind, Document, Path, readable
from nightledger.text.similar import Overlaps, shingles

DECISION_FIELDS = ("DECISION", "DATE", "WHY", "IMPACTS", "REVISIT", "STATUS")
"""The fields of a decision block, the first of which begins one."""

_FIELD = re.compile(
    rf"\s*(?:[-+*]\s+)?(?P<open>\*\*|__)?(?P<key>{'|'.join(DECISION_FIELDS)})"
    r"(?:(?P=open))?\s*:(?:\*\*|__)?(?P<value>.*)",
    re.IGNORECASE | re.DOTALL,
)


_MARKER = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+")


class EntryKind(StrEnum):
    """What an entry is."""

    ITEM = "item"
    DECISION = "decision"
    PARAGRAPH = "paragraph"
    TABLE = "table"
    FENCE = "fence"
    QUOTE = "quote"
    CODE = "code"


class Entry(Struct, frozen=True, kw_only=True):
    """One item of a gated file.

    Attributes:
        id: ``e-`` and 26 characters; derived from section and text, kept through drift by ``track``.
        section: Heading texts from the outermost to its section's own.
        first_line: Its first line, from 1.
        last_line: Its last line, included.
        text: Its exact lines, with their ends.
        kind: What it is.
        fields: Keys (upper case) and values of a decision block, in order; else empty.
    """

    id: str
    section: Path
    first_line: int
    last_line: int
    text: str
    kind: EntryKind
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def marker(self) -> str:
        """The list marker with which it stands, blanks included; empty for a paragraph."""
        found = _MARKER.match(self.text)
        return found[0] if found else ""

    def field(self, key: str) -> str:
        """Give the value of a decision's field; empty where it has none."""
        return next((value for name, value in self.fields if name == key), "")


def find_entries(document: Document) -> tuple[Entry, ...]:
    """Give all entries of a document, each with an id; linear in its size."""
    return number_entries(unnumbered_entries(document))


def unnumbered_entries(document: Document) -> list[Entry]:
    """Give all entries of a document with an empty id."""
    found: list[Entry] = []
    sections = deque(document.sections[1:])
    path: Path = ()
    for block in document.blocks:
        while sections and sections[0].heading[0] <= block.first_line:
            path = sections.popleft().path
        found.extend(_entry(document, path, part) for part in _parts(document, block))
    return found


def number_entries(entries: Sequence[Entry], taken: frozenset[str] = frozenset()) -> tuple[Entry, ...]:
    """Give entries that have no id theirs: of section, wording, and ordinal among equals.

    Args:
        entries: In the order of the document.
        taken: Ids that belong to others; the ordinal passes over them.
    """
    seen = Counter[Wording]()
    numbered: list[Entry] = []
    for entry in entries:
        if entry.id:
            numbered.append(entry)
            continue
        identity = wording(entry)
        found = ""
        while not found or found in taken:
            seen[identity] += 1
            found = _id(identity, seen[identity])
        numbered.append(replace(entry, id=found))
    return tuple(numbered)


Wording = tuple[Path, str]
"""Section and text of an entry, as far as they are its identity."""


def wording(entry: Entry) -> Wording:
    """Give what an entry says and where; line ends and space at line ends do not count."""
    lines = [line.rstrip() for line in entry.text.split("\n")]
    return entry.section, "\n".join(lines).rstrip("\n")


_Part = tuple[EntryKind, int, int]
_KINDS = {
    BlockKind.TABLE: EntryKind.TABLE,
    BlockKind.FENCE: EntryKind.FENCE,
    BlockKind.QUOTE: EntryKind.QUOTE,
    BlockKind.CODE: EntryKind.CODE,
}


def _parts(document: Document, block: Block) -> list[_Part]:
    if block.kind is BlockKind.LIST:
        return _items(document, block)
    if block.kind is BlockKind.PARAGRAPH:
        return _paragraphs(document, block)
    if block.kind in _KINDS:
        return [(_KINDS[block.kind], block.first_line, block.last_line)]
    return []


def _items(document: Document, block: Block) -> list[_Part]:
    """Give a list's items; items that hold one field each of a decision are one entry."""
    parts: list[_Part] = []
    for first, last in block.items:
        key = _key(document.lines[first - 1])
        if key == DECISION_FIELDS[0]:
            parts.append((EntryKind.DECISION, first, last))
        elif key and parts and parts[-1][0] is EntryKind.DECISION and parts[-1][2] + 1 == first:
            parts[-1] = (EntryKind.DECISION, parts[-1][1], last)
        else:
            parts.append((EntryKind.ITEM, first, last))
    return parts


def _paragraphs(document: Document, block: Block) -> list[_Part]:
    """Cut a paragraph where a decision begins: its fields often follow each other without a gap."""
    numbers = range(block.first_line, block.last_line + 1)
    starts = [n for n in numbers if _key(document.lines[n - 1]) == DECISION_FIELDS[0]]
    if not starts:
        return [(EntryKind.PARAGRAPH, block.first_line, block.last_line)]
    ends = [*(n - 1 for n in starts[1:]), block.last_line]
    parts = [(EntryKind.DECISION, first, last) for first, last in zip(starts, ends, strict=True)]
    if starts[0] > block.first_line:
        parts.insert(0, (EntryKind.PARAGRAPH, block.first_line, starts[0] - 1))
    return parts


def _key(line: str) -> str:
    found = _FIELD.match(line.rstrip("\r\n"))
    return found["key"].upper() if found else ""


def _fields(lines: Sequence[str]) -> tuple[tuple[str, str], ...]:
    fields: list[tuple[str, str]] = []
    for line in lines:
        bare = line.rstrip("\r\n")
        if found := _FIELD.match(bare):
            fields.append((found["key"].upper(), _value(found["value"])))
        else:
            key, value = fields[-1]
            fields[-1] = key, f"{value} {_value(bare)}".strip()
    return tuple(fields)


def _value(text: str) -> str:
    return text.strip().removesuffix("\\").rstrip()  # a backslash at the end is a line break


def _entry(document: Document, section: Path, part: _Part) -> Entry:
    kind, first, last = part
    lines = document.lines[first - 1 : last]
    return Entry(
        id="",
        section=section,
        first_line=first,
        last_line=last,
        text="".join(lines),
        kind=kind,
        fields=_fields(lines) if kind is EntryKind.DECISION else (),
    )


def _id(identity: Wording, ordinal: int) -> str:
    """Give the id whose identity is the canonical JSON of section, text and ordinal."""
    section, text = identity
    made = canonical([[readable(part) for part in section], readable(text), ordinal])
    return digest_id("e", hashlib.sha256(made).digest())


CLOSE = 0.6
"""Likeness (Dice) from which an entry may be an edited one: on invented entries, a changed
value or a clause more stays above it, and another fact about the same thing mostly falls
below. Lower than for duplicates, because a second candidate already rules out both."""


class Tracked(Struct, frozen=True, kw_only=True):
    """The entries of a changed document, tied to those known before.

    Attributes:
        entries: All entries of the document in order; those recognised carry their old id.
        edited: Ids of those whose text or section changed.
    """

    entries: tuple[Entry, ...]
    edited: tuple[str, ...]


def track(old: Sequence[Entry], document: Document) -> Tracked:
    """Find entries known before in a document that has changed since.

    In this order: the same words in the same section (equals in their order); the same
    words in another section, where both are the only ones; a close match in the same
    section, where neither side has a second. All others are new, with an id of their own.

    Args:
        old: Entries as last known, with ids.
        document: The document as it is now.
    """
    new = unnumbered_entries(document)
    pairs: dict[int, Entry] = {}
    left = _pair(pairs, list(old), new, wording, only=False)
    edited_from = len(pairs)
    left = _pair(pairs, left, new, lambda entry: wording(entry)[1], only=True)
    _pair_close(pairs, left, new)
    named = [replace(entry, id=pairs[n].id) if n in pairs else entry for n, entry in enumerate(new)]
    entries = number_entries(named, frozenset(entry.id for entry in old))
    return Tracked(entries=entries, edited=tuple(entry.id for entry in list(pairs.values())[edited_from:]))


def _pair(
    pairs: dict[int, Entry],
    old: Sequence[Entry],
    new: Sequence[Entry],
    key: Callable[[Entry], Hashable],
    *,
    only: bool,
) -> list[Entry]:
    """Pair entries of one key in their order, or only where each side has one; give who is left."""
    waiting = defaultdict[Hashable, list[Entry]](list)
    free = defaultdict[Hashable, list[int]](list)
    for entry in old:
        waiting[key(entry)].append(entry)
    for n, entry in enumerate(new):
        if n not in pairs:
            free[key(entry)].append(n)
    for one, entries in waiting.items():
        if not only or len(entries) == len(free[one]) == 1:
            pairs.update(zip(free[one], entries, strict=False))
    known = {entry.id for entry in pairs.values()}
    return [entry for entry in old if entry.id not in known]


def _pair_close(pairs: dict[int, Entry], old: Sequence[Entry], new: Sequence[Entry]) -> None:
    """Pair what is close to one entry only; of many with one wording, one is compared for all."""
    indexes, firsts = defaultdict[Path, Overlaps](Overlaps), defaultdict[Path, list[int]](list)
    places = defaultdict[tuple[Path, str], list[int]](list)
    asking = defaultdict[tuple[Path, str], list[Entry]](list)
    for n, entry in enumerate(new):
        if n not in pairs:
            places[entry.section, entry.text].append(n)
    for (section, text), same in places.items():
        indexes[section].add(shingles(text))
        firsts[section].append(same[0])
    for entry in old:
        asking[entry.section, entry.text].append(entry)
    near = {
        (section, text): [firsts[section][at] for at in indexes[section].near(shingles(text), CLOSE)]
        for section, text in asking
    }
    claims = Counter(key for one, entries in asking.items() for key in near[one] for _ in entries[:2])
    alone = {same[0] for same in places.values() if len(same) == 1}
    for one, entries in asking.items():
        keys = near[one]
        if len(entries) == len(keys) == 1 and keys[0] in alone and claims[keys[0]] == 1:
            pairs[keys[0]] = entries[0]
