"""Proposals and decisions as they lie on disk, checked against their entries; who signed; and what became of each.

Invariant: a proposal exists once its leaf is on disk; its file is on disk before that, so a crash in between leaves a
file that nothing refers to. One whose bytes are not those that its leaf names is never shown, signed or applied; it is
set aside as it lies, and holds up nothing else. A decision's bytes are given out only when they are those of its entry; a
signature says who made it only against a signer set that the caller brings. What keys and consent rest on is kept twice, so
that no program of the same user stops the operator by changing one file.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.canonical import canonical
from nightledger.codec.records import decode_record, dump_record, to_plain
from nightledger.domain import errors
from nightledger.domain.decision import NAMESPACE, Decision, DecisionType, Event, EventName, Moment
from nightledger.domain.judge import DECIDED, EDIT_LANE, ENOUGH_DECIDED, Shares
from nightledger.domain.proposal import HOLE, Change, Hunk, Kind, Proposal
from nightledger.domain.states import Book, ChangeState, ChangeStatus, DecisionStatus, ProposalStatus
from nightledger.domain.words import content_id, dump_moment
from nightledger.files.atomic import BlobStore, replace_file
from nightledger.files.durable import read_regular
from nightledger.files.home import Home
from nightledger.gate.opening import BETTER, ROOMLESS, TWIN, Gate, Leaf, closing, record
from nightledger.trust.signers import SignedBy, SignerSet, verify_signature
from nightledger.trust.sshsig import SignatureError, Signer

SHORTEST = 4
"""Characters of an id that a screen shows at least, behind ``p-``: a million names."""
_NAME = re.compile(r"(?<![/\w-])p-[a-z2-7]{8}(?:[a-z2-7]{18})?(?!\w|\.\w)")
MAX_PROPOSAL_BYTES = 64_000_000
"""A larger one is refused when it is made, so that whatever was logged can be read again."""
Causes = Mapping[tuple[str, int], str]
"""The cause that the log gives for each change that was withdrawn before its days were over."""
_CAUSES = {
    BETTER: "made room for better ones",
    TWIN: "what was applied says the same",
    ROOMLESS: "what was to go for it stays",
}


class Stored(Struct, frozen=True, kw_only=True):
    """A proposal with the hash of its bytes."""

    proposal: Proposal
    sha256: str


def read_proposal(gate: Gate, status: ProposalStatus) -> Stored:
    """Read one proposal.

    Raises:
        AlteredError: Its file is missing or is not what was logged.
    """
    content = read_logged(gate.home, status)
    return Stored(
        proposal=decode_record(Proposal, content, where=gate.home.proposal(status.id)), sha256=status.sha256
    )


def read_logged(home: Home, status: ProposalStatus) -> bytes:
    """Return the bytes of a proposal's file.

    Raises:
        AlteredError: It is missing or is not what was logged.
    """
    path = home.proposal(status.id)
    try:
        content = read_regular(path, MAX_PROPOSAL_BYTES)
    except errors.UnreadableError as error:
        raise errors.AlteredError(str(error)) from error
    sha256 = hashlib.sha256(content).hexdigest()
    if sha256 != status.sha256:
        raise errors.AlteredError(
            f"{path} was changed after it was proposed: it has SHA-256 {sha256}, the log says {status.sha256}"
        )
    return content


def is_altered(home: Home, status: ProposalStatus) -> bool:
    """Return whether a proposal's file is missing or is not what was logged."""
    with suppress(errors.AlteredError):
        read_logged(home, status)
        return False
    return True


def read_stored(gate: Gate, book: Book, *, states: Collection[ChangeState] | None = None) -> list[Stored]:
    """Read every proposal that the log knows and whose bytes are those logged, in order of their leaves.

    What was altered is left out: it was set aside, and :func:`find_set_aside` names it.

    Args:
        gate: The home.
        book: What its log adds up to.
        states: Only those of which some change is in one of them; None reads all.
    """
    stored = []
    for status in book.proposals.values():
        if states is None or any(change.state in states for change in status.changes.values()):
            with suppress(errors.AlteredError):
                stored.append(read_proposal(gate, status))
    return stored


