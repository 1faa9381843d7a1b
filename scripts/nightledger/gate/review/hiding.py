"""Does a mask hide from the reader what a signature would be about?

A value that a line calls a password is masked wherever it stands. Whoever may write one line
(a drift that nobody accepted) would so choose which words of other changes nobody can read.

Invariant: what is signed puts no line into a file that is masked where it is shown (a proposal
holds no secret), and takes out none that is, but for what its own text, or what was accepted now
or when it was proposed with holes, shows as a secret.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from nightledger.domain.proposal import Anchor, Change, Op
from nightledger.domain.states import Book
from nightledger.gate.apply.around import read_accepted, read_bytes
from nightledger.gate.opening import Gate
from nightledger.text.changes.course import Course
from nightledger.text.changes.diff import unified_diff
from nightledger.text.changes.masked import mask_diff
from nightledger.text.changes.veil import veil, veil_found
from nightledger.text.scanners.scan import mask_secrets, scan_secrets, told_values
from nightledger.text.scanners.secret_places import REPEATED

HIDDEN = (
    "another text calls part of it a secret, so that it cannot be read: settle what drifted and review "
    "again; if it stays hidden, reject it"
)
"""Why a change cannot be signed whose lines cannot all be read."""
UNREAD = (
    "another text that nobody accepted calls part of it a secret, so that it cannot be read: answer that "
    "first and review again, or take this back"
)
"""Why a change that drifted in cannot be kept."""

UNREAD_AND_LOST = (
    "a text in the file calls part of it a secret, so that it cannot be read, and what you accepted before is kept "
    "nowhere: put audit/blobs back from a backup, or change that text in any editor, and review again"
)
"""Why it cannot where nobody knows which of the file's lines were accepted."""

HOLED = (
    "what it takes out was called a secret when it was proposed, so that it was written down with holes, and "
    "nothing that you accepted calls it one: settle what drifted and review again; if it stays so, reject it, "
    "and take the line out with 'nightledger edit', where you can read it, if it should go"
)
"""Why a change with holes cannot be signed of which nobody can read what fills them."""


UNDO_HIDDEN = (
    "another text calls part of what it would change a secret, so that it cannot be read: settle what drifted "
    "('nightledger review') and run it again"
)
"""Why an undo cannot be signed whose lines cannot all be read."""


def nothing_accepted(_at: datetime) -> Mapping[str, str]:
    """Give no text: nobody knows here what was accepted."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What the operator accepted of the gated files; those whose bytes are kept.

    Attributes:
        texts: By path, what was accepted last.
        protected: The same of protected files, which tell nothing of gated ones.
        when: Gives ``texts`` as they were at a time; aware.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    protected: Mapping[str, str] = field(default_factory=dict)
    when: Callable[[datetime], Mapping[str, str]] = nothing_accepted


def _texts(found: Mapping[str, bytes | None]) -> dict[str, str]:
    return {path: raw.decode("utf-8", "surrogateescape") for path, raw in found.items() if raw is not None}


def accepted_texts(gate: Gate, book: Book) -> Accepted:
    """Read what was accepted of each gated file; what was accepted at a time is read when it is asked for."""
    home = gate.home

    def when(at: datetime) -> Mapping[str, str]:
        hashes = {path: accepted_when(book, path, at) for path in home.identity.gated}
        return _texts({path: read_bytes(home, sha256) for path, sha256 in hashes.items()})

    texts = _texts({path: read_accepted(home, book, path) for path in home.identity.gated})
    protected = _texts({path: read_accepted(home, book, path) for path in book.protected})
    return Accepted(texts=texts, protected=protected, when=when)


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
    return found if found in book.accepted.get(path, {}) else None


_UNDONE = ("intent", "aborted")
"""Applies after which another text is not accepted."""


def why_hidden(
    before: Mapping[str, str],
    after: Mapping[str, str],
    change: Change,
    *,
    told: frozenset[str],
    accepted: Accepted,
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
        accepted: What the operator accepted of gated files.
        proposed_at: When it was proposed.
    """
    if not is_hidden(before, after, change, told=told, accepted=accepted.texts):
        return ""
    if change.hunk.anchor is not Anchor.MASKED:
        return HIDDEN
    then = accepted.when(proposed_at)
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


