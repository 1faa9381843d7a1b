"""Change trust files: by a signature of the set before, or, with no key left, by a day of waiting.

Invariant: the new bytes are kept as a blob before the log names them, and the file on disk
is written last; a crash in between is finished at the next start. What would leave nobody
who can sign is refused.
"""

import hashlib
import os
from collections.abc import Callable, Mapping
from functools import partial

from nightledger.codec.records import parse_record
from nightledger.domain import trusting
from nightledger.domain.decision import NAMESPACE, Decision, DecisionTarget, EventName, Moment
from nightledger.domain.errors import NightledgerError, RefusedError
from nightledger.domain.states import DecisionStatus
from nightledger.files.atomic import BlobStore, exchange_file, replace_file
from nightledger.files.home import Home
from nightledger.gate.gated import swap_for, why_locked
from nightledger.gate.opening import Gate, Leaf, Ledger, record
from nightledger.gate.stored import find_replaced, keep, read_kept, read_signed, signed_by
from nightledger.gate.trusting import Trust, parse_signers, read_trust_file, trust_files, trust_path
from nightledger.trust import signers
from nightledger.trust.policy import parse_policy
from nightledger.trust.signers import AllowedSigner, SignerSet
from nightledger.trust.sshsig import PublicKey


def keep_contents(home: Home, contents: Mapping[str, bytes]) -> dict[str, str]:
    """Keep the bytes of trust files as blobs, which never go; give their hex SHA-256 by name."""
    blobs = BlobStore(home.blobs_dir)
    return {name: blobs.put(content) for name, content in contents.items()}


def change_reasons(
    gate: Gate, trust: Trust, decision: Decision, moment: Moment, *, by_recovery: bool
) -> list[str]:
    """Return why a decision may not change trust files now; empty where it may.

    Args:
        gate: The home.
        trust: What is in force.
        decision: Of type trust.
        moment: The clocks.
        by_recovery: Whether a recovery key signed it.
    """
    before = trust.files(moment)
    changed = {trusting.NAMES.get(target.path, target.path): target.result for target in decision.targets}
    reasons = trusting.why_not_change(decision, changed, before, by_recovery=by_recovery)
    blobs = BlobStore(gate.home.blobs_dir)
    contents = {}
    for name in sorted(changed.keys() & trusting.TRUST_FILES.keys()):
        try:
            contents[name] = blobs.get(changed[name])
            _PARSERS[name](contents[name])
        except NightledgerError as error:
            reasons.append(f"the new {name} cannot be used: {error}")
        if why := why_locked(gate, trusting.TRUST_FILES[name]):
            reasons.append(why)
    if any(target.hunks_sha256 != target.result for target in decision.targets):
        reasons.append("its hashes of one file are not the same")
    return reasons or _nobody_left(trust, contents, moment)


def _nobody_left(trust: Trust, contents: Mapping[str, bytes], moment: Moment) -> list[str]:
    after = signers_after(trust, contents, moment)
    if after.able(NAMESPACE, moment.at) or after.able(trusting.RECOVERY_NAMESPACE, moment.at):
        return []
    return ["nobody could sign any more: add another key first, or a recovery key"]


def signers_after(trust: Trust, contents: Mapping[str, bytes], moment: Moment) -> SignerSet:
    """Return who could sign if trust files had these bytes; those that are not named stay."""
    return parse_signers(
        *(
            contents[name] if name in contents else trust.content(name, moment)
            for name in ("allowed_signers", "revoked_keys")
        )
    )


def change_events(gate: Gate, ledger: Ledger, decision: Decision, moment: Moment) -> list[Leaf]:
    """Return what is logged of an accepted change beside the decision: the change, and what it makes void."""
    blobs = BlobStore(gate.home.blobs_dir)
    contents = {trusting.NAMES[target.path]: blobs.get(target.result) for target in decision.targets}
    files = [{"name": trusting.NAMES[target.path], "sha256": target.result} for target in decision.targets]
    trust = Trust(gate.home, ledger)
    revoked = signers_after(trust, contents, moment).revoked_fingerprints
    void = [
        status
        for status in ledger.book.approvals_to_apply()
        if _fingerprint(gate.home, trust, status) in revoked
    ]
    changed: dict[str, object] = {"decision": decision.id, "files": files}
    return [(EventName.TRUST_CHANGED, changed), *void_events(ledger, void)]


