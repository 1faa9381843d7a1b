"""Make a home, or adopt an agent's workspace as one; and leave it, with every file kept.

Invariant: none of a workspace's own bytes change; every path that is made is listed first; a second call completes what a
crash cut short. What leaving removes is folded from others or disposable, and ``doctor --rebuild`` makes it anew.
"""

import os
import shutil
from contextlib import ExitStack
from shlex import quote

from msgspec import Struct

from nightledger.codec.home_record import Identity, dump_home, parse_home
from nightledger.domain.decision import NAMESPACE, EventName, Moment
from nightledger.domain.errors import ConfigurationError, RefusedError, UsageError
from nightledger.files.atomic import BlobStore, Lock, create_file
from nightledger.files.durable import is_within, make_dir, read_regular
from nightledger.files.home import Home
from nightledger.gate.gated import read_gated, require_apart, require_readable
from nightledger.gate.opening import Gate, Ledger, record
from nightledger.gate.trust_changes import keep_contents
from nightledger.gate.trusting import read_trust_file, trust_files
from nightledger.trust import keys
from nightledger.trust.audit import start_log
from nightledger.trust.event import MAX_LEAF_BYTES, Actor, NewEvent, path_word
from nightledger.trust.signers import AllowedSigner, dump_allowed_signers
from nightledger.trust.sshsig import parse_public_line

PRINCIPAL = "operator"
NEW_MEMORY = """# MEMORY.md

## Decisions

## Key Context

## Projects

## Lessons

## Open Strategy Threads
"""
"""Sections in use (FACTS): where proposals put what they add."""
LOCKS = ("night", "link", "home")
"""In the order in which a night takes them."""
LOCK_TIMEOUT_S = 5.0


class Founding(Struct, frozen=True, kw_only=True):
    """What ``init`` was asked for.

    Attributes:
        home: The directory.
        ring: Where keys go.
        home_id: 128 fresh bits as 32 hex digits; used only when the home is new.
        machine: Name of this machine.
        zone: IANA zone of log days.
        host: Whose workspace it is.
        gated: Gated files, the main one first.
        simulated: Whether ``--now`` works there.
        adopt: Whether the directory may be an agent's workspace.
        track: Leave out the ``.gitignore`` in each directory we make.
        constitution: Bytes of the constitution that it begins with; none for none.
    """

    home: Home
    ring: keys.KeyRing
    home_id: str
    machine: str
    zone: str
    host: str
    gated: tuple[str, ...]
    simulated: bool
    adopt: bool
    track: bool
    constitution: bytes = b""


def require_place(home: Home, keys_dir: str, user_home: str, *, adopt: bool) -> None:
    """Make sure, by real paths, that a directory may become a home and that its keys will lie outside it.

    Args:
        home: The directory; one that is a home already may be anywhere.
        keys_dir: Where its keys are to lie.
        user_home: The user's own directory.
        adopt: Whether it is an agent's workspace.

    Raises:
        UsageError: It is not empty, and nobody said that it is to be adopted.
        ConfigurationError: It is missing and to be adopted, or holds more than an agent's files, or the keys cannot be where they are to be.
    """
    known, disk = os.path.lexists(home.identity_file), os.path.dirname(keys_dir)
    if not known and is_within(user_home, home.root):  # a folder above it holds even more
        raise ConfigurationError(
            f"{home.root} holds far more than one agent's files, and is not made a home",
            hint="name the agent's own folder: --home DIR, for example ~/.openclaw/workspace or a project",
        )
    if is_within(keys_dir, home.root):
        raise ConfigurationError(
            f"the keys would lie in {keys_dir}, inside the home, where its agent can read them",
            hint="set NIGHTLEDGER_KEYS to a directory outside the home, or unset it for ~/.config/nightledger",
        )
    if not os.path.isdir(disk) and not is_within(disk, user_home):
        raise ConfigurationError(
            f"the keys are to lie in {keys_dir}, and there is no directory {disk}",
            hint=f"mount the disk that it is on, or make it: mkdir -p {quote(disk)}",
        )
    if adopt and not os.path.isdir(home.root):
        raise ConfigurationError(
            f"there is no workspace at {home.root} to adopt", hint="name it with --home DIR"
        )
    if not (known or adopt) and os.path.isdir(home.root) and os.listdir(home.root):
        raise UsageError(
            f"{home.root} is not empty",
            hint="to take over an agent's workspace, add --adopt; nothing of it is changed",
        )


