"""Are the keys there, how is the operator's protected, who may sign, and how old is their consent?

What ``doctor`` finds: ``config/doctor.json`` has a row for each finding, with its subject, state, sentence and mend.

Invariant: a look that fails is a finding with its next step, never the end of the others.
"""

import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import DAY_S, NAMESPACE, Moment
from nightledger.domain.errors import NightledgerError
from nightledger.domain.trusting import RECOVERY_NAMESPACE
from nightledger.files.atomic import TEMP_SUFFIX
from nightledger.files.durable import is_within
from nightledger.files.home import Home, shipped_config
from nightledger.gate.consenting import read_standing
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.recalling import NAME, WHERE, read_principles
from nightledger.gate.trust_changes import find_differing
from nightledger.gate.trusting import Trust, read_trust_file
from nightledger.trust import keys
from nightledger.trust.note import has_mldsa
from nightledger.trust.pin import read_pin
from nightledger.trust.signers import find_kept
from nightledger.trust.sshsig import SECURITY_KEY_KINDS


class State(StrEnum):
    """How a finding is to be taken."""

    GOOD = "good"
    """As it should be."""
    NOTE = "note"
    """Worth knowing; nothing that is needed is missing."""
    BAD = "bad"
    """Something that is needed is missing or wrong."""


class Check(Struct, frozen=True, kw_only=True):
    """One finding.

    Attributes:
        area: ``program``, ``home``, ``keys``, ``log``, ``consent``, ``memory``, ``locks``, ``rivals``,
            ``search``, ``staging``, ``sources``, ``schedule`` or ``clock``.
        state: How it is to be taken.
        message: What was found, one sentence.
        fix: The command or step that mends it; empty where nothing is to be mended.
    """

    area: str
    state: State
    message: str
    fix: str = ""


def found(row: str, /, **facts: object) -> Check:
    """Return the finding of a row of ``config/doctor.json``, with the facts in its sentences."""
    area, state, message, fix = _rows()[row]
    return Check(area=area, state=State(state), message=message.format(**facts), fix=fix.format(**facts))


@cache
def _rows() -> dict[str, tuple[str, str, str, str]]:
    rows: dict[str, tuple[str, str, str, str]] = json.loads(shipped_config("doctor.json"))
    return rows


def bad(message: str, fix: str, *, area: str = "") -> Check:
    """Give a finding that is to be mended."""
    return Check(area=area, state=State.BAD, message=message, fix=fix)


def looked(area: str, look: Callable[[], Iterable[Check]]) -> list[Check]:
    """Look, and take an expected failure as a finding.

    Args:
        area: Where a failure belongs, and every finding that names no other.
        look: Gives findings, or raises.
    """
    checks: list[Check] = []
    try:
        for check in look():
            checks.append(replace(check, area=check.area or area))  # noqa: PERF401 - what came before a failure counts
    except NightledgerError as error:
        checks.append(bad(str(error), error.hint, area=area))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        checks.append(bad(f"{place}{error.strerror}", "see to it that this user may read it", area=area))
    return checks


_PUBLIC = re.compile(rf"\.pub(?:\.\d+\.\d+{re.escape(TEMP_SUFFIX)})?$")
"""A public key, or what a run that died left of one: nothing in it is secret."""
SOON_S = 5 * DAY_S
"""How long before its end the operator is told that consent decays. Our choice."""


class Protection(StrEnum):
    """What stands between an operator's key and a program of the same user."""

    NONE = "none"
    """A file that every program of this user can read."""
    PASSPHRASE = "passphrase"  # noqa: S105 - a word, no secret
    """A file that is encrypted."""
    AGENT = "agent"
    """In an agent that signs for whoever asks: the file here holds the public key only."""
    HARDWARE = "hardware"
    """On hardware that wants a touch for each signature."""
    OTHER_MACHINE = "other_machine"
    """On another machine, whose decisions travel in: this one holds public keys only."""
    MISSING = "missing"
    """No key of this home is here."""


def check_keys(home: Home, ring: keys.KeyRing) -> Iterator[Check]:
    """Look at the keys of a home and at their directory.

    Args:
        home: Whose.
        ring: Where they live.
    """
    directory = str(ring.home_dir(home.identity.id))
    if not os.path.isdir(directory):
        yield found("keys.none", directory=ring.directory)
        return
    if is_within(directory, home.root):
        yield found("keys.in_home", directory=directory)
    yield from _modes(directory)
    loaded = keys.load_log_key(ring, home.identity.id, home.identity.origin)
    yield found("keys.log_without_mldsa" if loaded.mldsa44 is None and has_mldsa() else "keys.log")
    heads = read_pin(ring, home.identity.id).heads
    newest = f", newest head of {heads[-1].size} entries seen {heads[-1].at:%Y-%m-%d}" if heads else ""
    yield found("keys.pin", newest=newest)
    yield _operator(home, ring)


