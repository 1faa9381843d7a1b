"""Is the home sound: whose it is, where it lies, its log, its gated files, its daily logs, its clock?"""

import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from nightledger.domain.decision import NAMESPACE
from nightledger.domain.errors import NightledgerError
from nightledger.domain.event import Actor
from nightledger.domain.moment import Moment
from nightledger.domain.states import Book
from nightledger.files.atomic import find_leftovers
from nightledger.files.configuration import OPERATOR, home_zone, load_operator
from nightledger.files.home import Home
from nightledger.gate.gated import read_gated
from nightledger.gate.integrity.trusting import read_signers
from nightledger.gate.opening import MEND, Ledger, open_gate, settings_of, why_no_consent
from nightledger.hosts.cap import Cap, read_cap
from nightledger.hosts.daylogs import find_daylogs
from nightledger.hosts.presets import detect_host, preset
from nightledger.recall.sources import MOST_BYTES, find_sources
from nightledger.remote.witness_asking import check_witnesses
from nightledger.surfaces.alarms import STRICTEST
from nightledger.surfaces.doctor.checks import Check, bad, good, looked, note
from nightledger.surfaces.doctor.keys import Protection, protection
from nightledger.surfaces.home import cap_config, this_machine
from nightledger.surfaces.verbs.verify import look_beyond
from nightledger.trust.keys import KeyRing, operator_key_path, public_key_of
from nightledger.trust.operator_keys import find_kept
from nightledger.trust.pin import find_pin
from nightledger.trust.reading import check_log

MOUNTS = "/proc/self/mountinfo"
NETWORK = frozenset(
    [
        *("9p", "afs", "ceph", "cifs", "drvfs", "fuse.gcsfuse", "fuse.glusterfs", "fuse.rclone"),
        *("fuse.s3fs", "fuse.sshfs", "ncpfs", "nfs", "nfs4", "smb3", "smbfs", "vboxsf"),
    ]
)
"""File systems on which locks or renames of another machine are not seen at once, or not at all."""
_TYPE_AT = 4
"""Where a line of mountinfo names the mount point, proc_pid_mountinfo(5)."""
_CLOCK_SLACK = timedelta(minutes=2)
SILENT_DAYS = 3
"""Days without a daily log after which it is worth a look. Our choice."""


def check_home(home: Home, keys_dir: str, *, mounts: str = MOUNTS) -> Iterator[Check]:
    """Look at the home's place, its settings and what runs of ours left.

    Args:
        home: Which.
        keys_dir: Where ``operator.yaml`` and the keys lie.
        mounts: The kernel's list of mounts.
    """
    identity = home.identity
    if identity.simulated:
        yield note("it is a simulated home, for trials: its clock is whatever --now says")
    if identity.machine == this_machine():
        yield good(f"{home.root}, written by this machine, {identity.machine}")
    else:
        yield note(
            f"{identity.machine!r} writes it, and this is {this_machine()!r}: it can only be read here",
            "'nightledger restore --take-over' moves a home",
        )
    if not os.access(home.root, os.W_OK):
        yield bad(f"{home.root} may not be written by this user", f"chown or chmod u+w '{home.root}'")
    for path in home.leading_out()[:1]:
        yield bad(
            f"{path} leads to {os.path.realpath(home.path(path))}, and nothing outside {home.root} is read",
            "put the directory itself in its place",
        )
    yield from _place(home, mounts)
    yield from _settings(home, keys_dir)
    yield from _leftovers(home)