def directories(home: Home) -> tuple[str, ...]:
    """Return the directories that a home needs, outermost first."""
    return (
        home.config_dir,
        home.system_dir,
        home.proposals_dir,
        home.decisions_dir,
        home.checkpoints_dir,
        home.blobs_dir,
        home.quarantine_dir,
        home.locks_dir,
    )


def plan(founding: Founding) -> list[str]:
    """Return every path that ``init`` would make, relative to the home, in order.

    Raises:
        RefusedError: A directory of another tool stands where ours would, or a
            file may not be gated.
        UnreadableError: A file that is to be gated cannot be read.
    """
    home = founding.home
    home.require_inside()
    odd = [path for path in founding.gated if path_word(path) != path]
    if odd:
        raise RefusedError(
            f"the log cannot carry the name {odd[0]!r}",
            hint="rename it: letters, digits and punctuation, in NFC",
        )
    for relative in founding.gated:
        require_readable(home, relative)
        require_apart(home, relative, founding.gated)
    files = [
        home.identity_file,
        home.allowed_signers,
        home.revoked_keys,
        home.policy,
        home.audit_log,
        home.checkpoint,
    ]
    if founding.constitution:
        files.append(home.constitution)
    if not founding.adopt:
        files.append(os.path.join(home.root, founding.gated[0]))
    foreign = [] if os.path.lexists(home.identity_file) else _foreign(home)
    if foreign:
        raise RefusedError(
            f"{home.root} already has {', '.join(foreign)}, which Nightledger did not make",
            hint="move it away, or choose another home",
        )
    return [home.relative(path) for path in (*directories(home), *files) if not os.path.lexists(path)]


def _foreign(home: Home) -> list[str]:
    """Name our own directories that hold something of others (a README or .gitignore apart)."""
    found = []
    for path in (home.config_dir, home.audit_dir, home.system_dir, home.state_dir, home.work_dir):
        names = set(os.listdir(path)) if os.path.isdir(path) else set()
        if names - {".gitignore", "README.md", ".gitkeep"}:
            found.append(home.relative(path))
    return found


def found(founding: Founding, passphrase: bytes | None, moment: Moment) -> Identity:
    """Make the home: directories, identity, keys, trust files, log, pin.

    Args:
        founding: What was asked for.
        passphrase: For a new operator's key; None makes one without.
        moment: The clocks.

    Returns:
        The home's identity, new or as it was.
    """
    home = founding.home
    record = dump_home(_identity(founding, moment))
    parse_home(record, home.identity_file)  # it is written once: it must be readable for ever
    make_dir(home.root)
    for path in directories(home):
        make_dir(path, ignored_by_git=founding.adopt and not founding.track)
    if not os.path.lexists(home.identity_file):
        create_file(home.identity_file, record)
    identity = home.identity
    if not founding.adopt and not os.path.lexists(home.memory_md):
        create_file(home.memory_md, NEW_MEMORY.encode())
    if is_unfinished(home):
        _start(founding, passphrase, moment)
    elif not keys.operator_key_path(founding.ring, identity.id).parent.is_dir():
        raise ConfigurationError(
            f"the home {home.root} has a log, and its keys are not in {founding.ring.directory}",
            hint="set NIGHTLEDGER_KEYS to where they are, or restore them from a backup",
        )
    return identity


def is_unfinished(home: Home) -> bool:
    """Return whether there is no log yet, or an ``init`` was cut short before its first checkpoint."""
    if not os.path.lexists(home.audit_log):
        return True
    if os.path.lexists(home.checkpoint):
        return False
    is_small = os.path.getsize(home.audit_log) <= MAX_LEAF_BYTES
    return is_small and read_regular(home.audit_log, MAX_LEAF_BYTES).count(b"\n") <= 1


def _identity(founding: Founding, moment: Moment) -> Identity:
    return Identity(
        id=founding.home_id,
        origin=f"nightledger{'-simulated' if founding.simulated else ''}/{founding.home_id}",
        created_at=moment.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        machine=founding.machine,
        zone=founding.zone,
        host=founding.host,
        simulated=founding.simulated,
        gated=founding.gated,
    )


