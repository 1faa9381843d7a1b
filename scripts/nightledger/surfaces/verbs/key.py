"""Who may sign: list, add, rotate, revoke, recovery, and reset with no key left.

list                who may sign, who could, and what waits
add KEY             let another key sign; KEY is a .pub file, or the line itself
                    in quotes
rotate [KEY]        a new operator's key takes over; without KEY one is made
revoke KEY          a key counts no more (a fingerprint will do); what it
                    approved is asked again
recovery KEY        a key for the drawer: it can change who signs, and nothing
                    else
confirm             sign the signers as they are; it ends a reset that you did
                    not ask for
reset [KEY]         no key is left: approvals are void, and a new key counts
                    after 24 hours
restore             put back trust files and decisions that are not those that
                    the log names, and the key that a reset had replaced, once
                    the reset was ended

Reads   config/nightledger/, audit/, keys in $NIGHTLEDGER_KEYS
Writes  config/nightledger/allowed_signers and revoked_keys, audit/, keys in
        $NIGHTLEDGER_KEYS
Changes no memory. All but list is for the operator.
"""

import argparse
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from nightledger.codec.home_record import Identity
from nightledger.codec.records import to_plain
from nightledger.domain.decision import NAMESPACE, Decision, Moment
from nightledger.domain.errors import NightledgerError, RefusedError, UsageError
from nightledger.domain.trusting import RECOVERY_NAMESPACE, TrustStep
from nightledger.domain.words import count_of
from nightledger.files.atomic import Lock
from nightledger.files.home import Home
from nightledger.gate import restoring
from nightledger.gate.founding import PRINCIPAL
from nightledger.gate.opening import open_gate
from nightledger.gate.trust_changes import find_differing, only, reset_signers, restore_files
from nightledger.gate.trusting import Trust
from nightledger.surfaces import signing, trust_change
from nightledger.surfaces.context import Context, require_person
from nightledger.surfaces.screen import say, sentences
from nightledger.surfaces.session import LOCK_TIMEOUT_S, Session, actor_of, reading, this_machine, writing
from nightledger.surfaces.signing import operator_path, public_path
from nightledger.surfaces.trust_change import Edit, change_trust, purposes
from nightledger.text.visible import visible_lines
from nightledger.trust import keys
from nightledger.trust import signers as handover
from nightledger.trust.keys import KeyRing, public_key_of
from nightledger.trust.signers import AllowedSigner, SignerSet
from nightledger.trust.sshsig import PublicKey

NEEDED = {"add": "a public key", "revoke": "a key or its fingerprint", "recovery": "a public key"}


def run(options: argparse.Namespace, context: Context) -> int:
    """Do what was asked for."""
    if options.what in NEEDED and not options.key:
        raise UsageError(f"'key {options.what}' needs {NEEDED[options.what]}", hint="nightledger key --help")
    return _ACTIONS[options.what](options, context)


def add(asked: argparse.Namespace, context: Context) -> int:
    """Let another key sign.

    Raises:
        UsageError: No name for it, or no key.
    """
    if not asked.principal:
        raise UsageError("the new signer has no name", hint="add --principal NAME")
    return _let_sign(asked, context, asked.principal, NAMESPACE, "{} may sign from now on, as {!r}.")


def recovery(asked: argparse.Namespace, context: Context) -> int:
    """Let a key change who signs, and nothing else."""
    told = (
        "{} may change who signs from now on, and nothing else, as {!r}. "
        "Keep its private file away from this machine: on a stick in a drawer, or on paper."
    )
    return _let_sign(asked, context, asked.principal or "recovery", RECOVERY_NAMESPACE, told)


def _let_sign(asked: argparse.Namespace, context: Context, name: str, namespace: str, told: str) -> int:
    key = trust_change.read_key(asked.key)
    decision = _change(asked, context, partial(trust_change.add, key, name, namespace))
    record = {"decision": decision.id, "principal": name, "fingerprint": key.fingerprint}
    return _done(context, record, told.format(key.fingerprint, name))


