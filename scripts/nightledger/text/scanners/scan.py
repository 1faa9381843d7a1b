"""Scan a text for secrets, hidden characters and markup, and instructions to an agent.

Invariant: pure and linear; a finding never carries the text. Scanners see shapes, not
intent: they make an operator look, and the gate is what holds when they are wrong.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from msgspec.structs import replace

from nightledger.domain.finding import Finding, Severity
from nightledger.domain.proposal import Origin
from nightledger.text.scanners.rule import Passage, Rule, matches, written
from nightledger.text.scanners.secrets import repeated, tabled, values_of
from nightledger.text.scanners.table import named, secrets, steering
from nightledger.text.scanners.unicode import scan_characters, see_through

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
        from nightledger.text.code.snippets import (
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
    pieces: list[str] = []
    done = 0
    for finding in scan_secrets(text, told=told):
        if finding.start >= done:
            pieces += [text[done : finding.start], f"[{mask(text[finding.start : finding.end])}]"]
        done = max(done, finding.end)
    return "".join([*pieces, text[done:]])


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
    passage, found, covered = Passage(text), list[Finding](), bytearray(len(text))
    wide = written("secrets").wide

    def take(row: Rule, spans: Iterable[tuple[int, int]]) -> None:
        for start, end in spans:
            if row.name not in wide or covered.find(1, start, end) < 0:
                covered[start:end] = b"\1" * (end - start)
                found.append(row.finding(start, end))

    for rule in secrets().possible(passage):
        take(rule, matches(rule, passage))
    take(named("secrets")["table"], tabled(text))
    take(named("secrets")["repeated"], repeated(text, _told(text, found) | told))
    return found


def _steering(text: str) -> list[Finding]:
    """Return what stands in the text that a model reads: hidden characters dropped, look-alikes made plain."""
    seen = see_through(text)
    found = steering().find(seen.text)
    return [replace(f, start=seen.origin(f.start), end=seen.origin(f.end - 1) + 1) for f in found]
