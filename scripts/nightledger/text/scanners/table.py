"""The scanners' tables, made of the shipped files when they are first needed.

Invariant: every name that a finding can carry stands in a file or in the code auditor's table (a test walks them).
"""

from dataclasses import replace
from functools import cache

from nightledger.domain.finding import Severity
from nightledger.text.scanners.conditions import accept, is_ordered
from nightledger.text.scanners.rule import Rule, Table
from nightledger.text.scanners.shipped import Written, WrittenRow, written

CLASSES = ("unicode", "markup", "instruction", "reviewer", "secret", "code")
"""First parts of the rows' names."""


@cache
def shipped_rules(file: str) -> tuple[Rule, ...]:
    """Return the rows of a file of ``config/scanners``, in its order."""
    texts = written(file)
    return tuple(rule for row in texts.rules for rule in _rules(row, texts))


@cache
def named(file: str) -> dict[str, Rule]:
    """Return the rows of a file by the second part of their name, for those that code finds."""
    return {rule.name.partition(".")[2]: rule for rule in shipped_rules(file)}


@cache
def secrets() -> Table:
    """Return the rows about secrets, from exact to wide: a wider one stays silent where an earlier one spoke."""
    return Table(shipped_rules("secrets"))


@cache
def steering() -> Table:
    """Return the rows about what a model reads: markup, and instructions to it."""
    return Table((*shipped_rules("markup"), *shipped_rules("instructions")))


def _rules(row: WrittenRow, texts: Written) -> tuple[Rule, ...]:
    """Return the row's rule, and where commands are meant one more that holds back an order to run it."""
    rule = Rule(
        name=row.name,
        severity=row.severity,
        message=row.why,
        pattern=texts.text(row.pattern),
        anchors=texts.words(row.anchors),
        spots=row.spots,
        folded=not row.as_written,
        after=row.after,
        accept=accept(row, texts),
    )
    if not row.ordered:
        return (rule,)
    order = replace(
        rule,
        severity=Severity.QUARANTINE,
        message=f"orders {rule.message}",
        accept=is_ordered,
    )
    return rule, order
