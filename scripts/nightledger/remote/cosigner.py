"""A witness: cosigns checkpoints of logs, each only when it continues the one before (C2SP tlog-witness).

It lives in a directory of its own, best on another machine, and needs no home. Invariant:
for each log it cosigns heads of one history only, never a smaller one after a larger one;
what it cosigned is on disk before anybody is told, so that a crash in between is healed
by asking again. Its own times never go back.
"""

import hashlib
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.errors import ConfigurationError, IntegrityError
from nightledger.files.atomic import Lock, create_file, replace_file
from nightledger.files.durable import make_dir, read_optional, read_regular
from nightledger.remote.transport import Response, sentence
from nightledger.trust.checkpoint import (
    COSIGNATURE_ED25519,
    COSIGNATURE_MLDSA44,
    MLDSA44_PUBLIC_BYTES,
    Checkpoint,
    cosigned_at,
    parse_checkpoint,
    parse_head,
    verifiers_of,
)
from nightledger.trust.keys import KeyPair, create_witness_keys, load_witness_key
from nightledger.trust.merkle import EMPTY_ROOT, ProofError, verify_consistency
from nightledger.trust.note import (
    MAX_NOTE_BYTES,
    Note,
    NoteError,
    NoteSignature,
    VerifierKey,
    dump_note,
    parse_note,
    parse_vkey,
    sign_note,
    verify_note,
)
from nightledger.trust.policy import MAX_POLICY_BYTES, Policy, dump_policy, parse_policy
from nightledger.trust.proof import Continuation, ProofFormError, parse_continuation

VKEYS = "vkeys"
LOGS = "logs"
HEADS = "heads"
LOCK = "lock"
SIZE = "text/x.tlog.size"
"""Content type of the answer that names the size last cosigned (C2SP tlog-witness)."""
MAX_REQUEST_BYTES = 1 << 18
"""63 hashes and a checkpoint with some 60 post-quantum lines. Our choice."""
OK, MALFORMED, FORBIDDEN, UNKNOWN, CONFLICT, INCONSISTENT, UNAVAILABLE = 200, 400, 403, 404, 409, 422, 503
_PUBLIC_MODE = 0o644
_LOCK_TIMEOUT_S = 10.0


class _Request(Struct, frozen=True, kw_only=True):
    """A request whose form and signatures hold."""

    proof: Continuation
    head: Checkpoint
    text: str
    lines: tuple[NoteSignature, ...]


class WitnessError(IntegrityError):
    """A witness's own records are damaged; it cosigns nothing until they are mended."""

    hint = "put the witness's directory back from a backup; never remove what it remembers of a log"


