"""A witness: cosigns checkpoints of logs, each only when it continues the one before (C2SP tlog-witness).

It lives in a directory of its own, best on another machine, and needs no home. Invariant:
for each log it cosigns heads of one history only, never a smaller one after a larger one;
what it cosigned is on disk before anybody is told, so that a crash in between is healed
by asking again. Its own times never go back.

The commands of ``witness``: on the witness's machine, and (``trust``, ``ask``) on the one that writes the home. Over HTTP it is
``POST /add-checkpoint`` and ``GET /<origin hash>/checkpoint``, within limits; what no known log has signed costs at most a few
verifications.
"""

import hashlib
import os
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from http import HTTPStatus
from pathlib import Path

from msgspec import Struct

from nightledger.domain.errors import ConfigurationError, IntegrityError
from nightledger.doors.transport import TEXT, Response, Server, Service
from nightledger.files.atomic import Lock, create_file, replace_file
from nightledger.files.durable import make_dir, read_optional, read_regular
from nightledger.remote.witness_asking import ADD_CHECKPOINT, INCONSISTENT
from nightledger.trust import note as notes
from nightledger.trust import policy as policies
from nightledger.trust.keys import KeyPair, create_witness_keys, load_witness_key
from nightledger.trust.merkle import EMPTY_ROOT, ProofError, verify_consistency

VKEYS = "vkeys"
LOGS = "logs"
HEADS = "heads"
LOCK = "lock"
SIZE = "text/x.tlog.size"
"""Content type of the answer that names the size last cosigned (C2SP tlog-witness)."""
MAX_REQUEST_BYTES = 1 << 18
"""63 hashes and a checkpoint with some 60 post-quantum lines. Our choice."""
_PUBLIC_MODE = 0o644
_LOCK_TIMEOUT_S = 10.0


class _RefusedError(Exception):
    """A request that is not cosigned, with what is answered."""

    def __init__(self, status: int, text: str, kind: str = TEXT) -> None:
        self.response = Response(status=status, content=f"{text}\n".encode(), kind=kind)


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
    vkeys: tuple[notes.VerifierKey, ...]
    logs: tuple[notes.VerifierKey, ...]
    key: KeyPair

    def answer(self, raw: bytes, now: datetime) -> Response:
        """Answer one request: cosign, or say why not.

        What is cosigned is on disk when this returns.

        Args:
            raw: ``old <size>``, the consistency proof, a blank line, the checkpoint.
            now: The time that the cosignature states; aware.

        Raises:
            WitnessError: What is remembered of the log is damaged; nothing was cosigned.
            LockedError: Other requests took longer than 10 s.
        """
        try:
            proof, head, note = _read_request(raw, self.logs)
            with Lock(os.fspath(self.directory / LOCK), timeout_s=_LOCK_TIMEOUT_S):
                last, stated_s = self._remembered(head.origin)
                _require_continuation(proof, head, last)
                return self._cosign(note, head.origin, stated_s, now)
        except _RefusedError as refused:
            return refused.response

    def checkpoint(self, origin_sha256: str) -> bytes | None:
        """Give the newest head that was cosigned for a log, with the log's lines and ours; None for none.

        Args:
            origin_sha256: Hex SHA-256 of the log's origin.
        """
        known = {hashlib.sha256(log.name.encode()).hexdigest() for log in self.logs}
        if origin_sha256 not in known:
            return None
        return read_optional(os.fspath(self.directory / HEADS / origin_sha256), notes.MAX_NOTE_BYTES)

    def _cosign(self, note: notes.Note, origin: str, stated_s: int, now: datetime) -> Response:
        if stated_s > int(now.timestamp()):
            raise _RefusedError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "this witness's clock is before the time of its last cosignature",
            )
        made = notes.sign_note(
            note.text, self.key.signers_of(self.vkeys[0].name, notes.COSIGNATURE_ED25519, now)
        )
        kept = notes.Note(text=note.text, signatures=(*note.signatures, *made.signatures))
        make_dir(os.fspath(self.directory / HEADS))
        replace_file(_head_path(self.directory, origin), notes.dump_note(kept))
        return Response(
            status=HTTPStatus.OK, content=notes.dump_note(made).removeprefix(f"{note.text}\n".encode())
        )

    def _remembered(self, origin: str) -> tuple[notes.Checkpoint | None, int]:
        """Return the head of a log that was cosigned last, and the latest time stated of it, seconds since 1970 UTC."""
        path = _head_path(self.directory, origin)
        raw = read_optional(path, notes.MAX_NOTE_BYTES)
        if raw is None:
            return None, 0
        try:
            note, head = notes.parse_head(raw)
            verifiers = notes.verifiers_of(self.vkeys)
            notes.verify_note(note, verifiers[:1])
            lines = notes.verify_note(note, verifiers)
        except notes.NoteError as error:
            raise WitnessError(f"{path} is damaged: {error}") from error
        if head.origin != origin:
            raise WitnessError(f"{path} is damaged: it is of {head.origin[:80]!r}")
        return head, max(int(notes.cosigned_at(line.signature).timestamp()) for line in lines)


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
        vkeys = load_witness_key(directory).verifier_keys(name, notes.COSIGNATURE_ED25519)
        create_file(os.fspath(path), "".join(f"{key.dump()}\n" for key in vkeys).encode(), mode=_PUBLIC_MODE)
    box = open_witness(directory)
    if box.vkeys[0].name != name:
        told = f"{directory} is the witness {box.vkeys[0].name!r}"
        raise ConfigurationError(told, hint="name another directory with --dir")
    return box


