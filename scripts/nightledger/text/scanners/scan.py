"""Scan a text for secrets, hidden characters and markup, and instructions to an agent.

Invariant: pure and linear; a finding never carries the text. Scanners see shapes, not
intent: they make an operator look, and the gate is what holds when they are wrong.

Mask secrets in texts and diffs; write down where one stands without it: each of its characters becomes a hole.

Invariant: lines stay lines; a veiled text has the length of the text; what is not a secret in it is unchanged. No line
around a change hides what is added below it.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from msgspec.structs import replace

from nightledger.domain.finding import Finding, Severity
from nightledger.domain.proposal import HOLE, Origin
from nightledger.text.changes.diff import unified_diff
from nightledger.text.markdown.document import readable
from nightledger.text.scanners.rule import Passage, Rule, matches, written
from nightledger.text.scanners.secrets import named, repeated, secrets, steering, tabled, values_of
from nightledger.text.scanners.unicode import scan_characters, see_through
from nightledger.text.similar import fold

_UNTRUSTED = frozenset({Origin.TOOL, Origin.WEB, Origin.GROUP})
_MAY_BE_CODE = re.compile(
    r"```|~~~|[\w\])\"']\(|\bimport \w|__\w+__|^[^\S\n]*[!%]\w|<<"
    r"|(?<!\S)[^\s|]*+\|\S*py|\|[ \t]++\S*py",  # of a word with many bars, the first stands for all
    re.MULTILINE,
)


def scan(
    text: str,
    *,
    origin: Origin | None = None,
    snippets: bool = False,
    told: frozenset[str] = frozenset(),
) -> tuple[Finding, ...]:
    """Return every finding in ``text``, in order of place; every message is one line of UTF-8.

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
        from nightledger.text.code_audit import (
            scan_code,  # loads the parser, for the few that hold code
        )

        findings += scan_code(text, [(secret.start, secret.end) for secret in secrets])
    if origin in _UNTRUSTED:
        findings = [
            replace(f, severity=Severity.QUARANTINE)
            if f.severity is Severity.FLAG and f.rule.startswith("instruction.")
            else f
            for f in findings
        ]
    return tuple(sorted(set(findings), key=lambda finding: (finding.start, finding.end, finding.rule)))


def scan_lines(lines: Sequence[str]) -> Iterator[tuple[Finding, range]]:
    """Yield each finding in some lines, with the indices, from 0, of the lines that hold any part of it.

    Args:
        lines: With their ends, or without.
    """
    whole = [line if line.endswith("\n") else f"{line}\n" for line in lines]
    ends = list(accumulate(map(len, whole)))
    for finding in scan("".join(whole)):
        yield finding, range(bisect_right(ends, finding.start), bisect_right(ends, finding.end - 1) + 1)


def mask(secret: str) -> str:
    """Return what stands in place of a secret: its size in UTF-8, nothing of its text."""
    return f"masked: {len(secret.encode('utf-8', 'surrogatepass'))} bytes"


def mask_secrets(text: str, *, told: frozenset[str] = frozenset()) -> str:
    """Return ``text`` with every secret replaced by its mask in brackets.

    Args:
        text: Any text.
        told: Values that a larger text tells as secrets (``told_values``): masked, too.
    """
    return replace_found(
        text, scan_secrets(text, told=told), lambda secret: f"[{mask(secret)}]" if secret else ""
    )


def scan_secrets(text: str, *, told: frozenset[str] = frozenset()) -> tuple[Finding, ...]:
    """Return the findings of class ``secret`` only, in order of place.

    Args:
        text: Any text.
        told: Values that a larger text tells as secrets (``told_values``): found, too.
    """
    return tuple(sorted(_secrets(text, told), key=lambda finding: (finding.start, finding.end)))


def told_values(text: str) -> frozenset[str]:
    """Return the values that ``text`` calls a password, a PIN, a code: where one stands alone, nothing tells it."""
    return _told(text, _secrets(text))


def _told(text: str, found: Iterable[Finding]) -> frozenset[str]:
    rows = written("secrets").told
    return values_of(text, ((finding.start, finding.end) for finding in found if finding.rule in rows))


def _secrets(text: str, told: frozenset[str] = frozenset()) -> list[Finding]:
    """Return the secrets in ``text``; a wide row stays silent inside what a row before it found."""
    found: list[Finding] = []
    passage, covered = Passage(text), bytearray(len(text))
    wide = written("secrets").wide

    def take(row: Rule, spans: Iterable[tuple[int, int]]) -> None:
        for start, end in spans:
            if row.name not in wide or covered.find(1, start, end) < 0:
                covered[start:end] = b"\1" * (end - start)
                found.append(row.finding(start, end))

    for rule in secrets().possible(passage):
        take(rule, matches(rule, passage))
    take(named("secrets")["table"], tabled(text))
    if found or told:
        take(named("secrets")["repeated"], repeated(text, _told(text, found) | told))
    return found


def _steering(text: str) -> list[Finding]:
    """Return what stands in the text that a model reads: hidden characters dropped, look-alikes made plain."""
    seen = see_through(text)
    found = steering().find(seen.text)
    return [replace(f, start=seen.origin(f.start), end=seen.origin(f.end - 1) + 1) for f in found]


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


def mask_diff(diff: str, *, told: frozenset[str] = frozenset()) -> str:
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
    return replace_found(text, scan_secrets(text), _mask_each)


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