class Cosigner(Struct, frozen=True, kw_only=True):
    """A witness: its keys, the logs it knows, and where it remembers their heads.

    Attributes:
        directory: Its own; 0700.
        vkeys: Its verifier keys: Ed25519 and, where the platform has it, ML-DSA-44.
        logs: Verifier keys of the logs that it cosigns for.
        key: Its private keys.
    """

    directory: Path
    vkeys: tuple[VerifierKey, ...]
    logs: tuple[VerifierKey, ...]
    key: KeyPair

    def answer(self, raw: bytes, now: datetime) -> Response:
        """Response one request: cosign, or say why not.

        What is cosigned is on disk when this returns.

        Args:
            raw: ``old <size>``, the consistency proof, a blank line, the checkpoint.
            now: The time that the cosignature states; aware.

        Raises:
            WitnessError: What is remembered of the log is damaged; nothing was cosigned.
            LockedError: Other requests took longer than 10 s.
        """
        request = _read_request(raw, self.logs)
        if isinstance(request, Response):
            return request
        with Lock(os.fspath(self.directory / LOCK), timeout_s=_LOCK_TIMEOUT_S):
            remembered = self._remembered(request.head.origin)
            refusal = _refusal(request, remembered) or self._clock_refusal(remembered, now)
            return refusal or self._cosign(request, now)

    def checkpoint(self, origin_sha256: str) -> bytes | None:
        """Give the newest head that was cosigned for a log, with the log's lines and ours; None for none.

        Args:
            origin_sha256: Hex SHA-256 of the log's origin.
        """
        known = {hashlib.sha256(log.name.encode()).hexdigest() for log in self.logs}
        if origin_sha256 not in known:
            return None
        return read_optional(os.fspath(self.directory / HEADS / origin_sha256), MAX_NOTE_BYTES)

    def _cosign(self, request: _Request, now: datetime) -> Response:
        made = sign_note(request.text, self.key.signers_of(self.vkeys[0].name, COSIGNATURE_ED25519, now))
        kept = Note(text=request.text, signatures=(*request.lines, *made.signatures))
        make_dir(os.fspath(self.directory / HEADS))
        replace_file(_head_path(self.directory, request.head.origin), dump_note(kept))
        return Response(status=OK, content=dump_note(made).removeprefix(f"{request.text}\n".encode()))

    def _remembered(self, origin: str) -> Note | None:
        path = _head_path(self.directory, origin)
        raw = read_optional(path, MAX_NOTE_BYTES)
        if raw is None:
            return None
        try:
            note = parse_note(raw)
            verifiers = verifiers_of(self.vkeys)
            verify_note(note, verifiers[:1])
            verify_note(note, verifiers)
            found = parse_checkpoint(note.text).origin
        except NoteError as error:
            raise WitnessError(f"{path} is damaged: {error}") from error
        if found != origin:
            raise WitnessError(f"{path} is damaged: it is of {found[:80]!r}")
        return note

    def _clock_refusal(self, remembered: Note | None, now: datetime) -> Response | None:
        mine = {(key.name, key.key_id) for key in verifiers_of(self.vkeys)}  # whose lines were checked
        lines = remembered.signatures if remembered else ()
        stated = [cosigned_at(line.signature) for line in lines if (line.name, line.key_id) in mine]
        if all(int(at.timestamp()) <= int(now.timestamp()) for at in stated):
            return None
        return sentence(UNAVAILABLE, "this witness's clock is before the time of its last cosignature")


def create_witness(directory: Path, name: str) -> Cosigner:
    """Make a witness's directory, keys and lists; one that is there already is given as it is.

    Args:
        directory: New, or one that this was cut short in.
        name: Name of its keys: an address without ``https://``, or any word without blanks and plus.

    Raises:
        ConfigurationError: The name cannot be one, or the directory is another witness's.
    """
    make_dir(os.fspath(directory))
    path = directory / VKEYS
    if not os.path.lexists(path):
        create_witness_keys(directory)
        vkeys = load_witness_key(directory).verifier_keys(name, COSIGNATURE_ED25519)
        create_file(os.fspath(path), "".join(f"{key.dump()}\n" for key in vkeys).encode(), mode=_PUBLIC_MODE)
    box = open_witness(directory)
    if box.vkeys[0].name != name:
        raise ConfigurationError(
            f"{directory} is the witness {box.vkeys[0].name!r}", hint="name another directory with --dir"
        )
    return box


def open_witness(directory: Path) -> Cosigner:
    """Open a witness.

    Raises:
        ConfigurationError: There is none, its keys are unsafe, or its verifier keys are not theirs.
        RecordError: Its list of logs is malformed.
    """
    raw = read_optional(os.fspath(directory / VKEYS), MAX_POLICY_BYTES)
    if raw is None:
        raise ConfigurationError(
            f"{directory} is no witness", hint="make one: nightledger witness keygen NAME --dir DIR"
        )
    lines = raw.decode("utf-8", "replace").splitlines()
    key = load_witness_key(directory)
    vkeys = tuple(map(parse_vkey, lines))
    # A platform that has lost ML-DSA (another OpenSSL) still cosigns with the first key.
    made = key.verifier_keys(vkeys[0].name, COSIGNATURE_ED25519) if vkeys else ()
    if not vkeys or vkeys[: len(made)] != made or not _is_lost(vkeys[len(made) :], key, vkeys[0].name):
        raise ConfigurationError(f"{directory / VKEYS} does not name the keys that lie beside it")
    return Cosigner(directory=directory, vkeys=vkeys, logs=_read_logs(directory), key=key)


