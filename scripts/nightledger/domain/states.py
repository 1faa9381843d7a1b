"""What became of every proposal, and of every file that was changed outside, as the audit log adds it up (``folding.py``).

Invariant: a state is never stored; the book is folded anew from the log each time.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from msgspec import Struct, field

from nightledger.domain.decision import DecisionType, Moment
from nightledger.domain.kept import skill_name
from nightledger.domain.proposal import Kind
from nightledger.domain.trusting import EMPTY_SHA256, NO_CHAIN, TrustChain


class Writer(StrEnum):
    """Who most likely wrote what drifted; a guess, and called so wherever it is shown."""

    DREAMING = "openclaw.dreaming"
    """The marks of OpenClaw's dreaming stand in the added lines."""
    EXTRACTION = "tool.extraction"
    """The marks of another tool that extracts memories by itself."""
    GIT = "git"
    """A commit holds these very bytes."""
    USER = "other_user"
    """The file belongs to another user of this machine than its home."""
    SESSION = "session"
    """An agent's session was at work when the file was written."""
    UNKNOWN = "unknown"


class Drift(Struct, frozen=True, kw_only=True):
    """A state of a file that the guard found and that was not accepted, from its leaf.

    Attributes:
        path: The file, relative to the home.
        sha256: Hex SHA-256 of what it found; kept as a blob.
        base: Hex SHA-256 of the bytes accepted then.
        proposal: Id of the item in which the operator settles it; empty where there is none.
        writer: Who most likely wrote it, a word of :class:`Writer`, sometimes of a later version.
        at: When it was found; aware, UTC.
    """

    path: str
    sha256: str
    base: str
    proposal: str
    writer: str
    at: datetime


class Raced(Struct, frozen=True, kw_only=True):
    """What another program wrote at the very moment of an apply: kept as a blob, and in no file.

    Attributes:
        path: The file.
        sha256: Hex SHA-256 of what the apply replaced.
        before: Hex SHA-256 of what it had read.
    """

    path: str
    sha256: str
    before: str


V = TypeVar("V")


class ChangeState(StrEnum):
    """Where one change of a proposal stands."""

    PENDING = "pending"
    DEFERRED = "deferred"
    APPROVED = "approved"
    APPLIED = "applied"
    REJECTED = "rejected"
    STALE = "stale"
    UNDONE = "undone"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"


OPEN_STATES = frozenset({ChangeState.PENDING, ChangeState.DEFERRED, ChangeState.STALE})
"""What the operator can still answer."""
REVOCABLE = OPEN_STATES | {ChangeState.APPROVED}
"""What a rejection can still end: it waits for an answer or is signed and not applied."""
ENDED = frozenset({ChangeState.REJECTED, ChangeState.WITHDRAWN, ChangeState.UNDONE, ChangeState.SUPERSEDED})
"""What waits no more and stands nowhere; it may return with new evidence."""
REFUSED = ENDED - {ChangeState.SUPERSEDED, ChangeState.WITHDRAWN}
"""What ended because the operator said so."""
ANSWERABLE: Mapping[DecisionType, Collection[ChangeState]] = {
    DecisionType.APPROVE: OPEN_STATES,
    DecisionType.REJECT: REVOCABLE,
    DecisionType.UNDO: {ChangeState.APPLIED},
    DecisionType.DRIFT: OPEN_STATES,
    DecisionType.CLOSE: frozenset(ChangeState),
}


class ChangeStatus(Struct, frozen=True, kw_only=True):
    """One change's state, and the decision and time behind it."""

    state: ChangeState = ChangeState.PENDING
    decision: str | None = None
    since: datetime | None = None


