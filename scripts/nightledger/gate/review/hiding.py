"""Does a mask hide from the reader what a signature would be about?

A value that a line calls a password is masked wherever it stands. Whoever may write one line
(a drift that nobody accepted) would so choose which words of other changes nobody can read.

Invariant: what is signed puts no line into a file that is masked where it is shown (a proposal
holds no secret), and takes out none that is, but for what its own text, or what was accepted now
or when it was proposed with holes, shows as a secret.
"""

from collections.abc import Mapping
from datetime import datetime

from nightledger.domain.proposal import Anchor, Change, Op
from nightledger.domain.states import Book
from nightledger.gate.apply.around import read_accepted, read_bytes
from nightledger.gate.opening import Gate
from nightledger.text.changes.diff import unified_diff
from nightledger.text.changes.veil import veil
from nightledger.text.scanners.scan import told_values

HIDDEN = (
    "another text calls part of it a secret, so that it cannot be read: settle what drifted and review "
    "again; if it stays hidden, reject it"
)
"""Why a change cannot be signed whose lines cannot all be read."""

HOLED = (
    "what it takes out was called a secret when it was proposed, so that it was written down with holes, and "
    "nothing that you accepted calls it one: settle what drifted and review again; if it stays so, reject it, "
    "and take the line out with 'nightledger edit', where you can read it, if it should go"
)
"""Why a change with holes cannot be signed of which nobody can read what fills them."""


class AcceptedTexts(dict[str, str]):
    """The text of each gated file as the operator accepted it last; those whose bytes are kept."""

    def __init__(self, gate: Gate, book: Book) -> None:
        """Read them."""
        found = {path: read_accepted(gate.home, book, path) for path in gate.home.identity.gated}
        super().__init__(_texts(found))
        self._gate, self._book = gate, book

    def when(self, at: datetime) -> dict[str, str]:
        """Give the text of each gated file as it was accepted at a time; those whose bytes are kept."""
        home = self._gate.home
        hashes = {path: accepted_when(self._book, path, at) for path in home.identity.gated}
        return _texts({path: read_bytes(home, sha256) for path, sha256 in hashes.items()})


def _texts(found: Mapping[str, bytes | None]) -> dict[str, str]:
    return {path: raw.decode("utf-8", "surrogateescape") for path, raw in found.items() if raw is not None}


def accepted_texts(gate: Gate, book: Book) -> AcceptedTexts:
    """Give the text of each gated file as the operator accepted it last; those whose bytes are kept."""
    return AcceptedTexts(gate, book)


def accepted_when(book: Book, path: str, at: datetime) -> str | None:
    """Give the hex SHA-256 of what was accepted of a file at a time: what the next apply found accepted.

    None where that apply found something else, as versions before the guard could.
    """
    later = (
        target.accepted_before or target.before
        for apply in book.applies.values()
        if apply.outcome not in _UNDONE and apply.at > at
        for target in apply.targets
        if target.path == path
    )
    found = next(later, book.accepted_of(path))
    return found if found in {one.sha256 for one in book.accepted.get(path, ())} else None


_UNDONE = ("intent", "aborted")
"""Applies after which another text is not accepted."""


def why_hidden(
    before: Mapping[str, str],
    after: Mapping[str, str],
    change: Change,
    *,
    told: frozenset[str],
    accepted: Mapping[str, str],
    proposed_at: datetime,
) -> str:
    """Say why a change cannot be signed, if masks hide of it what they may not; else empty.

    What a change with holes takes out may also be what the accepted text called a secret when it
    was proposed: the line that told it may have gone since, by the operator's own signature.

    Args:
        before: The text of every file that it writes.
        after: The text of each of them afterwards.
        change: The change.
        told: The values that are masked where it is shown.
        accepted: What the operator accepted of gated files, by path.
        proposed_at: When it was proposed.
    """
    if not is_hidden(before, after, change, told=told, accepted=accepted):
        return ""
    if change.hunk.anchor is not Anchor.MASKED:
        return HIDDEN
    then = accepted.when(proposed_at) if isinstance(accepted, AcceptedTexts) else accepted
    return HOLED if is_hidden(before, after, change, told=told, accepted=then) else ""


def is_hidden(
    before: Mapping[str, str],
    after: Mapping[str, str],
    change: Change,
    *,
    told: frozenset[str],
    accepted: Mapping[str, str],
) -> bool:
    """Tell whether masks hide more of a change than its own text and what was accepted justify.

    Args:
        before: The text of every file that it writes.
        after: The text of each of them afterwards.
        change: The change.
        told: The values that are masked where it is shown.
        accepted: What the operator accepted of gated files, by path.
    """
    if change.op is Op.COMPRESS:
        return veil(change.hunk.added, told=told) != veil(change.hunk.added)
    if change.op is Op.DELETE_LINK:
        return False
    fair = frozenset().union(*map(told_values, accepted.values()))
    return any(
        _hides(unified_diff(before[path], text, path=path), accepted.get(path, ""), told, fair)
        for path, text in after.items()
    )


def changed_lines(diff: str) -> list[str]:
    """Give the lines of a diff that come and go, each behind its sign."""
    return [line for _, line in _changed(diff)]


def _changed(diff: str) -> list[tuple[int, str]]:
    lines = enumerate(diff.split("\n"))
    return [(at, line) for at, line in lines if at > 1 and line.startswith(("+", "-"))]


def _hides(diff: str, accepted: str, told: frozenset[str], fair: frozenset[str]) -> bool:
    shown = veil(diff, told=told)
    if shown == diff:
        return False
    changed = _changed(diff)
    goes = [line[1:] for _, line in changed if line[0] == "-"]
    known = _veiled(goes, fair) | _veiled([accepted], fair)
    masked = shown.split("\n")
    return any(masked[at] != line and (line[0] == "+" or masked[at][1:] not in known) for at, line in changed)


def _veiled(lines: list[str], told: frozenset[str]) -> set[str]:
    return set(veil("\n".join(lines), told=told).split("\n"))
