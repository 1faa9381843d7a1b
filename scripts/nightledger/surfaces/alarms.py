"""What the operator should see before anything else: bytes that are not what was signed or logged."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from nightledger.domain.decision import DecisionType
from nightledger.domain.moment import Moment
from nightledger.domain.states import Book, DecisionStatus
from nightledger.files.configuration import why_no_operator
from nightledger.files.home import Home
from nightledger.gate.integrity.checking import find_altered
from nightledger.gate.opening import AS_MADE, MEND, Gate, Ledger, why_no_consent
from nightledger.surfaces.channel.dead_letters import recent_dead_letters, told
from nightledger.surfaces.drift_text import drift_alarms
from nightledger.surfaces.restored_text import TAKE_OVER, restored_text
from nightledger.surfaces.witnessing.findings import look
from nightledger.trust.pin import NO_PIN
from nightledger.trust.reading import VerifiedLog
from nightledger.trust.report import Damage

_PUT_BACK = "put the file back from a backup; until then it is set aside ('nightledger verify' checks all)"
_PUT_BACK_TRUST = "nightledger key restore; until then the file that the log names stays in force"
_MEND_OPERATOR = (
    "mend it; until then guard and apply refuse: it may say what a secret is, and how to unlock a file"
)

_DAMAGED = "nothing else is read from a damaged log; 'nightledger verify' says all of it"
_PUT_BACK_YOURSELF = f"{TAKE_OVER}, if you put an older state back yourself: you sign for what is lost"
RESTORED_SHOWN = timedelta(days=7)
STRICTEST = "until then the strictest values that are known count, and nothing is proposed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """Something that the operator should see before anything else.

    Attributes:
        kind: ``integrity``, ``drift``, ``changed``, ``witness``, ``settings``, ``consent``, ``letters``, ``failed``, ``missed``,
            ``restored`` or ``machine``.
        message: What and where, one sentence.
        hint: The next step.
    """

    kind: str
    message: str
    hint: str

    @property
    def of_integrity(self) -> bool:
        """Whether bytes are not what was signed or logged."""
        return self.kind in ("integrity", "drift")


def log_alarms(log: VerifiedLog, *, pinned: bool) -> list[Alarm]:
    """Name the first damage of the log, and that nobody could check its signatures."""
    alarms = [
        Alarm(
            kind="integrity",
            message=f"{found.damage.value.upper()} {found.path}: {found.message}",
            hint=_PUT_BACK_YOURSELF if found.damage is Damage.ROLLBACK else _DAMAGED,
        )
        for found in log.report.alarms[:1]
    ]
    if not pinned:
        alarms.append(
            Alarm(
                kind="integrity",
                message="this machine has not pinned the log's keys: its signatures were not checked",
                hint=NO_PIN,
            )
        )
    return alarms


def file_alarms(home: Home, log: VerifiedLog, book: Book, at: Moment) -> list[Alarm]:
    """Check what is still to be acted upon; ``verify`` checks everything that ever was."""
    approvals = {decision.id: decision for decision in book.approvals_to_apply()}
    approved = {decision.proposal for decision in approvals.values()}
    trusted = {step.decision: book.decisions[step.decision] for step in book.trust.steps if step.decision}
    live = replace(
        book,
        proposals={
            name: status
            for name, status in ((one.id, one) for one in book.live())
            if status.open_changes() or name in approved
        },
        decisions={**approvals, **trusted, **_last_review(book), **_signed_losses(book)},
    )
    altered = [
        Alarm(
            kind="integrity",
            message=f"{found.path}: {found.message}",
            hint=_hint(found.path, home, is_kept=found.is_kept),
        )
        for found in find_altered(home, Ledger(log=log, book=live), at)
    ]
    return [
        *_reset_alarms(book, at),
        *_restored_alarms(book, at),
        *altered,
        *(Alarm(kind=kind, message=text, hint=hint) for kind, text, hint in drift_alarms(home, book)),
        *_witness_alarms(home, Ledger(log=log, book=book), at),
    ]


def _hint(path: str, home: Home, *, is_kept: bool) -> str:
    if path == home.relative(home.identity_file):
        return f"{AS_MADE}; until then nothing is proposed, signed or applied"
    return _PUT_BACK_TRUST if is_kept else _PUT_BACK


def _last_review(book: Book) -> dict[str, DecisionStatus]:
    """Give the decision that what is autonomous rests on, by its id."""
    decisions = (book.decisions[name] for name in reversed(tuple(book.decisions)))
    reviews = (one for one in decisions if one.type is DecisionType.CONSENT)
    return {one.id: one for one in islice(reviews, 1)}


def _signed_losses(book: Book) -> dict[str, DecisionStatus]:
    """Return the decisions by which entries of the log are lost, by their ids."""
    names = (one.decision for one in book.restored)
    return {name: book.decisions[name] for name in names if name in book.decisions}


def _restored_alarms(book: Book, at: Moment) -> list[Alarm]:
    recent = [one for one in book.restored if at.at < one.at + RESTORED_SHOWN]
    return [Alarm(kind="restored", message=restored_text(one), hint="nightledger verify") for one in recent]


def side_alarms(gate: Gate, now: datetime) -> list[Alarm]:
    """Name settings and a consent graph that cannot be used, and messages that no machine ever took in."""
    alarms, home = [], gate.home
    if gate.settings_problem:
        first = gate.settings_problem.split("\n", 1)[0]
        alarms.append(Alarm(kind="settings", message=first, hint=f"{MEND}; {STRICTEST}"))
    if problem := why_no_operator(str(gate.ring.directory)):
        alarms.append(Alarm(kind="settings", message=problem, hint=_MEND_OPERATOR))
    if why := why_no_consent(home):
        alarms.append(
            Alarm(kind="consent", message=why, hint="mend or remove that file; until then nothing is applied")
        )
    if letters := recent_dead_letters(home, now):
        alarms.append(
            Alarm(kind="letters", message=told(letters), hint="'nightledger channel status' says why")
        )
    return alarms


def _witness_alarms(home: Home, ledger: Ledger, at: Moment) -> list[Alarm]:
    return [
        Alarm(
            kind="witness" if found.damage is Damage.STALE_WITNESS else "integrity",
            message=f"{found.damage.value.upper()}: {found.message}",
            hint="nightledger witness ask",
        )
        for found in look(home, ledger, at).findings
    ]


def _reset_alarms(book: Book, at: Moment) -> list[Alarm]:
    pending = book.trust.pending_reset(at)
    if pending is None:
        return []
    hours = -(-pending.remaining_s(at) // 3600)
    return [
        Alarm(
            kind="integrity",
            message=f"the keys were reset, signed by nobody: another key counts in {hours} hours",
            hint="if that was not you: nightledger key confirm --sign-with FILE",
        )
    ]