def revoke(asked: argparse.Namespace, context: Context) -> int:
    """Let a key count no more, for ever."""
    with reading(
        context, person=True
    ) as seen:  # any key that could ever sign may be named by its fingerprint
        trust, steps = Trust(seen.gate.home, seen.ledger), seen.ledger.book.trust.steps
        sets = [trust.signers(step.since, upto=n) for n, step in enumerate(steps, 1)]
        known = tuple(dict.fromkeys(signer.key for signers in sets for signer in signers.signers))
    key = trust_change.read_key(asked.key, known)
    decision = _change(asked, context, partial(trust_change.revoke, key))
    _done(
        context,
        {"decision": decision.id, "revoked": key.fingerprint},
        f"{key.fingerprint} counts no more. What it approved and was not applied is asked again.",
        "What was applied stays: 'nightledger history' shows it, 'nightledger undo' takes it back.",
    )
    return 0


def confirm(asked: argparse.Namespace, context: Context) -> int:
    """Sign the signers as they are."""
    decision = _change(asked, context, trust_change.confirm)
    told = "The signers stay as they are. A reset that waited, if there was one, is over."
    back = "Where the reset replaced the key here: 'nightledger key restore' takes it back."
    return _done(context, {"decision": decision.id}, told, back)


def rotate(asked: argparse.Namespace, context: Context) -> int:
    """Let a new operator's key take over from this machine's."""
    with reading(context, person=True) as seen:
        ring, identity = seen.gate.ring, seen.gate.home.identity
        old, could_sign = _own_key(seen), _may_sign(seen)
    new = new_key(asked, context, ring, identity)
    decision = _change(asked, context, partial(trust_change.rotate, old, new))
    kept = handover.take_over(ring, identity.id, new, stamp(context))
    record = {"decision": decision.id, "old": old.fingerprint, "new": new.fingerprint, "kept": list(kept)}
    before = f"{old.fingerprint}, the key here until now, could not."
    if could_sign:
        before = f"What {old.fingerprint} signed before stays good; if others may have it: nightledger key revoke {old.fingerprint}"
    return _done(context, record, f"{new.fingerprint} signs from now on.", before, *_kept_told(kept))


def reset(asked: argparse.Namespace, context: Context) -> int:
    """Begin anew where no key is left: approvals are void, a new key counts after a day.

    Raises:
        RefusedError: A key that may sign is here.
    """
    if asked.all_keys_lost:
        return reset_all(asked, context)
    with reading(context, person=True) as seen:
        if (name := _may_sign(seen)) and not asked.passphrase_forgotten:
            raise RefusedError(
                f"this machine has a key that may sign, as {name!r}: nothing needs to wait for a day",
                hint="nightledger key rotate; where its private file or its passphrase is lost: key reset --passphrase-forgotten",
            )
        ring, identity = seen.gate.ring, seen.gate.home.identity
    new = new_key(asked, context, ring, identity)
    with writing(context, keep_head=True, person=True, answered=True) as session:
        trust = Trust(session.gate.home, session.ledger)
        files = only(trust, new, asked.principal or PRINCIPAL, session.moment)
        reset_signers(session.gate, session.ledger, files, session.moment)
        pending = session.reread().book.trust.pending_reset(session.moment)
    wait_s = pending.remaining_s(context.moment) if pending else 0
    kept = handover.take_over(ring, identity.id, new, stamp(context))
    return _done(
        context,
        {"new": new.fingerprint, "wait_s": wait_s, "kept": list(kept)},
        f"{new.fingerprint} counts in {count_of(-(-wait_s // 3600), 'hour')}. What was approved is void.",
        "Until then whoever has a key of before can end this: key confirm --sign-with FILE",
        "'nightledger verify' tells of this reset for ever.",
        *_kept_told(kept),
    )