def _start(founding: Founding, passphrase: bytes | None, moment: Moment) -> None:
    home, ring, identity = founding.home, founding.ring, founding.home.identity
    directory = keys.operator_key_path(ring, identity.id).parent
    if not os.path.lexists(home.policy):  # it names the keys: none is made beside those
        keys.create_log_keys(ring, identity.id)
    key = keys.load_log_key(ring, identity.id, identity.origin)
    if not (directory / "machine-ed25519").exists():
        keys.create_machine_key(ring, identity.id)
    if not (directory / "operator.pub").exists():
        keys.create_operator_key(
            ring, identity.id, passphrase=passphrase, comment=f"operator of {identity.origin}"
        )
    _write_trust_files(founding, key.vkeys)
    trust = trust_files(home)
    keep_contents(home, {name: content for name in trust if (content := read_trust_file(home, name))})
    blobs = BlobStore(home.blobs_dir)  # what is accepted is kept: drift is shown against it
    genesis = NewEvent(
        event=EventName.GENESIS.value,
        actor=Actor.HUMAN,
        at=moment.at,
        fields={
            "origin": identity.origin,
            "simulated": identity.simulated,
            "trust": [{"name": name, "sha256": sha256} for name, sha256 in sorted(trust.items())],
            "gated": [{"path": path, "sha256": blobs.put(read_gated(home, path))} for path in identity.gated],
        },
    )
    start_log(home, key, ring, genesis, trust, moment.at)


def _write_trust_files(founding: Founding, vkeys: tuple[str, ...]) -> None:
    home = founding.home
    public = keys.operator_key_path(founding.ring, home.identity.id).with_name("operator.pub")
    signer = AllowedSigner(
        principals=(PRINCIPAL,),
        key=parse_public_line(public.read_text(encoding="utf-8").strip()),
        namespaces=(NAMESPACE,),
    )
    contents = {
        home.allowed_signers: dump_allowed_signers((signer,)).encode(),
        home.revoked_keys: b"# one public key a line: signatures of these keys count no more\n",
        home.policy: ("".join(f"log {vkey}\n" for vkey in vkeys) + "quorum none\n").encode(),
    }
    if founding.constitution:
        contents[home.constitution] = founding.constitution
    for path, content in contents.items():
        if not os.path.lexists(path):
            create_file(path, content)


def log_leaving(gate: Gate, ledger: Ledger, moment: Moment) -> bool:
    """Write into the log that the home is left; the caller signs the head.

    Returns:
        False when that is the last thing in it already.
    """
    newest = ledger.log.newest
    if newest and newest.event == EventName.LEFT:
        return False
    record(gate, [(EventName.LEFT, {})], moment)
    return True


def disposable(home: Home) -> tuple[str, ...]:
    """Name what is there and would be removed, relative to the home."""
    paths = (
        home.pending_view,
        home.prune_view,
        home.attention,
        home.entries,
        home.cursors,
        home.work_dir,
    )
    return tuple(home.relative(path) for path in paths if os.path.lexists(path) and not os.path.islink(path))


def remove_disposable(home: Home) -> tuple[str, ...]:
    """Remove it; gives what was removed, relative to the home.

    The locks go last, while they are held, so that no run loses its lock under its feet.

    Raises:
        LockedError: A run is at work.
    """
    found = disposable(home)
    with ExitStack() as held:
        for name in LOCKS:
            held.enter_context(Lock(home.lock_path(name), timeout_s=LOCK_TIMEOUT_S))
        for relative in found:
            path = home.path(relative)
            if path != home.work_dir:
                os.unlink(path)
        if os.path.isdir(home.work_dir) and not os.path.islink(home.work_dir):
            shutil.rmtree(home.work_dir)
    return found


def own_directories(home: Home) -> tuple[str, ...]:
    """Name the directories of ours that are there and stay, relative to the home."""
    paths = (home.config_dir, home.system_dir, home.state_dir, home.archive_dir, home.audit_dir)
    return tuple(home.relative(path) for path in paths if os.path.isdir(path))
