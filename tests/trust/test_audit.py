import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.trust.worlds import HOME_ID, NOW, ORIGIN, World

from nightledger.domain.decision import Actor
from nightledger.domain.errors import IntegrityError, LockedError, NotDurableError
from nightledger.files import line_log
from nightledger.trust import audit, heads, pin
from nightledger.trust import event as scan
from nightledger.trust import event as scans
from nightledger.trust.audit import verify
from nightledger.trust.event import Closure, EventError, NewEvent, Scan, is_void, scan_log, void_ranges
from nightledger.trust.heads import hold
from nightledger.trust.merkle import CompactRange, leaf_hash
from nightledger.trust.note import Checkpoint, dump_checkpoint
from nightledger.trust.pin import Head, read_head, remember_head
from nightledger.trust.report import Damage, Finding, Report


def names(world: World) -> list[str]:
    return [event.event for event in world.check().events]


def numbers(world: World) -> list[int]:
    return [event.fields["n"] for event in world.check().events if event.event == "run.finished"]


# ------------------------------------------------------------------ starting


def test_a_log_is_held_by_one_run_at_a_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "_LOCK_TIMEOUT_S", 0.0)
    before, opened = world.log_bytes(), len(os.listdir("/dev/fd"))
    with hold(world.home):
        for write in (lambda: world.append(1), world.sign, lambda: hold(world.home)):
            with pytest.raises(LockedError, match="is held by another process"):
                write()
    assert (world.log_bytes(), len(os.listdir("/dev/fd"))) == (before, opened)
    world.append(1)


# ------------------------------------------------------------------ appending


def test_one_write_holds_all_lines(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []

    def watch(descriptor: int, content: bytes) -> None:
        written.append(bytes(content))
        os.write(descriptor, content)

    monkeypatch.setattr(line_log, "write_all", watch)
    world.append(1, 2, 3)
    assert [content.count(b"\n") for content in written] == [3]


def test_an_entry_is_acknowledged_only_when_the_head_is_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise NotDurableError("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(pin, "keep_head", fail)
        with pytest.raises(NotDurableError):
            world.append(1)
    assert numbers(world) == []
    world.append(2)
    assert numbers(world) == [2]


# ------------------------------------------------------------------ keys restored from a backup


def test_what_goes_beyond_the_head_that_is_known_counts_by_the_logs_signature_over_it_alone(
    world: World,
) -> None:
    head, checkpoint = world.ring.path(HOME_ID, "head.json"), Path(world.home.checkpoint)
    older, planted = head.read_bytes(), b'{"planted":1}'
    known = read_head(world.key.directory)
    assert known is not None
    before, genuine = world.log_bytes(), checkpoint.read_bytes()
    root = known.range.extend([leaf_hash(planted)]).root()
    checkpoint.write_text(
        dump_checkpoint(Checkpoint(origin=ORIGIN, size=2, root=root)) + "\n— who AAAAAAAA\n"
    )
    world.write_log(before + planted + b"\n")
    with pytest.raises(IntegrityError):
        world.append(1)
    checkpoint.write_bytes(genuine)
    world.write_log(before)
    world.append(1)
    world.sign()
    head.write_bytes(older)
    whole = world.log_bytes()
    world.edit_line(2, b'"n":1', b'"n":2')
    with pytest.raises(IntegrityError, match="is not the log that"):
        world.append(2)
    world.write_log(whole)
    world.append(2)
    assert numbers(world) == [1, 2]


# ------------------------------------------------------------------ signing


def test_nothing_is_signed_that_contradicts_what_was_seen(world: World) -> None:
    world.append(1)
    remember_head(world.ring, HOME_ID, Head(size=2, root=leaf_hash(b"another history"), at=NOW))
    with pytest.raises(IntegrityError, match="nothing was signed"):
        world.sign()
    assert world.check().report.signed_size == 1


# ------------------------------------------------------------------ several writers


def test_an_event_that_nobody_could_read_is_not_written(world: World) -> None:
    before = world.log_bytes()
    with pytest.raises(EventError, match=r"proposal\.closed has not the members"):
        audit.append(world.home, world.key, [world.event(1), world.event(2, "proposal.closed")])
    assert world.log_bytes() == before


@pytest.fixture
def signed(world: World) -> World:
    """Nine entries under a checkpoint; heads of 1, 4, 7 and 9 entries were kept."""
    for numbers in ((1, 2, 3), (4, 5, 6), (7, 8)):
        world.append(*numbers)
        world.sign(keep=True)
    return world


def first_alarm(report: Report) -> Finding:
    return report.alarms[0]


# ------------------------------------------------------------------ all is well


def test_without_a_pin_form_and_roots_are_checked_and_the_rest_is_said(signed: World) -> None:
    report = verify(signed.home, None)
    assert (report.ok, report.signed_size) == (True, 9)
    assert report.unchecked == ("signatures: this machine has not pinned the log's keys",)
    signed.edit_line(5, b'"n":4', b'"n":5')
    assert first_alarm(verify(signed.home, None)).damage is Damage.EDITED


# ------------------------------------------------------------------ edited


# ------------------------------------------------------------------ entries are judged when they are read


@pytest.mark.parametrize("block", [1, 7, 256])
@pytest.mark.parametrize("tail", [b"half\rof\rit", b"a line\r\n\x0b\x0c\nanother\n", b"\n\n", b"\0" * 400])
def test_closed_tails_are_passed_over_whatever_they_hold(
    signed: World, monkeypatch: pytest.MonkeyPatch, block: int, tail: bytes
) -> None:
    monkeypatch.setattr(scan, "_BATCH", block)
    signed.write_log(signed.log_bytes() + tail)
    signed.append(50)
    signed.append(51)
    log = signed.check()
    assert log.report.ok
    assert [event.fields.get("n") for event in log.events[-3:-1]] == [None, 50]
    assert [event.seq for event in log.events][:9] == list(range(9))
    assert log.events[-1].seq == log.size - 1
    assert [name for name, _, _ in log.entries()].count("log.tail_closed") == 1
    signed.sign()
    assert signed.check().events == log.events


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
