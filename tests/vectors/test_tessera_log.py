"""The test log of transparency-dev/tessera, made anew from its leaves and its published key."""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from nightledger.trust.merkle import Tree, leaf_hash, verify_consistency
from nightledger.trust.note import (
    Checkpoint,
    LineSigner,
    dump_checkpoint,
    dump_note,
    parse_checkpoint,
    parse_note,
    parse_vkey,
    sign_note,
    verifier_of,
    verify_note,
)

pytestmark = pytest.mark.vectors
ORIGIN = "example.com/log/testdata"
SIZE = 15


@dataclass(frozen=True)
class Published:
    """The log's folder, and the key and leaves that its build script publishes."""

    folder: Path
    public: str
    seed: bytes
    leaves: tuple[bytes, ...]

    @property
    def signer(self) -> LineSigner:
        private = Ed25519PrivateKey.from_private_bytes(self.seed)
        return LineSigner(key=parse_vkey(self.public), private=private, at=datetime(2026, 3, 1, tzinfo=UTC))

    def tree(self, size: int) -> Tree:
        tree = Tree()
        tree.extend([leaf_hash(leaf) for leaf in self.leaves[:size]])
        return tree

    def checkpoint(self, size: int) -> bytes:
        return (self.folder / "log" / f"checkpoint.{size}").read_bytes()


@pytest.fixture
def log(vectors: Callable[[str], Path]) -> Published:
    folder = vectors("transparency-dev+tessera") / "testdata"
    script = (folder / "build_log.sh").read_text()
    found = dict(re.findall(r'export LOG_(PRIVATE|PUBLIC)_KEY="([^"]+)"', script))
    # PRIVATE+KEY+<name>+<id>+<base64 of type and seed>, of golang.org/x/mod/sumdb/note
    encoded = found["PRIVATE"].split("+", 4)[4]
    words = re.findall(r"for i in (.+); do", script)[0].split()
    return Published(
        folder=folder,
        public=found["PUBLIC"],
        seed=base64.b64decode(encoded)[1:],
        leaves=tuple(map(str.encode, words)),
    )


def test_every_checkpoint_is_made_anew_byte_for_byte(log: Published) -> None:
    for size in range(SIZE + 1):
        head = Checkpoint(origin=ORIGIN, size=size, root=log.tree(size).root())
        assert dump_note(sign_note(dump_checkpoint(head), [log.signer])) == log.checkpoint(size)
        note = parse_note(log.checkpoint(size))
        verify_note(note, [verifier_of(log.public)])
        assert parse_checkpoint(note.text) == head
    print(f"checkpoints: {SIZE + 1} made anew")


def test_every_tile_that_is_published_holds_our_hashes(log: Published) -> None:
    """C2SP tlog-tiles: a tile of level 0 is the hashes of its leaves, a bundle its leaves behind their lengths."""
    tile = log.folder / "log" / "tile"
    for size in range(1, SIZE + 1):
        leaves = log.leaves[:size]
        assert (tile / f"0/000.p/{size}").read_bytes() == b"".join(map(leaf_hash, leaves))
        bundle = b"".join(len(leaf).to_bytes(2, "big") + leaf for leaf in leaves)
        assert (tile / f"entries/000.p/{size}").read_bytes() == bundle
    print(f"tiles and bundles: {SIZE} of each read")


def test_every_checkpoint_continues_every_earlier_one(log: Published) -> None:
    sizes = range(1, SIZE + 1)
    roots = {size: parse_checkpoint(parse_note(log.checkpoint(size)).text).root for size in sizes}
    tree = log.tree(SIZE)
    assert tree.root() == roots[SIZE]
    for size in sizes:
        for old in range(1, size + 1):
            verify_consistency(old, size, tree.consistency_proof(old, size), roots[old], roots[size])
