"""Mask secrets in texts and diffs; write down where one stands without it: each of its characters becomes a hole.

Invariant: lines stay lines; a veiled text has the length of the text; what is not a secret in it is unchanged. No line
around a change hides what is added below it.
"""

from collections.abc import Callable, Iterable, Sequence

from nightledger.domain.finding import Finding, Severity
from nightledger.domain.proposal import HOLE
from nightledger.text.changes.diff import unified_diff
from nightledger.text.markdown.document import readable
from nightledger.text.scanners.scan import mask, mask_secrets, scan_secrets, told_values
from nightledger.text.similar import fold

NOTHING: frozenset[str] = frozenset()


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


def mask_diff(diff: str, *, told: frozenset[str] = NOTHING) -> str:
    """Mask the secrets of a diff; what is added is judged apart from the lines around it.

    Else a line of the file that looks like the beginning of a secret could hide what is
    added below it from whoever signs that.

    Args:
        diff: The diff.
        told: Values that a larger text tells as secrets: masked on either side.
    """
    lines = diff.split("\n")
    for added in (True, False):
        numbers = [n for n, line in enumerate(lines) if line.startswith("+") is added]
        texts = _masked([lines[n][1:] for n in numbers], told) if numbers else []
        for n, text in zip(numbers, texts, strict=True):
            lines[n] = lines[n][:1] + text
    return "\n".join(lines)


def _masked(lines: Sequence[str], told: frozenset[str]) -> list[str]:
    """Mask what scanners see in lines that follow each other; gives as many lines, each with a mask of its own."""
    text = "\n".join(lines)
    return replace_found(text, scan_secrets(text, told=told), _mask_each).split("\n")


def _mask_each(secret: str) -> str:
    return "\n".join(f"[{mask(part)}]" if part else "" for part in secret.split("\n"))


def mask_lines(text: str) -> str:
    """Give a text with its secrets masked and every line where it was."""
    return replace_found(text, scan_secrets(text), _mask_first)


def _mask_first(secret: str) -> str:
    return (f"[{mask(secret)}]" if secret else "") + "\n" * secret.count("\n")


def readable_diff(before: str, after: str, *, path: str, told: frozenset[str] | None = None) -> str:
    r"""Give the unified diff of two documents, to be read.

    Bytes that are no UTF-8 stand in it as ``\\xe9``. Secrets are masked, because it is stored
    and shown, and the lines around a change are whatever stands in the file; so are values that
    only a line further away tells.

    Args:
        before: The document before.
        after: The document after.
        path: What it is called.
        told: What the documents tell as secrets, where it is known already.
    """
    values = told_values(before) | told_values(after) if told is None else told
    diff = mask_secrets(unified_diff(before, after, path=path), told=values)
    return readable(diff)
