"""Copy a home's records to one file: gated files, logs, memory, audit, settings.

Reads   the home; its pin, and with --with-keys its private keys
Writes  FILE, complete or not at all; never over another file
Changes no memory.
"""

import argparse
import os
import stat
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nightledger import __version__
from nightledger.domain import errors
from nightledger.domain.decision import DecisionType
from nightledger.domain.folding import fold_entries
from nightledger.domain.kept import skill_name
from nightledger.domain.states import Restored
from nightledger.domain.words import count_of, dump_moment
from nightledger.files.archive import Archive, ArchiveError, read_archive, write_archive
from nightledger.files.atomic import TEMP_SUFFIX, Lock, create_file
from nightledger.files.durable import is_within, make_dir, sync_directory
from nightledger.files.home import Home
from nightledger.files.staged import drop_staged
from nightledger.gate import restoring
from nightledger.gate.checking import is_signed_for, verify_decisions
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.founding import directories
from nightledger.gate.gated import watched
from nightledger.gate.opening import Gate, open_gate, read_ledger, sign_head
from nightledger.gate.views import refresh_views
from nightledger.hosts.daylogs import find_daylogs, preset
from nightledger.surfaces import signing
from nightledger.surfaces.context import Context, require_person
from nightledger.surfaces.doctor_keys import Protection, protection
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import LOCK_TIMEOUT_S, Session, actor_of, this_machine
from nightledger.surfaces.verbs.key import kept_key, stamp
from nightledger.trust import keys, pin
from nightledger.trust.audit import VerifiedLog, check_log
from nightledger.trust.keys import KeyRing, load_log_key
from nightledger.trust.pin import FILE as PIN
from nightledger.trust.pin import HEAD_FILE as HEAD
from nightledger.trust.pin import find_pin
from nightledger.trust.report import Report
from nightledger.trust.signers import take_back

HOME = "home"
KEYS = "keys"
PUBLIC = (pin.FILE, pin.HEAD_FILE, f"{keys.OPERATOR}.pub", f"{keys.MACHINE_ED25519}.pub")
"""What anybody may see of the keys' directory; ``verify`` needs the first two."""
IGNORED = ".gitignore"
PRIVATE = (keys.LOG_ED25519, keys.LOG_MLDSA44, keys.MACHINE_ED25519, keys.OPERATOR)


def run(options: argparse.Namespace, context: Context) -> int:
    """Make the backup and read it back; 4 when it was made of a damaged log."""
    home, ring = Home(context.home_path).require(), KeyRing(Path(context.keys_dir))
    if options.with_keys:
        require_person("backup --with-keys", simulated=home.identity.simulated)
    path = _free_name(options.file, home)
    # a home that cannot be written needs no lock
    lock = Lock(home.lock_path(), timeout_s=LOCK_TIMEOUT_S)
    with lock if os.access(home.root, os.W_OK) else nullcontext():
        log = check_log(home, find_pin(ring, home.identity.id))
        report = log.report
        sources, skipped = contents_of(home, ring, log, with_keys=options.with_keys)
        about = {
            "home": home.identity.id,
            "machine": home.identity.machine,
            "made_at": dump_moment(context.now),
            "program": __version__,
            "log_size": report.size,
            "log_root": report.root.hex(),
            "with_keys": options.with_keys,
        }
        try:
            made = write_archive(path, sources, about)
        except FileExistsError as error:
            raise errors.RefusedError(f"{path} exists", hint="name another file") from error
    warnings = _warnings(home, ring, report, with_keys=options.with_keys)
    record = {"file": path, "files": len(made.members), "size_bytes": os.path.getsize(path)}
    context.emit({**record, "skipped": skipped, "about": about, "warnings": warnings})
    if not context.quiet:
        context.print(f"{len(made.members)} files in {path}, read back and compared.")
    for name in skipped:
        context.note(f"left out, for it is no regular file of this home: {name}")
    for warning in warnings:
        context.note(warning)
    return 0 if report.ok else errors.EXIT_ALARM


def _free_name(text: str, home: Home) -> str:
    """Give the backup's absolute path.

    Raises:
        RefusedError: It lies in the home, or the name is taken.
        ConfigurationError: Its directory is missing.
    """
    path = os.path.abspath(text)
    if os.path.lexists(path):
        raise errors.RefusedError(f"{path} exists", hint="name another file")
    if not os.path.isdir(os.path.dirname(path)):
        raise errors.ConfigurationError(f"{os.path.dirname(path)} is no directory", hint="make it first")
    if is_within(path, home.root):
        raise errors.RefusedError(
            f"{path} lies in the home, and would be lost with it", hint="name a file elsewhere"
        )
    return path


