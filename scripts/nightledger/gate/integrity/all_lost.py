"""Go on where every key of a home is lost: the log's, the operator's, and what this machine had pinned.

What can be checked is what the home says of itself: its log against the last checkpoint, and that against the
log's keys in the policy that the log names. Invariant: a log that does not hold is never gone on with; the new
keys are in their place only once the log tells of them, under a checkpoint that they signed.
"""

import os
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from nightledger.domain.errors import IntegrityError, RefusedError
from nightledger.domain.event import EventName
from nightledger.domain.moment import Moment
from nightledger.files.durable import sync_directory
from nightledger.files.home import Home
from nightledger.files.staged import drop_staged
from nightledger.gate.integrity.trust_changes import only, reset_signers, settle_trust
from nightledger.gate.integrity.trusting import Trust, read_trust_file
from nightledger.gate.opening import Gate, Ledger, fold_log, read_ledger, record, require_same, sign_head
from nightledger.gate.proposing.views import refresh_views
from nightledger.gate.restoring import pin_from_home, take_over
from nightledger.trust import keys, pin
from nightledger.trust.keys import KeyRing
from nightledger.trust.merkle import CompactRange, leaf_hash
from nightledger.trust.pin import KeptHead, keep_head
from nightledger.trust.policy import LOG_LINES, dump_logs, former_logs, parse_policy
from nightledger.trust.reading import check_log, verify
from nightledger.trust.sshsig import PublicKey


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
        raise IntegrityError(f"{home.audit_log} holds nothing to go on with", hint="nightledger start")
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