def restore(asked: argparse.Namespace, context: Context) -> int:
    """Put back trust files that differ, finish a rotation that was cut short, take back the key before a reset."""
    del asked
    with writing(context, person=True) as session:
        gate, home_id = session.gate, session.gate.home.identity.id
        names = restore_files(gate, session.ledger, session.moment)
        handover.mend(gate.ring, home_id, _able(session), stamp(context))
        kept = kept_key(session)
        back = handover.take_back(gate.ring, home_id, kept, stamp(context)) if kept else None
    told = f"Put back: {', '.join(names)}." if names else "The trust files are as the log names them."
    again = (
        f"{back.fingerprint} signs here again. The key that had replaced it is kept beside it."
        if back
        else ""
    )
    record = {"restored": list(names), "taken_back": back.fingerprint if back else None}
    return _done(context, record, told, again)


def kept_key(session: Session) -> Path | None:
    """Return the public file of a kept key that may sign where the operator's own may not, and no reset waits."""
    gate = session.gate
    if session.ledger.book.trust.pending_reset(session.moment):
        return None
    return handover.find_kept(gate.ring, gate.home.identity.id, _able(session))


def _able(session: Session) -> set[bytes]:
    """Return the keys that may sign decisions now."""
    signers = Trust(session.gate.home, session.ledger).signers(session.moment)
    return {signer.key.blob for signer in signers.able(NAMESPACE, session.moment.at)}


def _change(asked: argparse.Namespace, context: Context, edit: Edit) -> Decision:
    if asked.recovery_key and asked.sign_with:
        raise UsageError("one key signs", hint="--recovery-key or --sign-with, not both")
    path, namespace = asked.recovery_key or asked.sign_with, NAMESPACE
    if asked.recovery_key:
        namespace = RECOVERY_NAMESPACE
    key = Path(path) if path else None
    return change_trust(context, edit, path=key, namespace=namespace, reason=asked.reason)


def new_key(asked: argparse.Namespace, context: Context, ring: keys.KeyRing, identity: Identity) -> PublicKey:
    """Return the key that was named, or make one."""
    if asked.key:
        return trust_change.read_key(asked.key)
    waiting = handover.next_key(ring, identity.id)
    if waiting is not None:  # a run made it and was cut short
        return waiting
    passphrase = signing.fresh_passphrase(context, without=asked.no_passphrase)
    comment = f"operator of {identity.origin}"
    return handover.create_next(ring, identity.id, passphrase=passphrase, comment=comment)


def _own_key(seen: Session) -> PublicKey:
    """Return this machine's operator's key.

    Raises:
        RefusedError: It is gone, and with it the way to hand over.
    """
    public = public_path(operator_path(seen.gate))
    if not os.path.lexists(public):
        raise RefusedError(
            f"{public} is missing: there is no key here to hand over from",
            hint="put it back from a backup; with a recovery key: key add NEW.pub --principal NAME --recovery-key FILE; "
            "with neither: key reset",
        )
    return public_key_of(public)


def _may_sign(seen: Session) -> str:
    """Return the name under which this machine's key may sign; empty where it may not, or is not here."""
    try:
        return signing.principal_of(seen)
    except NightledgerError:
        return ""


def stamp(context: Context) -> str:
    """Return what ends the names of key files that are replaced now."""
    return context.now.strftime("%Y%m%dT%H%M%SZ")


def _kept_told(kept: tuple[str, ...]) -> list[str]:
    return [f"The old key is kept as {path}" for path in kept]


def _done(context: Context, record: dict[str, Any], *told: str) -> int:
    context.emit(record)
    say(context, *told)
    return 0


