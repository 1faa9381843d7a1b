import json
import tempfile
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.trust.worlds import HOME_ID, NOW, ORIGIN, keep_head

from nightledger.codec.canonical import canonical
from nightledger.domain.errors import ConfigurationError, IntegrityError
from nightledger.files.slots import SlotFile
from nightledger.trust.head import HeadFile, KeptHead, dump_head, read_head
from nightledger.trust.keys import KeyRing
from nightledger.trust.merkle import CompactRange, leaf_hash
from nightledger.trust.pin import MAX_HEADS, Head, Pin, create_pin, find_pin, read_pin, remember_head

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


@given(size=st.integers(0, 5_000), offset=st.integers(0, 2**53 - 1), turn=st.integers(0, 10**9))
def test_a_head_is_canonical_json_with_the_hash_of_the_rest_in_it(size: int, offset: int, turn: int) -> None:
    peaks = tuple(leaf_hash(b"%d" % n) for n in range(size.bit_count()))
    with tempfile.TemporaryDirectory() as folder:
        kept = KeptHead(range=CompactRange(size=size, peaks=peaks), offset=offset)
        line = dump_head(kept, turn)
        overwrite(Path(folder) / "head.json", turn % 2, line)
        with HeadFile(Path(folder)) as file:
            found = file.kept
            file.prepare(kept)
            file.keep()
        both = (Path(folder) / "head.json").read_bytes()
    record = json.loads(line)
    assert canonical(record) == line
    assert record.pop("check") == sha256(canonical(record)).hexdigest()
    assert found == kept
    assert both[4096 * ((turn + 1) % 2) :].startswith(dump_head(kept, turn + 1))


def overwrite(path: Path, slot: int, content: bytes) -> None:
    with SlotFile(str(path)) as file:
        file.prepare(slot, content)
        file.write()


def heads(ring: KeyRing, *sizes: int) -> Path:
    """Keep the heads of logs of so many lines, one after the other; give their file."""
    for size in sizes:
        grown = CompactRange().extend([leaf_hash(b"%d" % n) for n in range(size)])
        keep_head(ring.home_dir(HOME_ID), KeptHead(range=grown, offset=10 * size))
    return ring.home_dir(HOME_ID) / "head.json"


def size_of(ring: KeyRing) -> int:
    found = read_head(ring.home_dir(HOME_ID))
    assert found is not None
    return found.range.size


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_newest_head_counts_and_the_one_before_is_there_where_a_crash_cut_it(
    ring: KeyRing, count: int
) -> None:
    """Whatever of the bytes that were to be overwritten a crash leaves as they were."""
    create_pin(ring, PIN)
    before = heads(ring, *range(1, count + 1)).read_bytes()
    file = heads(ring, count + 1)
    after = file.read_bytes()
    assert (size_of(ring), len(after)) == (count + 1, 8192)
    changed = [at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert max(changed) - min(changed) < 4096
    for at in range(min(changed), max(changed), 7):
        for torn in (after[:at] + before[at:], before[:at] + after[at:]):
            file.write_bytes(torn)
            assert size_of(ring) == (count + 1 if torn == after else count)
    file.write_bytes(after[: changed[3]] + b"\0" * (changed[9] - changed[3]) + after[changed[9] :])
    assert size_of(ring) == count
    heads(ring, count + 2)  # and the next one takes the place of what was cut
    assert size_of(ring) == count + 2


def test_a_head_of_an_older_version_is_read_and_makes_room(ring: KeyRing) -> None:
    create_pin(ring, PIN)
    grown = CompactRange().extend([leaf_hash(b"first")])
    old = b'{"offset":77,"peaks":["%s"],"size":1,"v":1}\n' % grown.root().hex().encode()
    file = ring.home_dir(HOME_ID) / "head.json"
    file.write_bytes(old)
    file.chmod(0o600)
    assert read_head(file.parent) == KeptHead(range=grown, offset=77)
    heads(ring, 3)
    assert (size_of(ring), file.stat().st_size, file.stat().st_mode & 0o777) == (3, 8192, 0o600)


def test_a_head_with_another_check_or_a_turn_that_is_no_number_is_none(ring: KeyRing) -> None:
    create_pin(ring, PIN)
    file = heads(ring, 1)
    record = json.loads(file.read_bytes()[:4096])
    del record["check"]
    forged = canonical(
        {**record, "turn": "9", "check": sha256(canonical({**record, "turn": "9"})).hexdigest()}
    )
    for other in (forged, b"[]", b"{}", canonical({**record, "check": "0" * 64})):
        overwrite(file, 1, other)
        assert size_of(ring) == 1
    overwrite(file, 0, b"")
    with pytest.raises(IntegrityError, match="is damaged"):
        read_head(file.parent)


def test_filling_that_holds_the_end_of_another_record_makes_a_slot_none(ring: KeyRing) -> None:
    """What is left of a longer line behind a shorter one: the write was cut."""
    create_pin(ring, PIN)
    file = heads(ring, 1, 2)
    raw = bytearray(file.read_bytes())
    raw[4096 + 4000] = ord("}")
    file.write_bytes(raw)
    assert size_of(ring) == 1


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{}",
        b" " * 8192,
        b"[]",
        b'{"offset":1,"peaks":[],"size":1,"v":1}',
        b'{"offset":1,"peaks":["00"],"size":1,"v":1}',
    ],
)
def test_a_damaged_head_is_an_alarm(ring: KeyRing, raw: bytes) -> None:
    create_pin(ring, PIN)
    (ring.home_dir(HOME_ID) / "head.json").write_bytes(raw)
    with pytest.raises(IntegrityError, match="is damaged") as caught:
        read_head(ring.home_dir(HOME_ID))
    assert "last checkpoint" in caught.value.hint


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
