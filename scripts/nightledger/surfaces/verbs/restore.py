"""Make a home from a backup, or take over the home that stands there.

The directory is missing or empty, unless it is taken over.

Reads   FILE
Writes  the home; keys in $NIGHTLEDGER_KEYS where there are none of this home,
        and the pin with --take-over
Changes no memory that is here: nothing is ever overwritten.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import IntegrityError, NightledgerError, RefusedError, UsageError
from nightledger.domain.states import Restored
from nightledger.domain.words import count_of
from nightledger.files.archive import Archive, ArchiveError, read_archive
from nightledger.files.atomic import Lock, create_file
from nightledger.files.durable import make_dir, sync_directory
from nightledger.files.home import Home
from nightledger.files.staged import drop_staged
from nightledger.gate import restoring
from nightledger.gate.checking import is_signed_for, verify_decisions
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.founding import directories
from nightledger.gate.opening import Gate, open_gate, read_ledger, sign_head
from nightledger.gate.views import refresh_views
from nightledger.surfaces import signing
from nightledger.surfaces.context import Context, require_person
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import LOCK_TIMEOUT_S, Session, actor_of, this_machine
from nightledger.surfaces.verbs.backup import HOME, KEYS, PRIVATE, PUBLIC, contents_of
from nightledger.surfaces.verbs.key import kept_key, stamp
from nightledger.trust.audit import check_log
from nightledger.trust.keys import KeyRing, load_log_key
from nightledger.trust.pin import FILE as PIN
from nightledger.trust.pin import HEAD_FILE as HEAD
from nightledger.trust.pin import find_pin
from nightledger.trust.signers import take_back

FREE = "name a place that is free: --home DIR"


def run(options: argparse.Namespace, context: Context) -> int:
    """Unpack, check, put in place, and say what is missing; take over what stands there."""
    if options.file is None and not options.take_over:
        raise UsageError(
            "name a backup, or --take-over for the home that stands there", hint="nightledger restore FILE"
        )
    record: dict[str, Any] = {"home": context.home_path}
    lines: list[str] = []
    if options.file is not None:
        archive, keys = restore(context, options.file, takes_over=options.take_over)
        record |= _record(context, archive, keys)
        lines += _lines(context, record)
    if options.take_over:
        try:
            loss = take_over(context, anew=options.file is not None)
        except NightledgerError as error:
            if options.file is not None:
                told = f"the home is in {context.home_path}: 'nightledger restore --take-over' goes on from there"
                error.hint = "; ".join(filter(None, (error.hint, told)))
            raise
        record |= {"machine": this_machine(), "size": loss.stands.size, "lost": loss.lost}
        lines.append(_cost(context, loss))
    elif record["machine"] != this_machine():
        lines.append(f"{record['machine']} writes it; --take-over makes this machine the one.")
    context.emit(record)
    say(context, *lines)
    return 0


def _record(context: Context, archive: Archive, keys: tuple[str, ...]) -> dict[str, Any]:
    identity = Home(context.home_path).identity
    kept = KeyRing(Path(context.keys_dir)).home_dir(identity.id)
    missing = [name for name in (*PRIVATE, PUBLIC[0]) if not os.path.lexists(kept / name)]
    made = {"about": dict(archive.about), "files": len(archive.members), "machine": identity.machine}
    return {**made, "keys": list(keys), "missing": missing, "lost": 0, "pinned_from_backup": PIN in keys}


def _lines(context: Context, record: dict[str, Any]) -> Iterator[str]:
    yield f"{record['files']} files are in {context.home_path}, checked; its log holds."
    if record["keys"]:
        yield f"Put into {context.keys_dir}: {', '.join(record['keys'])}."
    if record["pinned_from_backup"]:
        yield (
            "This machine had never seen this home: what its log must begin with, and by which keys, is believed "
            "of the backup itself."
        )
    if record["missing"]:
        yield f"Not here: {', '.join(record['missing'])}. Without them this machine can look, and not write."


def _cost(context: Context, loss: restoring.Loss) -> str:
    if not loss.must_be_signed:
        return f"{this_machine()} writes {context.home_path}; nothing that this machine had seen is missing."
    return (
        f"Signed: the log of {loss.stands.size} entries that stands in {context.home_path} is the home's, and "
        f"{loss.lost} that this machine had seen are lost. The log tells of it for ever. What was approved and not "
        "applied is asked again; a key that was revoked in the lost part signs again: 'nightledger key list' shows "
        "who may."
    )


def take_over(context: Context, *, anew: bool) -> restoring.Loss:
    """Take over the home that stands in its place, whatever put it there; return what that cost.

    Args:
        context: Names the home.
        anew: It was restored just now, which the log is to tell, whatever it cost.

    Raises:
        RefusedError: An agent takes over, or no operator's key is here to sign for what is lost.
        IntegrityError: The audit log does not hold, or is another history than was seen here.
        LockedError: Another run is at work.
    """
    home, ring = Home(context.home_path).require(), KeyRing(Path(context.keys_dir))
    with Lock(home.lock_path(), timeout_s=LOCK_TIMEOUT_S):
        loss = restoring.find_loss(home, find_pin(ring, home.identity.id))
        require_person("restore --take-over", simulated=home.identity.simulated)
        load_log_key(ring, home.identity.id, home.identity.origin)
        if anew or loss.must_be_signed or home.identity.machine != this_machine():
            _take_over(context, home, ring, loss)
    return loss


def restore(context: Context, path: str, *, takes_over: bool) -> tuple[Archive, tuple[str, ...]]:
    """Make a home from a backup: unpacked beside its place, checked there, and put in its place only when it holds.

    Invariant: a directory that is not empty is never touched, unless the operator takes over the home that stands
    in it; no key and no pin that is here is ever overwritten, and no entry that this machine saw is given up
    without an operator's signature.

    Args:
        context: Names the home's place, which is missing or empty.
        path: The backup.
        takes_over: This machine is to write the home from now on.

    Returns:
        The backup; the names of the keys that were put in place.

    Raises:
        RefusedError: The place is not empty, the backup is older than what was seen here, an agent takes over, or
            no operator's key is here to sign for what is lost.
        ArchiveError: The backup is damaged, or none of ours.
        IntegrityError: The audit log in it does not hold, or is another history than was seen here.
    """
    root, ring = context.home_path, KeyRing(Path(context.keys_dir))
    _require_free(root)
    parent, name = os.path.split(root)
    make_dir(parent)
    with TemporaryDirectory(prefix=f"{name}.", suffix=".restoring", dir=parent) as directory:
        archive = read_archive(path, directory)
        home, own = Home(os.path.join(directory, HOME)), KeyRing(Path(directory, KEYS))
        _require_ours(home, own, archive, path)
        if restoring.find_loss(home, find_pin(own, home.identity.id)).lost:
            raise ArchiveError(f"{path} was made of a log that had lost its end", hint="take an older backup")
        _require_consent(home, ring, takes_over=takes_over)
        if takes_over:
            here = ring if os.path.isdir(ring.home_dir(home.identity.id)) else own
            load_log_key(here, home.identity.id, home.identity.origin)
        os.rename(home.root, root)  # at once: POSIX rename(2) replaces an empty directory, and no other
        sync_directory(os.path.dirname(root))
        keys = _place_keys(own, ring, home.identity.id)
    for name in directories(Home(root)):
        make_dir(name)
    return archive, keys


def _take_over(context: Context, home: Home, ring: KeyRing, loss: restoring.Loss) -> None:
    """Sign for what is lost, log it, and make this machine the writer; at the end the pin follows."""
    context.require_own_clock(simulated=home.identity.simulated)
    kept = None
    with restoring.accepting_loss(home, ring, loss, context.moment) as seeing:
        gate = open_gate(home.root, str(seeing.directory), actor=actor_of(context))
        if loss.accepted:
            _require_signed(gate, loss.accepted)
            sign_head(gate, context.moment, keep=True)
        elif loss.must_be_signed:
            kept = _sign(context, gate, loss)
        else:
            restoring.log_restore(gate, context.moment)
        refresh_views(gate, read_ledger(gate))
        drop_staged(home)
        restoring.take_over(home, seeing, this_machine())
    if kept:
        take_back(ring, home.identity.id, ring.path(home.identity.id, kept.name), stamp(context))


def _sign(context: Context, gate: Gate, loss: restoring.Loss) -> Path | None:
    """Sign for what is lost; return the public file of the key that did, where a change of keys is lost with it."""
    session = Session(gate=gate, ledger=read_ledger(gate), moment=context.moment)
    if kept := kept_key(session):
        take_back(gate.ring, gate.home.identity.id, kept, stamp(context))
    signer = signing.unlock(session, context)
    prepared = signing.prepare(session, head=loss.stands)
    decision = make_unproposed(gate, DecisionType.RESTORE, [restoring.loss_target(loss)], prepared)
    signing.sign_all(session, [decision], signer)
    sign_head(gate, context.moment, keep=True)
    return kept


def _require_signed(gate: Gate, accepted: Restored) -> None:
    ledger = read_ledger(gate)
    held = verify_decisions(gate.home, ledger, only=accepted.decision)
    if not is_signed_for(accepted, held.decisions.get(accepted.decision)):
        raise IntegrityError(
            f"line {accepted.line} of the log says that entries are lost, and no operator signed that"
        )


def _require_free(root: str) -> None:
    if os.path.lexists(root) and (os.path.islink(root) or not os.path.isdir(root) or os.listdir(root)):
        hint = f"{FREE}; a home that stands there: 'nightledger restore --take-over'"
        raise RefusedError(f"{root} is no empty directory", hint=hint)


def _require_ours(home: Home, own: KeyRing, archive: Archive, path: str) -> None:
    try:
        home_id = home.identity.id
    except NightledgerError as error:
        raise ArchiveError(f"{path} holds no home: {error}") from error
    allowed = {f"{KEYS}/{home_id}/{name}" for name in (*PUBLIC, *PRIVATE)}
    log = check_log(home, find_pin(own, home_id))
    allowed |= contents_of(home, own, log, with_keys=False)[0].keys()
    for member in archive.members:
        if member["path"] not in allowed:
            raise ArchiveError(f"{path} holds {member['path']!r}, which no backup of ours does")


def _require_consent(home: Home, ring: KeyRing, *, takes_over: bool) -> None:
    lost = restoring.find_loss(home, find_pin(ring, home.identity.id)).lost
    if takes_over:
        require_person("restore --take-over", simulated=home.identity.simulated)
    elif lost:
        raise RefusedError(
            f"this machine has seen {count_of(lost, 'entry', 'entries')} of the log of {home.identity.id} that the backup does not hold",
            hint="find a newer backup; or --take-over has you sign for the loss, and the log tells of it for ever",
        )


def _place_keys(own: KeyRing, ring: KeyRing, home_id: str) -> tuple[str, ...]:
    """Put the backup's keys in place; of a home whose keys are here already its pin, where that is missing."""
    source, target = own.home_dir(home_id), ring.home_dir(home_id)
    if not os.path.isdir(source):
        return ()
    names = sorted(os.listdir(source))
    if os.path.lexists(target):  # a pin that was lost comes back, and what it goes with
        is_lost = not os.path.lexists(target / PIN)
        names = [
            name for name in names if is_lost and name in (PIN, HEAD) and not os.path.lexists(target / name)
        ]
    make_dir(str(target))
    for name in names:
        mode = 0o644 if name.endswith(".pub") else 0o600
        create_file(str(target / name), (source / name).read_bytes(), mode=mode)
    return tuple(names)
