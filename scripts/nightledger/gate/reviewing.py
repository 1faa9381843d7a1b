"""What waits for an answer, as a review shows it, and the answers; and whether a mask hides what a signature would be about.

Invariant: what is shown, hashed and signed are the same bytes, read once; operation, section and words follow from them.
A value that a line calls a password is masked wherever it stands, so whoever may write one line (a drift that nobody
accepted) would choose which words of other changes nobody can read. What is signed therefore holds no line, and stands in no
section, that is masked but for what its own text, or what was accepted of its file, shows as a secret, unless its operator
had it unmasked.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import DecisionType, Event, EventName, ShownIn
from nightledger.domain.errors import AlteredError, NightledgerError
from nightledger.domain.judge import EDIT_LANE, Share, Shares
from nightledger.domain.kept import LETTING_GO, TEXT
from nightledger.domain.proposal import Change, Hunk, Kind, Op, Proposal
from nightledger.domain.states import Book, ProposalStatus
from nightledger.domain.words import count_of
from nightledger.gate.drafting import change_diff
from nightledger.gate.drifting import Found, drift_changes
from nightledger.gate.gated import is_gated, read_accepted, read_target, read_watched, watched
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.placing import put_change
from nightledger.gate.screening import NOTHING, own_values, told_by
from nightledger.gate.stored import Stored, read_proposal, read_shares
from nightledger.text.changes.diff import trace_drift, unified_diff
from nightledger.text.changes.place import shown_in
from nightledger.text.changes.sections import SHOWN_SECTION
from nightledger.text.markdown.document import decode, encode, readable
from nightledger.text.scanners.scan import mask_diff, scan_secrets, told_values, veil, veil_found
from nightledger.text.scanners.secrets import REPEATED

TWICE = "its proposal has two changes of one number, so that nobody can answer one of them: reject it"
"""Why a change cannot be signed that a decision could not tell from another one."""
NO_PLACE = "settle what drifted and review again; if it stays so, reject it and use 'nightledger edit'"
"""What to do about a change that has no place in its file."""


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


def worded(change: Change) -> Change:
    """Give a change with the operation, section and words that its hunk has; its own where they say the same."""
    hunk, fitting = change.hunk, _fitting(change.hunk)
    return replace(
        change,
        op=change.op if change.op in LETTING_GO or change.op in fitting else fitting[0],
        section=SHOWN_SECTION.join(hunk.section),
        before=_before(change),
        after=change.after if _lines(change.after) == _lines(hunk.added) else hunk.added,
    )


def is_numbered_twice(proposal: Proposal, n: int) -> bool:
    """Tell whether more than one change of a proposal has this number."""
    return sum(change.n == n for change in proposal.changes) > 1


def _fitting(hunk: Hunk) -> list[Op]:
    """Give what a hunk of text may be called, the plainest first; a blank line may count as a line or as none."""
    goes, comes = hunk.removed.strip(), hunk.added.strip()
    fitting = {
        Op.REPLACE: bool(hunk.removed and hunk.added),
        Op.ADD: not goes,
        Op.REMOVE: not comes and bool(hunk.removed),
    }
    return [op for op, fits in fitting.items() if fits] or [Op.REMOVE]


def _before(change: Change) -> str:
    removed = change.hunk.removed
    if change.op is Op.COMPRESS:
        return ""
    if change.op is Op.DELETE_LINK:
        return change.before if change.before.partition(": ")[0] == removed else removed
    return change.before if _lines(change.before) == _lines(removed) else removed


def _lines(text: str) -> list[str]:
    """Give the lines of a text that are not blank, without what ends them."""
    return [line.rstrip() for line in text.split("\n") if line.strip()]


class Verb(StrEnum):
    """An operator's answer to one change."""

    APPROVE = "approve"
    REJECT = "reject"
    LATER = "later"


class Answer(Struct, frozen=True, kw_only=True):
    """What the operator said about one change.

    Attributes:
        proposal: Id.
        n: Number of the change.
        verb: The answer.
        reason: The operator's words for a rejection.
    """

    proposal: str
    n: int
    verb: Verb
    reason: str = ""


