import errno
import os
import shutil
from multiprocessing import get_context
from pathlib import Path

import pytest
from tests.trust.worlds import HOME_ID, NOW, ORIGIN, World

from nightledger.domain.errors import IntegrityError, LockedError, NotDurableError
from nightledger.domain.event import Actor
from nightledger.files import append as appending
from nightledger.files.append import Appended, Appender
from nightledger.files.home import Home
from nightledger.trust import audit
from nightledger.trust.checkpoint import Checkpoint, dump_checkpoint
from nightledger.trust.event import EventError, NewEvent
from nightledger.trust.keys import KeyRing, load_log_key
from nightledger.trust.merkle import CompactRange, leaf_hash
from nightledger.trust.note import dump_note, sign_note
from nightledger.trust.pin import Head, read_head, remember_head
from nightledger.trust.signed_head import read_stated_head


def names(world: World) -> list[str]:
    return [event.event for event in world.check().events]


def kept_range(world: World) -> CompactRange:
    head = read_head(world.key.directory)
    assert head is not None
    return head.range


def numbers(world: World) -> list[int]:
    return [event.fields["n"] for event in world.check().events if event.event == "run.finished"]


# ------------------------------------------------------------------ starting


def test_a_started_log_holds_its_first_entry_signed_and_pinned(bare: World) -> None:
    pin = bare.start()
    (line,) = bare.log_bytes().splitlines()
    assert pin.genesis == leaf_hash(line)
    assert (pin.origin, pin.vkeys, pin.trust_files) == (ORIGIN, bare.key.vkeys, {"policy": "00" * 32})
    assert [head.size for head in pin.heads] == [1]
    assert bare.check().report.ok
    assert Path(bare.home.checkpoint).read_bytes() == (Path(bare.home.checkpoints_dir) / "1").read_bytes()


@pytest.mark.parametrize("missing", [["checkpoint"], ["pin", "checkpoint"], ["pin", "checkpoint", "head"]])
def test_a_start_that_was_cut_short_is_finished(world: World, missing: list[str]) -> None:
    paths = {
        "checkpoint": Path(world.home.checkpoint),
        "pin": world.ring.path(HOME_ID, "pin.json"),
        "head": world.ring.path(HOME_ID, "head.json"),
    }
    for name in missing:
        paths[name].unlink()
    shutil.rmtree(world.home.checkpoints_dir)
    world.start()
    assert world.check().report.ok
    assert "genesis" in names(world)


@pytest.mark.parametrize("left", [b"", b'{"actor"', b"\0" * 30, b'{"actor"\n', None])
def test_a_start_that_was_killed_before_it_was_acknowledged_begins_anew(
    bare: World, left: bytes | None
) -> None:
    if left is None:  # the very line, and the kill before its head was kept
        bare.start()
        left = bare.log_bytes()
        for name in ("pin.json", "head.json"):
            bare.ring.path(HOME_ID, name).unlink()
        Path(bare.home.checkpoint).unlink()
        shutil.rmtree(bare.home.checkpoints_dir)
    if left:
        bare.write_log(left)
    pin = bare.start()
    (line,) = bare.log_bytes().splitlines()
    assert pin.genesis == leaf_hash(line)
    assert bare.check().report.ok
    assert names(bare) == ["genesis"]


@pytest.mark.parametrize("calls", [1, 2])
def test_two_runs_that_begin_a_log_at_once_write_one_first_entry(
    bare: World, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    """The other is whole before ours holds the log for the first time, or for the second."""
    held, asked = audit._held, 0

    def late(log: Appender) -> Appender:
        nonlocal asked
        asked += 1
        if asked == calls:
            monkeypatch.undo()
            genesis = NewEvent(event="genesis", actor=Actor.HUMAN, at=NOW, fields={"origin": ORIGIN})
            audit._begin(bare.home, bare.key, genesis)
        return held(log)

    monkeypatch.setattr(audit, "_held", late)
    bare.start()
    assert names(bare) == ["genesis"]
    assert bare.check().report.ok


def test_a_log_is_held_by_one_run_at_a_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "_LOCK_TIMEOUT_S", 0.0)
    before, opened = world.log_bytes(), len(os.listdir("/dev/fd"))
    with audit.hold(world.home):
        for write in (lambda: world.append(1), world.sign, lambda: audit.hold(world.home)):
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

    monkeypatch.setattr(appending, "write_all", watch)
    world.append(1, 2, 3)
    assert [content.count(b"\n") for content in written] == [3]


@pytest.mark.parametrize("tail", [b'{"actor":"cron","at":"2026-03', b"\0" * 300, b"x"])
def test_a_torn_tail_is_closed_append_only_and_recorded(world: World, tail: bytes) -> None:
    world.append(1)
    before = world.log_bytes()
    world.write_log(before + tail)
    placed = world.append(2)
    assert world.log_bytes().startswith(before + tail + b"\n")
    assert [event.seq for event in placed] == [4]
    closing = world.check().events[-2]
    assert (closing.event, dict(closing.fields)) == (
        "log.tail_closed",
        {"first": 2, "count": 1, "damaged": 1},
    )
    world.sign()
    report = world.check().report
    assert (report.ok, report.findings, report.closed) == (True, (), 1)