def each_change(stored: Iterable[Stored], book: Book) -> Iterator[tuple[Proposal, Change, ChangeStatus]]:
    """Yield every change of proposals, each with its proposal and what became of it."""
    for item in stored:
        changes = book.proposals[item.proposal.id].changes
        for change in item.proposal.changes:
            if status := changes.get(change.n):
                yield item.proposal, change, status


MOST_DECIDED = 300
"""Proposals of which something was answered that a share is told of, the newest: some months, and a tenth of a second."""


def read_shares(gate: Gate, book: Book) -> Shares:
    """Return how many proposals of each source the operator signed lately; without reading any where too few were answered."""
    answered = [
        status
        for status in book.proposals.values()
        if any(change.state in DECIDED for change in status.changes.values())
    ]
    if sum(len(status.changes) for status in answered) < ENOUGH_DECIDED:
        return Shares()
    stored = []
    for status in answered[-MOST_DECIDED:]:
        with suppress(errors.AlteredError):
            stored.append(read_proposal(gate, status))
    return Shares((one, change, status.state) for one, change, status in each_change(stored, book))


def without_unanswered(stored: Iterable[Stored], book: Book) -> list[Stored]:
    """Return proposals without the changes that were withdrawn: nobody answered those, so they may be proposed again."""
    return [
        replace(item, proposal=replace(item.proposal, changes=tuple(kept)))
        for item in stored
        for status in [book.proposals[item.proposal.id]]
        if (kept := [c for c in item.proposal.changes if status.state_of(c.n) is not ChangeState.WITHDRAWN])
    ]


def is_unanswered_drift(status: ProposalStatus) -> bool:
    """Return whether a proposal is drift that ended without an answer: its file goes once its time is over."""
    states = {change.state for change in status.changes.values()}
    return status.kind is Kind.DRIFT and states <= {ChangeState.SUPERSEDED, ChangeState.WITHDRAWN}


def find_set_aside(home: Home, book: Book) -> tuple[str, ...]:
    """Name the proposals that still matter and whose files are missing or not what was logged.

    Those matter of which something waits for an answer or is signed and not applied;
    ``verify`` looks at all.
    """
    live = {decision.proposal for decision in book.approvals_to_apply()}
    return tuple(
        status.id
        for status in book.live()
        if status.lane != EDIT_LANE and (status.open_changes() or status.id in live)
        if is_altered(home, status)
    )


def short_name(book: Book, name: str) -> str:
    """Return the shortest beginning of a proposal's id that names it alone, 4 characters at least: ``p-fuqg``."""
    length = len("p-") + SHORTEST
    while sum(other.startswith(name[:length]) for other in book.proposals) > 1 and length < len(name):
        length += 1
    return name[:length]


def shortened(book: Book, text: str) -> str:
    """Return a message of ours with the short name of each proposal that it names; files keep theirs."""

    def short(found: re.Match[str]) -> str:
        names = [name for name in book.proposals if name.startswith(found[0])]
        return short_name(book, names[0]) if len(names) == 1 else found[0]

    return _NAME.sub(short, text)


def find_status(book: Book, text: str) -> ProposalStatus:
    """Find a proposal by its id or by the beginning of it.

    Raises:
        UsageError: None, or more than one, begins so.
    """
    begin = text.removeprefix("p-")
    if not begin:
        raise errors.UsageError("no proposal is named", hint="'nightledger proposals' lists them")
    found = [status for name, status in book.proposals.items() if name.startswith(f"p-{begin}")]
    if len(found) == 1:
        return found[0]
    if not found:
        raise errors.UsageError(f"there is no proposal {text!r}", hint="'nightledger proposals' lists them")
    raise errors.UsageError(f"{text!r} fits {len(found)} proposals", hint="give more of the id")


def read_causes(events: Iterable[Event]) -> Causes:
    """Return why changes were withdrawn, as the log says."""
    closed = [event.fields for event in events if event.event == EventName.CLOSED and "cause" in event.fields]
    return {(fields["proposal"], n): fields["cause"] for fields in closed for n in fields["changes"]}


