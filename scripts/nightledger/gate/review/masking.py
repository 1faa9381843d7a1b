"""Does a mask hide from the reader what a signature would be about?

A value that a line calls a password is masked wherever it stands. Whoever may write one line (a drift that nobody
accepted) would so choose which words of other changes nobody can read.

Invariant: what is signed holds no line, and stands in no section, that is masked but for what its own text, or what
was accepted of its file, shows as a secret, unless its operator had it unmasked.
"""

from collections.abc import Mapping

from nightledger.domain.proposal import Change, Op
from nightledger.domain.states import Book
from nightledger.gate.gated import read_accepted
from nightledger.gate.opening import Gate
from nightledger.text.changes.diff import unified_diff
from nightledger.text.changes.veil import veil, veil_found
from nightledger.text.markdown.document import decode
from nightledger.text.scanners.scan import scan_secrets, told_values
from nightledger.text.scanners.secrets import REPEATED

HIDDEN = (
    "another text calls part of it a secret, so that it cannot be read: 'u' in 'nightledger review' shows it on this "
    "terminal; or settle what drifted and review again"
)
"""Why a change cannot be signed whose lines cannot all be read."""
HIDDEN_AND_LOST = (
    "a text in the file calls part of it a secret, so that it cannot be read, and what you accepted before is kept "
    "nowhere: 'u' in 'nightledger review' shows it; or put audit/blobs back from a backup and review again"
)
"""The same where nobody knows which of the file's lines were accepted."""
UNDO_HIDDEN = (
    "another text calls part of what it would change a secret, so that it cannot be read: settle what drifted "
    "('nightledger review') and run it again"
)
"""Why an undo cannot be signed whose lines cannot all be read."""
_HEADER = ("@@ ",)
NONE_ACCEPTED: Mapping[str, str] = {}
"""Where nobody knows what was accepted."""


def accepted_texts(gate: Gate, book: Book) -> dict[str, str]:
    """Return what was accepted last of each gated and watched file; those whose bytes are kept."""
    paths = [*gate.home.identity.gated, *book.protected]
    found = {path: read_accepted(gate.home, book, path) for path in paths}
    return {path: decode(content) for path, content in found.items() if content is not None}


def why_masked(
    before: Mapping[str, str],
    after: Mapping[str, str],
    change: Change,
    *,
    told: frozenset[str],
    accepted: Mapping[str, str],
) -> str:
    """Say why a change cannot be signed as it is masked; empty where it can.

    Args:
        before: The text of every file that it writes.
        after: The text of each of them afterwards.
        change: The change.
        told: The values that are masked where it is shown.
        accepted: What the operator accepted of files.
    """
    if change.op is Op.DELETE_LINK:
        return ""
    if change.op is Op.COMPRESS:
        return HIDDEN if veil(change.hunk.added, told=told) != veil(change.hunk.added) else ""
    hides = any(hides_lines(before[path], text, accepted.get(path, ""), told) for path, text in after.items())
    return HIDDEN if hides else ""


def hides_lines(before: str, after: str, accepted: str, told: frozenset[str]) -> bool:
    """Tell whether masks hide more of what comes and goes than its own text and what was accepted justify.

    Args:
        before: A text.
        after: What becomes of it.
        accepted: What the operator accepted of the file.
        told: The values that are masked where it is shown.
    """
    diff = unified_diff(before, after, path="")
    veiled = _veiled(diff, told)
    if not veiled:
        return False
    fair = told_values(accepted)
    come, goes = ("\n".join(line[1:] for line in changed_lines(diff) if line[0] == sign) for sign in "+-")
    known = {f"-{line}" for text in (goes, accepted) for line in veil(text, told=fair).split("\n")}
    known |= {f"+{veil(line, told=fair)}" for line in come.split("\n")}
    own = (finding for finding in scan_secrets(come) if finding.rule != REPEATED)
    known |= {f"+{line}" for line in veil_found(come, own).split("\n")}
    known |= {veil(line, told=fair) for _, line in _changed(diff, _HEADER)}
    return not veiled <= known


def changed_lines(diff: str) -> list[str]:
    """Return the lines of a diff that come and go, each behind its sign."""
    return [line for _, line in _changed(diff)]


def _changed(diff: str, signs: tuple[str, ...] = ("+", "-")) -> list[tuple[int, str]]:
    lines = enumerate(diff.split("\n"))
    return [(at, line) for at, line in lines if at > 1 and line.startswith(signs)]


def _veiled(diff: str, told: frozenset[str]) -> set[str]:
    """Return each line that comes or goes, or names the section of those, as it is veiled, where it is.

    The screen masks twice: the whole diff, and what comes apart from the rest, without the signs.
    """
    lines = diff.split("\n")
    whole = veil(diff, told=told).split("\n")
    shown = [(at, line[:1] + text[1:]) for at, (line, text) in enumerate(zip(lines, whole, strict=True))]
    for comes in (True, False):
        numbers = [at for at, line in enumerate(lines) if line.startswith("+") is comes]
        side = veil("\n".join(lines[at][1:] for at in numbers), told=told).split("\n")
        shown += [(at, lines[at][:1] + text) for at, text in zip(numbers, side, strict=False)]
    changed = dict(_changed(diff, ("+", "-", *_HEADER)))
    return {text for at, text in shown if at in changed and text != changed[at]}