def protection(home: Home, ring: keys.KeyRing) -> Protection:
    """Tell how the operator's key is protected, as far as its file says."""
    path = keys.operator_key_path(ring, home.identity.id)
    public = path.with_name(f"{path.name}.pub")
    try:
        if path.exists():
            if keys.public_key_of(path).kind in SECURITY_KEY_KINDS:
                return Protection.HARDWARE
            return Protection.PASSPHRASE if keys.needs_passphrase(path) else Protection.NONE
        if public.exists() and not _is_left_over(home, public):
            hardware = keys.public_key_of(public).kind in SECURITY_KEY_KINDS
            return Protection.HARDWARE if hardware else Protection.AGENT
    except NightledgerError:
        return Protection.NONE  # others may read it, or it is damaged: nothing protects it
    return Protection.OTHER_MACHINE if read_trust_file(home, "peers") else Protection.MISSING


def _is_left_over(home: Home, public: Path) -> bool:
    """Tell whether a public file is that of a key which may sign no more: the operator signs elsewhere now."""
    if not read_trust_file(home, "peers"):
        return False
    line = keys.public_key_of(public).line.split()[1].encode()
    allowed, revoked = (read_trust_file(home, name) or b"" for name in ("allowed_signers", "revoked_keys"))
    return line not in allowed or line in revoked


def _modes(directory: str) -> Iterator[Check]:
    if stat.S_IMODE(os.stat(directory).st_mode) & 0o077:
        yield found("keys.open_directory", path=directory)
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        mode = stat.S_IMODE(os.lstat(path).st_mode)
        if mode & 0o077 and not _PUBLIC.search(name) and os.path.isfile(path):
            yield found("keys.open_file", path=path, mode=mode)


def _operator(home: Home, ring: keys.KeyRing) -> Check:
    path, kind = keys.operator_key_path(ring, home.identity.id), protection(home, ring)
    if kind is Protection.AGENT and not os.environ.get("SSH_AUTH_SOCK"):
        return found("keys.no_agent")
    if kind is Protection.NONE:
        keys.needs_passphrase(path)  # says what is wrong with a file that cannot be used
        return found("keys.bare", path=path)
    return found(f"keys.{kind.value}", path=path)


def check_signer(home: Home, ring: keys.KeyRing, ledger: Ledger, at: Moment) -> Iterator[Check]:
    """Look whether the operator's key here may sign.

    Args:
        home: Whose.
        ring: Where the key lies.
        ledger: Its log, as checked.
        at: The clocks.
    """
    signers = Trust(home, ledger).signers(at).able(NAMESPACE, at.at)
    public = keys.operator_key_path(ring, home.identity.id).with_name("operator.pub")
    mine = keys.public_key_of(public) if public.exists() else None
    name = next((signer.principals[0] for signer in signers if signer.key == mine), None)
    if name is not None:
        yield found("keys.may_sign", name=name)
        return
    blobs = {signer.key.blob for signer in signers}
    kept = None if ledger.book.trust.pending_reset(at) else find_kept(ring, home.identity.id, blobs)
    names = ", ".join(signer.principals[0] for signer in signers) or "nobody"
    if kept:
        yield found("keys.replaced", path=kept.with_suffix(""))
    elif signers and protection(home, ring) is Protection.OTHER_MACHINE:
        yield found("keys.signs_elsewhere", names=names)
    else:
        yield found("keys.may_not_sign", names=names)


def check_trust(gate: Gate, ledger: Ledger, at: Moment) -> Iterator[Check]:
    """Look at a recovery key, and at the constitution.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        at: The clocks.
    """
    recovery = Trust(gate.home, ledger).signers(at).able(RECOVERY_NAMESPACE, at.at)
    yield found("keys.recovery" if recovery else "keys.no_recovery")
    standing = read_principles(gate.home, ledger, at)
    if NAME in find_differing(gate.home, ledger, at):
        yield found("constitution.altered", path=WHERE)
    elif standing is None:
        yield found("constitution.none")
    else:
        yield found("constitution.good", count=len(standing.principles))


def check_consent(gate: Gate, ledger: Ledger, at: Moment) -> Iterator[Check]:
    """Look how old the operator's consent is, and whether they signed this home's own graph.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        at: The clocks.

    Raises:
        NightledgerError: This home's own graph cannot be used.
    """
    standing = read_standing(gate, ledger, at)
    days = standing.since_review_s // DAY_S
    left_s = standing.signed.decay_days * DAY_S - standing.since_review_s
    state = "decayed" if standing.decayed else "soon" if left_s <= SOON_S else "good"
    yield found(f"consent.{state}", days=days, left=-(-left_s // DAY_S))
    if standing.replaced:
        yield found("consent.replaced")
    elif not standing.reviewed:
        yield found("consent.unsigned")