def check_log_of(home: Home, ring: KeyRing, at: Moment) -> Iterator[Check]:
    """Verify the home as ``verify`` does.

    Args:
        home: Whose.
        ring: Where its pin lives.
        at: The clocks.
    """
    log = check_log(home, find_pin(ring, home.identity.id))
    if not log.report.ok:
        first = log.report.alarms[0]
        yield bad(
            f"{first.damage.value.upper()} {first.path}: {first.message}",
            "nightledger verify; then put it back from a backup",
        )
        return
    yield good(f"the log holds; entries: {log.report.size}")
    yield from (note(f"not checked: {text}", "") for text in log.report.unchecked)
    gate = open_gate(home.root, str(ring.directory), actor=Actor.UNKNOWN)
    seen = look_beyond(gate, log, at)
    book = seen.book or Book()
    ledger = Ledger(log=log, book=book)
    damaged = list(seen.damaged)
    for _, found in damaged:
        hint = (
            "nightledger key restore puts it back" if found.is_kept else "nightledger verify says what to do"
        )
        yield bad(f"{found.path}: {found.message}", hint)
    if not damaged:
        yield good(f"{len(book.proposals)} proposals and {len(book.decisions)} decisions are as logged")
    yield from looked("keys", lambda: (_signer(home, ring, ledger, at),))
    yield from looked("witness", lambda: check_witnesses(home, ledger, str(ring.directory), at))
    for path in seen.drift:
        yield bad(
            f"{path} is not as it was last signed", "nightledger review asks about each hunk", area="memory"
        )


def _signer(home: Home, ring: KeyRing, ledger: Ledger, at: Moment) -> Check:
    signers = read_signers(home, ledger, at).able(NAMESPACE, at.at)
    public = operator_key_path(ring, home.identity.id).with_name("operator.pub")
    mine = public_key_of(public) if public.exists() else None
    for signer in signers:
        if signer.key == mine:
            return good(f"the operator's key here may sign, as {signer.principals[0]!r}", area="keys")
    kept = None
    if not ledger.book.trust.pending_reset(at):
        kept = find_kept(ring, home.identity.id, {signer.key.blob for signer in signers})
    if kept:
        message = f"the key here may not sign; the one that may was replaced, and is {kept.with_suffix('')}"
        return bad(message, "nightledger key restore", area="keys")
    names = ", ".join(signer.principals[0] for signer in signers) or "nobody"
    if signers and protection(home, ring) is Protection.OTHER_MACHINE:
        return good(f"on another machine may sign: {names}", area="keys")
    return bad(
        f"no key here may sign; allowed_signers has: {names}",
        "set NIGHTLEDGER_KEYS to where the operator's key is, or restore it from a backup",
        area="keys",
    )


def check_memory(home: Home, ring: KeyRing, now: datetime) -> Iterator[Check]:
    """Look at the host, its cap, and the daily logs that the night reads.

    Args:
        home: Whose.
        ring: Where its last good settings lie.
        now: Aware, UTC.
    """
    settings, recorded = settings_of(home, ring).settings, home.identity.host
    seen = detect_host(home.root)
    if seen == recorded:
        yield good(f"host {recorded}, as its files say")
    else:
        yield note(f"its files look like {seen}; it is recorded as host {recorded}")
    cap = read_cap(recorded, settings.cap_characters.get(recorded), cap_config(recorded))
    for path in home.identity.gated:
        yield _size(home, path, cap)
    for source in find_sources(home):
        with suppress(OSError):
            size_bytes, most = os.stat(home.path(source.path)).st_size, MOST_BYTES.get(source.kind)
            if most and size_bytes > most:
                told = f"{source.path} has {size_bytes} bytes; its first {most} are read"
                yield note(told, "split it, or make it shorter")
    directories = preset(recorded).daily
    logs = find_daylogs(home, directories)
    if not logs:
        yield note(
            f"no daily logs in {' or '.join(directories)}: the night finds nothing to read",
            "nightledger doctor --paste has what tells the agent to write them",
        )
        return
    newest = logs[-1].day
    silent = (now.astimezone(home_zone(home, settings)).date() - newest).days
    places = sorted({os.path.dirname(log.path) for log in logs})
    text = f"{len(logs)} daily logs in {' and '.join(places)}, the newest of {newest}"
    if silent > SILENT_DAYS:
        yield note(f"nothing for {silent} days: {text}", "see whether the agent still writes them")
    else:
        yield good(text)


