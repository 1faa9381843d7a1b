"""Who may sign: ``allowed_signers`` and ``revoked_keys``, as ``ssh-keygen -Y`` reads them.

And on this machine: one operator's key, and another that takes over from it.

Invariant: a signature is accepted only for a key that stands in the set, for a namespace
and at a time that the set allows; the key inside a signature only chooses the line. The
reading is stricter than OpenSSH's: no patterns, no certificate authorities, no local
times. A file that both accept means the same to both. Lines that an edit does not mean stay byte for byte.

Invariant: at every moment there is a file named ``operator`` or ``operator.pub``, no private key is ever overwritten or
removed, and a take-over that was cut short is finished by the next run.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from nightledger.domain.errors import NightledgerError, RecordError, RefusedError, UsageError
from nightledger.files.atomic import replace_file
from nightledger.files.durable import sync_directory
from nightledger.trust import keys, sshsig
from nightledger.trust.keys import KeyRing
from nightledger.trust.sshsig import PublicKey

T = TypeVar("T")
ALLOWED = "allowed_signers"
_PRINCIPAL = re.compile(r'[^\s"*?!,#][^\s"*?!,]*')
_LINE = re.compile(r'([^ \t]+)[ \t]+(?:((?:[^ \t"]|"[^"]*")+)[ \t]+)??((?:ssh|ecdsa|sk)-[^ \t]+[ \t].*)')
_OPTION = re.compile(r'([A-Za-z-]+)="([^"]*)"')
_NAMESPACE = re.compile(r"[^\s\"*?!,]+")
_BLANKS = " \t"
"""What OpenSSH takes for a blank: no form feed, no blank beyond ASCII."""
_TIME_FORMS = {9: "%Y%m%dZ", 13: "%Y%m%d%H%MZ", 15: "%Y%m%d%H%M%SZ"}


class AllowedSigner(Struct, frozen=True, kw_only=True):
    """One line of ``allowed_signers``.

    Attributes:
        principals: Names of the signer; the first one is what we show and record.
        key: The key.
        namespaces: What it may sign for; None where the line does not say: everything.
        valid_after: Earliest time of a signature; aware, UTC.
        valid_before: Latest time of a signature; aware, UTC.
    """

    principals: tuple[str, ...]
    key: sshsig.PublicKey
    namespaces: tuple[str, ...] | None = None
    valid_after: datetime | None = None
    valid_before: datetime | None = None


class SignerSet(Struct, frozen=True, kw_only=True):
    """Everyone who may sign, and every key that no longer may.

    Attributes:
        signers: The lines of ``allowed_signers``, in order.
        revoked: Key blobs of ``revoked_keys``; revocation wins.
    """

    signers: tuple[AllowedSigner, ...]
    revoked: frozenset[bytes] = frozenset()

    @property
    def revoked_fingerprints(self) -> frozenset[str]:
        """``SHA256:...`` of every key that no longer may sign."""
        return frozenset(map(sshsig.fingerprint_of, self.revoked))

    def able(self, namespace: str, at: datetime) -> tuple[AllowedSigner, ...]:
        """Give the lines whose keys can sign for a namespace at a time, in order."""
        return tuple(
            signer
            for signer in self.signers
            if signer.key.blob not in self.revoked and not _refusal(signer, namespace, at)
        )


class SignedBy(Struct, frozen=True, kw_only=True):
    """Who made a signature that holds.

    Attributes:
        principal: Name in ``allowed_signers``.
        fingerprint: ``SHA256:...`` of the key.
    """

    principal: str
    fingerprint: str


def parse_allowed_signers(text: str, *, where: str) -> tuple[AllowedSigner, ...]:
    """Read ``allowed_signers`` (ssh-keygen(1), ALLOWED SIGNERS).

    Args:
        text: ``principal[,principal] [options] kind base64 [comment]``, a line each; ``#`` comments.
        where: Name of the file, for messages.

    Raises:
        RecordError: With every bad line: unknown or repeated options, patterns, certificate
            authorities, refused kinds of keys, times without ``Z``.
    """
    return tuple(_parse_lines(text, where, _parse_signer))


def parse_revoked_keys(text: str, *, where: str) -> frozenset[bytes]:
    """Read ``revoked_keys``: one public key a line, of any kind; ``#`` comments.

    Raises:
        RecordError: With every bad line; a revocation must not be lost to a slip of the pen.
    """
    return frozenset(key.blob for key in _parse_lines(text, where, _parse_revoked))


def dump_allowed_signers(signers: tuple[AllowedSigner, ...]) -> str:
    """Give the file's text; the inverse of :func:`parse_allowed_signers`, comments of lines apart."""
    return "".join(f"{_dump_signer(signer)}\n" for signer in signers)


