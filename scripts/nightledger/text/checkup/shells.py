"""What would be left empty when doubtful items go: headings, heads of tables, leads.

Invariant: a shell is found only where every line that it stands for is doubted, so
taking all doubts out leaves no heading, table head or lead without what it announced.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from nightledger.domain.finding import Doubt, DoubtLabel
from nightledger.domain.proposal import Op
from nightledger.text.checkup.units import Unit
from nightledger.text.markdown.document import BlockKind, Document, Section

_COLONS = (":", "：", ":**", "：**")  # noqa: RUF001 - a colon of CJK text


def find_shells(document: Document, units: Sequence[Unit], doubts: Sequence[Doubt]) -> list[Doubt]:
    """Give a doubt for each shell, as certain as the least certain doubt that empties it.

    Args:
        document: The parsed file.
        units: Its items.
        doubts: The doubts found so far; those that replace leave their lines filled.
    """
    going = _Going(doubts)
    shells: list[Doubt] = []
    for find in (_table_heads, _leads, _sections):
        for first, last, below, headings in find(document, units, going):
            shell = going.shell(first, last, below, headings)
            shells.append(shell)
        going = _Going([*doubts, *shells])
    return shells


_Shell = tuple[int, int, tuple[int, int], tuple[str, ...]]
"""First and last line of the shell, the lines that it stands for, its headings."""


class _Going:
    """Which lines go, and how certainly."""

    def __init__(self, doubts: Sequence[Doubt]) -> None:
        self.doubts: dict[int, Doubt] = {
            line: doubt
            for doubt in doubts
            if doubt.op is not Op.REPLACE
            for line in range(doubt.lines[0], doubt.lines[1] + 1)
        }

    def all_of(self, lines: Sequence[int]) -> bool:
        return bool(lines) and all(line in self.doubts for line in lines)

    def are_placeholders(self, lines: Sequence[int]) -> bool:
        """Say whether nothing stood there yet: such a heading waits for its first item."""
        return all("empty" in self.doubts[line].signs for line in lines)

    def shell(self, first: int, last: int, below: tuple[int, int], headings: tuple[str, ...]) -> Doubt:
        emptied = [self.doubts[line] for line in range(below[0], below[1] + 1) if line in self.doubts]
        archived = any(doubt.op is Op.ARCHIVE for doubt in emptied)
        return Doubt(
            lines=(first, last),
            section=headings,
            label=max(emptied, key=lambda doubt: doubt.lines[1] - doubt.lines[0]).label
            if emptied
            else DoubtLabel.JUNK,
            reason="nothing is left under it",
            signs=("shell",),
            confidence=min(doubt.confidence for doubt in emptied),
            op=Op.ARCHIVE if archived else Op.REMOVE,
        )


def _table_heads(document: Document, units: Sequence[Unit], going: _Going) -> Iterator[_Shell]:
    headings = {unit.block: unit.headings for unit in units}
    for index, block in enumerate(document.blocks):
        rows = range(block.first_line + 2, block.last_line + 1)
        if block.kind is BlockKind.TABLE and going.all_of(rows):
            yield block.first_line, block.first_line + 1, (rows[0], rows[-1]), headings[index]


def _leads(document: Document, units: Sequence[Unit], going: _Going) -> Iterator[_Shell]:
    """A sentence with a colon whose list, or the next block, goes."""
    spans = {index: (block.first_line, block.last_line) for index, block in enumerate(document.blocks)}
    for unit, following in pairwise(units):
        if not unit.text.endswith(_COLONS) or unit.own_last in going.doubts:
            continue
        first, last = (following.first, unit.last) if unit.last > unit.own_last else spans[following.block]
        announced = unit.last > unit.own_last or following.block == unit.block + 1
        if announced and going.all_of(_filled(document, first, last)):
            yield unit.first, unit.own_last, (first, last), unit.headings


def _sections(document: Document, _units: Sequence[Unit], going: _Going) -> Iterator[_Shell]:
    headings = {
        line for section in document.sections for line in range(section.heading[0], section.heading[1] + 1)
    }
    rules = {block.first_line for block in document.blocks if block.kind is BlockKind.RULE}
    for section in document.sections[1:]:
        first, last = section.heading[1] + 1, section.last_line
        filled = [
            line for line in _filled(document, first, last) if line not in headings and line not in rules
        ]
        if going.all_of(filled) and not _is_title(document, section) and not going.are_placeholders(filled):
            yield *section.heading, (first, last), section.path
            for line in sorted(rules & set(range(section.body[0], section.body[1] + 1))):
                yield line, line, (first, last), section.path


def _is_title(document: Document, section: Section) -> bool:
    return section is document.sections[1] and section.level == 1


def _filled(document: Document, first: int, last: int) -> list[int]:
    return [line for line in range(first, last + 1) if document.lines[line - 1].strip()]
