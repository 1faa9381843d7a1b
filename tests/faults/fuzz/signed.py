"""What is signed, and who may sign: the log's lines, notes, proofs, envelopes, keys, witnesses."""

from contextlib import suppress
from datetime import datetime
from functools import cache
from typing import Any

from msgspec.structs import replace
from tests.blackbox.ssh import soft
from tests.faults.fuzz.records import BODIES, DEEP, HOME, NOW, fitted, message
from tests.faults.fuzz.target import Target, scratch, written
from tests.trust.ssh_keys import KINDS as KEY_KINDS
from tests.trust.ssh_keys import SoftKey
from tests.trust.witnesses import (
    LogSigner,
    cosigner,
    head_of,
    lines_of,
    note_of,
    policy_of,
    private,
    tree_of,
    witness_key,
)

from nightledger.codec.records import dump_record, parse_record
from nightledger.domain.decision import Actor
from nightledger.domain.errors import ConfigurationError, RecordError
from nightledger.domain.message import MESSAGE_TYPE, Message, Peer, PeerKey, Peers
from nightledger.doors.transport import Response
from nightledger.remote.cosigner import Cosigner, create_witness
from nightledger.remote.receiving import open_message, parse_peers
from nightledger.trust import note as notes
from nightledger.trust import policy as policies
from nightledger.trust import sshsig
from nightledger.trust.dsse import Envelope, dump_envelope, parse_envelope, payloads_in, seal, verify_envelope
from nightledger.trust.event import NewEvent, Scan, is_entry, scan_log
from nightledger.trust.merkle import ProofError, Tree, leaf_hash
from nightledger.trust.signers import (
    SignerSet,
    dump_allowed_signers,
    parse_allowed_signers,
    parse_revoked_keys,
    verify_signature,
)

NAMESPACE = "nightledger-decision@v1"
ALICE = SoftKey("ssh-ed25519", seed=1)
ALICE_SIGNS = sshsig.KeySigner(soft(number=1).private)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


# the log


def _line(seq: int, **fields: Any) -> bytes:
    return NewEvent(event="run.finished", actor=Actor.CRON, at=NOW, fields=fields).line(seq)


def _read_log(raw: bytes) -> tuple[Scan, list[dict[str, Any]]]:
    scan = scan_log(written(scratch() / "log", raw))
    return scan, list(scan.records(scan.tree.size, ()))


def _check_log(raw: bytes, read: tuple[Scan, list[dict[str, Any]]]) -> None:
    scan, records = read
    lines = raw.split(b"\n")
    assert scan.unfinished == lines.pop()
    assert (scan.tree.size, scan.lines) == (len(lines), lines)
    tree = Tree()
    tree.extend(list(map(leaf_hash, lines)))
    assert scan.tree.root() == tree.root()
    good = [n for n, line in enumerate(lines) if is_entry(line, n)]
    assert sorted({*good, *scan.bad}) == list(range(len(lines)))
    assert [record["seq"] for record in records] == good


def _logs() -> list[bytes]:
    good = _line(0) + b"\n"
    return [
        b"",
        good + _line(1, a=1) + b"\n" + _line(2)[:20],
        good + b"{}\n\n" + _line(3) + b"\n",
        DEEP[0] + b"\n",
    ]


# notes


def _check_note(raw: bytes, note: notes.Note) -> None:
    assert notes.dump_note(note) == raw
    with suppress(notes.NoteError):
        head = notes.parse_checkpoint(note.text)
        assert notes.dump_checkpoint(head) == note.text
    with suppress(notes.NoteError):
        notes.verify_note(note, [notes.verifier_of(LogSigner().key.dump())])
        assert note.text in _signed_texts()


@cache
def _signed_texts() -> frozenset[str]:
    return frozenset(notes.parse_note(raw).text for raw in _notes())


