"""Mask a diff as it is printed: what comes apart from what goes and what stays; and a text that travels.

Invariant: lines stay lines and keep their signs; no line around a change hides what is added below it.
"""

from collections.abc import Sequence

from nightledger.text.changes.veil import replace_found
from nightledger.text.scanners.scan import mask, scan_secrets

NOTHING: frozenset[str] = frozenset()


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