def reset_all(asked: argparse.Namespace, context: Context) -> int:
    """Check what stands, make new keys, and have the log tell of it.

    Raises:
        RefusedError: A key is left, or an agent's host is calling.
        IntegrityError: The log does not hold.
        LockedError: Another run is at work.
    """
    home, ring = Home(context.home_path).require(), KeyRing(Path(context.keys_dir))
    identity, at = home.identity, context.moment
    context.require_own_clock(simulated=identity.simulated)
    require_person("key reset --all-keys-lost", simulated=identity.simulated)
    with Lock(home.lock_path(), timeout_s=LOCK_TIMEOUT_S):
        restoring.require_lost(ring, os.path.expanduser("~/.config/nightledger"), identity.id)
        staged = restoring.stage_keys(home, ring, at)
        made = staged.path(identity.id, "operator.pub")
        new = public_key_of(made) if made.exists() else new_key(asked, context, staged, identity)
        handover.take_over(staged, identity.id, new, stamp(context))
        gate = open_gate(home.root, str(staged.directory), actor=actor_of(context))
        size = restoring.go_on(gate, new, asked.principal or PRINCIPAL, this_machine(), at)
        restoring.place_keys(staged, ring, identity.id)
    told = sentences("key")["all_lost"].format(size=size, key=new.fingerprint).split("\n")
    return _done(context, {"new": new.fingerprint, "size": size}, *told)


def show_keys(asked: argparse.Namespace, context: Context) -> int:
    """Print who may sign; reads only.

    Raises:
        IntegrityError: The set in force cannot be told.
    """
    del asked
    with reading(context) as seen:
        trust, book = Trust(seen.gate.home, seen.ledger), seen.ledger.book
        signers = trust.signers(seen.moment)
        public = public_path(operator_path(seen.gate))
        here = public_key_of(public).fingerprint if os.path.lexists(public) else ""
        pending = book.trust.pending_reset(seen.moment)
        record = {
            "signers": [_signer_record(signer, signers, here) for signer in signers.signers],
            "revoked": sorted(signers.revoked_fingerprints),
            "steps": [_step_record(step, seen.moment) for step in book.trust.steps],
            "reset_counts_in_s": pending.remaining_s(seen.moment) if pending else None,
            "differ_on_disk": list(find_differing(seen.gate.home, seen.ledger, seen.moment)),
        }
    context.emit(record)
    for line in _key_lines(record):
        context.print_lines(visible_lines(line))
    return 0


def _signer_record(signer: AllowedSigner, signers: SignerSet, here: str) -> dict[str, Any]:
    return {
        "principal": signer.principals[0],
        "fingerprint": signer.key.fingerprint,
        "kind": signer.key.kind,
        "for": list(purposes(signer)),
        "valid_after": to_plain(signer.valid_after),
        "valid_before": to_plain(signer.valid_before),
        "revoked": signer.key.blob in signers.revoked,
        "here": signer.key.fingerprint == here,
    }


def _step_record(step: TrustStep, now: Moment) -> dict[str, Any]:
    kind = "reset" if step.is_reset or step.loss is not None else "signed" if step.decision else "genesis"
    return {
        "at": to_plain(step.since.at),
        "kind": kind,
        "decision": step.decision or None,
        "files": sorted(step.files),
        "counts": step.counts(now),
    }


def _key_lines(record: dict[str, Any]) -> Iterator[str]:
    for signer in record["signers"]:
        state = ", the key of this machine" * signer["here"] + ", revoked" * signer["revoked"]
        yield f"{signer['principal']}: {signer['fingerprint']} ({signer['kind']})"
        yield f"  for {' and '.join(signer['for'])}{state}"
    if not record["signers"]:
        yield "Nobody may sign."
    for fingerprint in record["revoked"]:
        yield f"revoked: {fingerprint}"
    for step in record["steps"][1:]:
        what = {"reset": "the keys were reset", "signed": f"signed change {step['decision']}"}[step["kind"]]
        yield f"{step['at']} {what}: {', '.join(step['files'])}{'' if step['counts'] else ' (not in force)'}"
    if record["reset_counts_in_s"] is not None:
        hours = -(-record["reset_counts_in_s"] // 3600)
        yield f"A reset waits and counts in {count_of(hours, 'hour')}. To end it: key confirm --sign-with FILE"
    for name in record["differ_on_disk"]:
        yield f"{name} on disk is not the one in force: nightledger key restore puts it back"


_DO = (add, rotate, revoke, recovery, confirm, reset, restore)
_ACTIONS: Mapping[str, Callable[[argparse.Namespace, Context], int]] = {"list": show_keys} | {
    one.__name__: one for one in _DO
}