@cache
def _notes() -> tuple[bytes, ...]:
    tree = tree_of(9)
    return tuple(note_of(head_of(tree, size), *map(cosigner, range(1, size))) for size in (1, 3, 9))


def _note_seeds() -> list[bytes]:
    return [*_notes(), b"a\n\nb\n\n\xe2\x80\x94 k AAAAAAA=\n"]


def _cosign(raw: bytes) -> tuple[int, Any]:
    """Cosign a note at a time that the input chooses: what a witness with a key can send."""
    note, time_s = notes.parse_note(raw[8:]), int.from_bytes(raw[:8], "big")
    signed = private(1).sign(notes.cosigned_ed25519(note.text, time_s))
    key = witness_key(1)
    line = notes.NoteSignature(name=key.name, key_id=key.key_id, signature=raw[:8] + signed)
    return time_s, policies.cosigned_times(
        replace(note, signatures=(*note.signatures, line)), policy_of(3, 2)
    )


def _check_cosigned(_: bytes, read: tuple[int, dict[str, datetime]]) -> None:
    assert int(read[1]["w1"].timestamp()) == read[0]


def _stamped() -> list[bytes]:
    stamps = (b"\0" * 8, b"\0\0\0\0\x69\xa0\0\0", b"\x7f" + b"\xff" * 7, b"\xff" * 8)
    return [stamp + note for stamp in stamps for note in _notes()]


# proofs


@cache
def _proofs() -> tuple[bytes, ...]:
    tree, head = tree_of(9), _notes()[2]
    extra = lines_of(9)[4]
    return (
        policies.dump_proof(
            policies.LogProof(index=4, hashes=tuple(tree.inclusion_proof(4, 9)), checkpoint=head, extra=extra)
        ),
        policies.dump_proof(policies.LogProof(index=0, hashes=(), checkpoint=_notes()[0])),
        policies.dump_continuation(
            policies.Continuation(old_size=3, hashes=tuple(tree.consistency_proof(3, 9)), checkpoint=head)
        ),
        policies.dump_continuation(policies.Continuation(old_size=0, hashes=(), checkpoint=_notes()[1])),
    )


def _read_proof(raw: bytes) -> policies.LogProof | policies.Continuation:
    return policies.parse_continuation(raw) if raw.startswith(b"old") else policies.parse_proof(raw)


def _check_proof(raw: bytes, read: policies.LogProof | policies.Continuation) -> None:
    tree = tree_of(9)
    if isinstance(read, policies.LogProof):
        assert policies.dump_proof(read) == raw
        with suppress(notes.NoteError, policies.QuorumError, ProofError):
            proven = policies.verify_proof(read, read.extra, policy_of(3, 2))
            assert lines_of(9)[read.index] == read.extra
            assert proven.checkpoint == head_of(tree, proven.checkpoint.size)
        return
    assert policies.dump_continuation(read) == raw
    with suppress(ProofError, policies.ProofFormError):
        policies.verify_continuation(read, head_of(tree, 3), head_of(tree, 9))
        assert read.hashes == tuple(tree.consistency_proof(3, 9))


def _check_policy(_: bytes, policy: policies.Policy) -> None:
    assert policies.parse_policy(policies.dump_policy(policy), where="again") == policy
    times = {witness.name: NOW for witness in policy.witnesses}
    assert policy.is_met(times) == (policy.first_seen(times) is not None or not policy.asks)
    assert policy.first_seen(times) == policy.last_seen(times)


def _policies() -> list[bytes]:
    vkeys = [witness_key(n).dump().encode() for n in (1, 2)]
    return [
        policies.dump_policy(policy_of(3, 2)),
        b"# who\nlog " + LogSigner().key.dump().encode() + b" https://log.invalid/\nquorum none\n",
        b"witness a " + vkeys[0] + b"\nwitness b\t" + vkeys[1] + b"\ngroup g any a b\nquorum g\n",
        b"log \xff+00000000+AQ==\nquorum none\n",
    ]


