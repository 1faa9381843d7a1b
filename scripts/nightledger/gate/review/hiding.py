"""Does a mask hide from the reader what a signature would be about?

A value that a line calls a password is masked wherever it stands. Whoever may write one line
(a drift that nobody accepted) would so choose which words of other changes nobody can read.

Invariant: what is signed puts no line into a file that is masked where it is shown (a proposal
holds no secret), and takes out none that is, but for what its own text or what was accepted shows
as a secret.
"""

from collections.abc import Mapping

from nightledger.domain.proposal import Change, Op
from nightledger.domain.states import Book
from nightledger.gate.apply.around import read_accepted
from nightledger.gate.opening import Gate
from nightledger.text.changes.diff import unified_diff
from nightledger.text.changes.veil import veil
from nightledger.text.scanners.scan import told_values

HIDDEN = (
    "another text calls part of it a secret, so that it cannot be read: settle what drifted and review "
    "again; if it stays hidden, reject it"
)
"""Why a change cannot be signed whose lines cannot all be read."""


def accepted_texts(gate: Gate, book: Book) -> dict[str, str]:
    """Give the text of each gated file as the operator accepted it last; those whose bytes are kept."""
    found = {path: read_accepted(gate.home, book, path) for path in gate.home.identity.gated}
    return {path: raw.decode("utf-8", "surrogateescape") for path, raw in found.items() if raw is not None}


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