def add_signer(allowed: str, revoked: str, signer: AllowedSigner) -> str:
    """Give ``allowed_signers`` with one more line.

    Raises:
        RefusedError: The key stands there already for one of these purposes, or is revoked.
    """
    if signer.key.blob in parse_revoked_keys(revoked, where="revoked_keys"):
        raise RefusedError(
            f"the key {signer.key.fingerprint} is revoked, for ever",
            hint="make another: ssh-keygen -t ed25519",
        )
    for line in parse_allowed_signers(allowed, where=ALLOWED):
        shared = line.namespaces is None or set(line.namespaces) & set(signer.namespaces or ())
        if line.key == signer.key and shared:
            raise RefusedError(
                f"the key {signer.key.fingerprint} may sign already, as {line.principals[0]!r}"
            )
    return f"{_ended(allowed)}{dump_allowed_signers((signer,))}"


def remove_key(allowed: str, key: sshsig.PublicKey) -> str:
    """Give ``allowed_signers`` without the lines of a key."""
    return "".join(line for line in _text_lines(allowed) if key not in _keys(line))


def revoke(revoked: str, key: sshsig.PublicKey) -> str:
    """Give ``revoked_keys`` with one more key."""
    return f"{_ended(revoked)}{key.line}\n"


def find_key(keys: Iterable[sshsig.PublicKey], fingerprint: str) -> sshsig.PublicKey:
    """Find a key by its fingerprint, or by the beginning of one.

    Args:
        keys: Those that it may be.
        fingerprint: With or without ``SHA256:``.

    Raises:
        UsageError: None, or more than one, begins so.
    """
    begin = fingerprint if fingerprint.startswith("SHA256:") else f"SHA256:{fingerprint}"
    found = {key.fingerprint: key for key in keys}
    matching = [name for name in found if name.startswith(begin) and len(begin) > len("SHA256:")]
    if len(matching) == 1:
        return found[matching[0]]
    if matching:
        raise UsageError(f"{fingerprint!r} fits {len(matching)} keys", hint="give more of the fingerprint")
    raise UsageError(
        f"no key that ever could sign is {fingerprint!r}", hint="'nightledger key list' shows them"
    )


def _text_lines(text: str) -> Sequence[str]:
    return [f"{line}\n" for line in _ended(text).split("\n")[:-1]]


def _keys(line: str) -> tuple[sshsig.PublicKey, ...]:
    return tuple(signer.key for signer in parse_allowed_signers(line, where=ALLOWED))


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def verify_signature(
    message: bytes, armour: str, *, namespace: str, signers: SignerSet, at: datetime
) -> SignedBy:
    """Check a signature against the set, and say who made it.

    Args:
        message: The signed bytes.
        armour: The armoured signature.
        namespace: What it must have been made for.
        signers: Who may sign.
        at: When it was made, as far as is known; aware.

    Raises:
        SignatureError: When it does not hold; the message says which rule.
    """
    signature = sshsig.parse_signature(armour)
    key = signature.key
    if key.blob in signers.revoked:
        raise sshsig.SignatureError(f"the key {key.fingerprint} is revoked")
    lines = [signer for signer in signers.signers if signer.key == key]
    if not lines:
        raise sshsig.SignatureError(
            f"the key {key.fingerprint} is not in allowed_signers",
            hint="config/nightledger/allowed_signers lists who may sign",
        )
    refusals = [_refusal(line, namespace, at) for line in lines]
    if all(refusals):
        raise sshsig.SignatureError(
            f"the key {key.fingerprint} may not sign this: {'; '.join(filter(None, refusals))}"
        )
    signer = lines[refusals.index("")]
    # The key comes from the set; that the signature names the same one is checked again inside.
    sshsig.require_signed(signer.key, message, signature, namespace)
    return SignedBy(principal=signer.principals[0], fingerprint=signer.key.fingerprint)


def _refusal(signer: AllowedSigner, namespace: str, at: datetime) -> str:
    """Say why this line does not cover a signature; empty where it does."""
    name = signer.principals[0]
    if signer.namespaces is not None and namespace not in signer.namespaces:
        return f"{name} signs for {', '.join(signer.namespaces)} only"
    if signer.valid_after and at < signer.valid_after:
        return f"{name} may sign from {signer.valid_after:%Y-%m-%d %H:%M:%SZ}"
    if signer.valid_before and at > signer.valid_before:
        return f"{name} could sign until {signer.valid_before:%Y-%m-%d %H:%M:%SZ}"
    return ""