def answers_given(home: Home, book: Book, status: ProposalStatus, causes: Causes) -> list[dict[str, Any]]:
    """Return each answer to a proposal with the changes that it is about; none for those that nothing happened to."""
    found: dict[tuple[str, str, str | None, str], list[int]] = {}
    for n, change in sorted(status.changes.items()):
        if change.since is not None:
            why = _why(home, book, status, n, causes)
            place = (change.state.value, dump_moment(change.since), change.decision, why)
            found.setdefault(place, []).append(n)
    names = ("state", "at", "decision", "reason")
    return [dict(zip(names, place, strict=True), changes=numbers) for place, numbers in found.items()]


def _why(home: Home, book: Book, status: ProposalStatus, n: int, causes: Causes) -> str:
    change = status.changes[n]
    if change.state is ChangeState.WITHDRAWN:
        return _CAUSES.get(causes.get((status.id, n), ""), "nobody answered")
    decided = book.decisions.get(change.decision or "")
    if decided is None or change.state is not ChangeState.REJECTED:
        return ""
    from nightledger.text.scanners.scan import mask_secrets

    return mask_secrets(reason_of(home, decided))


def answer_texts(answers: Iterable[Mapping[str, Any]], count: int) -> Iterator[str]:
    """Give a line for each answer, not yet fit to print; numbers only where not all changes have it."""
    for one in answers:
        which = f" ({', '.join(map(str, one['changes']))} of {count})" if len(one["changes"]) < count else ""
        why = f": {one['reason']}" if one["reason"] else ""
        yield f"{one['state']} {one['at'][:10]}{which}{why}"


def without_secrets(gate: Gate, status: ProposalStatus, applied: Sequence[int]) -> tuple[int, ...]:
    """Return those of the applied changes that took out no secret, so that an undo of them can be offered.

    Where the proposal cannot be read, none is left out.
    """
    try:
        changes = read_proposal(gate, status).proposal.changes
    except errors.NightledgerError:
        return tuple(applied)
    masked = {change.n for change in changes if HOLE in change.hunk.removed}
    return tuple(n for n in applied if n not in masked)


def undo_of(gate: Gate, book: Book, name: str, applied: Sequence[int]) -> str:
    """Return the sentence that says what takes applied changes of a proposal back; that nothing does, of a secret."""
    kept = without_secrets(gate, book.proposals[name], applied)
    if not kept:
        return "a secret does not come back."
    some = "" if kept == tuple(applied) else f"#{','.join(map(str, kept))}"
    return f"'nightledger undo {name}{some}' takes {'them' if ',' in some else 'it'} back."


def store(
    gate: Gate,
    proposal: Proposal,
    moment: Moment,
    *,
    superseded: Mapping[str, Sequence[int]],
    after: Sequence[Leaf] = (),
) -> None:
    """Write a proposal's file, then its leaf with those of what it supersedes.

    Args:
        gate: The home.
        proposal: As it is to be shown.
        moment: The clocks.
        superseded: For each proposal of which it replaces changes, their numbers.
        after: What else is logged at the same time, behind it.

    Raises:
        RefusedError: It is larger than can be read again.
    """
    content = dump_record(proposal)
    if len(content) > MAX_PROPOSAL_BYTES:
        raise errors.RefusedError(
            f"the proposal would have {len(content)} bytes; at most {MAX_PROPOSAL_BYTES} can be read again",
            hint="make the change in smaller steps",
        )
    # what lies there without a leaf is a crash's orphan
    replace_file(gate.home.proposal(proposal.id), content)
    fields: dict[str, object] = {
        "proposal": proposal.id,
        "sha256": hashlib.sha256(content).hexdigest(),
        "kind": proposal.kind.value,
        "lane": proposal.lane,
        "changes": len(proposal.changes),
    }
    closed = [closing(name, numbers, ChangeState.SUPERSEDED) for name, numbers in superseded.items()]
    record(gate, [(EventName.PROPOSED, fields), *closed, *after], moment)


MAX_DECISION_BYTES = 1_000_000
KEPT = frozenset({DecisionType.TRUST, DecisionType.CONSENT, DecisionType.RESTORE})
"""Decisions on which others rest; their bytes and their signature's are kept as blobs, too."""


class Signed(Struct, frozen=True, kw_only=True):
    """A decision's exact bytes with the detached signature over them."""

    content: bytes
    signature: str

    @property
    def signature_sha256(self) -> str:
        """Hex SHA-256 of the signature's file."""
        return hashlib.sha256(self.signature.encode("ascii", "replace")).hexdigest()


