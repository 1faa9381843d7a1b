"""Snippets that a text would put into memory, audited: the scanners' rows about code.

Invariant: a finding only flags; an operator reads the snippet, and the signature decides. Loaded
by ``scan`` when a text holds something that may be code.
"""

from collections.abc import Iterable, Iterator

from nightledger.domain.finding import Finding, Severity
from nightledger.text.code.audit import audit
from nightledger.text.code.rule import NOT_READ, CodeFinding, code_table
from nightledger.text.code.snippets import Snippet, find_snippets
from nightledger.text.markdown.document import readable


def scan_code(text: str, secrets: Iterable[tuple[int, int]] = ()) -> Iterator[Finding]:
    r"""Yield what the auditor says of the snippets in ``text``: each rule once a snippet.

    A message names what it is about as the code does, bytes that are no UTF-8 as ``\\xe9``; in a
    snippet that holds a secret it names nothing, because the secret may be the name.

    Args:
        text: Any text.
        secrets: Where in it secrets stand: first character, and one past the last.
    """
    covered = bytearray(len(text))
    for start, end in secrets:
        covered[start:end] = b"\1" * (end - start)
    for snippet in find_snippets(text):
        is_named = covered.find(1, snippet.start, snippet.end) < 0
        told: dict[str, CodeFinding] = {}
        for finding in audit(snippet.text, snippet.language).findings:
            if snippet.fenced or finding.rule not in NOT_READ:
                told.setdefault(finding.rule, finding)
        for finding in told.values():
            yield _finding(snippet, finding, readable(finding.what) if is_named else "")


def _finding(snippet: Snippet, finding: CodeFinding, what: str) -> Finding:
    line = snippet.line + finding.line - 1
    message = code_table().rows[finding.rule].why + (f": {what}" if what else "") + f" (line {line})"
    return Finding(
        rule=finding.rule, severity=Severity.FLAG, start=snippet.start, end=snippet.end, message=message
    )