class ProposalStatus(Struct, frozen=True, kw_only=True):
    """One proposal as the log tells it.

    Attributes:
        id: The proposal.
        sha256: Hex SHA-256 of its file's bytes, from its leaf.
        kind: Why it was made.
        lane: Who made it.
        created: Clocks at its leaf.
        changes: State of each change, by number.
    """

    id: str
    sha256: str
    kind: Kind
    lane: str
    created: Moment
    changes: dict[int, ChangeStatus]

    def state_of(self, n: int) -> ChangeState:
        """Give the state of change ``n``; withdrawn where there is no such change."""
        status = self.changes.get(n)
        return status.state if status else ChangeState.WITHDRAWN

    def open_changes(self) -> tuple[int, ...]:
        """Give the numbers of the changes that still wait for an answer, ascending."""
        return self._in(OPEN_STATES)

    def answerable(self, kind: DecisionType) -> tuple[int, ...]:
        """Give the numbers of the changes that a decision of this kind may be about, ascending.

        An approval can be taken back by a rejection until it is applied: that is what the
        cooling is for. What drifted stands in the file already: it is kept or taken back by a
        decision of type ``drift``, and neither approved nor rejected.
        """
        if kind is not DecisionType.UNDO and (kind is DecisionType.DRIFT) != (self.kind is Kind.DRIFT):
            return ()
        return self._in(ANSWERABLE.get(kind, ()))

    def revocable(self) -> tuple[int, ...]:
        """Give the numbers of the changes that wait or are to be applied, in order."""
        return self._in(REVOCABLE)

    def approved_by(self, decision: str) -> tuple[int, ...]:
        """Give the numbers of the changes that this decision approved and that are still to be applied."""
        return tuple(n for n in self._in({ChangeState.APPROVED}) if self.changes[n].decision == decision)

    def _in(self, states: Collection[ChangeState]) -> tuple[int, ...]:
        return tuple(sorted(n for n, change in self.changes.items() if change.state in states))


class DecisionStatus(Struct, frozen=True, kw_only=True):
    """One recorded decision.

    Attributes:
        id: The decision.
        sha256: Hex SHA-256 of its file's bytes, from its leaf.
        type: What was decided.
        proposal: What it is about.
        changes: Which changes.
        recorded: Clocks at its leaf.
        trust: How many steps of the trust chain stand in the log before it: its signature is
            judged by those.
        signature_sha256: Hex SHA-256 of its signature's file; empty in entries of older versions.
        losses: How many times entries had been lost before it: it names a head behind them.
        line: Line of the log in which it was recorded, from 1; 0 where the fold was not told.
    """

    id: str
    sha256: str
    type: DecisionType
    proposal: str
    changes: tuple[int, ...]
    recorded: Moment
    trust: int = 0
    signature_sha256: str = ""
    losses: int = 0
    line: int = 0


class AppliedTarget(Struct, frozen=True, kw_only=True):
    """What an apply did to one file; hashes are hex SHA-256 of whole files, kept as blobs.

    Attributes:
        path: The file.
        before: What stood in it.
        after: What was put there.
        accepted_before: What was accepted before; empty where that is ``before``.
        accepted: What is accepted since; empty where that is ``after``. It differs while drift
            stands in the file that the operator has not settled.
        signed_base: What the entry says was signed for it to begin with.
        signed_result: What it says was signed for it to end with.
    """

    path: str
    before: str
    after: str
    accepted_before: str = ""
    accepted: str = ""
    signed_base: str = ""
    signed_result: str = ""


class Apply(Struct, frozen=True, kw_only=True):
    """One apply or undo, as it stands in the log, with what the log said where it began.

    Attributes:
        id: Id of the intent.
        line: Its line in the log, from 1; 0 where the fold was not told.
        decision: The decision that it names.
        proposal: The proposal that it names.
        changes: Numbers of the changes that it carries out.
        taken_back: Numbers of the changes of a drift that it takes back.
        targets: What it does to each file.
        standing: Numbers of the changes that this decision could carry out there; None where no such
            decision about this proposal was recorded before it.
        accepted: For each file, hex SHA-256 of the bytes accepted before it; None where none were.
        again: Whether this very apply was open, or its decision settles a drift and had done so.
        trust: How many steps of the trust chain stand before it.
        began: Its clocks.
        latest: The latest time of any entry up to it.
        clocks: Those of the entry that says its outcome.
        outcome: ``intent`` while unfinished, ``done``, ``aborted`` or ``raced``.
        ended: Line of the entry that says so, from 1; 0 while there is none.
        outcomes: How many outcomes there were when it deleted a link; None where it did not.
    """

    id: str
    line: int
    decision: str
    proposal: str
    changes: tuple[int, ...]
    taken_back: tuple[int, ...]
    targets: tuple[AppliedTarget, ...]
    standing: frozenset[int] | None
    accepted: Mapping[str, str | None]
    again: bool
    trust: int
    began: Moment
    latest: datetime
    clocks: Moment
    outcome: str = "intent"
    ended: int = 0
    outcomes: int | None = None

    @property
    def at(self) -> datetime:
        """When the intent was logged, then when it was finished."""
        return self.clocks.at


class Restored(Struct, frozen=True, kw_only=True):
    """A home that was put back to an older state, or was taken over without what was known of it.

    Attributes:
        at: When that was logged.
        line: Line of the log that says so, from 1.
        size: Entries of the log as it stood there.
        lost: Entries that had been seen and are lost.
        root: Hex root of the longest log that was seen; empty where nobody signed.
        decision: Id of the decision by which an operator accepted that; empty where nobody signed.
    """

    at: datetime
    line: int
    size: int
    lost: int
    root: str
    decision: str


