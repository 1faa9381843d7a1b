"""Write down where a secret stands without the secret: each of its characters becomes a hole.

Invariant: a veiled text has the length and the lines of the text; what is not a secret in it is
unchanged, and a text without secrets stays as it is.
"""

from collections.abc import Callable, Iterable

from nightledger.domain.finding import Finding, Severity
from nightledger.text.scanners.scan import scan_secrets
from nightledger.text.similar import fold

HOLE = "\N{FULL BLOCK}"
"""Stands for one character of a secret; where it is looked for, any character of a line fills it."""


def veil(text: str, *, told: frozenset[str] = frozenset()) -> str:
    """Give ``text`` with a hole for every character of a secret; ends of lines stay.

    Args:
        text: Any text.
        told: Values that a larger text tells as secrets (``told_values``): veiled, too.
    """
    return veil_found(text, scan_secrets(text, told=told))


def veil_blocked(text: str, *, told: frozenset[str] = frozenset()) -> str:
    """Give ``text`` with a hole for every character of what no record may hold; what is only flagged stays."""
    findings = scan_secrets(text, told=told)
    return veil_found(text, (finding for finding in findings if finding.severity is Severity.BLOCK))


def veil_found(text: str, findings: Iterable[Finding]) -> str:
    """Give ``text`` with a hole for every character of some findings, which come in order of place."""
    return replace_found(text, findings, _holes)


def replace_found(text: str, findings: Iterable[Finding], shown: Callable[[str], str]) -> str:
    """Give ``text`` with something else in the place of each finding.

    Args:
        text: Any text.
        findings: In order of place; of one that begins within another, what stands behind that other.
        shown: Gives what stands for a part of the text, which is empty where a finding lies within another.
    """
    pieces, done = [], 0
    for finding in findings:
        start = max(finding.start, done)
        pieces += [text[done:start], shown(text[start : finding.end])]
        done = max(done, finding.end)
    return "".join([*pieces, text[done:]])


def _holes(secret: str) -> str:
    return "".join(c if c in "\r\n" else HOLE for c in secret)


def shows_secret(text: str, *, told: frozenset[str] = frozenset()) -> bool:
    """Say whether a text that may be veiled still holds a secret; a label before holes is none."""
    return any(
        any(c.isalnum() for c in text[finding.start : finding.end].replace(HOLE, ""))
        for finding in scan_secrets(text, told=told)
    )


def secrets_between(text: str, veiled: str) -> list[str]:
    """Give what stands in ``text`` where ``veiled`` has holes, one for each row of holes."""
    found, start = [], -1
    for at, (one, other) in enumerate(zip(text, veiled, strict=True)):
        if one != other and start < 0:
            start = at
        elif one == other and start >= 0:
            found.append(text[start:at])
            start = -1
    return [*found, text[start:]] if start >= 0 else found


def repeats_secret(key: str, secrets: Iterable[str]) -> bool:
    """Say whether a folded wording holds one of the secrets, in folded form."""
    folded = fold(key)
    return any(fold(secret) and fold(secret) in folded for secret in secrets)
