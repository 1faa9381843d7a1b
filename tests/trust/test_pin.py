"""What this machine keeps of a log: the pin, and the head that was acknowledged."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.trust.worlds import HOME_ID, NOW, ORIGIN

from nightledger.domain.errors import IntegrityError
from nightledger.trust.keys import KeyRing
from nightledger.trust.merkle import leaf_hash
from nightledger.trust.pin import MAX_HEADS, Head, Pin, create_pin, read_pin, remember_head

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


def test_heads_are_added_by_size_and_the_newest_are_kept(ring: KeyRing) -> None:
    create_pin(ring, PIN)
    for size in (5, 2, *range(10, 10 + MAX_HEADS), 5):
        remember_head(ring, HOME_ID, head(size))
    remember_head(ring, HOME_ID, head(10 + MAX_HEADS - 1, leaf_hash(b"another history")))
    heads = read_pin(ring, HOME_ID).heads
    assert [seen.size for seen in heads] == list(range(10, 10 + MAX_HEADS))
    assert heads[-1] == head(10 + MAX_HEADS - 1)


def test_a_size_that_no_number_of_ours_holds_is_damage(ring: KeyRing) -> None:
    create_pin(ring, PIN)
    remember_head(ring, HOME_ID, head(5))
    path = ring.path(HOME_ID, "pin.json")
    path.write_text(path.read_text().replace('"size":5', f'"size":{2**53}'))
    with pytest.raises(IntegrityError, match="damaged"):
        read_pin(ring, HOME_ID)