class Gone(StrEnum):
    """Why bytes that the log names were removed."""

    EXPIRED = "expired"
    """No open undo window and nothing that waits needed them any more."""
    EXPUNGED = "expunged"
    """The operator had a leaked text removed, and they held it."""


class Book(Struct, frozen=True, kw_only=True):
    """Everything that the audit log says about the gate.

    Attributes:
        proposals: By id, in order of their leaves.
        decisions: By id, in order.
        applies: By id, in order.
        cut_short: Ids of those that have begun and not ended, each with whether it is what an operator signed.
        gated: For each gated file, hex SHA-256 of the bytes last accepted. A fold alone takes the log's word;
            ``gate/opening.py`` puts in its place what a signature was checked for.
        claimed: The same by the log's word alone.
        genesis: Fields of the first leaf; empty where there is none.
        trust: The chain of trust files.
        gone: Why what is no longer there was removed, by its hex SHA-256.
        gone_at: When what is gone was removed, by its hash: the latest time of any entry up to the one that says so.
        drifts: For each file, what the guard last found in it that was not accepted, and left there.
        accepted: For each gated file, since when all bytes that ever were are accepted, by hex SHA-256, the oldest first.
        protected: For each protected file, hex SHA-256 of the bytes first seen, or acknowledged since.
        races: What others wrote at the moment of an apply and was not offered yet.
        locked: Files locked by the operating system, as ``guard --lock`` logged them; empty after ``--unlock``.
        begun: Every apply that the log tells of, in order, with what stood where it began.
        unfounded: Lines, from 1, of entries that count for nothing where they stand, each with why.
        expunged: What the log says that each decision about a leaked text removed, as hex SHA-256.
        withheld: Keyed hashes by which what each of them expunged is known again.
        settled: Proposals of which nothing waits and nothing is still to be applied, as far as whoever
            made the book knows; they need not be looked at for that. There may be more of them.
        kept: For each daily log and file of the archive that an apply or undo wrote, hex SHA-256 of what it
            put there last; later changes of others do not count.
        copies: For each daily log that is compressed, the file of the archive with its full text.
        names: The id that an entry keeps, by the one that its section and wording now give: of edited ones.
        edited_at: When each of them was last edited, by the id that it keeps.
        applied_at: When something of a proposal was last applied or undone, for each of which something was.
        restored: Every time that entries of the log were lost, or that an operator vouched for it.
        asked_again: The last line of the log that has a heading of notes asked about again, by the heading's hash.
    """

    proposals: dict[str, ProposalStatus] = field(default_factory=dict)
    decisions: dict[str, DecisionStatus] = field(default_factory=dict)
    applies: Mapping[str, Apply] = field(default_factory=dict)
    cut_short: Mapping[str, bool] = field(default_factory=dict)
    gated: Mapping[str, str] = field(default_factory=dict)
    claimed: Mapping[str, str] = field(default_factory=dict)
    genesis: Mapping[str, Any] = field(default_factory=dict)
    settled: Collection[str] = frozenset()
    applied_at: dict[str, datetime] = field(default_factory=dict)
    trust: TrustChain = NO_CHAIN
    gone: dict[str, Gone] = field(default_factory=dict)
    gone_at: dict[str, datetime] = field(default_factory=dict)
    drifts: dict[str, Drift] = field(default_factory=dict)
    accepted: dict[str, dict[str, datetime]] = field(default_factory=dict)
    protected: Mapping[str, str] = field(default_factory=dict)
    races: tuple[Raced, ...] = ()
    locked: frozenset[str] = frozenset()
    names: dict[str, str] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    edited_at: dict[str, datetime] = field(default_factory=dict)
    begun: tuple[Apply, ...] = ()
    unfounded: dict[int, str] = field(default_factory=dict)
    expunged: dict[str, Sequence[str]] = field(default_factory=dict)
    restored: tuple[Restored, ...] = ()
    withheld: dict[str, tuple[str, ...]] = field(default_factory=dict)
    asked_again: dict[str, int] = field(default_factory=dict)

    def live(self) -> Iterator[ProposalStatus]:
        """Give the proposals of which something waits or is still to be applied, in order; perhaps some others."""
        return (self.proposals[name] for name in self.proposals if name not in self.settled)

    def unfinished(self) -> tuple[Apply, ...]:
        """Give the applies that a crash cut short."""
        return tuple(self.applies[name] for name in self.cut_short)

    def accepted_of(self, path: str) -> str | None:
        """Give the hex SHA-256 of the bytes of a gated or protected file that were accepted last; a new skill's are none."""
        return self._hash_of(path, self.gated)

    def claimed_of(self, path: str) -> str | None:
        """Give the same as the log alone tells it, whoever signed for it."""
        return self._hash_of(path, self.claimed)

    def _hash_of(self, path: str, gated: Mapping[str, str]) -> str | None:
        return gated.get(path, self.protected.get(path, EMPTY_SHA256 if skill_name(path) else None))

    def accepted_at(self, path: str, sha256: str) -> datetime | None:
        """Give since when bytes of a gated file were accepted, where that is over; what only the log says is left out."""
        for known, at in self.accepted.get(path, {}).items():
            if known == sha256:
                return at
            if known == self.gated[path]:
                break
        return None

    def is_disputed(self, path: str) -> bool:
        """Tell whether the log says that bytes of a gated file were accepted that no operator signed."""
        return self.claimed.get(path) != self.gated.get(path)

    def open_drift(self, path: str) -> Drift | None:
        """Give what the guard last found in a file, while the operator has not settled it."""
        drift = self.drifts.get(path)
        status = self.proposals.get(drift.proposal) if drift else None
        return drift if status is not None and status.open_changes() else None

    def unsettled(self) -> tuple[DecisionStatus, ...]:
        """Give the decisions about drift that were recorded and not carried out, in signing order."""
        done = {apply.decision for apply in self.applies.values() if apply.outcome != "aborted"}
        return tuple(
            decision
            for decision in self.decisions.values()
            if decision.type is DecisionType.DRIFT
            and decision.id not in done
            and self.proposals[decision.proposal].open_changes()
        )

    def closed(self) -> frozenset[str]:
        """Give the proposals that the operator gave up because their files were altered or lost."""
        return frozenset(d.proposal for d in self.decisions.values() if d.type is DecisionType.CLOSE)

    def approvals_to_apply(self) -> tuple[DecisionStatus, ...]:
        """Give the approvals of which some change is still to be applied, in signing order."""
        approving = {
            change.decision
            for status in self.live()
            for change in status.changes.values()
            if change.state is ChangeState.APPROVED
        }
        return tuple(self.decisions[name] for name in self.decisions if name in approving)


