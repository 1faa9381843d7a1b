"""Scan a text for secrets, hidden characters and markup, and instructions to an agent.

Invariant: pure and linear; a finding never carries the text. Scanners see shapes, not
intent: they make an operator look, and the gate is what holds when they are wrong.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from nightledger.domain.finding import Finding, Severity
from nightledger.domain.proposal import Origin
from nightledger.text.scanners.commands import COMMAND_RULES
from nightledger.text.scanners.instructions import INSTRUCTION_RULES
from nightledger.text.scanners.languages import LANGUAGE_RULES
from nightledger.text.scanners.markup import MARKUP_RULES
from nightledger.text.scanners.rule import Passage, Row, Table, matches
from nightledger.text.scanners.secret_places import REPEATED, TABLED, repeated, tabled, values_of
from nightledger.text.scanners.secret_shapes import TOKEN_RULES
from nightledger.text.scanners.secret_told import TOLD_RULES
from nightledger.text.scanners.secret_words import WORD_RULES
from nightledger.text.scanners.unicode import scan_characters, see_through

_UNTRUSTED = frozenset({Origin.TOOL, Origin.WEB, Origin.GROUP})
_SECRETS = Table((*TOKEN_RULES, *WORD_RULES, *TOLD_RULES))
_STEERING = Table((*MARKUP_RULES, *INSTRUCTION_RULES, *COMMAND_RULES, *LANGUAGE_RULES))

_MAY_BE_CODE = re.compile(
    r"```|~~~|[\w\])\"']\(|\bimport \w|__\w+__|^[^\S\n]*[!%]\w|<<"
    r"|(?<!\S)[^\s|]*+\|\S*py|\|[ \t]++\S*py",  # of a word with many bars, the first stands for all
    re.MULTILINE,
)

_WIDE = frozenset(
    {
        "secret.answer",
        "secret.assigned",
        "secret.code",
        "secret.invite",
        "secret.login",
        "secret.login_link",
        "secret.named",
        "secret.named_after",
        "secret.password",
        "secret.phrase",
        "secret.pin",
        "secret.near_word",
        "secret.entropy",
        "secret.partial",
        REPEATED.name,
        TABLED.name,
        "secret.token",
        "secret.url_token",
    }
)
"""Rows that stay silent inside what a more exact row has found."""
_TOLD = frozenset(
    f"secret.{kind}"
    for kind in (
        "assigned",
        "bearer",
        "code",
        "login",
        "login_link",
        "named",
        "named_after",
        "near_word",
        "password",
        "phrase",
        "pin",
        "table",
        "token",
        "url_password",
        "url_token",
        "app_password",
    )
)
"""Rows whose value nothing but its label gives away: it is looked for in the rest of the text, too."""


def scan(
    text: str,
    *,
    origin: Origin | None = None,
    snippets: bool = False,
    told: frozenset[str] = frozenset(),
) -> tuple[Finding, ...]:
    """Give every finding in ``text``, in order of place; every message is one line of UTF-8.

    Args:
        text: Any text.
        origin: Who said it, where known. What a tool, a web page or a group says to an
            agent is quarantined even where the same words of the owner are only flagged.
        snippets: Also audit snippets of code, which are flagged at most: for what would come into memory.
        told: Values that a larger text tells as secrets (``told_values``): found, too.
    """
    secrets = _secrets(text, told)
    findings = [*secrets, *scan_characters(text), *_steering(text)]
    if snippets and _MAY_BE_CODE.search(text):
        from nightledger.text.scanners.snippets import (
            scan_code,  # loads the parser, for the few that hold code
        )

        findings += scan_code(text, [(secret.start, secret.end) for secret in secrets])
    if origin in _UNTRUSTED:
        findings = [_distrust(finding) for finding in findings]
    return tuple(sorted(set(findings), key=lambda finding: (finding.start, finding.end, finding.rule)))


def mask(secret: str) -> str:
    """Give what stands in place of a secret: its size in UTF-8, nothing of its text."""
    return f"masked: {len(secret.encode('utf-8', 'surrogatepass'))} bytes"


def mask_secrets(text: str, *, told: frozenset[str] = frozenset()) -> str:
    """Give ``text`` with every secret replaced by its mask in brackets.

    Args:
        text: Any text.
        told: Values that a larger text tells as secrets (``told_values``): masked, too.
    """
    pieces: list[str] = []
    done = 0
    for finding in scan_secrets(text, told=told):
        if finding.start >= done:
            pieces += [text[done : finding.start], f"[{mask(text[finding.start : finding.end])}]"]
        done = max(done, finding.end)
    return "".join([*pieces, text[done:]])


def scan_secrets(text: str, *, told: frozenset[str] = frozenset()) -> tuple[Finding, ...]:
    """Give the findings of class ``secret`` only, in order of place.

    Args:
        text: Any text.
        told: Values that a larger text tells as secrets (``told_values``): found, too.
    """
    return tuple(sorted(_secrets(text, told), key=lambda finding: (finding.start, finding.end)))


def told_values(text: str) -> frozenset[str]:
    """Give the values that ``text`` calls a password, a PIN, a code: where one stands alone, nothing tells it."""
    spans = ((finding.start, finding.end) for finding in _secrets(text) if finding.rule in _TOLD)
    return values_of(text, spans)


def _secrets(text: str, told: frozenset[str] = frozenset()) -> list[Finding]:
    passage = Passage(text)
    found: list[Finding] = []
    covered = bytearray(len(text))

    def take(row: Row, spans: Iterable[tuple[int, int]]) -> None:
        for start, end in spans:
            if row.name not in _WIDE or covered.find(1, start, end) < 0:
                covered[start:end] = b"\1" * (end - start)
                found.append(_finding(row, start, end))

    for rule in _SECRETS.possible(passage):
        take(rule, matches(rule, passage))
    take(TABLED, tabled(text))
    own = values_of(text, ((finding.start, finding.end) for finding in found if finding.rule in _TOLD))
    take(REPEATED, repeated(text, own | told))
    return found


def _steering(text: str) -> Iterator[Finding]:
    """Scan what a model reads: hidden characters dropped, look-alikes made plain."""
    seen = see_through(text)
    passage = Passage(seen.text)
    for rule in _STEERING.possible(passage):
        for start, end in matches(rule, passage):
            yield _finding(rule, seen.origin(start), seen.origin(end - 1) + 1)


def _finding(rule: Row, start: int, end: int) -> Finding:
    return Finding(rule=rule.name, severity=rule.severity, start=start, end=end, message=rule.message)


def _distrust(finding: Finding) -> Finding:
    if finding.severity is Severity.FLAG and finding.rule.startswith("instruction."):
        return replace(finding, severity=Severity.QUARANTINE)
    return finding