def renew(box: Cosigner) -> Cosigner:
    """Give a witness with the logs that it knows now: one that serves learns of those that were added.

    Raises:
        RecordError: Its list of logs is malformed.
    """
    return replace(box, logs=_read_logs(box.directory))


def add_logs(directory: Path, logs: Sequence[VerifierKey]) -> Cosigner:
    """Let a witness cosign for more logs; what it knows stays.

    Args:
        directory: The witness's.
        logs: Verifier keys; a key's name is its log's origin.

    Raises:
        RecordError: A key is of a kind that signs no checkpoints.
    """
    known = _read_logs(directory)
    new = [log for log in logs if log not in known]
    content = dump_policy(Policy(logs=(*known, *new)))
    parse_policy(content, where="the list of logs")  # as it will be read
    replace_file(os.fspath(directory / LOGS), content)
    return open_witness(directory)


def _read_logs(directory: Path) -> tuple[VerifierKey, ...]:
    path = os.fspath(directory / LOGS)
    if not os.path.lexists(path):
        return ()
    return parse_policy(read_regular(path, MAX_POLICY_BYTES), where=path).logs


def _is_lost(rest: Sequence[VerifierKey], key: KeyPair, name: str) -> bool:
    """Tell whether verifier keys beyond those that can be made here are none, or the one of a lost ML-DSA key."""
    if key.mldsa44 is not None or not rest:
        return not rest
    known = [(name, COSIGNATURE_MLDSA44, MLDSA44_PUBLIC_BYTES)]
    return [(one.name, one.key_type, len(one.public)) for one in rest] == known


def _head_path(directory: Path, origin: str) -> str:
    return os.fspath(directory / HEADS / hashlib.sha256(origin.encode()).hexdigest())


def _read_request(raw: bytes, logs: Sequence[VerifierKey]) -> _Request | Response:
    """Check form and signatures, in the order of the specification."""
    if len(raw) > MAX_REQUEST_BYTES:
        return sentence(MALFORMED, f"a request has at most {MAX_REQUEST_BYTES} bytes")
    try:
        proof = parse_continuation(raw)
        note, head = parse_head(proof.checkpoint)
    except (ProofFormError, NoteError) as error:
        return sentence(MALFORMED, str(error))
    verifiers = verifiers_of(log for log in logs if log.name == head.origin)
    if not verifiers:
        return sentence(UNKNOWN, "this witness does not know the log")
    try:
        lines = verify_note(note, verifiers)
    except NoteError as error:
        return sentence(FORBIDDEN, str(error))
    if proof.old_size > head.size:
        return sentence(MALFORMED, "the old size is larger than the checkpoint's")
    return _Request(proof=proof, head=head, text=note.text, lines=_one_each(lines))


def _one_each(lines: Sequence[NoteSignature]) -> tuple[NoteSignature, ...]:
    """Give the first line of each key, as golang.org/x/mod/sumdb/note does: anybody can repeat a line."""
    first: dict[tuple[str, bytes], NoteSignature] = {}
    for line in lines:
        first.setdefault((line.name, line.key_id), line)
    return tuple(first.values())


def _refusal(request: _Request, remembered: Note | None) -> Response | None:
    """Say why a head may not be cosigned after the one that is remembered; None where it may."""
    proof, head = request.proof, request.head
    last = parse_checkpoint(remembered.text) if remembered else None
    if proof.old_size != (last.size if last else 0):
        size = f"{last.size if last else 0}\n".encode()
        return Response(status=CONFLICT, content=size, kind=SIZE)
    if not head.size and head.root != EMPTY_ROOT:
        return sentence(INCONSISTENT, "an empty log has another root")
    if last is None or not last.size:
        return sentence(INCONSISTENT, "nothing continues an empty log by proof") if proof.hashes else None
    try:
        verify_consistency(last.size, head.size, proof.hashes, last.root, head.root)
    except ProofError as error:
        return sentence(INCONSISTENT, str(error))
    return None
