"""What is dangerous to keep: in a memory file secrets, hidden characters, orders to an agent; in instructions what tells an agent to pass the gate.

Invariant: a secret or hidden character is cut out of its line and the rest stays; an
order goes with its whole item. The text of a secret is in no doubt. Lines of instructions are told for the operator's eye,
by their words alone: what a line means by the lines around it is not seen.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby, takewhile
from posixpath import basename

from nightledger.domain.finding import Doubt, DoubtLabel, Finding, Severity
from nightledger.domain.proposal import Op
from nightledger.text import patterns
from nightledger.text.checkup.signs import pattern
from nightledger.text.checkup.units import Unit
from nightledger.text.markdown.document import Document
from nightledger.text.scanners.scan import scan_lines
from nightledger.text.similar import is_denied

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
    spans = [((places[0] + 1, places[-1] + 1), finding) for finding, places in scan_lines(document.lines)]
    found: dict[tuple[int, int], Doubt] = {}
    for lines, group in groupby(spans, lambda span: span[0]):
        for doubt in _judge(text, starts, units, lines, [finding for _, finding in group]):
            found.setdefault(doubt.lines, doubt)
    return list(found.values())


def _judge(
    text: str,
    starts: Sequence[int],
    units: Sequence[Unit],
    lines: tuple[int, int],
    findings: Sequence[Finding],
) -> Iterator[Doubt]:
    first, last = lines
    secrets = [finding for finding in findings if finding.rule.startswith("secret.")]
    hidden = [one for one in findings if one.rule in _HIDDEN and one.severity is Severity.QUARANTINE]
    at = bisect_right(units, first, key=lambda unit: unit.first)
    section = units[at - 1].headings if at else ()
    for group, label, filler in (
        (secrets, DoubtLabel.SECRET, PLACEHOLDER),
        (hidden, DoubtLabel.INJECTION, ""),
    ):
        if group:
            after = _cut(text[starts[first - 1] : starts[last]], group, starts[first - 1], filler)
            yield _doubt(lines, section, label, group, Op.REPLACE, after)
    orders = [finding for finding in findings if _is_order(text, finding)]
    if orders and not secrets and not hidden:
        above = takewhile(
            lambda unit: unit.block == units[at - 1].block, (units[n] for n in range(at - 1, -1, -1))
        )
        item = next(((unit.first, unit.last) for unit in above if last <= unit.last), lines)
        yield _doubt(item, section, DoubtLabel.INJECTION, orders, Op.REMOVE, "")


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


def lines_that_edit(text: str, gated: Iterable[str]) -> tuple[int, ...]:
    """Return the numbers, from 1, of the lines that tell an agent to write a gated file itself.

    Such a line names one and a verb of writing, and denies nothing.

    Args:
        text: The instructions.
        gated: The gated files, relative to the home.
    """
    names, writes = {basename(path) for path in gated}, patterns.pattern("claim-words", "writes")
    return tuple(
        number
        for number, line in enumerate(text.split("\n"), start=1)
        if any(name in line for name in names) and writes.search(line) and not is_denied(line)
    )
