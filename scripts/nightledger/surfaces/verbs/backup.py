"""Copy a home's records to one file: gated files, logs, memory, audit, settings.

Reads   the home; its pin, and with --with-keys its private keys
Writes  FILE, complete or not at all; never over another file
Changes no memory.
"""

import argparse
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from nightledger import __version__
from nightledger.domain.errors import EXIT_ALARM, ConfigurationError, RefusedError
from nightledger.domain.words import dump_moment
from nightledger.files.archive import write_archive
from nightledger.files.home import Home
from nightledger.files.lock import Lock
from nightledger.files.reading import is_within
from nightledger.surfaces.agent_host import require_person
from nightledger.surfaces.backup import Contents, contents_of
from nightledger.surfaces.context import Context
from nightledger.surfaces.doctor.keys import Protection, protection
from nightledger.surfaces.session import LOCK_TIMEOUT_S
from nightledger.trust.keys import KeyRing
from nightledger.trust.pin import find_pin
from nightledger.trust.reading import check_log
from nightledger.trust.report import Report

OPTIONS = {
    "file": ("FILE", "the backup, for example home-2026-03-01.tar.gz"),
    "--with-keys": "private keys, too: who has the file then has them",
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Make the backup and read it back; 4 when it was made of a damaged log."""
    home, ring = Home(context.home_path).require(), KeyRing(Path(context.keys_dir))
    if options.with_keys:
        require_person("backup --with-keys", simulated=home.identity.simulated)
    path = _free_name(options.file, home)
    with _still(home):
        contents = contents_of(home, ring, with_keys=options.with_keys)
        report = check_log(home, find_pin(ring, home.identity.id)).report
        about = _about(context, home, report, with_keys=options.with_keys)
        try:
            made = write_archive(path, contents.sources, about)
        except FileExistsError as error:
            raise RefusedError(f"{path} exists", hint="name another file") from error
    warnings = _warnings(home, ring, report, with_keys=options.with_keys)
    context.emit(
        {
            "file": path,
            "files": len(made.members),
            "size_bytes": os.path.getsize(path),
            "skipped": list(contents.skipped),
            "about": about,
            "warnings": warnings,
        }
    )
    if not context.quiet:
        context.print(f"{len(made.members)} files in {path}, read back and compared.")
    for line in (*_odd(home, contents), *warnings):
        context.note(line)
    return 0 if report.ok else EXIT_ALARM


def _odd(home: Home, contents: Contents) -> Iterator[str]:
    for name in contents.skipped:
        yield f"left out, for it is no regular file of this home: {name}"
    for name in contents.linked:
        yield f"{name} is a link to {os.path.realpath(home.path(name))}: what lies there is in it, too"


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


def _still(home: Home) -> AbstractContextManager[object]:
    """Keep writing commands out meanwhile; a home that cannot be written needs no lock."""
    if not os.access(home.root, os.W_OK):
        return nullcontext()
    return Lock(home.lock_path(), timeout_s=LOCK_TIMEOUT_S)


def _about(context: Context, home: Home, report: Report, *, with_keys: bool) -> dict[str, Any]:
    return {
        "home": home.identity.id,
        "machine": home.identity.machine,
        "made_at": dump_moment(context.now),
        "program": __version__,
        "log_size": report.size,
        "log_root": report.root.hex(),
        "with_keys": with_keys,
    }


def _warnings(home: Home, ring: KeyRing, report: Report, *, with_keys: bool) -> list[str]:
    warnings = [f"the log was damaged already: {found.message}" for found in report.alarms[:1]]
    if with_keys:
        warnings.append(
            "it holds the keys of the log and of this machine, which no passphrase protects; keep it to yourself"
        )
        if protection(home, ring) is Protection.NONE:
            warnings.append("it holds the operator's key without a passphrase: who has it can sign as you")
    return warnings