class Item(Struct, frozen=True, kw_only=True):
    """One change as the review shows it, against the bytes of now.

    Attributes:
        stored: Its proposal, checked.
        status: The proposal's state.
        change: The change, its words as its hunk has them.
        diff: Unified diff against the file as it is now; empty when it has no place.
        unplaced: Why it cannot be signed now, for it has no place or cannot be read; else empty.
        unread: Why it cannot be signed before it was unmasked; else empty.
        plain: The diff without a mask, for the operator's own terminal.
        shown: Under what its lines stand, or will; None where that is not told by sections.
        told: What the gated files and the proposals shown with it tell as secrets.
        is_unmasked: Whether its operator asked to read it without masks.
        share: What became of changes like it in this home; None where too few were answered.
    """

    stored: Stored
    status: ProposalStatus
    change: Change
    diff: str
    unplaced: str
    unread: str = ""
    plain: str = ""
    shown: ShownIn | None = None
    told: frozenset[str] = NOTHING
    is_unmasked: bool = False
    share: Share | None = None

    def unmasked(self) -> "Item":
        """Return the item as its operator reads it without masks: so it can be signed."""
        return replace(self, unread="", is_unmasked=True)


class Documents(dict[str, str]):
    """The files that changes write, as text (``surrogateescape``), each read once.

    Gated ones are read at the start, daily logs and archives when they are asked for. One that cannot be
    read stops no answer about another: whoever asks for it is told why.
    """

    def __init__(self, gate: Gate) -> None:
        """Read the gated files."""
        super().__init__()
        self._home = gate.home
        for path in gate.home.identity.gated:
            with suppress(NightledgerError):
                self.__missing__(path)

    def __missing__(self, path: str) -> str:
        """Read another file that a change may write."""
        self[path] = decode(read_target(self._home, path))
        return self[path]


def list_items(gate: Gate, ledger: Ledger, documents: Mapping[str, str]) -> list[Item]:
    """Give every change that waits for an answer: what drifted first, then the oldest proposal first.

    Altered proposals are set aside.
    """
    drifted: list[Item] = []
    waiting: list[tuple[Stored, ProposalStatus]] = []
    for status in ledger.book.live():
        if status.lane != EDIT_LANE and status.open_changes():
            with suppress(AlteredError):
                if status.kind is Kind.DRIFT:
                    drifted += items_of(gate, ledger.book, status, DecisionType.DRIFT, documents)
                else:
                    waiting.append((read_proposal(gate, status), status))
    accepted = accepted_texts(gate, ledger.book) if waiting else {}
    items = items_in(waiting, DecisionType.APPROVE, documents, accepted)
    return [*drifted, *with_shares(gate, ledger.book, items)]


def with_shares(gate: Gate, book: Book, items: Sequence[Item]) -> list[Item]:
    """Return items with what became of changes like each of them."""
    shares = read_shares(gate, book) if items else Shares()
    return [replace(item, share=shares.of(item.stored.proposal, item.change)) for item in items]


def items_of(
    gate: Gate, book: Book, status: ProposalStatus, kind: DecisionType, documents: Mapping[str, str]
) -> list[Item]:
    """Give the changes of one proposal that a decision of this kind may be about; see :func:`items_in`.

    Raises:
        AlteredError: Its file is missing or is not what was logged.
    """
    numbers = status.answerable(DecisionType.DRIFT if status.kind is Kind.DRIFT else kind)
    if not numbers:
        return []
    stored, accepted = read_proposal(gate, status), accepted_texts(gate, book)
    if status.kind is Kind.DRIFT:
        return _drift_items(gate, stored, status, numbers, accepted)
    return items_in([(stored, status)], kind, documents, accepted)


