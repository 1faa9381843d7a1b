"""What the operator should see before anything else: bytes that are not what was signed or logged."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from nightledger.domain.moment import Moment
from nightledger.domain.states import Book
from nightledger.files.configuration import why_no_operator
from nightledger.files.home import Home
from nightledger.gate.opening import AS_MADE, MEND, Gate, why_no_consent
from nightledger.remote.notes import recent_dead_letters, told
from nightledger.surfaces.restored_text import TAKE_OVER, loss_text, restored_text
from nightledger.trust.pin import NO_PIN
from nightledger.trust.reading import VerifiedLog
from nightledger.trust.report import Damage

if TYPE_CHECKING:
    from nightledger.surfaces.verbs.verify import Seen

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
        """Whether bytes are not what was signed or logged, or no witness has confirmed of late that they are."""
        return self.kind in ("integrity", "drift", "witness")


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


def file_alarms(home: Home, seen: "Seen", book: Book, at: Moment) -> list[Alarm]:
    """Name what ``verify`` finds beside a log that holds, and what of it waits for the operator."""
    altered = [
        Alarm(
            kind="integrity",
            message=f"{name} {found.path}: {found.message}",
            hint=_hint(name, found.path, home, is_kept=found.is_kept),
        )
        for name, found in seen.damaged
    ]
    return [
        *reset_alarms(book, at),
        *_restored_alarms(book, at),
        *altered,
        *(Alarm(kind=kind, message=text, hint=hint) for kind, text, hint in drift_alarms(home, book)),
        *_witness_alarms(seen),
    ]


def _hint(name: str, path: str, home: Home, *, is_kept: bool) -> str:
    if path == home.relative(home.identity_file):
        return f"{AS_MADE}; until then nothing is proposed, signed or applied"
    return (
        _PUT_BACK_TRUST
        if is_kept
        else _PUT_BACK
        if name == "ALTERED"
        else "'nightledger verify' says all of it"
    )


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


def _witness_alarms(seen: "Seen") -> list[Alarm]:
    return [
        Alarm(
            kind="witness" if found.damage is Damage.STALE_WITNESS else "integrity",
            message=f"{found.damage.value.upper()}: {found.message}",
            hint="nightledger witness ask",
        )
        for found in seen.told
    ]


def reset_alarms(book: Book, at: Moment) -> list[Alarm]:
    """Name each reset of the keys that waits, or took force less than a week ago."""
    return [
        Alarm(kind="integrity", message=loss_text(step), hint="if that was not you, keep the home as it is")
        if step.loss is not None
        else Alarm(
            kind="integrity",
            message=f"the keys were reset, signed by nobody: another key counts in {-(-left_s // 3600)} hours",
            hint="if that was not you: nightledger key confirm --sign-with FILE",
        )
        if (left_s := step.remaining_s(at))
        else Alarm(
            kind="integrity",
            message=f"the keys were reset on {step.since.at:%Y-%m-%d %H:%M} UTC, signed by nobody: another key counts",
            hint="if that was not you, somebody has the log's key: nightledger key reset",
        )
        for step in book.trust.recent_resets(at)
    ]


def drift_alarms(home: Home, book: Book) -> Iterator[tuple[str, str, str]]:
    """Give kind, message and next step of each: gated files first, then protected ones."""
    from nightledger.gate.integrity.checking import DISPUTED, accepted_since, find_drift, find_unsettled

    drifted = find_drift(home, book)
    for path in home.identity.gated:
        if book.is_disputed(path):
            hint = "'nightledger verify' names the entry, and 'nightledger review' asks about what stands in the file"
            yield "integrity", f"{path}: {DISPUTED}", hint
    for path in drifted:
        at = accepted_since(home, book, path)
        message = f"{path} was changed outside Nightledger since it was last signed"
        if at:
            message = f"{path} went back to what was accepted on {at:%Y-%m-%d %H:%M} UTC"
        yield "drift", message, "'nightledger review' asks about each hunk"
    for path in find_unsettled(home, book):
        if path not in drifted:
            message = f"{path}, a protected file, has changed since it was first seen or acknowledged"
            yield "changed", message, "'nightledger review' shows how; it is never changed by us"