def _parse_lines(text: str, where: str, parse: Callable[[str], T]) -> list[T]:
    parsed: list[T] = []
    problems: list[str] = []
    for number, whole in enumerate(text.split("\n"), start=1):
        line = whole.removesuffix("\r").strip(_BLANKS)
        if not line or line.startswith("#"):
            continue
        try:
            parsed.append(parse(line))
        except (_LineError, sshsig.PublicKeyError) as error:
            problems.append(f"line {number}: {error}")
    if problems:
        raise RecordError(
            where, tuple(problems), hint="see ssh-keygen(1), ALLOWED SIGNERS, for the form of a line"
        )
    return parsed


class _LineError(NightledgerError):
    """A line is not what it should be; collected into one RecordError."""


def _parse_revoked(line: str) -> sshsig.PublicKey:
    return sshsig.parse_public_line(line, any_kind=True)


def _parse_signer(line: str) -> AllowedSigner:
    match = _LINE.fullmatch(line)
    if match is None:
        raise _LineError("not a line of principals, options, kind and key")
    principals = tuple(match[1].split(","))
    if not all(map(_PRINCIPAL.fullmatch, principals)):
        raise _LineError(f"{match[1][:60]!r} is not a list of plain names; patterns are refused")
    options = _parse_options(match[2] or "")
    namespaces = options.get("namespaces")
    return AllowedSigner(
        principals=principals,
        key=sshsig.parse_public_line(match[3]),
        namespaces=None if namespaces is None else _parse_namespaces(namespaces),
        valid_after=_parse_time(options.get("valid-after")),
        valid_before=_parse_time(options.get("valid-before")),
    )


def _parse_options(text: str) -> dict[str, str]:
    found = _OPTION.findall(text)
    options = {name.lower(): value for name, value in found}
    if ",".join(f'{name}="{value}"' for name, value in found) != text or len(options) < len(found):
        raise _LineError(f"the options {text[:60]!r} cannot be read, or name one twice")
    if unknown := sorted(options.keys() - {"namespaces", "valid-after", "valid-before"}):
        raise _LineError(f"the option {unknown[0][:40]!r} is not understood")
    return options