def _drift_items(
    gate: Gate, stored: Stored, status: ProposalStatus, numbers: Sequence[int], accepted: Mapping[str, str]
) -> list[Item]:
    """Return what drifted as it was found: it stands in the file, so its diff is against what was accepted.

    Each change is shown as the bytes have it: who has the log's key can log an item that says another thing of them.
    """
    target = stored.proposal.targets[0]
    changes = {change.n: change for change in stored.proposal.changes if change.n in numbers}
    told, why = told_by({}, [stored.proposal]), ""
    present, plain, unread = b"", dict[int, str](), dict[int, str]()
    try:
        present = read_watched(gate.home, target.path)
        if hashlib.sha256(present).hexdigest() != target.base_sha256:
            why = "the file has changed again: 'nightledger guard' looks anew"
    except NightledgerError as error:
        why = str(error)
    if not why:
        before, now = accepted.get(target.path, ""), decode(present)
        values = own_values(gate, before, now)
        found = Found(path=target.path, accepted=encode(before), present=present, told=values)
        there = {change.n: change for change in drift_changes(found)}
        changes = {n: _redrawn(change, there.get(n, change)) for n, change in changes.items()}
        values |= told | told_values(before) | told_values(now)
        lost = HIDDEN if target.path in accepted else HIDDEN_AND_LOST
        for n, old, new in trace_drift(before, now).steps():
            plain[n] = readable(unified_diff(old, new, path=target.path))
            is_hidden = is_gated(gate.home, target.path) and hides_lines(old, new, before, values)
            unread[n] = lost if is_hidden else ""
    return [
        Item(
            stored=stored,
            status=status,
            change=worded(change),
            diff=change.diff,
            unplaced=why,
            unread=unread.get(n, ""),
            plain=plain.get(n, ""),
            told=told,
        )
        for n, change in changes.items()
    ]


def _redrawn(change: Change, found: Change) -> Change:
    flags = tuple(dict.fromkeys((*change.flags, *found.flags)))
    return replace(change, target=found.target, diff=found.diff, hunk=found.hunk, flags=flags)


def items_in(
    waiting: Sequence[tuple[Stored, ProposalStatus]],
    kind: DecisionType,
    documents: Mapping[str, str],
    accepted: Mapping[str, str],
) -> list[Item]:
    """Return the changes of some proposals that such a decision may be about.

    Args:
        waiting: The proposals and their states.
        kind: Of the decision.
        documents: The files that they write.
        accepted: What the operator accepted of gated files: what that tells as a secret may be
            masked in a line that goes; without it, only what a change's own text shows.
    """
    told = told_by(documents, [stored.proposal for stored, _ in waiting])
    return [
        _item(stored, status, worded(change), documents, told, accepted)
        for stored, status in waiting
        for change in stored.proposal.changes
        if change.n in status.answerable(kind)
    ]


def _item(
    stored: Stored,
    status: ProposalStatus,
    change: Change,
    documents: Mapping[str, str],
    told: frozenset[str],
    accepted: Mapping[str, str],
) -> Item:
    item = Item(stored=stored, status=status, change=change, diff="", unplaced="", told=told)
    try:
        placed = put_change(documents, change)
        if isinstance(placed, str) and change.op in (Op.ADD, Op.REMOVE, Op.REPLACE):
            placed = f"{placed}; {NO_PLACE}"
    except NightledgerError as error:  # a file of it cannot be read now, or is a link meanwhile
        placed = str(error)
    if isinstance(placed, str):
        item = replace(item, unplaced=placed)
    else:
        values, hunk = told | NOTHING.union(*map(told_values, placed.values())), change.hunk
        drawn = [(documents[path], text, path) for path, text in placed.items()]
        item = replace(
            item,
            diff=mask_diff(change_diff(documents, placed, change, told=values), told=values),
            plain="".join(readable(unified_diff(old, new, path=path)) for old, new, path in drawn),
            unread=why_masked(documents, placed, change, told=values, accepted=accepted),
            shown=shown_in(documents[change.target], change.n, hunk) if hunk.anchor in TEXT else None,
        )
    return replace(item, unplaced=TWICE) if is_numbered_twice(stored.proposal, change.n) else item


class Refusal(Struct, frozen=True, kw_only=True):
    """Changes that were approved and cannot be signed, and why."""

    proposal: str
    reason: str


def held_since_answered(events: Iterable[Event]) -> Iterator[str]:
    """Say how much scanners held back after the operator's last signed answer; nothing where that is none."""
    held = 0
    for event in events:
        held = 0 if event.event == EventName.DECIDED else held + (event.event == EventName.QUARANTINED)
    if held:
        yield f"{count_of(held, 'text')} held back by the scanners since you last answered: nightledger status --held"


def accepted_texts(gate: Gate, book: Book) -> dict[str, str]:
    """Return what was accepted last of each gated and watched file; those whose bytes are kept."""
    paths = [*watched(gate.home, book), *book.protected]
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
