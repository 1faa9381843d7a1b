"""Take over a home that came out of a backup or was put back, or whose every key is lost; and the log says so.

Invariant: what this machine pinned about the log's beginning and keys stays; only heads
beyond what the home holds are set aside, never deleted, and only by an operator's signature over the longest of
them, which stands in the log for ever. A log that is another history, or does not hold against the last checkpoint and
the keys in the policy that it names, is never gone on with; new keys are in their place only once the log tells of them.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from stat import S_IMODE

from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.home_record import Identity, dump_home
from nightledger.domain.decision import Decision, DecisionTarget, EventName, LogHead, Moment
from nightledger.domain.errors import IntegrityError, RefusedError
from nightledger.domain.states import Book, Restored
from nightledger.domain.trusting import EMPTY_SHA256
from nightledger.files.atomic import create_file, replace_file
from nightledger.files.durable import make_dir, sync_directory
from nightledger.files.home import Home
from nightledger.files.staged import drop_staged
from nightledger.gate.checking import CHECKPOINTS, lost_size
from nightledger.gate.opening import (
    Gate,
    Leaf,
    Ledger,
    fold_log,
    read_ledger,
    record,
    require_same,
    sign_head,
)
from nightledger.gate.trust_changes import only, reset_signers, settle_trust, void_events
from nightledger.gate.trusting import Trust, read_trust_file
from nightledger.gate.views import refresh_views
from nightledger.trust import keys, pin
from nightledger.trust.audit import VerifiedLog, check_log, kept_heads, verify
from nightledger.trust.keys import KeyRing, load_log_key
from nightledger.trust.merkle import CompactRange, leaf_hash
from nightledger.trust.pin import KeptHead, keep_head
from nightledger.trust.policy import LOG_LINES, dump_logs, former_logs, parse_policy
from nightledger.trust.report import Damage
from nightledger.trust.sshsig import PublicKey


class Loss(Struct, frozen=True, kw_only=True):
    """What the log of a home lacks of what was seen of it.

    Attributes:
        stands: The head of what stands here of the history that was seen.
        seen: The longest head that was seen; of size 0 where there is none.
        pinned: Whether this machine has a pin of the home.
        accepted: The entry in which an operator accepted this very loss; the run was cut short after it.
    """

    stands: LogHead
    seen: LogHead
    pinned: bool
    accepted: Restored | None = None

    @property
    def lost(self) -> int:
        """How many entries are lost."""
        return max(0, self.seen.size - self.stands.size)

    @property
    def must_be_signed(self) -> bool:
        """Whether this machine knows otherwise, or nothing."""
        return self.lost > 0 or not self.pinned


def find_loss(home: Home, known: pin.Pin | None) -> Loss:
    """Compare a home's log with what this machine saw of it.

    Args:
        home: As it came out of the backup, or stands there.
        known: What this machine pinned; None where it never saw the home.

    Raises:
        IntegrityError: The log is damaged, or another history than the one that was seen, or the home says other
            things of itself than its log begins with.
    """
    log = check_log(home, _unseen(known) if known else None)
    alarm = next((found for found in log.report.alarms if found.damage is not Damage.ROLLBACK), None)
    if alarm is not None:
        raise IntegrityError(f"{alarm.damage.value.upper()}: {alarm.message}")
    book = fold_log(home, log)
    require_same(home, book.genesis)
    heads = _heads(home, known)
    seen = max(heads, key=lambda one: one.size, default=LogHead(size=0, root=EMPTY_SHA256))
    accepted = next(
        (one for one in reversed(book.restored) if known and one.root == seen.root and one.decision), None
    )
    agreeing = [one.size for one in heads if _is_of(log, one)]
    size = accepted.size if accepted else max(log.report.signed_size, *agreeing, 0)
    for one in heads:
        if one.size <= size and not _is_of(log, one):
            raise IntegrityError(
                f"FORK: the log is another history than the one of {one.size} entries that was seen"
            )
    stands = LogHead(size=size, root=log.root_at(size).hex())
    return Loss(stands=stands, seen=seen, pinned=known is not None, accepted=accepted)


def _is_of(log: VerifiedLog, one: LogHead) -> bool:
    return one.size <= log.size and log.root_at(one.size).hex() == one.root


def _heads(home: Home, known: pin.Pin | None) -> list[LogHead]:
    """Return every head that this machine pinned or acknowledged, and that lies in the home."""
    heads = [LogHead(size=one.size, root=one.root.hex()) for one in (known.heads if known else ())]
    if known and known.acknowledged:
        heads.append(LogHead(size=known.acknowledged, root=known.acknowledged_root.hex()))
    return heads + [LogHead(size=one.size, root=one.root.hex()) for one in kept_heads(home, known)]


def _unseen(known: pin.Pin) -> pin.Pin:
    return replace(known, heads=(), acknowledged=0, acknowledged_root=b"")


def loss_target(loss: Loss) -> DecisionTarget:
    """Return what a decision says of a loss: the head that was seen, named by its size, and the one that stands here."""
    return DecisionTarget(
        path=f"{CHECKPOINTS}/{loss.seen.size}",
        base=loss.seen.root,
        result=loss.stands.root,
        hunks_sha256=loss.stands.root,
    )


def restore_reasons(ledger: Ledger, decision: Decision) -> list[str]:
    """Return why a decision does not say that entries behind this log are lost; empty where it does."""
    if decision.log.size < ledger.log.report.signed_size:
        return ["the log has grown since it was signed"]
    return [] if lost_size(decision) is not None else ["it is not the form of a decision about a lost log"]


def restore_events(ledger: Ledger, decision: Decision) -> list[Leaf]:
    """Return what is logged beside the decision: the loss, and that what was approved before is asked again."""
    size, base = decision.log.size, decision.targets[0].base
    lost = max(0, (lost_size(decision) or 0) - size)
    fields: dict[str, object] = {"size": size, "lost": lost, "base": base, "decision": decision.id}
    return [(EventName.RESTORED, fields), *void_events(ledger, list(ledger.book.approvals_to_apply()))]


def take_over(home: Home, ring: KeyRing, machine: str) -> None:
    """Make this machine the one that writes a home.

    Args:
        home: As it came out of the backup, in its place.
        ring: Where the log's keys are.
        machine: Name of this machine.

    Raises:
        KeyFileError: The log's keys are not here; nothing was changed.
    """
    load_log_key(ring, home.identity.id, home.identity.origin)
    fields = {name: getattr(home.identity, name) for name in Identity.__slots__}
    replace_file(home.identity_file, dump_home(Identity(**{**fields, "machine": machine})))


@contextmanager
def accepting_loss(home: Home, ring: KeyRing, loss: Loss, moment: Moment) -> Iterator[KeyRing]:
    """Yield a ring in which the lost entries were never seen, and at the end make its pin and head the machine's.

    Until then the machine's own say that entries are missing. So no crash in between leaves a home that seems
    whole and a log that says nothing of its loss: ``verify`` tells of a rollback, and the restore is done again.

    Args:
        home: As it came out of the backup, or stands in its place.
        ring: Where its pin and the log's keys are.
        loss: What is lost (:func:`find_loss`).
        moment: The clocks.
    """
    if not loss.must_be_signed:
        yield ring
        return
    for left in ring.directory.glob(".*.restoring"):  # of a run that was cut short; its keys are copies
        shutil.rmtree(left)
    staging = ring.directory / f".{os.getpid()}.restoring"
    try:
        beside = KeyRing(staging)
        own, new = ring.home_dir(home.identity.id), beside.home_dir(home.identity.id)
        make_dir(str(new))
        for name in os.listdir(own):
            if name not in (pin.FILE, pin.HEAD_FILE) and (own / name).is_file():  # no socket of an agent
                _copy(own / name, new / name)
        known = pin.find_pin(ring, home.identity.id)
        pin.create_pin(beside, _pin_of(home, ring, loss, known))
        _set_aside(home, loss, moment)
        yield beside
        _swap(own, new, moment)
    finally:
        shutil.rmtree(staging)


def _pin_of(home: Home, ring: KeyRing, loss: Loss, known: pin.Pin | None) -> pin.Pin:
    """Return the pin without what is lost; where there is none, what the home's own log and the log's keys say."""
    if known is not None:
        return replace(
            _unseen(known), heads=tuple(seen for seen in known.heads if seen.size <= loss.stands.size)
        )
    key = load_log_key(ring, home.identity.id, home.identity.origin)
    log = check_log(home, None)
    return pin_from_home(home, log, fold_log(home, log), key.vkeys)


def pin_from_home(home: Home, log: VerifiedLog, book: Book, vkeys: tuple[str, ...]) -> pin.Pin:
    """Return the pin of what a home's own log says of itself; the one of the machine is gone.

    Args:
        home: Whose.
        log: With an entry at least.
        book: What it adds up to.
        vkeys: Verifier keys of the log.
    """
    return pin.Pin(
        home=home.identity.id,
        origin=home.identity.origin,
        genesis=leaf_hash(log.line(0)),
        vkeys=vkeys,
        trust_files={one["name"]: one["sha256"] for one in book.genesis["trust"]},
    )


def _set_aside(home: Home, loss: Loss, moment: Moment) -> None:
    """Keep under another name what a copy of the older state left of the lost one: heads of entries that are gone."""
    for size in (one.size for one in kept_heads(home, None)):
        path = os.path.join(home.checkpoints_dir, str(size))
        if size > loss.stands.size and not loss.accepted:
            os.rename(path, f"{path}.lost-{moment.at:%Y%m%dT%H%M%SZ}")
            sync_directory(home.checkpoints_dir)


def _copy(path: Path, name: Path) -> None:
    create_file(str(name), path.read_bytes(), mode=S_IMODE(path.stat().st_mode))


def _swap(own: Path, new: Path, moment: Moment) -> None:
    """Keep pin and head under another name and put the new ones in their place, that of the loss last."""
    for name in (pin.FILE, pin.HEAD_FILE):
        kept = own / f"{name}.before-{moment.at:%Y%m%dT%H%M%SZ}"
        if os.path.lexists(own / name) and not os.path.lexists(kept):
            _copy(own / name, kept)
    for name in (pin.FILE, pin.HEAD_FILE):
        if os.path.lexists(new / name):
            os.replace(new / name, own / name)
        else:  # nothing was appended since
            (own / name).unlink(missing_ok=True)
        sync_directory(str(own))


def log_restore(gate: Gate, moment: Moment) -> None:
    """Write into the log that this machine writes the home from now on, and sign the head, kept for ever."""
    ledger = read_ledger(gate)
    record(gate, [(EventName.RESTORED, {"size": ledger.log.size, "lost": 0})], moment)
    sign_head(gate, moment, keep=True)


def require_lost(ring: KeyRing, usual: str, home_id: str) -> None:
    """Refuse where anything of a home's keys is left.

    Args:
        ring: Where they are looked for.
        usual: Where they are where nobody says otherwise.
        home_id: Whose.

    Raises:
        RefusedError: Naming where something is.
    """
    for directory in dict.fromkeys((ring.directory, Path(usual))):
        place = directory / home_id
        if os.path.lexists(place) and (not place.is_dir() or os.listdir(place)):
            raise RefusedError(
                f"not every key is lost: something is in {place}",
                hint=f"NIGHTLEDGER_KEYS={directory} nightledger verify; with the log's key there 'key reset' or 'restore --take-over' "
                "does; where log-ed25519 itself is lost, move that directory away first",
            )


def stage_keys(home: Home, ring: KeyRing, moment: Moment) -> KeyRing:
    """Check what stands, and make new keys and a pin beside their place; what a run that was cut short made is used again.

    Args:
        home: Whose keys are lost.
        ring: Where they were.
        moment: The clocks.

    Raises:
        IntegrityError: The log is not what its last checkpoint, signed by the keys in its policy, says.
    """
    identity = home.identity
    staged = KeyRing(ring.directory / f".{identity.id}.reset")
    if pin.find_pin(staged, identity.id) is not None:
        return staged
    log = check_log(home, None)
    if not log.size:
        raise IntegrityError(f"{home.audit_log} holds nothing to go on with", hint="nightledger init --guide")
    book = fold_log(home, log)
    require_same(home, book.genesis)
    policy = read_trust_file(home, "policy") or b""
    if sha256(policy).hexdigest() != Trust(home, Ledger(log=log, book=book)).files(moment)["policy"]:
        raise IntegrityError(
            f"ALTERED {home.relative(home.policy)}: it is not the file that the log names",
            hint="put it back from a backup: it names the keys that signed the log",
        )
    old = replace(pin_from_home(home, log, book, _vkeys(home, policy)), former=former_logs(policy))
    for alarm in verify(home, old, thorough=True).alarms:
        raise IntegrityError(
            f"{alarm.damage.value.upper()}: {alarm.message}", hint="find a copy of the home that holds"
        )
    _make_keys(staged, old, log.lines()[: log.report.signed_size])
    return staged


def _vkeys(home: Home, policy: bytes) -> tuple[str, ...]:
    logs = parse_policy(policy, where=home.relative(home.policy)).logs
    found = tuple(key.dump() for key in logs if key.name == home.identity.origin)
    if not found:
        raise IntegrityError(f"{home.relative(home.policy)} names no key of this log")
    return found


def _make_keys(staged: KeyRing, old: pin.Pin, lines: tuple[bytes, ...]) -> None:
    """Make the log's and the machine's keys, and pin what stands: the head first, the pin last."""
    keys.create_log_keys(staged, old.home)
    if not os.path.lexists(staged.path(old.home, keys.MACHINE_ED25519)):
        keys.create_machine_key(staged, old.home)
    key = keys.load_log_key(staged, old.home, old.origin)
    stands = KeptHead(
        range=CompactRange().extend(map(leaf_hash, lines)), offset=sum(len(line) + 1 for line in lines)
    )
    keep_head(key.directory, stands)
    former = (*old.former, *((len(lines), vkey) for vkey in old.vkeys))
    pin.create_pin(staged, replace(old, vkeys=key.vkeys, former=former))


def go_on(gate: Gate, key: PublicKey, principal: str, machine: str, moment: Moment) -> int:
    """Log that all keys were lost, with the new ones, and sign that with the log's new key.

    Args:
        gate: Opened with the keys that :func:`stage_keys` made; the caller holds the home's lock.
        key: The operator's new key, which counts in a day.
        principal: What the log calls it.
        machine: Name of this machine, which writes the home from now on.
        moment: The clocks.

    Returns:
        How many entries the lost keys signed.
    """
    home, ledger = gate.home, read_ledger(gate)
    known = pin.read_pin(gate.ring, home.identity.id)
    size = known.former[-1][0]
    if all(step.loss != size for step in ledger.book.trust.steps):
        trust = Trust(home, ledger)
        before = trust.content("policy", moment)
        policy = dump_logs(known.vkeys, known.former) + LOG_LINES.sub(b"", before)
        loss: dict[str, object] = {"size": size, "root": ledger.log.root_at(size).hex()}
        files = {**only(trust, key, principal, moment), "policy": policy}
        reset_signers(gate, ledger, files, moment, loss=loss)
    if home.identity.machine != machine:
        record(gate, [(EventName.RESTORED, {"size": size, "lost": 0})], moment)
        take_over(home, gate.ring, machine)
    sign_head(gate, moment, keep=True)
    ledger = read_ledger(gate)
    settle_trust(gate, ledger, moment)
    refresh_views(gate, ledger)
    drop_staged(home)
    return size


def place_keys(staged: KeyRing, ring: KeyRing, home_id: str) -> None:
    """Put the new keys where the lost ones were, all at once."""
    os.rename(staged.home_dir(home_id), ring.home_dir(home_id))
    sync_directory(str(ring.directory))
    staged.directory.rmdir()
