"""A home has its newest head cosigned: who is asked, what is kept and remembered, what is told of it, what is an alarm.

Invariant: the home's lock is not held meanwhile, a witness that does not answer holds up
nothing, and one that remembers another log is never passed over in silence. What is remembered of asking
(``.nightledger/witnesses.json``) is disposable: where it is missing, damaged or from another time, witnesses
are asked as if for the first time.

Invariant: a line is taken only when it holds for the very head that was asked for. When a
witness remembers a head that this log does not continue, that is told with the head
itself where the witness shows it: the log was cut, or there are two of it. Nothing is believed for where it
came from, so plain HTTP costs no more than that others can see how long the log is.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from nightledger.codec.canonical import MAX_INTEGER
from nightledger.domain.decision import Moment
from nightledger.domain.errors import EXIT_ALARM, IntegrityError, LockedError, NightledgerError
from nightledger.domain.settings import WitnessAddress
from nightledger.doors.transport import Caller, TransportError
from nightledger.files.atomic import Lock, replace_file
from nightledger.files.configuration import load_operator
from nightledger.files.durable import make_dir, read_optional
from nightledger.files.home import Home
from nightledger.gate import trusting
from nightledger.gate.checking import is_signed_for, verify_decisions
from nightledger.gate.opening import Gate, Ledger, open_gate, read_ledger, sign_head
from nightledger.surfaces import doctor_keys as doctor
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import actor_of, require_machine
from nightledger.trust import note as notes
from nightledger.trust.heads import Cosignatures, keep_lines
from nightledger.trust.merkle import Tree
from nightledger.trust.note import Checkpoint, parse_head, verifiers_of
from nightledger.trust.pin import Head, remember_head
from nightledger.trust.policy import Continuation, Policy, dump_continuation, verify_log
from nightledger.trust.report import Damage, Finding, contradicts

ADD_CHECKPOINT = "/add-checkpoint"
INCONSISTENT = 422
"""What a witness answers to a head that does not continue its own (C2SP tlog-witness); its name in ``http`` changes with Python."""
FILE = "witnesses.json"
MARK = "witness-due"
"""Disposable: when to ask next; its presence says that there is somebody to ask."""
REFRESH_S = 6 * 3600
"""A head that did not grow is cosigned again after this, so that 24 hours are never reached. Our choice."""
RETRY_S = 600
"""Who gave no line is asked again after this. Our choice."""
_MAX_BYTES = 1 << 18
_Count = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
"""No time and no size is larger; the sum of one of 4,300 digits could not be written down."""
LOCK = "witness"


class Remembered(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What came of asking one witness.

    Attributes:
        asked_at: When it was last asked, seconds since 1970 UTC by our clock; 0 for never.
        size: The size that it cosigned last, as far as is known.
        problem: Why it gave no line then, or what it remembers that this log does not continue; empty where it did.
        refused: Whether it said then that this log does not continue what it remembers, and showed no head.
        damage: What it means that the head that it showed is none of this log: ROLLBACK, when it saw a longer log, or FORK.
    """

    asked_at: _Count = 0
    size: _Count = 0
    problem: str = ""
    refused: bool = False
    damage: Damage | None = None

    @property
    def contradiction(self) -> str:
        """What it remembers, and what that means; empty where nothing is wrong."""
        return f"{self.damage.value.upper()}: {self.problem}" if self.damage else ""

    def next_s(self) -> int:
        """Give when it is to be asked again though the log did not grow, seconds since 1970 UTC; 0 for at once."""
        return self.asked_at and self.asked_at + (RETRY_S if self.problem else REFRESH_S)

    def is_due(self, now: datetime, size: int, *, refresh: bool) -> bool:
        """Tell whether to ask it now.

        Args:
            now: Aware.
            size: Size of the newest head.
            refresh: Whether a fresh time is needed even for a head that it cosigned.
        """
        if not self.asked_at <= now.timestamp() < self.next_s():
            return True
        return not self.problem and (refresh or self.size != size)


TIMEOUT_S = 5.0
"""For each step of a connection; a night must not wait for a machine that is off. Our choice."""
PATIENCE_S = 20.0
"""For a request and its answer: a witness that drips must not hold up the others, and what waits for them."""
MAX_ANSWER_BYTES = 1 << 18
_TRIES = 2
"""A witness that says where it stands is asked once more from there."""


class InconsistentError(IntegrityError):
    """A witness says that this log does not continue what it remembers."""


