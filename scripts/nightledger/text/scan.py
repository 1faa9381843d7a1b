"""Scan a text for secrets, hidden characters and markup, and instructions to an agent.

Invariant: pure and linear; a finding never carries the text. Scanners see shapes, not
intent: they make an operator look, and the gate is what holds when they are wrong.
"""

from collections.abc import Iterator
from dataclasses import replace

from nightledger.domain.finding import Finding, Severity
from nightledger.domain.proposal import Origin
from nightledger.text.scan_instructions import INSTRUCTION_RULES
from nightledger.text.scan_languages import LANGUAGE_RULES
from nightledger.text.scan_markup import MARKUP_RULES
from nightledger.text.scan_rule import Passage, Rule, matches
from nightledger.text.scan_secret_words import WORD_RULES
from nightledger.text.scan_secrets import TOKEN_RULES
from nightledger.text.scan_unicode import scan_characters, see_through

_UNTRUSTED = frozenset({Origin.TOOL, Origin.WEB, Origin.GROUP})


_WIDE = frozenset(
    {
        "secret.named",
        "secret.password",
        "secret.near_word",
        "secret.entropy",
        "secret.partial",
        "secret.url_token",
    }
)
"""Rows that stay silent inside what a more exact row has found."""


def scan(text: str, *, origin: Origin | None = None) -> tuple[Finding, ...]:
    """Give every finding in ``text``, in order of place.

    Args:
        text: Any text.
        origin: Who said it, where known. What a tool, a web page or a group says to an
            agent is quarantined even where the same words of the owner are only flagged.
    """
    findings = [*_secrets(text), *scan_characters(text), *_steering(text)]
    if origin in _UNTRUSTED:
        findings = [_distrust(finding) for finding in findings]
    return tuple(sorted(set(findings), key=lambda finding: (finding.start, finding.end, finding.rule)))


def mask(secret: str) -> str:
    """Give what stands in place of a secret: its size in UTF-8, nothing of its text."""
    return f"masked: {len(secret.encode('utf-8', 'surrogatepass'))} bytes"


def mask_secrets(text: str) -> str:
    """Give ``text`` with every secret replaced by its mask in brackets."""
    pieces: list[str] = []
    done = 0
    for finding in scan_secrets(text):
        if finding.start >= done:
            pieces += [text[done : finding.start], f"[{mask(text[finding.start : finding.end])}]"]
        done = max(done, finding.end)
    return "".join([*pieces, text[done:]])


def scan_secrets(text: str) -> tuple[Finding, ...]:
    """Give the findings of class ``secret`` only, in order of place."""
    return tuple(sorted(_secrets(text), key=lambda finding: (finding.start, finding.end)))


def _secrets(text: str) -> list[Finding]:
    passage = Passage(text)
    found: list[Finding] = []
    covered = bytearray(len(text))
    for rule in (*TOKEN_RULES, *WORD_RULES):
        for start, end in matches(rule, passage):
            if rule.name not in _WIDE or covered.find(1, start, end) < 0:
                covered[start:end] = b"\1" * (end - start)
                found.append(_finding(rule, start, end))
    return found


def _steering(text: str) -> Iterator[Finding]:
    """Scan what a model reads: hidden characters dropped, look-alikes made plain."""
    seen = see_through(text)
    passage = Passage(seen.text)
    for rule in (*MARKUP_RULES, *INSTRUCTION_RULES, *LANGUAGE_RULES):
        for start, end in matches(rule, passage):
            yield _finding(rule, seen.origin(start), seen.origin(end - 1) + 1)


def _finding(rule: Rule, start: int, end: int) -> Finding:
    return Finding(rule=rule.name, severity=rule.severity, start=start, end=end, message=rule.message)


def _distrust(finding: Finding) -> Finding:
    if finding.severity is Severity.FLAG and finding.rule.startswith("instruction."):
        return replace(finding, severity=Severity.QUARANTINE)
    return finding
