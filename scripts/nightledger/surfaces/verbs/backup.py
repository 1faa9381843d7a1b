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

from nightledger import __version__
from nightledger.domain.errors import EXIT_ALARM, ConfigurationError, NightledgerError, RefusedError
from nightledger.domain.folding import fold_entries
from nightledger.domain.kept import skill_name
from nightledger.domain.words import dump_moment
from nightledger.files.archive import write_archive
from nightledger.files.atomic import TEMP_SUFFIX, Lock
from nightledger.files.durable import is_within
from nightledger.files.home import Home
from nightledger.gate.gated import watched
from nightledger.hosts.daylogs import find_daylogs, preset
from nightledger.surfaces.context import Context, require_person
from nightledger.surfaces.doctor_keys import Protection, protection
from nightledger.surfaces.session import LOCK_TIMEOUT_S
from nightledger.trust import keys, pin
from nightledger.trust.keys import KeyRing
from nightledger.trust.pin import find_pin
from nightledger.trust.reading import VerifiedLog, check_log
from nightledger.trust.report import Report

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
    lock = (
        Lock(home.lock_path(), timeout_s=LOCK_TIMEOUT_S) if os.access(home.root, os.W_OK) else nullcontext()
    )
    with lock:
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
            raise RefusedError(f"{path} exists", hint="name another file") from error
    warnings = _warnings(home, ring, report, with_keys=options.with_keys)
    record = {"file": path, "files": len(made.members), "size_bytes": os.path.getsize(path)}
    context.emit({**record, "skipped": skipped, "about": about, "warnings": warnings})
    if not context.quiet:
        context.print(f"{len(made.members)} files in {path}, read back and compared.")
    for name in skipped:
        context.note(f"left out, for it is no regular file of this home: {name}")
    for warning in warnings:
        context.note(warning)
    return 0 if report.ok else EXIT_ALARM


def _free_name(text: str, home: Home) -> str:
    """Give the backup's absolute path.

    Raises:
        RefusedError: It lies in the home, or the name is taken.
        ConfigurationError: Its directory is missing.
    """
    path = os.path.abspath(text)
    if os.path.lexists(path):
        raise RefusedError(f"{path} exists", hint="name another file")
    if not os.path.isdir(os.path.dirname(path)):
        raise ConfigurationError(f"{os.path.dirname(path)} is no directory", hint="make it first")
    if is_within(path, home.root):
        raise RefusedError(
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
    with suppress(NightledgerError):
        paths = watched(home, fold_entries(log.entries()))
        yield from (path for path in paths if skill_name(path) and os.path.exists(home.path(path)))


def _memory(home: Home) -> Iterator[str]:
    """Give the gated files that are there, and the daily logs."""
    yield from (path for path in home.identity.gated if os.path.exists(home.path(path)))
    for directory in (home.memory_dir, os.path.dirname(home.config_dir)):
        if os.path.lexists(os.path.join(directory, IGNORED)):  # ours, where the directory is ours
            yield home.relative(os.path.join(directory, IGNORED))
    yield from (log.path for log in find_daylogs(home, preset(home.identity.host).daily))
