import os
import shutil
from pathlib import Path

import pytest
from tests.trust.worlds import HOME_ID, NOW, ORIGIN, World

from nightledger.domain.errors import IntegrityError, LockedError, NotDurableError
from nightledger.files import line_log
from nightledger.files.line_log import Appender
from nightledger.trust import audit, heads
from nightledger.trust.event import EventError
from nightledger.trust.heads import hold
from nightledger.trust.merkle import leaf_hash
from nightledger.trust.note import Checkpoint, dump_checkpoint
from nightledger.trust.pin import Head, read_head, remember_head


def names(world: World) -> list[str]:
    return [event.event for event in world.check().events]


def numbers(world: World) -> list[int]:
    return [event.fields["n"] for event in world.check().events if event.event == "run.finished"]


# ------------------------------------------------------------------ starting


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
        patch.setattr(audit, "keep_head", fail)
        with pytest.raises(NotDurableError):
            world.append(1)
    assert numbers(world) == []
    world.append(2)
    assert numbers(world) == [2]


def test_a_writer_that_ignores_the_lock_voids_what_we_wrote_behind_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Appender.append

    def raced(log: Appender, payload: bytes) -> tuple[int, int, int]:
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
