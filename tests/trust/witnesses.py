"""Keys of logs and witnesses made from numbers, and policies over them."""

from collections.abc import Mapping
from datetime import UTC, datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from nightledger.remote.cosigner import Answer
from nightledger.remote.witness_ways import Exchange, WitnessUnreachableError
from nightledger.trust.checkpoint import (
    COSIGNATURE_ED25519,
    Checkpoint,
    LineSigner,
    dump_checkpoint,
    parse_checkpoint,
)
from nightledger.trust.merkle import ProofError, Tree, leaf_hash, verify_consistency
from nightledger.trust.note import ED25519, Note, NoteSigner, VerifierKey, dump_note, parse_note, sign_note
from nightledger.trust.policy import Group, Policy, Witness
from nightledger.trust.proof import parse_continuation

LOG = "nightledger/" + "5a" * 16
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def private(number: int) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(number.to_bytes(32, "big"))


def public(number: int) -> bytes:
    return private(number).public_key().public_bytes_raw()


def LogSigner(name: str = LOG, number: int = 1_000) -> LineSigner:  # noqa: N802 - reads as what it makes
    """Sign as a log whose key is made from a number."""
    key = VerifierKey(name=name, key_type=ED25519, public=public(number))
    return LineSigner(key=key, private=private(number), at=NOON)


def witness_key(number: int) -> VerifierKey:
    return VerifierKey(name=f"witness.example/{number}", key_type=COSIGNATURE_ED25519, public=public(number))


def cosigner(number: int, at: datetime = NOON) -> LineSigner:
    return LineSigner(key=witness_key(number), private=private(number), at=at)


def witness(number: int) -> Witness:
    return Witness(name=f"w{number}", key=witness_key(number))


def policy_of(count: int, threshold: int, *logs: VerifierKey) -> Policy:
    """A policy of so many witnesses, of which so many must cosign; 0 asks for nobody."""
    witnesses = tuple(map(witness, range(1, count + 1)))
    names = tuple(one.name for one in witnesses)
    groups = (Group(name="all", threshold=threshold, members=names),) if threshold else ()
    return Policy(
        logs=logs or (LogSigner().key,),
        witnesses=witnesses,
        groups=groups,
        quorum="all" if threshold else "none",
    )


def tree_of(count: int, word: bytes = b"line") -> Tree:
    tree = Tree()
    tree.extend([leaf_hash(line) for line in lines_of(count, word)])
    return tree


def lines_of(count: int, word: bytes = b"line") -> list[bytes]:
    return [b"%s %d" % (word, number) for number in range(count)]


def head_of(tree: Tree, size: int | None = None, origin: str = LOG) -> Checkpoint:
    wanted = tree.size if size is None else size
    return Checkpoint(origin=origin, size=wanted, root=tree.root(wanted))


def note_of(head: Checkpoint, *signers: NoteSigner) -> bytes:
    """Sign a head as the log, then by others."""
    return dump_note(sign_note(dump_checkpoint(head), (LogSigner(head.origin), *signers)))


def times_of(times: Mapping[int, int]) -> dict[str, datetime]:
    """Give times by witness name, from minutes past noon by number."""
    return {f"w{number}": NOON.replace(minute=minute) for number, minute in times.items()}


class FakeWitness:
    """A witness in memory that keeps the rules; what it answers can be bent."""

    def __init__(self, number: int, *, at: datetime = NOON) -> None:
        self.number = number
        self.at = at
        self.last: tuple[Checkpoint, bytes] | None = None
        self.asked: list[bytes] = []
        self.answers: list[Answer] = []
        self.earlier: list[bytes] = []
        self.later = False
        self.silent = False
        self.shows = True

    @property
    def name(self) -> str:
        return witness_key(self.number).name

    def ask(self, request: bytes) -> Exchange | None:
        self.asked.append(request)
        if self.silent:
            raise WitnessUnreachableError("nobody answers")
        if self.earlier:
            request = self.earlier.pop()
        if self.later:
            return None
        return Exchange(request=request, answer=self.answers.pop(0) if self.answers else self._judge(request))

    def newest(self, origin_sha256: str) -> bytes | None:
        assert len(origin_sha256) == 64
        return self.last[1] if self.last and self.shows else None

    def remember(self, raw: bytes) -> None:
        """Cosign a head without being asked by this log, as another copy of it may have."""
        note = parse_note(raw)
        lines = sign_note(note.text, [cosigner(self.number, self.at)]).signatures
        kept = Note(text=note.text, signatures=(*note.signatures, *lines))
        self.last = parse_checkpoint(note.text), dump_note(kept)

    def _judge(self, raw: bytes) -> Answer:
        request = parse_continuation(raw)
        head = parse_checkpoint(parse_note(request.checkpoint).text)
        last = self.last[0] if self.last else None
        if request.old_size != (last.size if last else 0):
            return Answer(status=409, body=b"%d\n" % (last.size if last else 0))
        if last:
            try:
                verify_consistency(last.size, head.size, request.hashes, last.root, head.root)
            except ProofError as error:
                return Answer(status=422, body=f"{error}\n".encode())
        self.remember(request.checkpoint)
        made = dump_note(sign_note(dump_checkpoint(head), [cosigner(self.number, self.at)]))
        return Answer(status=200, body=made.removeprefix(f"{dump_checkpoint(head)}\n".encode()))