def open_witness(directory: Path) -> Cosigner:
    """Open a witness.

    Raises:
        ConfigurationError: There is none, its keys are unsafe, or its verifier keys are not theirs.
        RecordError: Its list of logs is malformed.
    """
    raw = read_optional(os.fspath(directory / VKEYS), policies.MAX_POLICY_BYTES)
    if raw is None:
        raise ConfigurationError(
            f"{directory} is no witness", hint="make one: nightledger witness keygen NAME --dir DIR"
        )
    vkeys = tuple(map(notes.parse_vkey, raw.decode("utf-8", "replace").splitlines()))
    key = load_witness_key(directory)
    made = key.verifier_keys(vkeys[0].name, notes.COSIGNATURE_ED25519) if vkeys else ()
    # A platform that has lost ML-DSA (another OpenSSL) still cosigns with the first key.
    most = len(made) + (key.mldsa44 is None)
    if not made or vkeys[: len(made)] != made or len(vkeys) > most:
        raise ConfigurationError(f"{directory / VKEYS} does not name the keys that lie beside it")
    return Cosigner(directory=directory, vkeys=vkeys, logs=_read_logs(directory), key=key)


def add_logs(directory: Path, logs: Sequence[notes.VerifierKey]) -> Cosigner:
    """Let a witness cosign for more logs; what it knows stays.

    Args:
        directory: The witness's.
        logs: Verifier keys; a key's name is its log's origin.

    Raises:
        RecordError: A key is of a kind that signs no checkpoints.
    """
    known = _read_logs(directory)
    new = [log for log in logs if log not in known]
    content = policies.dump_policy(policies.Policy(logs=(*known, *new)))
    policies.parse_policy(content, where="the list of logs")  # as it will be read
    replace_file(os.fspath(directory / LOGS), content)
    return open_witness(directory)


def _read_logs(directory: Path) -> tuple[notes.VerifierKey, ...]:
    path = os.fspath(directory / LOGS)
    if not os.path.lexists(path):
        return ()
    return policies.parse_policy(read_regular(path, policies.MAX_POLICY_BYTES), where=path).logs


