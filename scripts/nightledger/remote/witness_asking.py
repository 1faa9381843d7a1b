"""A home has its newest head cosigned: who is asked, what is kept and remembered, what is an alarm.

Invariant: the home's lock is not held meanwhile, a witness that does not answer holds up
nothing, and one that remembers another log is never passed over in silence. What is remembered of asking
(``.nightledger/witnesses.json``) is disposable: where it is missing, damaged or from another time, witnesses
are asked as if for the first time.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from nightledger.domain.errors import EXIT_ALARM, LockedError, NightledgerError
from nightledger.domain.moment import Moment
from nightledger.domain.operator import WitnessAddress
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import load_operator
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.lock import Lock
from nightledger.files.reading import read_optional
from nightledger.gate.integrity.checking import verify_decisions
from nightledger.gate.integrity.witnessing import has_waits_between, read_policy
from nightledger.gate.opening import Gate, Ledger, open_gate, read_ledger, sign_head
from nightledger.gate.restoring import is_signed_for
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import actor_of, require_machine
from nightledger.trust.checkpoint import parse_checkpoint
from nightledger.trust.cosigned import Cosignatures, keep_lines
from nightledger.trust.cosigning import Asked, Channel, Contradiction, LogView, ask_witness
from nightledger.trust.note import parse_note
from nightledger.trust.pin import Head, remember_head
from nightledger.trust.policy import Policy

FILE = "witnesses.json"
MARK = "witness-due"
"""Disposable: when to ask next; its presence says that there is somebody to ask."""
REFRESH_S = 6 * 3600
"""A head that did not grow is cosigned again after this, so that 24 hours are never reached. Our choice."""
_FIRST_RETRY_S = 60
_LAST_RETRY_S = 3600
_MAX_BYTES = 1 << 18
_MAX_SHIFT = 10
_MOST = 1 << 53
"""No time and no size is larger; the sum of one of 4,300 digits could not be written down."""
LOCK = "witness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What came of asking one witness.

    Attributes:
        asked_at: When it was last asked, seconds since 1970 UTC by our clock; 0 for never.
        size: The size that it cosigned last, as far as is known.
        failures: How often in a row it gave no line.
        problem: Why, the last time.
        refused: Whether it said then that this log does not continue what it remembers, and showed no head.
        contradiction: What it remembers that this log does not continue; empty where nothing.
        taken: Over a spool, hash of the request whose answer was taken last.
    """

    asked_at: int = 0
    size: int = 0
    failures: int = 0
    problem: str = ""
    refused: bool = False
    contradiction: str = ""
    taken: str = ""

    def next_s(self) -> int:
        """Give when it is to be asked again though the log did not grow, seconds since 1970 UTC; 0 for at once."""
        if not self.asked_at:
            return 0
        if not self.failures:
            return self.asked_at + REFRESH_S
        return self.asked_at + min(_LAST_RETRY_S, _FIRST_RETRY_S << min(self.failures - 1, _MAX_SHIFT))

    def is_due(self, now: datetime, size: int, *, refresh: bool) -> bool:
        """Tell whether to ask it now.

        Args:
            now: Aware.
            size: Size of the newest head.
            refresh: Whether a fresh time is needed even for a head that it cosigned.
        """
        if not self.asked_at <= now.timestamp() < self.next_s():
            return True
        return not self.failures and (refresh or self.size != size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What came of asking witnesses once.

    Attributes:
        asked: Each witness that was asked.
        met: Whether the quorum has now cosigned the newest head; True where it asks for nobody.
        strangers: Names in ``operator.yaml`` that are not in the policy.
        unreachable: Names in the policy of which ``operator.yaml`` has no address.
        standing: What witnesses remember that this log does not continue, now or when last asked.
    """

    asked: tuple[Asked, ...] = ()
    met: bool = True
    strangers: tuple[str, ...] = ()
    unreachable: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()


def _channel(address: WitnessAddress, log: str, now: datetime, taken: set[str]) -> Channel:
    """Give the way to a witness that ``operator.yaml`` names."""
    from nightledger.remote.witness_ways import HttpChannel, SpoolChannel

    if address.spool:
        return SpoolChannel(directory=address.spool, origin_sha256=log, now=now, taken=taken)
    return HttpChannel(url=address.url.rstrip("/"))


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
    note = parse_note(Path(gate.home.checkpoint).read_bytes())
    ledger = read_ledger(gate)
    policy = read_policy(gate.home, ledger, moment)
    view = LogView(note=note, tree=ledger.log.tree, policy=policy)
    names = list(dict.fromkeys(witness.key.name for witness in policy.witnesses))
    memory = read_memory(gate.home)
    refresh = policy.asks and bool(ledger.book.approvals_to_apply())
    asked = []
    for name in names:
        known = memory.get(name, Remembered())
        due = everybody or known.is_due(moment.at, view.head.size, refresh=refresh)
        if name in addresses and due:
            log = hashlib.sha256(view.head.origin.encode()).hexdigest()
            taken = {known.taken}
            found = ask_witness(name, _channel(addresses[name], log, moment.at, taken), view, known.size)
            asked.append(found)
            memory[name] = _remember(known, found, moment.at, taken)
    _keep(gate, ledger, policy, asked)
    for found in asked:
        _pin_contradiction(gate, ledger, found, moment.at)
    write_memory(gate.home, {name: memory[name] for name in names if name in memory})
    return Round(
        asked=tuple(asked),
        met=not policy.asks or _cosigned_size(gate, policy, ledger) == view.head.size,
        strangers=tuple(name for name in addresses if name not in names),
        unreachable=tuple(name for name in names if name not in addresses),
        standing=tuple(
            memory[name].contradiction for name in names if name in memory and memory[name].contradiction
        ),
    )


def _keep(gate: Gate, ledger: Ledger, policy: Policy, asked: Sequence[Asked]) -> None:
    for cosigned in (one for found in asked for one in found.cosigned):
        size = parse_checkpoint(cosigned.note.text).size
        kept = Cosignatures(gate.home, policy, ledger.log.tree).kept_size()
        first = has_waits_between(ledger.log, kept, size)
        keep_lines(gate.home, policy, cosigned.note, cosigned.lines, first=first)


def _remember(known: Remembered, found: Asked, now: datetime, taken: set[str]) -> Remembered:
    return replace(
        known,
        asked_at=int(now.timestamp()),
        size=found.size,
        failures=known.failures + 1 if found.problem else 0,
        problem=found.problem,
        refused=found.refused,
        contradiction=_told(found.contradiction) if found.contradiction else "",
        taken=next(iter(taken - {known.taken}), known.taken),
    )


def _told(contradiction: Contradiction) -> str:
    return f"{contradiction.damage.value.upper()}: {contradiction.message}"


def _pin_contradiction(gate: Gate, ledger: Ledger, found: Asked, now: datetime) -> None:
    """Pin what a witness saw, so that every later look at the log finds it, and the gate refuses.

    Not where the log says that the operator took an older backup over: then the alarm stands
    until they sign a policy with another witness, and the gate must stay open for that.
    """
    if found.contradiction is None or _lost_entries(gate, ledger):
        return
    head = found.contradiction.head
    remember_head(gate.ring, gate.home.identity.id, Head(size=head.size, root=head.root, at=now))


def _lost_entries(gate: Gate, ledger: Ledger) -> bool:
    held = verify_decisions(gate.home, ledger).decisions
    return any(one.lost and is_signed_for(one, held.get(one.decision)) for one in ledger.book.restored)


def _cosigned_size(gate: Gate, policy: Policy, ledger: Ledger) -> int:
    """Give the size of the newest head that the quorum cosigned; 0 for none."""
    newest = Cosignatures(gate.home, policy, ledger.log.tree).newest()
    return newest[0].checkpoint.size if newest else 0


def read_memory(home: Home) -> dict[str, Remembered]:
    """Read what is remembered, by the names of the witnesses' keys."""
    try:
        raw = read_optional(os.path.join(home.work_dir, FILE), _MAX_BYTES, within=home.root)
        found = json.loads(raw or b"{}")
        return {str(name): _parse(values) for name, values in found.items()}
    except (NightledgerError, ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return {}


def write_memory(home: Home, memory: Mapping[str, Remembered]) -> None:
    """Write down what is to be remembered, and beside it when to ask next."""
    make_dir(home.work_dir)
    values = {name: asdict(remembered) for name, remembered in memory.items()}
    replace_file(os.path.join(home.work_dir, FILE), json.dumps(values, sort_keys=True).encode("ascii"))
    next_at = min((remembered.next_s() for remembered in memory.values()), default=0)
    replace_file(os.path.join(home.work_dir, MARK), f"{next_at}\n".encode("ascii"))


def _parse(values: Mapping[str, Any]) -> Remembered:
    """Read one; what another version wrote otherwise is as if it were not there."""
    blank = asdict(Remembered())
    for name, value in values.items():
        if type(value) is not type(blank[name]) or (isinstance(value, int) and not 0 <= value <= _MOST):
            raise TypeError(name)
    return Remembered(**values)