def _fingerprint(home: Home, trust: Trust, status: DecisionStatus) -> str:
    try:
        by = signed_by(read_signed(home, status), trust.signers_of(status), status.recorded)
    except NightledgerError:
        return ""  # altered: it is set aside as it is
    return by.fingerprint if by else ""


def void_events(ledger: Ledger, approvals: list[DecisionStatus]) -> list[Leaf]:
    """Return what is logged of approvals that count no more: their changes are asked again."""
    return [
        (
            EventName.STALE,
            {
                "proposal": status.proposal,
                "changes": list(ledger.book.proposals[status.proposal].approved_by(status.id)),
                "decision": status.id,
            },
        )
        for status in approvals
    ]


def only(trust: Trust, key: PublicKey, principal: str, moment: Moment) -> dict[str, bytes]:
    """Return the trust files of a set with one signer; what was revoked stays so."""
    revoked = trust.content("revoked_keys", moment)
    signer = AllowedSigner(principals=(principal,), key=key, namespaces=(NAMESPACE,))
    allowed = signers.add_signer("", revoked.decode("utf-8", "replace"), signer)
    return {"allowed_signers": allowed.encode(), "revoked_keys": revoked}


def reset_signers(
    gate: Gate,
    ledger: Ledger,
    contents: Mapping[str, bytes],
    moment: Moment,
    *,
    loss: Mapping[str, object] | None = None,
) -> None:
    """Begin trust anew without a key of the set before: approvals are void at once, the set counts in a day.

    Args:
        gate: The home; the caller holds its lock.
        ledger: Its log, as checked.
        contents: New bytes of ``allowed_signers`` and ``revoked_keys``; of ``policy`` too where all keys were lost.
        moment: The clocks.
        loss: What the entry says of the log until then, where all keys were lost.

    Raises:
        RefusedError: The new set has nobody who could sign.
    """
    if contents.keys() - ({"policy"} if loss else set()) != trusting.RECOVERABLE or not parse_signers(
        contents["allowed_signers"], contents["revoked_keys"]
    ).able(NAMESPACE, moment.at):
        raise RefusedError("the new signers have nobody who could sign", hint="name a public key")
    files = [{"name": name, "sha256": sha256} for name, sha256 in keep_contents(gate.home, contents).items()]
    void = void_events(ledger, list(ledger.book.approvals_to_apply()))
    record(gate, [(EventName.TRUST_RESET, {"files": files, **(loss or {})}), *void], moment)


def put_in_place(gate: Gate, decision: Decision) -> None:
    """Write the files that an accepted change names; the log named them before."""
    blobs = BlobStore(gate.home.blobs_dir)
    for target in decision.targets:
        _write(gate, trusting.NAMES[target.path], blobs.get(target.result))


def settle_trust(gate: Gate, ledger: Ledger, moment: Moment) -> None:
    """Finish what a crash cut short, or a reset whose day is over; the caller holds the home's lock.

    Only a file that still has the very bytes which the last change replaced is written; any
    other that differs stays as it is, an alarm. What the chain rests on is kept anew while it can be.
    """
    trust = Trust(gate.home, ledger)
    in_force, present = trust.files(moment), trust_files(gate.home)
    blobs = BlobStore(gate.home.blobs_dir)
    for step in ledger.book.trust.steps:
        status = ledger.book.decisions.get(step.decision)
        if status and not all(map(blobs.holds, (status.sha256, status.signature_sha256))):
            keep(gate.home, read_kept(gate.home, status))
    for name, sha256 in in_force.items():
        if present[name] == sha256:
            if sha256 != trusting.EMPTY_SHA256 and not blobs.holds(sha256):
                blobs.put(read_trust_file(gate.home, name) or b"")
        elif is_outrun(ledger, trust, name, present[name], moment) and not why_locked(
            gate, trusting.TRUST_FILES[name]
        ):
            _write(gate, name, trust.content(name, moment))


