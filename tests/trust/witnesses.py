"""Keys of logs and witnesses made from numbers, and policies over them."""

from collections.abc import Mapping
from datetime import UTC, datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from nightledger.trust import note
from nightledger.trust.merkle import Tree, leaf_hash
from nightledger.trust.policy import Group, Policy, Witness

LOG = "nightledger/" + "5a" * 16
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def private(number: int) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(number.to_bytes(32, "big"))


def public(number: int) -> bytes:
    return private(number).public_key().public_bytes_raw()


def LogSigner(name: str = LOG, number: int = 1_000) -> note.LineSigner:  # noqa: N802 - reads as what it makes
    """Sign as a log whose key is made from a number."""
    key = note.VerifierKey(name=name, key_type=note.ED25519, public=public(number))
    return note.LineSigner(key=key, private=private(number), at=NOON)


def witness_key(number: int) -> note.VerifierKey:
    return note.VerifierKey(
        name=f"witness.example/{number}", key_type=note.COSIGNATURE_ED25519, public=public(number)
    )


def cosigner(number: int, at: datetime = NOON) -> note.LineSigner:
    return note.LineSigner(key=witness_key(number), private=private(number), at=at)


def witness(number: int) -> Witness:
    return Witness(name=f"w{number}", key=witness_key(number))


def policy_of(count: int, threshold: int, *logs: note.VerifierKey) -> Policy:
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


def head_of(tree: Tree, size: int | None = None, origin: str = LOG) -> note.Checkpoint:
    wanted = tree.size if size is None else size
    return note.Checkpoint(origin=origin, size=wanted, root=tree.root(wanted))


def note_of(head: note.Checkpoint, *signers: note.LineSigner) -> bytes:
    """Sign a head as the log, then by others."""
    return note.dump_note(note.sign_note(note.dump_checkpoint(head), (LogSigner(head.origin), *signers)))


def times_of(times: Mapping[int, int]) -> dict[str, datetime]:
    """Give times by witness name, from minutes past noon by number."""
    return {f"w{number}": NOON.replace(minute=minute) for number, minute in times.items()}