def check_clock(home: Home, ring: KeyRing, now: datetime, boot: str) -> Iterator[Check]:
    """Look whether the clock goes on from where the log stands.

    Args:
        home: Whose.
        ring: Where its pin lives.
        now: Aware, UTC.
        boot: Name of this boot; empty where the system does not tell.
    """
    zone = home_zone(home, settings_of(home, ring).settings)
    yield good(f"{now:%Y-%m-%d %H:%M} UTC; log days begin and end in {zone.key}")
    newest = check_log(home, find_pin(ring, home.identity.id)).newest
    if newest and newest.at > now + _CLOCK_SLACK:
        yield bad(
            f"the newest entry of the log is of {newest.at:%Y-%m-%d %H:%M} UTC, which is still to come",
            "set this machine's clock, for example: timedatectl set-ntp true",
        )
    if not boot and not home.identity.simulated:
        yield note(
            "this system names no boots: a step of the clock may shorten cooling, or let a night come again"
        )


def _place(home: Home, mounts: str) -> Iterator[Check]:
    kind = filesystem_of(home.root, mounts)
    if kind in NETWORK:
        yield note(
            f"it lies on a network file system ({kind}), where locks of other machines may not hold",
            "let one machine write it, best on a disk of its own",
        )
    elif kind:
        yield good(f"file system {kind}")


def filesystem_of(path: str, mounts: str = MOUNTS) -> str:
    """Give the type of the file system that a path lies on; empty where the system does not tell.

    Args:
        path: Absolute.
        mounts: A list in the form of proc_pid_mountinfo(5).
    """
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as stream:
            lines = stream.read().splitlines()
    except OSError:
        return ""
    real, best, found = os.path.realpath(path), "", ""
    for line in lines:
        left, dash, right = line.partition(" - ")
        point = left.split(" ")[_TYPE_AT].encode().decode("unicode_escape") if dash else ""
        if point and f"{real}/".startswith(f"{point.rstrip('/')}/") and len(point) >= len(best):
            best, found = point, right.split(" ")[0]
    return found


def _settings(home: Home, keys_dir: str) -> Iterator[Check]:
    problem = settings_of(home, KeyRing(Path(keys_dir))).problem
    if problem:
        yield bad(problem, f"{MEND}; {STRICTEST}")
    own = [home.settings] if os.path.lexists(home.settings) else []
    if os.path.lexists(home.consent_graph) and not why_no_consent(home):  # else a look of its own tells
        own.append(home.consent_graph)
    names = ", ".join(home.relative(path) for path in own)
    if not problem:
        yield good(f"settings are valid ({f'shipped, and {names}' if own else 'as shipped'})")
    operator = load_operator(keys_dir)
    if operator.notify:
        yield good("a notifier is set")
    else:
        path = os.path.join(keys_dir, OPERATOR)
        yield note("no notifier is set: look at 'nightledger status' yourself", f"notify, in {path}")


def _leftovers(home: Home) -> Iterator[Check]:
    names = sorted(find_leftovers(home))
    if names:
        yield note(
            f"{len(names)} temporary files of runs that died, first {names[0]}",
            "the next night removes those that are older than an hour",
        )


def _size(home: Home, path: str, cap: Cap) -> Check:
    try:
        size = len(read_gated(home, path).decode("utf-8", "surrogateescape"))
    except NightledgerError as error:
        return bad(str(error), error.hint)
    if not Path(home.path(path)).exists():
        return note(f"{path} is not there yet; the first addition makes it")
    if cap.characters is None:
        return good(f"{path}: {size:,} characters; its host has no cap")
    told = f"{cap.characters:,} characters that its host shows ({cap.setting})"
    if size > cap.characters:
        return note(f"{path}: {size:,} of the {told}", "nightledger check")
    return good(f"{path}: {size:,} of the {told}")