# envelopes


@cache
def _envelopes() -> tuple[bytes, ...]:
    sealed = seal(MESSAGE_TYPE, dump_record(message()), ALICE_SIGNS)
    kind = MESSAGE_TYPE.encode()
    url_safe = sealed.translate(bytes.maketrans(b"+/", b"-_")).replace(
        kind.translate(bytes.maketrans(b"+/", b"-_")), kind
    )
    return sealed, sealed.replace(b'":', b'" : '), url_safe


def _read_envelope(raw: bytes) -> Envelope:
    list(payloads_in(raw))
    return parse_envelope(raw, "it", max_bytes=1 << 20)


def _check_envelope(_: bytes, read: Envelope) -> None:
    once = dump_envelope(read)
    assert parse_envelope(once, "again", max_bytes=1 << 20) == read
    assert list(payloads_in(once)) == [read.payload]
    with suppress(sshsig.SignatureError):
        verify_envelope(read, MESSAGE_TYPE, [ALICE.public])
        assert read.payload == dump_record(message())


def _open(raw: bytes) -> Message:
    """Seal what the input says as a known machine would, unless it is an envelope already."""
    sealed = raw if raw.startswith(b"{") else seal(MESSAGE_TYPE, fitted(raw[1:]), ALICE_SIGNS)
    return open_message(sealed, _peers())[0]


@cache
def _peers() -> Peers:
    key = PeerKey(key=ALICE.public.line)
    return Peers(peers=(Peer(name="desk", home=HOME, keys=(key,), actions=("load_memory_file",)),))


def _check_opened(raw: bytes, read: Message) -> None:
    if raw.startswith(b"{"):
        assert read == message()
    else:
        assert dump_record(read) == fitted(raw[1:])


def _sealed() -> list[bytes]:
    return [*_envelopes(), *(b"+" + dump_record(message(action, **body)) for action, body in BODIES.items())]


def _check_peers(raw: bytes, peers: Peers) -> None:
    if not raw:
        return
    again = parse_record(Peers, dump_record(peers), where="again")
    assert again == peers
    for peer in peers.peers:
        with suppress(sshsig.PublicKeyError):
            assert all(sshsig.parse_public_line(key.key).line for key in peer.keys)


def _peers_seeds() -> list[bytes]:
    known = dump_record(_peers())
    return [b"", known, b'{"peers":[],"v":1}', known.replace(b"ssh-", b"ssh "), *DEEP]


# keys and signatures


@cache
def _armoured() -> tuple[bytes, ...]:
    keys = (SoftKey(kind) for kind in KEY_KINDS)
    return (
        *(key.sign(b"it", NAMESPACE).encode() for key in keys),
        ALICE.sign(b"it", "file", hash_algorithm="sha256").encode(),
    )


def _check_signature(raw: bytes, read: sshsig.Signature) -> None:
    hardware = (
        bytes([read.flags]) + read.counter.to_bytes(4, "big") if read.key.kind.startswith("sk-") else b""
    )
    wrapped = sshsig.wire_string(read.key.kind.encode()) + sshsig.wire_string(read.raw) + hardware
    fields = (read.key.blob, read.namespace.encode(), b"", read.hash_algorithm.encode(), wrapped)
    assert b"SSHSIG\0\0\0\1" + b"".join(map(sshsig.wire_string, fields)) == sshsig._unarmour(_text(raw))
    for kind in KEY_KINDS:
        with suppress(sshsig.SignatureError):
            sshsig.verify_with(SoftKey(kind).public, b"it", _text(raw), NAMESPACE)
            assert read.namespace == NAMESPACE
    with suppress(sshsig.SignatureError):
        signers = SignerSet(signers=parse_allowed_signers(f"alice {ALICE.public.line}", where="it"))
        assert (
            verify_signature(b"it", _text(raw), namespace=NAMESPACE, signers=signers, at=NOW).principal
            == "alice"
        )