def with_id(decision: Decision) -> Decision:
    """Return the decision with the id that its other fields make."""
    fields = to_plain(replace(decision, id=""))
    return replace(decision, id=content_id("d", canonical(fields)))


def sign(decision: Decision, signer: Signer, *, namespace: str = NAMESPACE) -> Signed:
    """Sign a decision's canonical bytes."""
    content = dump_record(decision)
    return Signed(content=content, signature=signer.sign(content, namespace))


def read_signed(home: Home, status: DecisionStatus) -> Signed:
    """Read a recorded decision's bytes, which are those of its leaf, and the signature beside them, unchecked.

    Raises:
        AlteredError: Its file is missing or is not what was logged.
    """
    path = home.decision(status.id)
    try:
        content = read_regular(path, MAX_DECISION_BYTES)
        signature = read_regular(f"{path}.sig", MAX_DECISION_BYTES).decode("ascii", "replace")
    except errors.UnreadableError as error:
        raise errors.AlteredError(str(error)) from error
    if hashlib.sha256(content).hexdigest() != status.sha256:
        raise errors.AlteredError(f"{path} was changed after it was recorded")
    return Signed(content=content, signature=signature)


def reason_of(home: Home, status: DecisionStatus) -> str:
    """Return the operator's words in a recorded decision; empty where its file is gone or not what was logged."""
    with suppress(errors.NightledgerError):
        return decode_record(Decision, read_signed(home, status).content, where=status.id).reason
    return ""


def keep(home: Home, signed: Signed) -> None:
    """Keep a decision and its signature as blobs; both are on disk when this returns."""
    blobs = BlobStore(home.blobs_dir)
    blobs.put(signed.content)
    blobs.put(signed.signature.encode("ascii"))


def read_kept(home: Home, status: DecisionStatus) -> Signed:
    """Read a recorded decision; what is not the file that was logged is taken from its blob.

    Raises:
        AlteredError: Its file is missing or is not what was logged, and no blob has its bytes.
    """
    try:
        content, signature = (_file_or_blob(home, path, sha256) for path, sha256 in _files(home, status))
    except errors.NightledgerError:
        return read_signed(home, status)
    return Signed(content=content, signature=signature.decode("ascii", "replace"))


def find_replaced(home: Home, book: Book) -> dict[str, bytes]:
    """Return the files of kept decisions that are not those that were logged, each with the bytes that a blob has."""
    found = {}
    kept = [one for one in book.decisions.values() if one.type in KEPT and one.sha256 not in book.gone]
    for path, sha256 in (file for status in kept for file in _files(home, status)):
        if _file(path, sha256) is None:
            with suppress(errors.NightledgerError):
                found[path] = BlobStore(home.blobs_dir).get(sha256)
    return found


def _files(home: Home, status: DecisionStatus) -> tuple[tuple[str, str], ...]:
    """Return both files of a decision with their hashes."""
    path = home.decision(status.id)
    return (path, status.sha256), (f"{path}.sig", status.signature_sha256)


def _file_or_blob(home: Home, path: str, sha256: str) -> bytes:
    content = _file(path, sha256)
    return BlobStore(home.blobs_dir).get(sha256) if content is None else content


def _file(path: str, sha256: str) -> bytes | None:
    """Return a file's bytes where they have this hash."""
    try:
        content = read_regular(path, MAX_DECISION_BYTES)
    except errors.UnreadableError:
        return None
    return content if hashlib.sha256(content).hexdigest() == sha256 else None


def signed_by(
    signed: Signed, signers: SignerSet, moment: Moment, namespace: str = NAMESPACE
) -> SignedBy | None:
    """Return who signed; None where no key of the set verifies the signature for that time and purpose."""
    try:
        return verify_signature(
            signed.content, signed.signature, namespace=namespace, signers=signers, at=moment.at
        )
    except SignatureError:
        return None


def hunks_sha256(hunks: Sequence[Hunk]) -> str:
    """Give the hex SHA-256 of the canonical JSON of hunks, in their order."""
    return hashlib.sha256(canonical([to_plain(hunk) for hunk in hunks])).hexdigest()