class Asked(Remembered, frozen=True, kw_only=True):
    """What came of asking one witness now.

    Attributes:
        name: Name of its keys.
        lines: Lines it gave for the head.
        seen: The head that it remembers, signed by the log and the witness, where this log does not continue it.
    """

    name: str
    lines: tuple[notes.NoteSignature, ...] = ()
    seen: Checkpoint | None = None


class LogView(Struct, frozen=True, kw_only=True):
    """This log as its witnesses are asked about it.

    Attributes:
        note: Its newest signed head.
        head: What the note says.
        tree: Of all its lines.
        policy: Whose lines count.
    """

    note: notes.Note
    head: Checkpoint
    tree: Tree
    policy: Policy


def ask_witness(name: str, url: str, view: LogView, known_size: int, now: datetime) -> Asked:
    """Ask one witness to cosign the newest head.

    Args:
        name: Name of its keys in the policy.
        url: Its submission and monitoring prefix.
        view: What is to be cosigned.
        known_size: The size that it cosigned last, as far as is known; 0 where nothing is.
        now: Our clock; aware.
    """
    size = known_size if known_size <= view.head.size else 0  # a log that was longer once: let it say so
    asked = Asked(name=name, asked_at=int(now.timestamp()), problem="it gave no line for this head")
    try:
        for _ in range(_TRIES):
            hashes = view.tree.consistency_proof(size, view.head.size) if size else ()
            request = Continuation(old_size=size, hashes=hashes, checkpoint=notes.dump_note(view.note))
            status, body = _exchange(url, ADD_CHECKPOINT, dump_continuation(request))
            if status != HTTPStatus.CONFLICT:
                return replace(asked, size=view.head.size, problem="", lines=_take(name, status, body, view))
            size = _conflict(body, view)
    except InconsistentError as error:
        return _contradicted(asked, url, view, str(error))
    except (TransportError, notes.NoteError) as error:
        return replace(asked, size=size, problem=str(error))
    return replace(asked, size=size)


