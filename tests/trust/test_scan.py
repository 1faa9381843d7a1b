from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.trust.worlds import NOW

from nightledger.domain.decision import Actor
from nightledger.trust import event as scans
from nightledger.trust.event import Closure, NewEvent, Scan, is_void, scan_log, void_ranges
from nightledger.trust.merkle import CompactRange, leaf_hash


def line(seq: int, name: str = "run.finished", **fields: int | str) -> bytes:
    return NewEvent(event=name, actor=Actor.CRON, at=NOW, fields=fields).line(seq)


def scanned(tmp_path: Path, raw: bytes) -> Scan:
    path = tmp_path / "log"
    path.write_bytes(raw)
    return scan_log(str(path))


def joined(lines: list[bytes]) -> bytes:
    return b"".join(one + b"\n" for one in lines)


@given(
    lines=st.lists(st.binary(max_size=60).filter(lambda raw: b"\n" not in raw), max_size=12),
    block=st.integers(1, 8),
)
def test_every_line_is_a_leaf_whatever_the_blocks(lines: list[bytes], block: int, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scans, "_BATCH", block)
        scan = scanned(tmp_path, joined(lines) + b"rest")
    assert scan.tree.root() == CompactRange().extend(map(leaf_hash, lines)).root()
    assert (scan.lines, scan.unfinished) == (lines, b"rest")
    assert scan.bad == [index for index in range(len(lines)) if not scans.is_entry(lines[index], index)]


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60))), st.integers(0, 61))
def test_a_closure_counts_only_where_its_own_entry_does(pairs: list[tuple[int, int]], known: int) -> None:
    ends = sorted({end for _, end in pairs})
    closures = [Closure(next(min(first, end) for first, at in pairs if at == end), end) for end in ends]
    believed = [
        closure
        for closure in closures
        if closure.end < known
        and not any(
            later.first <= closure.end < later.end
            for later in void_ranges(closures, known)
            if later.end > closure.end
        )
    ]
    void = void_ranges(closures, known)
    assert list(void) == believed
    for index in range(61):
        assert is_void(void, index) == any(one.first <= index < one.end for one in void)
