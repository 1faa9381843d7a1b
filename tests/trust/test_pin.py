"""What this machine keeps of a log: the pin, and the head that was acknowledged."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.trust.worlds import HOME_ID, NOW, ORIGIN

from nightledger.trust.keys import KeyRing
from nightledger.trust.merkle import CompactRange, leaf_hash
from nightledger.trust.pin import (
    MAX_HEADS,
    Head,
    KeptHead,
    Pin,
    create_pin,
    keep_head,
    read_head,
    read_pin,
    remember_head,
)

PIN = Pin(
    home=HOME_ID,
    origin=ORIGIN,
    genesis=leaf_hash(b"first"),
    vkeys=("log+00000000+AQ==",),
    trust_files={"allowed_signers": "ab" * 32, "policy": "cd" * 32},
)


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    return KeyRing(tmp_path / "keys")


def head(size: int, root: bytes = b"") -> Head:
    return Head(size=size, root=root or leaf_hash(b"%d" % size), at=NOW + timedelta(seconds=size))


def test_a_pin_comes_back_as_it_was_made(ring: KeyRing) -> None:
    create_pin(ring, PIN)
    assert read_pin(ring, HOME_ID) == PIN
    assert ring.path(HOME_ID, "pin.json").stat().st_mode & 0o777 == 0o600


def test_heads_are_added_by_size_and_the_newest_are_kept(ring: KeyRing) -> None:
    create_pin(ring, PIN)
    for size in (5, 2, *range(10, 10 + MAX_HEADS), 5):
        remember_head(ring, HOME_ID, head(size))
    remember_head(ring, HOME_ID, head(10 + MAX_HEADS - 1, leaf_hash(b"another history")))
    heads = read_pin(ring, HOME_ID).heads
    assert [seen.size for seen in heads] == list(range(10, 10 + MAX_HEADS))
    assert heads[-1] == head(10 + MAX_HEADS - 1)


def test_the_acknowledged_head_comes_with_the_pin(ring: KeyRing) -> None:
    create_pin(ring, PIN)
    grown = CompactRange().extend([leaf_hash(b"first"), leaf_hash(b"second"), leaf_hash(b"third")])
    keep_head(ring.home_dir(HOME_ID), KeptHead(range=grown, offset=77))
    assert read_head(ring.home_dir(HOME_ID)) == KeptHead(range=grown, offset=77)
    pin = read_pin(ring, HOME_ID)
    assert (pin.acknowledged, pin.acknowledged_root) == (3, grown.root())