def _exchange(url: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    caller = Caller(url=url, max_bytes=MAX_ANSWER_BYTES, timeout_s=TIMEOUT_S, patience_s=PATIENCE_S)
    return caller.exchange("GET" if body is None else "POST", path, body)


def _conflict(body: bytes, view: LogView) -> int:
    """Return the size that a witness says it cosigned last."""
    text = body.removesuffix(b"\n")
    if not (text.isdigit() and len(text) < 20):  # noqa: PLR2004 - digits of 2**63
        raise TransportError(f"it answered 409 with {body[:40]!r}, which is no size")
    if int(text) > view.head.size:
        raise InconsistentError(
            f"it says that it cosigned {int(text)} entries, and this log has {view.head.size}"
        )
    return int(text)


def _take(name: str, status: int, body: bytes, view: LogView) -> tuple[notes.NoteSignature, ...]:
    """Return the lines of an answer that are by this witness; they hold."""
    if status != HTTPStatus.OK:
        said = body[:200].decode("utf-8", "replace").strip()
        kind = InconsistentError if status == INCONSISTENT else TransportError
        raise kind(f"it answered {status}: {said}")
    whole = notes.parse_note(notes.dump_note(view.note) + body)
    return _held(
        name, notes.Note(text=whole.text, signatures=whole.signatures[len(view.note.signatures) :]), view
    )


def _held(name: str, note: notes.Note, view: LogView) -> tuple[notes.NoteSignature, ...]:
    """Return the lines by a witness.

    Raises:
        NoteError: There is none, or one does not hold.
    """
    return notes.verify_note(
        note, verifiers_of(witness.key for witness in view.policy.witnesses if witness.key.name == name)
    )


def _contradicted(asked: Asked, url: str, view: LogView, said: str) -> Asked:
    """Look at what the witness remembers, and say what that means for this log."""
    head = None
    try:
        head = _remembered(asked.name, url, view)
    except (TransportError, notes.NoteError) as error:
        said = f"{said} (what it remembers cannot be seen: {error})"
    if head is None:
        # Only its word, which pins nothing: anybody on the way could have said so.
        return replace(asked, problem=f"it does not cosign this log: {said}", refused=True)
    damage = contradicts(head, view.tree)
    if damage is None:  # what it shows is of this log: its answer was wrong, and there is nothing to fear
        return replace(asked, size=head.size, problem=said)
    told = f"the witness {asked.name} cosigned {head.size} entries that this log of {view.tree.size} does not continue"
    return replace(asked, size=head.size, problem=told, damage=damage, seen=head)


def _remembered(name: str, url: str, view: LogView) -> Checkpoint | None:
    """Return the head that a witness remembers of this log, signed by the log and by it."""
    origin = view.head.origin
    status, raw = _exchange(url, f"/{hashlib.sha256(origin.encode()).hexdigest()}/checkpoint")
    if status == HTTPStatus.NOT_FOUND:
        return None
    if status != HTTPStatus.OK:
        raise TransportError(f"{url} answered {status}")
    note, head = parse_head(raw)
    if head.origin != origin:
        raise TransportError("it shows a head of another log")
    verify_log(note, origin, view.policy.logs)
    _held(name, note, view)
    return head


class Round(Struct, frozen=True, kw_only=True):
    """What came of asking witnesses once.

    Attributes:
        asked: Each witness that was asked.
        met: Whether the quorum has now cosigned the newest head; True where it asks for nobody.
        standing: What witnesses remember that this log does not continue, now or when last asked.
    """

    asked: tuple[Asked, ...] = ()
    met: bool = True
    standing: tuple[str, ...] = ()


def ask_round(context: Context, *, everybody: bool = False) -> Round | None:
    """Ask the witnesses that are due to cosign the newest head, and keep their lines.

    Args:
        context: The command's surroundings.
        everybody: Ask all of them, whenever they were asked last.

    Returns:
        None where ``operator.yaml`` names no witness, or another run is asking.

    Raises:
        IntegrityError: The log or a trust file is not what was signed.
        RefusedError: Another machine writes this home.
    """
    addresses = load_operator(context.keys_dir).witnesses
    if not addresses:
        return None
    gate = open_gate(context.home_path, context.keys_dir, actor=actor_of(context))
    require_machine(gate.home)
    try:
        # One at a time: else a witness that cosigned for the other run would seem to be ahead of this log.
        with Lock(gate.home.lock_path(LOCK)):
            return _ask(gate, addresses, context.moment, everybody=everybody)
    except LockedError:
        return None


def ask_quietly(context: Context) -> int:
    """Ask as part of an unattended run, or behind a person's answers; says nothing unless it is an alarm.

    Returns:
        0, or the status of an integrity alarm.

    Raises:
        IntegrityError: The log or a trust file is not what was signed.
    """
    found = ask_round(context)
    for told in found.standing if found else ():
        context.note(f"error: {screen.shown(told)}")
        context.note("hint: somebody put this home back to an older state, or there are two of it; keep both")
    return EXIT_ALARM if found and found.standing else 0


def ask_behind(context: Context) -> None:
    """Ask behind a person's answers, so that their waits begin now; whatever comes of it, the answers stand."""
    if not os.path.exists(os.path.join(Home(context.home_path).work_dir, MARK)):
        return
    try:
        ask_quietly(context)
    except (NightledgerError, OSError) as error:
        context.note(
            f"note: witnesses were not asked ({screen.shown(str(error))}); the next 'nightledger apply' asks them"
        )


def _ask(gate: Gate, addresses: Mapping[str, WitnessAddress], moment: Moment, *, everybody: bool) -> Round:
    sign_head(gate, moment)
    note, head = parse_head(Path(gate.home.checkpoint).read_bytes())
    ledger = read_ledger(gate)
    policy = trusting.read_policy(gate.home, ledger, moment)
    view = LogView(note=note, head=head, tree=ledger.log.tree, policy=policy)
    names = list(dict.fromkeys(witness.key.name for witness in policy.witnesses))
    memory = read_memory(gate.home)
    refresh = policy.asks and bool(ledger.book.approvals_to_apply())
    asked = []
    for name in names:
        known = memory.get(name, Remembered())
        due = everybody or known.is_due(moment.at, head.size, refresh=refresh)
        if name in addresses and due:
            found = ask_witness(name, addresses[name].url.rstrip("/"), view, known.size, moment.at)
            asked.append(found)
            memory[name] = Remembered(
                **{field: getattr(found, field) for field in Remembered.__struct_fields__}
            )
            _keep(gate, ledger, view, found)
    kept = {name: memory[name] for name in names if name in memory}
    write_memory(gate.home, kept)
    newest = Cosignatures(gate.home, policy, ledger.log.tree).newest()
    return Round(
        asked=tuple(asked),
        met=not policy.asks or (newest is not None and newest[0].checkpoint.size == head.size),
        standing=tuple(known.contradiction for known in kept.values() if known.contradiction),
    )


def _keep(gate: Gate, ledger: Ledger, view: LogView, found: Asked) -> None:
    """Keep the lines of a witness, and pin what it saw, so that every later look at the log finds it, and the gate refuses.

    Not where the log says that the operator took an older backup over: then the alarm stands
    until they sign a policy with another witness, and the gate must stay open for that.
    """
    if found.lines:
        kept = Cosignatures(gate.home, view.policy, ledger.log.tree).kept_size()
        first = trusting.has_waits_between(ledger.log, kept, view.head.size)
        keep_lines(gate.home, view.policy, view.note, found.lines, first=first)
    if found.seen:
        held = verify_decisions(gate.home, ledger).decisions
        if not any(one.lost and is_signed_for(one, held.get(one.decision)) for one in ledger.book.restored):
            at = datetime.fromtimestamp(found.asked_at, UTC)
            remember_head(
                gate.ring, gate.home.identity.id, Head(size=found.seen.size, root=found.seen.root, at=at)
            )


def read_memory(home: Home) -> dict[str, Remembered]:
    """Read what is remembered, by the names of the witnesses' keys; nothing where another version wrote it otherwise."""
    try:
        raw = read_optional(os.path.join(home.work_dir, FILE), _MAX_BYTES, within=home.root)
        return msgspec.json.decode(raw or b"{}", type=dict[str, Remembered])
    except (NightledgerError, msgspec.MsgspecError, ValueError, RecursionError):
        return {}


def write_memory(home: Home, memory: Mapping[str, Remembered]) -> None:
    """Write down what is to be remembered, and beside it when to ask next."""
    make_dir(home.work_dir)
    replace_file(os.path.join(home.work_dir, FILE), msgspec.json.encode(memory, order="sorted"))
    next_at = min((remembered.next_s() for remembered in memory.values()), default=0)
    replace_file(os.path.join(home.work_dir, MARK), f"{next_at}\n".encode("ascii"))


def look(home: Home, ledger: Ledger, at: Moment) -> trusting.WitnessLook:
    """Look at a home's witnesses, by the policy in force.

    Raises:
        IntegrityError: The policy in force cannot be told.
    """
    policy = trusting.read_policy(home, ledger, at)
    found = trusting.look_at_witnesses(home, Cosignatures(home, policy, ledger.log.tree), at.at)
    return replace(found, findings=(*_told(home, policy), *found.findings))


def check_witnesses(
    home: Home, ledger: Ledger, seen: trusting.WitnessLook, keys_dir: str, at: Moment
) -> Iterator[doctor.Check]:
    """Say for ``doctor`` how the home stands with its witnesses; what they speak against is told as what ``verify`` found.

    Args:
        home: Whose.
        ledger: Its log.
        seen: What they said.
        keys_dir: Where ``operator.yaml`` lies.
        at: The clocks.
    """
    policy = trusting.read_policy(home, ledger, at)
    if not policy.asks:
        yield doctor.found("witness.none")
        return
    addresses = load_operator(keys_dir).witnesses
    if seen.at and not seen.findings:
        yield doctor.found("witness.good", size=seen.size, at=seen.at)
    names = dict.fromkeys(witness.key.name for witness in policy.witnesses)
    for name in names:
        if name not in addresses:
            yield doctor.found("witness.no_address", name=name)
    for name, known in read_memory(home).items():
        if name in names and known.problem and not (known.damage or known.refused):
            yield doctor.found("witness.silent", name=name, problem=known.problem)


def _told(home: Home, policy: Policy) -> Iterator[Finding]:
    """Yield what witnesses of the policy said the last time they were asked: what they remember instead, or a bare no.

    Not every witness shows a head that would prove it (C2SP tlog-witness asks for none). Unproved it is not: ROLLBACK
    or FORK.
    """
    names = {witness.key.name for witness in policy.witnesses}
    for name, known in read_memory(home).items():
        if known.damage and name in names:
            yield Finding(damage=known.damage, path=home.audit_log, line=None, message=known.problem)
        elif known.refused and name in names:
            message = f"{name} gave no line: {known.problem}; it showed no head that would prove it"
            yield Finding(damage=Damage.STALE_WITNESS, path=home.cosigned, line=None, message=message)
