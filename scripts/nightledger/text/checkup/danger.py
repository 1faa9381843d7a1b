"""What in a memory file is dangerous to keep: secrets, hidden characters, orders to an agent.

Invariant: a secret or hidden character is cut out of its line and the rest stays; an
order goes with its whole item. The text of a secret is in no doubt.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from nightledger.domain.doubt import Doubt, DoubtLabel
from nightledger.domain.finding import Finding, Severity
from nightledger.domain.proposal import Op
from nightledger.text.checkup.units import Unit
from nightledger.text.checkup.words import pattern
from nightledger.text.markdown.document import Document
from nightledger.text.scanners.scan import scan

SECRET_CONFIDENCE = 0.97
PARTIAL_CONFIDENCE = 0.7
"""The visible part of a shortened key, or a long random value without a name."""
HIDDEN_CONFIDENCE = 0.95
ORDER_CONFIDENCE = 0.8
"""Orders are found by their words, which an owner's own rule may share."""
PLACEHOLDER = "[secret removed]"
_HIDDEN = frozenset(
    {"unicode.tags", "unicode.bidi", "unicode.invisible", "unicode.selector", "unicode.control"}
)


def find_dangers(document: Document, units: Sequence[Unit]) -> list[Doubt]:
    """Give a doubt for each line with a secret or hidden characters and each item that is an order.

    Args:
        document: The parsed file.
        units: Its items.
    """
    text = "".join(document.lines)
    starts = [0, *accumulate(map(len, document.lines))]
    found: dict[tuple[int, int], Doubt] = {}
    above = _Above(units)
    for (first, last), group in groupby(scan(text), lambda finding: _span(starts, finding)):
        written = _Written(lines=document.text(first, last), offset=starts[first - 1], text=text)
        for doubt in _judge(above, first, last, list(group), written):
            found.setdefault(doubt.lines, doubt)
    return list(found.values())


def _span(starts: Sequence[int], finding: Finding) -> tuple[int, int]:
    return bisect_right(starts, finding.start), bisect_right(starts, finding.end - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """The lines of a danger, where they begin, and the whole text."""

    lines: str
    offset: int
    text: str


class _Above:
    """The items of a file, found by a line: their first lines rise."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._firsts = [unit.first for unit in units]

    def section(self, line: int) -> tuple[str, ...]:
        """Give the headings of the last item that begins at a line or before it."""
        place = bisect_right(self._firsts, line)
        return self._units[place - 1].headings if place else ()

    def item(self, first: int, last: int) -> tuple[int, int]:
        """Give the lines of the last item that holds these lines; themselves where none does."""
        place = bisect_right(self._firsts, first)
        block = self._units[place - 1].block if place else -1
        for unit in map(self._units.__getitem__, range(place - 1, -1, -1)):
            if unit.block != block:
                break
            if last <= unit.last:
                return unit.first, unit.last
        return first, last


def _judge(
    above: _Above, first: int, last: int, findings: Sequence[Finding], written: _Written
) -> Iterator[Doubt]:  # fmt: skip
    secrets = [finding for finding in findings if finding.rule.startswith("secret.")]
    hidden = [
        finding for finding in findings if finding.rule in _HIDDEN and finding.severity is Severity.QUARANTINE
    ]
    section = above.section(first)
    for group, label, filler in (
        (secrets, DoubtLabel.SECRET, PLACEHOLDER),
        (hidden, DoubtLabel.INJECTION, ""),
    ):
        if group:
            after = _cut(written.lines, group, written.offset, filler)
            yield _doubt((first, last), section, label, group, Op.REPLACE, after)
    orders = [finding for finding in findings if _is_order(written.text, finding)]
    if orders and not secrets and not hidden:
        yield _doubt(above.item(first, last), section, DoubtLabel.INJECTION, orders, Op.REMOVE, "")


def _cut(lines: str, findings: Sequence[Finding], offset: int, filler: str) -> str:
    for finding in sorted(findings, key=lambda finding: -finding.start):
        lines = lines[: finding.start - offset] + filler + lines[finding.end - offset :]
    return lines


def _is_order(text: str, finding: Finding) -> bool:
    """An order that is quoted, or named in a rule against it, is talked about and not given."""
    if finding.severity is not Severity.QUARANTINE or finding.rule.partition(".")[0] not in {
        "instruction",
        "reviewer",
    }:
        return False
    end = text.find("\n", finding.end)
    line = text[text.rfind("\n", 0, finding.start) + 1 : end if end >= 0 else len(text)]
    return not pattern("quote_before").search(
        text[max(0, finding.start - 2) : finding.start]
    ) and not pattern("defence").search(line)


def _doubt(
    lines: tuple[int, int], section: tuple[str, ...], label: DoubtLabel, findings: Sequence[Finding], op: Op, after: str
) -> Doubt:  # fmt: skip
    kinds = tuple(dict.fromkeys(finding.rule for finding in findings))
    sure = any(finding.severity is Severity.BLOCK for finding in findings)
    secret = SECRET_CONFIDENCE if sure else PARTIAL_CONFIDENCE
    hidden = HIDDEN_CONFIDENCE if op is Op.REPLACE else ORDER_CONFIDENCE
    return Doubt(
        lines=lines,
        section=section,
        label=label,
        reason="; ".join(dict.fromkeys(finding.message for finding in findings)),
        signs=kinds,
        confidence=secret if label is DoubtLabel.SECRET else hidden,
        op=op,
        after=after,
    )