def _warnings(home: Home, ring: KeyRing, report: Report, *, with_keys: bool) -> list[str]:
    warnings = [f"the log was damaged already: {found.message}" for found in report.alarms[:1]]
    if with_keys:
        warnings.append(
            "it holds the keys of the log and of this machine, which no passphrase protects; keep it to yourself"
        )
        if protection(home, ring) is Protection.NONE:
            warnings.append("it holds the operator's key without a passphrase: who has it can sign as you")
    return warnings


def contents_of(
    home: Home, ring: keys.KeyRing, log: VerifiedLog, *, with_keys: bool
) -> tuple[dict[str, str], list[str]]:
    """Return where the files are that go into a backup, by their names there, and the names of what is no regular file of the home and is left out.

    Args:
        home: Whose.
        ring: Where its keys live.
        log: Its log, which says which skills the gate wrote.
        with_keys: Private keys, too.
    """
    names = set(_tree(home)) | set(_memory(home)) | set(_skills(home, log))
    sources, skipped = dict[str, str](), list[str]()
    for name in sorted(names):
        path = os.path.realpath(home.path(name)) if name in home.identity.gated else home.path(name)
        if stat.S_ISREG(os.lstat(path).st_mode) and _is_of(home, ring, name):
            sources[f"{HOME}/{name}"] = path
        else:
            skipped.append(name)
    directory = ring.home_dir(home.identity.id)
    for name in (*PUBLIC, *(PRIVATE if with_keys else ())):
        if os.path.isfile(directory / name):
            sources[f"{KEYS}/{home.identity.id}/{name}"] = str(directory / name)
    return sources, skipped


def _is_of(home: Home, ring: keys.KeyRing, name: str) -> bool:
    """Tell whether a name, all links followed, is no key, and no gated file that lies outside the home."""
    path, keys_dir = home.path(name), str(ring.directory)
    is_inside = is_within(path, home.root)
    if is_within(path, keys_dir) and not (is_inside and is_within(home.root, keys_dir)):
        return False
    return is_inside or name not in home.identity.gated


def _tree(home: Home) -> Iterator[str]:
    """Give every file in the directories that hold records of ours; links below these are not followed."""
    for top in (home.config_dir, home.system_dir, home.state_dir, home.archive_dir, home.audit_dir):
        for directory, below, files in os.walk(top):
            links = [name for name in below if os.path.islink(os.path.join(directory, name))]
            for name in (*files, *links):
                if not name.endswith(TEMP_SUFFIX):
                    yield home.relative(os.path.join(directory, name))


def _skills(home: Home, log: VerifiedLog) -> Iterator[str]:
    """Give the skills that the gate wrote and that are there; none where the log cannot be read."""
    with suppress(errors.NightledgerError):
        paths = watched(home, fold_entries(log.entries()))
        yield from (path for path in paths if skill_name(path) and os.path.exists(home.path(path)))


def _memory(home: Home) -> Iterator[str]:
    """Give the gated files that are there, and the daily logs."""
    yield from (path for path in home.identity.gated if os.path.exists(home.path(path)))
    for directory in (home.memory_dir, os.path.dirname(home.config_dir)):
        if os.path.lexists(os.path.join(directory, IGNORED)):  # ours, where the directory is ours
            yield home.relative(os.path.join(directory, IGNORED))
    yield from (log.path for log in find_daylogs(home, preset(home.identity.host).daily))


FREE = "name a place that is free: --home DIR"


def run_restore(options: argparse.Namespace, context: Context) -> int:
    """Make a home from a backup, or take over the home that stands there.

    The directory is missing or empty, unless it is taken over.

    Reads   FILE
    Writes  the home; keys in $NIGHTLEDGER_KEYS where there are none of this home,
            and the pin with --take-over
    Changes no memory that is here: nothing is ever overwritten.
    """
    if options.file is None and not options.take_over:
        raise errors.UsageError(
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
        except errors.NightledgerError as error:
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
        raise errors.IntegrityError(
            f"line {accepted.line} of the log says that entries are lost, and no operator signed that"
        )


def _require_free(root: str) -> None:
    if os.path.lexists(root) and (os.path.islink(root) or not os.path.isdir(root) or os.listdir(root)):
        hint = f"{FREE}; a home that stands there: 'nightledger restore --take-over'"
        raise errors.RefusedError(f"{root} is no empty directory", hint=hint)


def _require_ours(home: Home, own: KeyRing, archive: Archive, path: str) -> None:
    try:
        home_id = home.identity.id
    except errors.NightledgerError as error:
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
        raise errors.RefusedError(
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
        wanted = (PIN, HEAD) if is_lost else ()
        names = [name for name in names if name in wanted and not os.path.lexists(target / name)]
    make_dir(str(target))
    for name in names:
        mode = 0o644 if name.endswith(".pub") else 0o600
        create_file(str(target / name), (source / name).read_bytes(), mode=mode)
    return tuple(names)