def _signer_lines() -> list[bytes]:
    line = ALICE.public.line
    return [
        f'# who\nalice,alice@ops namespaces="{NAMESPACE},file",valid-after="20260101Z",valid-before="202701011530Z" {line} laptop\n'.encode(),
        f"bob {SoftKey('ecdsa-sha2-nistp256').public.line}\r\ncarol {SoftKey('sk-ssh-ed25519@openssh.com').public.line}\n".encode(),
        f'd valid-after="00990101Z" {line}\n'.encode(),
        f"ca cert-authority {line}\n*.example {line}\n".encode(),
    ]


def _read_signers(raw: bytes) -> Any:
    return parse_allowed_signers(_text(raw), where="it")


def _check_signers(_: bytes, read: Any) -> None:
    assert parse_allowed_signers(dump_allowed_signers(read), where="again") == read


def _read_revoked(raw: bytes) -> frozenset[bytes]:
    return parse_revoked_keys(_text(raw), where="it")


def _check_revoked(_: bytes, read: frozenset[bytes]) -> None:
    lines = [f"{_kind_of(blob)} {notes.encode_base64(blob)}" for blob in read]
    assert parse_revoked_keys("\n".join(lines), where="again") == read


def _revoked() -> list[bytes]:
    odd = sshsig.PublicKey(kind="ssh-rsa", blob=sshsig.wire_string(b"ssh-rsa") + b"rest")
    return [
        *(f"{SoftKey(kind).public.line} gone\n# why\n".encode() for kind in KEY_KINDS),
        f"{odd.line}\n".encode(),
    ]


def _kind_of(blob: bytes) -> str:
    return blob[4 : 4 + int.from_bytes(blob[:4], "big")].decode()


def _check_vkey(raw: bytes, read: Any) -> None:
    assert read.dump() == _text(raw)


def _vkeys() -> list[bytes]:
    return [LogSigner().key.dump().encode(), witness_key(1).dump().encode(), b"a+00000000+AQ=="]


# witnesses


@cache
def _box() -> Cosigner:
    box = create_witness(scratch() / "witness", "witness.example/9")
    return replace(box, logs=(LogSigner().key,))


def _check_answer(_: bytes, answer: Response) -> None:
    assert answer.status in (200, 400, 403, 404, 409, 422, 503)
    assert answer.content
    assert len(answer.content) < 100_000
    if answer.status == 200:
        assert answer.content.startswith("— witness.example/9 ".encode())


TARGETS = (
    Target("log-file", _read_log, _check_log, _logs),
    Target("notes", notes.parse_note, _check_note, _note_seeds, notes.NoteError),
    Target("cosignatures", _cosign, _check_cosigned, _stamped, notes.NoteError),
    Target("proofs", _read_proof, _check_proof, _proofs, policies.ProofFormError),
    Target(
        "policy", lambda raw: policies.parse_policy(raw, where="it"), _check_policy, _policies, RecordError
    ),
    Target("vkeys", lambda raw: notes.parse_vkey(_text(raw)), _check_vkey, _vkeys, ConfigurationError),
    Target("envelopes", _read_envelope, _check_envelope, lambda: [*_envelopes(), *DEEP], RecordError),
    Target("channel", _open, _check_opened, _sealed, (RecordError, sshsig.SignatureError)),
    Target("peers", parse_peers, _check_peers, _peers_seeds, RecordError),
    Target(
        "sshsig",
        lambda raw: sshsig.parse_signature(_text(raw)),
        _check_signature,
        _armoured,
        sshsig.SignatureError,
    ),
    Target("allowed-signers", _read_signers, _check_signers, _signer_lines, RecordError),
    Target("revoked-keys", _read_revoked, _check_revoked, _revoked, RecordError),
    Target("witness", lambda raw: _box().answer(raw, NOW), _check_answer, lambda: _proofs()[::-1]),
)