def hides_lines(before: str, after: str, accepted: str) -> bool:
    """Tell whether masks hide more of what an undo does to a gated file than its own lines and what was accepted justify.

    Args:
        before: The file's text.
        after: Its text afterwards.
        accepted: What the operator accepted of it.
    """
    told, fair = told_values(before) | told_values(after), told_values(accepted)
    diff = unified_diff(before, after, path="")
    comes = "\n".join(line[1:] for line in changed_lines(diff) if line[0] == "+")
    return not _veiled(diff, told) <= _known(diff, accepted, fair) | _labelled(comes, fair)


def unread_drift(course: Course, *, told: frozenset[str]) -> frozenset[int]:
    """Give the changes of a drift that may not be kept, because masks hide what would be accepted.

    A mask is fair in a line that shows the secret by itself or with a label beside it, and over a value
    that the accepted text tells. A value that only another drifted line calls a secret is not: who
    wrote that line would choose what nobody reads.

    Args:
        course: How the accepted text became the one found.
        told: The values that are masked where it is shown.
    """
    accepted = course.rebuild(())
    fair = told_values(accepted)
    before, hidden = accepted, set()
    for n in range(1, len(course.runs) + 1):
        after = course.rebuild(range(1, n + 1))
        diff = unified_diff(before, after, path="")
        veiled = _veiled(
            diff, told
        )  # most drift holds nothing that is masked: then nothing else is looked at
        if veiled and not veiled <= _known(diff, accepted, fair) | _labelled(course.added(n), fair):
            hidden.add(n)
        before = after
    return frozenset(hidden)


def _labelled(added: str, fair: frozenset[str]) -> set[str]:
    """Give the lines that come, veiled where one shows a secret by itself or what stands around it labels it."""
    findings = (finding for finding in scan_secrets(added) if finding.rule != REPEATED)
    alone = (f"+{veil(line, told=fair)}" for line in added.split("\n"))
    return {*alone, *(f"+{line}" for line in veil_found(added, findings).split("\n"))}


def changed_lines(diff: str) -> list[str]:
    """Give the lines of a diff that come and go, each behind its sign."""
    return [line for _, line in _changed(diff)]


def _changed(diff: str) -> list[tuple[int, str]]:
    lines = enumerate(diff.split("\n"))
    return [(at, line) for at, line in lines if at > 1 and line.startswith(("+", "-"))]


def _hides(diff: str, accepted: str, told: frozenset[str], fair: frozenset[str]) -> bool:
    printed = changed_lines(mask_diff(mask_secrets(diff, told=told), told=told))
    if printed == changed_lines(diff):
        return False
    come = [[line for line in lines if line[0] == "+"] for lines in (printed, changed_lines(diff))]
    return come[0] != come[1] or not _veiled(diff, told) <= _known(diff, accepted, fair)


def _known(diff: str, accepted: str, fair: frozenset[str]) -> set[str]:
    """Give the lines that go, and those that were accepted, veiled by what they and the accepted text show."""
    goes = [line[1:] for line in changed_lines(diff) if line[0] == "-"]
    texts = ("\n".join(goes), accepted)
    return {f"-{line}" for text in texts for line in veil(text, told=fair).split("\n")}


def _veiled(diff: str, told: frozenset[str]) -> set[str]:
    """Give each line that comes or goes as it is veiled, where it is.

    The screen masks twice: the whole diff, and what comes apart from the rest, without the signs.
    """
    lines = diff.split("\n")
    whole = veil(diff, told=told).split("\n")
    shown = [(at, line[:1] + text[1:]) for at, (line, text) in enumerate(zip(lines, whole, strict=True))]
    for comes in (True, False):
        numbers = [at for at, line in enumerate(lines) if line.startswith("+") is comes]
        side = veil("\n".join(lines[at][1:] for at in numbers), told=told).split("\n")
        shown += [(at, lines[at][:1] + text) for at, text in zip(numbers, side, strict=False)]
    changed = dict(_changed(diff))
    return {text for at, text in shown if at in changed and text != changed[at]}