def find_differing(home: Home, ledger: Ledger, at: Moment) -> tuple[str, ...]:
    """Name the trust files on disk that are not those in force; a change cut short apart.

    Raises:
        IntegrityError: What is in force cannot be told.
    """
    trust, present = Trust(home, ledger), trust_files(home)
    return tuple(
        name
        for name, sha256 in sorted(trust.files(at).items())
        if present[name] != sha256 and not is_outrun(ledger, trust, name, present[name], at)
    )


def is_outrun(ledger: Ledger, trust: Trust, name: str, present: str, moment: Moment) -> bool:
    """Return whether a trust file on disk is merely the one before the last change of it."""
    steps = ledger.book.trust.steps
    counted = [n for n, step in enumerate(steps) if n not in trust.void and step.counts(moment)]
    last = max((n for n in counted if name in steps[n].files), default=0)
    return last > 0 and trust.files(moment, upto=last)[name] == present


def restore_files(gate: Gate, ledger: Ledger, moment: Moment) -> tuple[str, ...]:
    """Put back what differs from what the log names; gives names of trust files, and paths of decisions.

    Raises:
        IntegrityError: The bytes that the log names are kept nowhere.
    """
    trust = Trust(gate.home, ledger)
    present = trust_files(gate.home)
    wrong = [name for name, sha256 in sorted(trust.files(moment).items()) if present[name] != sha256]
    for name in wrong:
        _write(gate, name, trust.content(name, moment))
    replaced = find_replaced(gate.home, ledger.book)
    for path, content in replaced.items():
        _make_room(path)
        replace_file(path, content)
    return (*wrong, *map(gate.home.relative, replaced))


def _write(gate: Gate, name: str, content: bytes) -> None:
    path = trust_path(gate.home, name)
    _make_room(path)
    swap = swap_for(gate, trusting.TRUST_FILES[name])
    if swap is not None:
        exchange_file(path, content, swap=swap)
    elif content or os.path.lexists(path):
        replace_file(path, content)


def _make_room(path: str) -> None:
    """Take a link away; a directory is somebody's, and stays."""
    if os.path.islink(path):
        os.unlink(path)
    elif os.path.isdir(path):
        raise RefusedError(f"{path} is a directory", hint=f"move it away: mv '{path}' '{path}.old'")


def _parse_peers(raw: bytes) -> object:
    from nightledger.domain.message import Peers

    return parse_record(Peers, raw, where=trusting.TRUST_FILES["peers"]) if raw else None


def _parse_constitution(raw: bytes) -> object:
    from nightledger.gate.recalling import parse_new

    return parse_new(raw)


_PARSERS: Mapping[str, Callable[[bytes], object]] = {
    "allowed_signers": lambda raw: parse_signers(raw, b""),
    "constitution": _parse_constitution,
    "peers": _parse_peers,
    "policy": partial(parse_policy, where=trusting.TRUST_FILES["policy"]),
    "revoked_keys": lambda raw: parse_signers(b"", raw),
}


def trust_targets(before: Mapping[str, str], contents: Mapping[str, bytes]) -> tuple[DecisionTarget, ...]:
    """Give what a decision says of trust files that are to have new bytes.

    Args:
        before: Hex SHA-256 of each trust file in force.
        contents: New bytes by name.
    """
    return tuple(
        DecisionTarget(path=trusting.TRUST_FILES[name], base=before[name], result=result, hunks_sha256=result)
        for name, content in sorted(contents.items())
        for result in [hashlib.sha256(content).hexdigest()]
    )
