"""Each rule of the code auditor on its own examples: what it must catch, and what it must spare."""

from collections.abc import Iterator
from dataclasses import dataclass

from nightledger.text.code.audit import audit
from nightledger.text.code.table import CODE_TABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One example of a row, and what came of it.

    Attributes:
        rule: The row's name.
        catch: Whether it must be caught; otherwise it must be spared.
        code: The example.
        right: Whether the auditor did.
    """

    rule: str
    catch: bool
    code: str
    right: bool


def run_examples() -> Iterator[Example]:
    """Run every example of the table, in its order."""
    for row in CODE_TABLE:
        for catch, examples in ((True, row.catches), (False, row.spares)):
            for code in examples:
                audited = audit(code)
                named = {finding.rule for finding in (*audited.findings, *audited.notes)}
                yield Example(rule=row.name, catch=catch, code=code, right=(row.name in named) is catch)