def _parse_namespaces(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if not all(map(_NAMESPACE.fullmatch, names)):
        raise _LineError(f"{text[:60]!r} is not a list of plain namespaces; patterns are refused")
    return names


def _parse_time(text: str | None) -> datetime | None:
    if text is None:
        return None
    # Without Z the time would be in whatever zone the machine is in: such forms are not in the table.
    form = _TIME_FORMS.get(len(text))
    if form and text.isascii():
        with suppress(ValueError):
            return datetime.strptime(text, form).replace(tzinfo=UTC)
    raise _LineError(f"{text[:40]!r} is not a UTC time: YYYYMMDDZ or YYYYMMDDHHMM[SS]Z")


def _dump_signer(signer: AllowedSigner) -> str:
    options = []
    if signer.namespaces is not None:
        options.append(f'namespaces="{",".join(signer.namespaces)}"')
    for name, time in (("valid-after", signer.valid_after), ("valid-before", signer.valid_before)):
        if time is not None:
            at = time.astimezone(UTC)
            options.append(f'{name}="{at.year:04}{at:%m%d%H%M%SZ}"')  # glibc's %Y pads no year
    return " ".join(
        part for part in (",".join(signer.principals), ",".join(options), signer.key.line) if part
    )


NEXT = "operator.next"
"""The key that is to take over; it counts only once the log names it."""


def create_next(ring: KeyRing, home_id: str, *, passphrase: bytes | None, comment: str) -> PublicKey:
    """Make the key that is to take over, where none waits (:func:`next_key`).

    Args:
        ring: Where.
        home_id: For which home.
        passphrase: Encrypts the file; None leaves it open.
        comment: Stands in the public line.
    """
    path = ring.path(home_id, NEXT)
    ring.path(home_id, f"{NEXT}.pub").unlink(missing_ok=True)  # of one that took over when the machine died
    return keys.create_key_at(path, passphrase=passphrase, comment=comment)


def next_key(ring: KeyRing, home_id: str) -> PublicKey | None:
    """Give the key that waits to take over, if one does.

    Raises:
        KeyFileError: When its file is unsafe or damaged.
    """
    path = ring.path(home_id, NEXT)
    return keys.public_key_of(path) if os.path.lexists(path) else None


def take_over(ring: KeyRing, home_id: str, key: PublicKey, stamp: str) -> tuple[str, ...]:
    """Make a key the operator's: the one that waits, or one that hardware or an agent holds.

    Args:
        ring: Where.
        home_id: Of which home.
        key: The key; where it waits in ``operator.next``, its private file comes along.
        stamp: Ends the names of the files that it replaces.

    Returns:
        Where the old key's files are now.
    """
    operator = keys.operator_key_path(ring, home_id)
    waiting = ring.path(home_id, NEXT)
    own = os.path.lexists(waiting) and keys.public_key_of(waiting) == key
    kept = [_keep(operator, stamp)]
    if own:
        os.replace(waiting, operator)
    elif os.path.lexists(operator) and keys.public_key_of(operator) != key:
        os.unlink(operator)  # kept under its other name
    public = operator.with_name(f"{operator.name}.pub")
    kept.append(_keep(public, stamp))
    if own:
        ring.path(home_id, f"{NEXT}.pub").unlink(missing_ok=True)
    replace_file(str(public), f"{key.line}\n".encode())  # puts every name above on disk, too
    public.chmod(0o644)
    return tuple(path for path in kept if path)


def mend(ring: KeyRing, home_id: str, able: Collection[bytes], stamp: str) -> None:
    """Finish a take-over that was cut short; nothing happens where there is none.

    Args:
        ring: Where.
        home_id: Of which home.
        able: Blobs of the keys that may sign now.
        stamp: Ends the names of files that are replaced.
    """
    waiting = next_key(ring, home_id)
    if waiting is not None and waiting.blob in able:
        take_over(ring, home_id, waiting, stamp)
        return
    operator = keys.operator_key_path(ring, home_id)
    public = operator.with_name(f"{operator.name}.pub")
    if os.path.lexists(operator) and os.path.lexists(public):
        key = keys.public_key_of(operator)
        if key != keys.public_key_of(public):
            take_over(ring, home_id, key, stamp)


def find_kept(ring: KeyRing, home_id: str, able: Collection[bytes]) -> Path | None:
    """Give the public file of a key that was replaced here and may sign, where the operator's own may not.

    That is how the end of a reset leaves a machine: the key of the reset counts for nothing, and
    the good one lies beside it under its other name.

    Args:
        ring: Where.
        home_id: Of which home.
        able: Blobs of the keys that may sign now.
    """
    public = ring.path(home_id, f"{keys.OPERATOR}.pub")
    if os.path.lexists(public) and keys.public_key_of(public).blob in able:
        return None
    kept = sorted(public.parent.glob(f"{keys.OPERATOR}.before-*.pub"), reverse=True)
    return next((path for path in kept if keys.public_key_of(path).blob in able), None)


def take_back(ring: KeyRing, home_id: str, kept: Path, stamp: str) -> PublicKey:
    """Make a key that was kept the operator's again; what stands in its place is kept in turn.

    Args:
        ring: Where.
        home_id: Of which home.
        kept: Its public file, as :func:`find_kept` gives it.
        stamp: Ends the names of the files that it replaces.
    """
    operator, key = keys.operator_key_path(ring, home_id), keys.public_key_of(kept)
    public, private = operator.with_name(f"{operator.name}.pub"), kept.with_suffix("")
    is_here = os.path.lexists(private) and keys.public_key_of(private) == key
    _keep(operator, stamp)
    _keep(public, stamp)
    if is_here:
        back = operator.with_name(f"{operator.name}.back")
        back.unlink(missing_ok=True)
        os.link(private, back, follow_symlinks=False)
        os.replace(back, operator)
    else:
        operator.unlink(missing_ok=True)  # kept under its other name; the good one is elsewhere
    replace_file(str(public), f"{key.line}\n".encode())  # puts every name above on disk, too
    public.chmod(0o644)
    return key


def _keep(path: Path, stamp: str) -> str:
    """Give a file a second name that stays; empty where there is no file."""
    if not os.path.lexists(path):
        return ""
    names = (f"{path.stem}.before-{stamp}{f'-{n}' if n else ''}{path.suffix}" for n in count())
    kept = next(
        kept
        for kept in map(path.with_name, names)
        if not os.path.lexists(kept) or os.path.samefile(path, kept)
    )
    if not os.path.lexists(kept):
        os.link(path, kept, follow_symlinks=False)
        sync_directory(str(path.parent))
    return str(kept)
