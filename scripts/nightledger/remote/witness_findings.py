"""What ``verify``, ``status`` and ``doctor`` say of witnesses and of heads kept elsewhere."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nightledger.domain.errors import NightledgerError
from nightledger.domain.moment import Moment
from nightledger.files.configuration import load_operator
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.gate.integrity.witnessing import WitnessLook, look_at_witnesses, read_policy
from nightledger.gate.opening import Ledger
from nightledger.remote.witness_asking import read_memory
from nightledger.surfaces.doctor.checks import Check, bad, good, note
from nightledger.trust.anchor import contradicts, read_anchor
from nightledger.trust.cosigned import Cosignatures
from nightledger.trust.merkle import Tree
from nightledger.trust.note import MAX_NOTE_BYTES
from nightledger.trust.pin import Pin
from nightledger.trust.policy import MAX_POLICY_BYTES, Policy, parse_policy
from nightledger.trust.proof import verify_head
from nightledger.trust.report import Damage, Finding


def look(home: Home, ledger: Ledger, at: Moment, policy_file: str | None = None) -> WitnessLook:
    """Look at a home's witnesses, by the policy in force or by another one.

    Raises:
        IntegrityError: The policy in force cannot be told.
        RecordError: The policy is malformed.
        UnreadableError: The file of another policy cannot be read.
    """
    if policy_file is None:
        policy = read_policy(home, ledger, at)
    else:
        policy = parse_policy(read_regular(policy_file, MAX_POLICY_BYTES), where=policy_file)
    found = look_at_witnesses(home, Cosignatures(home, policy, ledger.log.tree), at.at)
    strange = _strange_log(home, policy) if policy_file is not None else ()
    return replace(found, findings=(*strange, *_told(home, policy), *found.findings))


def find_anchored(tree: Tree, pin: Pin, paths: Sequence[str]) -> tuple[Finding, ...]:
    """Compare a log with heads of it that were kept elsewhere.

    Raises:
        NoteError: A file holds no head that this log signed.
        UnreadableError: A file cannot be read.
    """
    found = []
    for path in paths:
        head = read_anchor(path, pin.origin, pin.signed_by)
        if damage := contradicts(head, tree):
            rest = f", and this log has {tree.size}" if damage is Damage.ROLLBACK else " of another history"
            message = f"it is a head of {head.size} entries{rest}"
            found.append(Finding(damage=damage, path=path, line=None, message=message))
    return tuple(found)


def check_witnesses(home: Home, ledger: Ledger, keys_dir: str, at: Moment) -> tuple[Check, ...]:
    """Say for ``doctor`` how the home stands with its witnesses.

    Args:
        home: Whose.
        ledger: Its log.
        keys_dir: Where ``operator.yaml`` lies.
        at: The clocks.
    """
    policy = read_policy(home, ledger, at)
    addresses = load_operator(keys_dir).witnesses
    if not policy.asks:
        return (
            note(
                "nobody else has seen this log's heads: its policy asks for no witness; and over a restart of this "
                "machine, cooling and undo go by its wall clock alone",
                "nightledger witness keygen NAME, on another machine; until then keep copies of audit/checkpoint",
                area="witness",
            ),
        )
    names = dict.fromkeys(witness.key.name for witness in policy.witnesses)
    found = look(home, ledger, at)
    said = (f"{one.damage.value.upper()}: {one.message}" for one in found.findings)
    checks = [bad(one, "nightledger witness ask", area="witness") for one in said]
    if found.at and not checks:
        checks.append(
            good(f"the quorum cosigned {found.size} entries at {found.at:%Y-%m-%d %H:%M} UTC", area="witness")
        )
    mend = "name it under witnesses in operator.yaml"
    checks += [
        note(f"no address of {name}: it is never asked", mend, area="witness")
        for name in names
        if name not in addresses
    ]
    checks += [
        note(f"{name} gave no line the last time: {known.problem}", area="witness")
        for name, known in read_memory(home).items()
        if name in names and known.problem and not (known.contradiction or known.refused)
    ]
    return tuple(checks)


def _strange_log(home: Home, policy: Policy) -> tuple[Finding, ...]:
    """Check that a policy from elsewhere knows the log that signed the newest head."""
    try:
        verify_head(read_regular(home.checkpoint, MAX_NOTE_BYTES), Policy(logs=policy.logs))
    except NightledgerError as error:
        return (Finding(damage=Damage.UNSIGNED, path=home.checkpoint, line=None, message=str(error)),)
    return ()


def _told(home: Home, policy: Policy) -> Iterator[Finding]:
    """Yield what witnesses of the policy said the last time they were asked: what they remember instead, or a bare no.

    Not every witness shows a head that would prove it (C2SP tlog-witness asks for none). Unproved it is not: ROLLBACK
    or FORK.
    """
    names = {witness.key.name for witness in policy.witnesses}
    for name, known in read_memory(home).items():
        if known.contradiction and name in names:
            damage = Damage.ROLLBACK if known.contradiction.startswith("ROLLBACK") else Damage.FORK
            message = known.contradiction.partition(": ")[2]
            yield Finding(damage=damage, path=home.audit_log, line=None, message=message)
        elif known.refused and name in names:
            message = f"{name} gave no line: {known.problem}; it showed no head that would prove it"
            yield Finding(damage=Damage.STALE_WITNESS, path=home.cosigned, line=None, message=message)
