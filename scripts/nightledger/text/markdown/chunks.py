r"""Cut Markdown into chunks of about 600 characters at the borders of its items.

A *piece* is what should stay together: a list item with its children, a paragraph, a fence, a
table. Pieces of one section fill a chunk, and no line is in two. The piece before a chunk is
indexed with it, though it is no part of it: what reaches over a border is found from both sides.

Invariant: every line that is not blank lies in a chunk, and a chunk's line numbers, counted from
1 and split on ``\n`` only, are those of its text.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from itertools import accumulate

from msgspec import Struct, field

from nightledger.files.search_index import NewChunk
from nightledger.text.dates import first_day
from nightledger.text.markdown.blocks import BlockKind, is_table_head, table_cells
from nightledger.text.markdown.document import parse_markdown, section_at
from nightledger.text.visible import carried

CHUNK_CHARACTERS = 600
"""Measured best by the issue's authors between 300 and 1,200 on conversations; bench/bench_recall.py says more."""
LEAD_CHARACTERS = 300
"""Of a longer piece before a chunk only the end is indexed with it. Our choice."""
JOINT = " > "
"""Between the texts of headings."""
_GAP = re.compile(r"\s+")
_Piece = tuple[int, int, int, int]
"""Start, end, first line, last line."""
_CUT = re.compile(r"(?<=[.!?;])[ \t]+|(?<=[\u3002\uff01\uff1f])|[ \t]+")


def cut_markdown(text: str) -> list[NewChunk]:
    """Cut a text into chunks, in order, each below the headings above it; linear in its size.

    Headings are as ``visible.carried`` gives them, outermost first, joined by `` > ``; rows of a table have its head as the last.
    A chunk's day is the one that the nearest dated heading names. No chunk holds the end of its last line. A piece of more than ``CHUNK_CHARACTERS`` is cut at its lines, and a line that is longer at its sentences.

    Args:
        text: Of a Markdown file or a log.
    """
    found: list[NewChunk] = []
    bare: _Section | None = None
    for section in _sections(text):
        if bare is not None:
            if section.heading.startswith(f"{bare.heading}{JOINT}"):
                section.pieces[:0] = bare.pieces
            else:
                _fill(found, bare, text)
        bare = section if section.pieces and section.is_bare else None
        if bare is None:
            _fill(found, section, text)
    if bare is not None:
        _fill(found, bare, text)
    return found


class _Section(Struct):
    heading: str
    day: date | None
    pieces: list[_Piece] = field(default_factory=list)
    is_bare: bool = True
    """Whether nothing stands below the heading but another: it then goes with what that one is about."""


def _sections(text: str) -> Iterator[_Section]:
    """Yield sections with their pieces; a heading is the first piece of its section."""
    document = parse_markdown(text)
    starts = list(accumulate(map(len, document.lines), initial=len(document.bom)))
    section = _Section("", None)
    for block in document.blocks:
        if block.kind is BlockKind.HEADING:
            yield section
            titles = [*map(carried, section_at(document, block.first_line).path)]
            day = next(filter(None, map(first_day, reversed(titles))), None)
            section = _Section(JOINT.join(filter(None, titles)), day)
        section.is_bare = section.is_bare and block.kind is BlockKind.HEADING
        for first, last in block.items or ((block.first_line, block.last_line),):
            start, end = starts[first - 1], starts[last]
            bare = text[start:end]
            begin, stop = start + len(bare) - len(bare.lstrip()), start + len(bare.rstrip())
            if begin < stop:  # a line of form feeds is blank to us alone
                ends = last - bare[:-1].count("\n", stop - start)
                section.pieces.append((begin, stop, first + text.count("\n", start, begin), ends))
    yield section


def titles_at(text: str, lines: Collection[int]) -> set[str]:
    """Return the headings that stand in some lines of a text, from 1, as they are cited above chunks."""
    numbers, sections = frozenset(lines), parse_markdown(text).sections[1:]
    found = (
        one.path[-1] for one in sections if not numbers.isdisjoint(range(one.heading[0], one.heading[1] + 1))
    )
    return set(filter(None, map(carried, found)))


def _fill(found: list[NewChunk], section: _Section, text: str) -> None:
    """Put pieces together while they fit."""
    group: list[_Piece] = []
    before: _Piece | None = None
    heading = section.heading
    for piece in section.pieces:
        under = JOINT.join(filter(None, (section.heading, _table_head(piece, text))))
        for part in _parts(piece, text):
            if group and part[1] - group[0][0] > CHUNK_CHARACTERS:
                found.append(_passage(group, heading, section.day, _lead(before, group[0], text)))
                before, group = group[-1], []
            heading = heading if group else under
            group.append(part)
    if group:
        found.append(_passage(group, heading, section.day, _lead(before, group[0], text)))


def _table_head(piece: _Piece, text: str) -> str:
    """Give the names of a table's columns, as they are carried by its rows; empty for anything else."""
    header, _, rest = text[piece[0] : piece[1]].partition("\n")
    if "|" not in header or not is_table_head(header, rest.partition("\n")[0]):
        return ""
    return carried(" | ".join(" ".join(cell.split()) for cell in table_cells(header)))


def _lead(before: _Piece | None, piece: _Piece, text: str) -> int:
    """Give how far before a chunk the piece before it begins, or the last words of a long one."""
    if before is None:
        return 0
    start = before[0]
    if before[1] - start > LEAD_CHARACTERS:
        gap = _GAP.search(text, before[1] - LEAD_CHARACTERS, before[1])
        start = gap.end() if gap else before[1] - LEAD_CHARACTERS
    return piece[0] - start


def _passage(group: Sequence[_Piece], heading: str, day: date | None, lead: int) -> NewChunk:
    start, _, first, _ = group[0]
    _, end, _, last = group[-1]
    return NewChunk(
        start=start, end=end, first_line=first, last_line=last, heading=heading, day=day, lead=lead
    )


def _parts(piece: _Piece, text: str) -> Iterator[_Piece]:
    """Cut a piece that is too long at its lines, and a line that is too long at its sentences or words."""
    start, end, first, _ = piece
    if end - start <= CHUNK_CHARACTERS:
        yield piece
        return
    at = start
    for number, line in enumerate(text[start:end].split("\n"), first):
        shift = len(line) - len(line.lstrip())
        if bare := line.strip():
            yield from ((at + shift + a, at + shift + b, number, number) for a, b in _spans(bare))
        at += len(line) + 1


def _spans(line: str) -> Iterator[tuple[int, int]]:
    """Give the parts of a line, each as long as may be and ended at a sentence, else at a word."""
    start, size = 0, CHUNK_CHARACTERS
    while len(line) - start > size:
        cuts = list(_CUT.finditer(line, start + size // 2, start + size))
        best = next(
            (cut for cut in reversed(cuts) if line[cut.start() - 1] in ".!?;\u3002\uff01\uff1f"), None
        )
        cut = best or (cuts[-1] if cuts else None)
        yield start, cut.start() if cut else start + size
        start = cut.end() if cut else start + size
    yield start, len(line)
