import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.trust.worlds import HOME_ID, NOW, ORIGIN

from nightledger.codec.canonical import canonical
from nightledger.domain.errors import ConfigurationError, IntegrityError
from nightledger.trust.keys import KeyRing
from nightledger.trust.merkle import CompactRange, leaf_hash
from nightledger.trust.pin import (
    MAX_HEADS,
    Head,
    KeptHead,
    Pin,
    create_pin,
    find_pin,
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


def test_a_pin_is_never_replaced(ring: KeyRing) -> None:
    create_pin(ring, PIN)
    with pytest.raises(ConfigurationError, match="a pin is never replaced"):
        create_pin(ring, replace(PIN, genesis=leaf_hash(b"other")))
    assert read_pin(ring, HOME_ID) == PIN


def test_a_home_that_was_never_seen_has_no_pin(ring: KeyRing) -> None:
    assert find_pin(ring, HOME_ID) is None
    with pytest.raises(IntegrityError, match="is missing") as caught:
        read_pin(ring, HOME_ID)
    assert "NIGHTLEDGER_KEYS" in caught.value.hint


def test_heads_are_added_by_size_and_the_newest_are_kept(ring: KeyRing) -> None:
    create_pin(ring, PIN)
    for size in (5, 2, *range(10, 10 + MAX_HEADS), 5):
        remember_head(ring, HOME_ID, head(size))
    heads = read_pin(ring, HOME_ID).heads
    assert [seen.size for seen in heads] == list(range(10, 10 + MAX_HEADS))
    assert heads[-1] == head(10 + MAX_HEADS - 1)


def test_a_head_that_was_seen_is_not_seen_anew(ring: KeyRing) -> None:
    create_pin(ring, PIN)
    remember_head(ring, HOME_ID, head(5))
    before = ring.path(HOME_ID, "pin.json").read_bytes()
    remember_head(ring, HOME_ID, replace(head(5), at=NOW + timedelta(days=9)))
    remember_head(ring, HOME_ID, head(5, leaf_hash(b"other")))
    assert ring.path(HOME_ID, "pin.json").read_bytes() == before


@pytest.mark.parametrize("raw", [b"", b"{}", b"[]", b"{", b'{"v":1}'])
def test_a_damaged_pin_is_an_alarm(ring: KeyRing, raw: bytes) -> None:
    create_pin(ring, PIN)
    ring.path(HOME_ID, "pin.json").write_bytes(raw)
    with pytest.raises(IntegrityError, match="is damaged"):
        read_pin(ring, HOME_ID)


@pytest.mark.parametrize("genesis", ["00", "zz" * 32])
def test_a_pinned_hash_has_32_bytes(ring: KeyRing, genesis: str) -> None:
    create_pin(ring, PIN)
    path = ring.path(HOME_ID, "pin.json")
    path.write_bytes(path.read_bytes().replace(PIN.genesis.hex().encode(), genesis.encode()))
    with pytest.raises(IntegrityError, match="is damaged"):
        read_pin(ring, HOME_ID)


def test_the_acknowledged_head_comes_with_the_pin(ring: KeyRing) -> None:
    create_pin(ring, PIN)
    grown = CompactRange().extend([leaf_hash(b"first"), leaf_hash(b"second"), leaf_hash(b"third")])
    keep_head(ring.home_dir(HOME_ID), KeptHead(range=grown, offset=77))
    assert read_head(ring.home_dir(HOME_ID)) == KeptHead(range=grown, offset=77)
    pin = read_pin(ring, HOME_ID)
    assert (pin.acknowledged, pin.acknowledged_root) == (3, grown.root())


@pytest.mark.parametrize(
    "odd",
    [
        {"vkeys": "abc"}, {"vkeys": [1]}, {"trust_files": [["a", "b"]]}, {"trust_files": {"a": 1}}, {"v": "1"},
        {"home": None}, {"origin": 3}, {"heads": [{"size": "3", "root": "00" * 32, "at": "2026-03-01T12:00:00Z"}]},
        {"heads": [{"size": 3, "root": "00" * 32, "at": "2026-03-01T12:00:00"}]},
        {"heads": [{"size": 3, "root": "00" * 32, "at": "0001-01-01T00:00:00+14:00"}]},
    ],
)  # fmt: skip
def test_a_pin_with_values_of_another_kind_is_damaged(odd: dict[str, object], ring: KeyRing) -> None:
    create_pin(ring, PIN)
    path = ring.path(HOME_ID, "pin.json")
    path.write_bytes(canonical({**json.loads(path.read_bytes()), **odd}))
    with pytest.raises(IntegrityError, match="is damaged"):
        read_pin(ring, HOME_ID)