def _head_path(directory: Path, origin: str) -> str:
    return os.fspath(directory / HEADS / hashlib.sha256(origin.encode()).hexdigest())


def _read_request(
    raw: bytes, logs: Sequence[notes.VerifierKey]
) -> tuple[policies.Continuation, notes.Checkpoint, notes.Note]:
    """Check form and signatures, in the order of the specification; the note has the log's lines alone.

    Of each key the first line, as golang.org/x/mod/sumdb/note does: anybody can repeat a line.
    """
    try:
        proof = policies.parse_continuation(raw)
        note, head = notes.parse_head(proof.checkpoint)
    except (policies.ProofFormError, notes.NoteError) as error:
        raise _RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from error
    verifiers = notes.verifiers_of(log for log in logs if log.name == head.origin)
    if not verifiers:
        raise _RefusedError(HTTPStatus.NOT_FOUND, "this witness does not know the log")
    try:
        held = notes.verify_note(note, verifiers)
    except notes.NoteError as error:
        raise _RefusedError(HTTPStatus.FORBIDDEN, str(error)) from error
    if proof.old_size > head.size:
        raise _RefusedError(HTTPStatus.BAD_REQUEST, "the old size is larger than the checkpoint's")
    first = {(line.name, line.key_id): line for line in reversed(held)}
    return proof, head, notes.Note(text=note.text, signatures=tuple(reversed(first.values())))


def _require_continuation(
    proof: policies.Continuation, head: notes.Checkpoint, last: notes.Checkpoint | None
) -> None:
    """Refuse a head that may not be cosigned after the one that is remembered."""
    size = last.size if last else 0
    if proof.old_size != size:
        raise _RefusedError(HTTPStatus.CONFLICT, str(size), SIZE)
    if not head.size and head.root != EMPTY_ROOT:
        raise _RefusedError(INCONSISTENT, "an empty log has another root")
    if last is None or not size:
        if proof.hashes:
            raise _RefusedError(INCONSISTENT, "nothing continues an empty log by proof")
        return
    try:
        verify_consistency(size, head.size, proof.hashes, last.root, head.root)
    except ProofError as error:
        raise _RefusedError(INCONSISTENT, str(error)) from error


_CHECKPOINT = re.compile(r"/([0-9a-f]{64})/checkpoint")
_KINDS = {0x04: "ed25519", 0x06: "mldsa44"}


def open_server(address: tuple[str, int], directory: Path, now: Callable[[], datetime]) -> Server:
    """Bind a server for a witness; the caller runs and closes it.

    Args:
        address: Host and port; port 0 takes a free one.
        directory: The witness's; it is opened at each request, so that logs that are added while it serves are known. While
            its list of logs cannot be read it answers "not now".
        now: The clock; aware.

    Raises:
        ConfigurationError: The address is taken or is none of this machine's.
    """

    def look(path: str) -> Response | None:
        match = _CHECKPOINT.fullmatch(path)
        head = open_witness(directory).checkpoint(match[1]) if match else None
        return None if head is None else Response(status=HTTPStatus.OK, content=head)

    service = Service(
        name="witness",
        path=ADD_CHECKPOINT,
        max_bytes=MAX_REQUEST_BYTES,
        answer=lambda raw: open_witness(directory).answer(raw, now()),
        look=look,
    )
    return Server(address, service)


def policy_lines(box: Cosigner) -> list[str]:
    """Return the lines of a policy that asks for this witness: for either of its keys, which are one machine's."""
    word = "".join(c if c.isascii() and c.isalnum() else "-" for c in box.vkeys[0].name)
    witnesses = tuple(policies.Witness(name=f"{word}-{_KINDS[key.key_type]}", key=key) for key in box.vkeys)
    group = policies.Group(name=word, threshold=1, members=tuple(witness.name for witness in witnesses))
    policy = policies.Policy(witnesses=witnesses, groups=(group,), quorum=word)
    return policies.dump_policy(policy).decode().splitlines()