def test_an_entry_is_acknowledged_only_when_the_head_is_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise NotDurableError("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(audit, "keep_head", fail)
        with pytest.raises(NotDurableError):
            world.append(1)
    assert numbers(world) == []
    world.append(2)
    assert numbers(world) == [2]


def test_a_line_that_is_not_on_disk_leaves_the_head_as_it_was(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    world.append(1)
    head = world.ring.path(HOME_ID, "head.json")
    before = head.read_bytes()
    opened = len(os.listdir("/dev/fd"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", fail)
        with pytest.raises(NotDurableError):
            world.append(2)
    assert (head.read_bytes(), len(os.listdir("/dev/fd"))) == (before, opened)
    world.append(3)
    assert numbers(world) == [1, 3]


def test_a_writer_that_ignores_the_lock_voids_what_we_wrote_behind_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Appender.append

    def raced(log: Appender, payload: bytes) -> Appended:
        with open(log.path, "ab") as stream:
            stream.write(b"rival\n")
        return write(log, payload)

    with monkeypatch.context() as patch:
        patch.setattr(Appender, "append", raced)
        with pytest.raises(IntegrityError, match="another program wrote"):
            world.append(1)
    world.append(2)
    world.sign()
    assert numbers(world) == [2]
    assert world.check().report.ok


# ------------------------------------------------------------------ keys restored from a backup


def test_a_checkpoint_that_is_exchanged_while_it_is_read_counts_no_line(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it states is read first; where that is more than is known its signature is asked for: of the same text."""
    older = world.ring.path(HOME_ID, "head.json").read_bytes()
    world.append(1)
    world.sign()
    checkpoint, planted = Path(world.home.checkpoint), b'{"planted":1}'
    genuine = checkpoint.read_bytes()
    forged = kept_range(world).append(leaf_hash(planted))
    checkpoint.write_text(
        dump_checkpoint(Checkpoint(origin=ORIGIN, size=3, root=forged.root())) + "\n— who AAAAAAAA\n"
    )
    world.ring.path(HOME_ID, "head.json").write_bytes(older)
    world.write_log(world.log_bytes() + planted + b"\n")

    def exchange(path: str, origin: str, *, known: int) -> Checkpoint | None:
        stated = read_stated_head(path, origin, known=known)
        checkpoint.write_bytes(genuine)
        return stated

    monkeypatch.setattr("nightledger.trust.audit.read_stated_head", exchange)
    with pytest.raises(IntegrityError, match="changed while it was read"):
        world.append(2)


def test_a_checkpoint_that_is_exchanged_before_it_is_found_to_be_the_present_one_is_not_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.append(1)
    world.sign()
    genuine = Path(world.home.checkpoint).read_bytes()
    other = dump_checkpoint(Checkpoint(origin=ORIGIN, size=2, root=bytes(32)))

    def exchange(path: str, origin: str, *, known: int) -> Checkpoint | None:
        stated = read_stated_head(path, origin, known=known)
        Path(path).write_bytes(dump_note(sign_note(other, world.key.signers(NOW)[:1])))
        return stated

    monkeypatch.setattr("nightledger.trust.audit.read_stated_head", exchange)
    signed = audit.sign_head(world.home, world.key, world.ring, now=NOW, keep=True)
    assert signed.root == kept_range(world).root()
    assert (Path(world.home.checkpoints_dir) / "2").read_bytes() == Path(world.home.checkpoint).read_bytes()
    assert Path(world.home.checkpoint).read_bytes().startswith(genuine.partition(b"\n\n")[0])


# ------------------------------------------------------------------ signing


def test_nothing_is_signed_that_contradicts_what_was_seen(world: World) -> None:
    world.append(1)
    remember_head(world.ring, HOME_ID, Head(size=2, root=leaf_hash(b"another history"), at=NOW))
    with pytest.raises(IntegrityError, match="nothing was signed"):
        world.sign()
    assert world.check().report.signed_size == 1


# ------------------------------------------------------------------ several writers


def _append_many(root: str, keys: str, count: int) -> None:
    ring = KeyRing(Path(keys))
    home = Home(root)
    key = load_log_key(ring, HOME_ID, ORIGIN)
    world = World(home=home, ring=ring, key=key)
    for number in range(count):
        world.append(number)
    world.sign()


def test_writers_at_once_leave_a_gapless_log(world: World) -> None:
    spawn = get_context("fork")
    arguments = (world.home.root, str(world.ring.directory), 10)
    writers = [spawn.Process(target=_append_many, args=arguments) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    log = world.check()
    assert [event.seq for event in log.events] == list(range(41))
    assert (log.report.ok, log.report.findings, log.report.signed_size) == (True, (), 41)
    head = read_head(world.key.directory)
    assert head is not None
    assert head.offset == len(world.log_bytes())


def test_an_event_that_nobody_could_read_is_not_written(world: World) -> None:
    before = world.log_bytes()
    with pytest.raises(EventError, match=r"proposal\.closed has not the members"):
        audit.append(world.home, world.key, [world.event(1), world.event(2, "proposal.closed")])
    assert world.log_bytes() == before