def proposal_state(status: ProposalStatus, now: datetime, cools_until: Mapping[str, datetime]) -> str:
    """Give the one word that lists show for a proposal.

    The first that fits: something waits (``pending``, ``stale``, ``deferred``), something
    is signed (``cooling`` or ``approved``), else what became of the last change answered.

    Args:
        status: The proposal.
        now: The time; aware, UTC.
        cools_until: For each approval, when its cooling is over.
    """
    states = [change.state for change in status.changes.values()]
    for waiting in (ChangeState.PENDING, ChangeState.STALE, ChangeState.DEFERRED):
        if waiting in states:
            return waiting.value
    if ChangeState.APPROVED in states:
        ends = [
            cools_until[change.decision or ""]
            for change in status.changes.values()
            if change.state is ChangeState.APPROVED and change.decision in cools_until
        ]
        return "cooling" if any(now < end for end in ends) else "approved"
    if ChangeState.APPLIED in states:
        return ChangeState.APPLIED.value
    return states[-1].value if states else ChangeState.WITHDRAWN.value


class LazyMap(Mapping[str, V]):
    """Values by name, made one at a time; a log of many years holds thousands that nobody asks for."""

    __slots__ = ("_made", "_make", "_raw")

    def __init__(self, raw: Mapping[str, Any], make: Callable[[Any], V]) -> None:
        """Take what the values are made from, and how.

        Args:
            raw: By name; must not be changed any more.
            make: Gives the value for what stands under a name.
        """
        self._raw = raw
        self._make = make
        self._made: dict[str, V] = {}

    def __getitem__(self, name: str) -> V:  # type: ignore[explicit-override]  # typing.override is newer than 3.11
        """Give the value; KeyError where there is none."""
        if name not in self._made:
            self._made[name] = self._make(self._raw[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:  # type: ignore[explicit-override]  # as above
        """Give the names, in their order; nothing is made."""
        return iter(self._raw)

    def __len__(self) -> int:  # type: ignore[explicit-override]  # as above
        """Count the names; nothing is made."""
        return len(self._raw)

    def __contains__(self, name: object) -> bool:  # type: ignore[explicit-override]  # as above
        """Tell whether there is such a name; nothing is made."""
        return name in self._raw
