"""What a home keeps of its witnesses' words: first times for ever, newest times in one place."""

import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from tests.trust.witnesses import NOON, cosigner, policy_of
from tests.trust.worlds import World

from nightledger.domain.cooling import Vouched
from nightledger.domain.errors import LockedError
from nightledger.trust import audit
from nightledger.trust.cosigned import Cosignatures, keep_lines
from nightledger.trust.note import Note, VerifierKey, dump_note, parse_note, parse_vkey, sign_note
from nightledger.trust.policy import Policy
from nightledger.trust.report import Damage
from nightledger.trust.scan import scan_log


@pytest.fixture
def policy(world: World) -> Policy:
    """Two of three witnesses must cosign."""
    return policy_of(3, 2, *_log_keys(world))


def _log_keys(world: World) -> tuple[VerifierKey, ...]:
    return tuple(map(parse_vkey, world.key.vkeys))


def grow(world: World, *numbers: int) -> Note:
    """Append, sign, and give the head."""
    if numbers:
        world.append(*numbers)
        world.sign()
    return parse_note(Path(world.home.checkpoint).read_bytes())


def cosign(world: World, policy: Policy, note: Note, minutes: dict[int, int], *, first: bool = False) -> None:
    made = [cosigner(number, minute(at)) for number, at in minutes.items()]
    keep_lines(world.home, policy, note, sign_note(note.text, made).signatures, first=first)


def minute(number: int) -> datetime:
    return NOON.replace(minute=number)


def heads(world: World, policy: Policy) -> Cosignatures:
    return Cosignatures(world.home, policy, world.check().tree)


def test_nothing_is_vouched_for_before_anybody_cosigned(world: World, policy: Policy) -> None:
    found = heads(world, policy)
    assert (found.newest(), found.vouched(0), found.kept_size(), found.foreign()) == (
        None,
        Vouched(),
        0,
        None,
    )
    Path(world.home.checkpoints_dir).rename(world.home.checkpoints_dir + "-away")
    assert found.vouched(0) == Vouched()


def test_lines_are_added_to_the_checkpoint_and_the_log_still_verifies(world: World, policy: Policy) -> None:
    before = Path(world.home.checkpoint).read_bytes()
    cosign(world, policy, grow(world), {1: 1, 2: 2})
    after = Path(world.home.checkpoint).read_bytes()
    assert after.startswith(before)
    assert len(parse_note(after).signatures) == len(parse_note(before).signatures) + 2
    assert Path(world.home.cosigned).read_bytes() == after
    assert world.check().report.findings == ()


def test_one_of_two_is_not_enough_until_the_second_cosigns_the_same_head(
    world: World, policy: Policy
) -> None:
    note = grow(world)
    cosign(world, policy, note, {1: 1})
    assert heads(world, policy).newest() is None
    cosign(world, policy, note, {2: 9})
    newest = heads(world, policy).newest()
    assert newest is not None
    assert (newest[0].times, newest[1]) == ({"w1": minute(1), "w2": minute(9)}, minute(1))


def test_the_newest_times_replace_older_ones_and_the_first_are_kept(world: World, policy: Policy) -> None:
    note = grow(world, 1, 2)
    cosign(world, policy, note, {1: 1, 2: 2}, first=True)
    cosign(world, policy, note, {1: 31, 2: 32}, first=True)
    found = heads(world, policy)
    assert found.vouched(1) == Vouched(first=minute(2), last=minute(31))
    assert found.vouched(3) == Vouched()
    assert found.kept_size() == 3


def test_a_leaf_is_vouched_for_by_the_first_head_kept_above_it(world: World, policy: Policy) -> None:
    cosign(world, policy, grow(world), {1: 1, 2: 2}, first=True)
    cosign(world, policy, grow(world, 1, 2), {1: 11, 2: 12}, first=True)
    cosign(world, policy, grow(world, 3), {1: 21, 2: 22}, first=True)
    found = heads(world, policy)
    assert [found.vouched(index).first for index in range(4)] == [
        minute(2),
        minute(12),
        minute(12),
        minute(22),
    ]
    assert {found.vouched(index).last for index in range(4)} == {minute(21)}


def test_where_no_first_time_was_kept_the_newest_head_speaks_late_never_early(
    world: World, policy: Policy
) -> None:
    cosign(world, policy, grow(world, 1), {1: 1, 2: 2})
    cosign(world, policy, grow(world, 2), {1: 21, 2: 22})
    assert heads(world, policy).vouched(0) == Vouched(first=minute(22), last=minute(21))


def test_where_the_newest_head_is_lost_the_kept_one_tells_both_times(world: World, policy: Policy) -> None:
    cosign(world, policy, grow(world, 1), {1: 1, 2: 2}, first=True)
    Path(world.home.cosigned).unlink()
    grow(world, 2)
    assert heads(world, policy).vouched(0) == Vouched(first=minute(2), last=minute(1))


def test_a_later_head_without_a_quorum_does_not_replace_one_with(world: World, policy: Policy) -> None:
    cosign(world, policy, grow(world, 1), {1: 1, 2: 2})
    cosign(world, policy, grow(world, 2), {1: 21})
    newest = heads(world, policy).newest()
    assert newest is not None
    assert (newest[0].checkpoint.size, newest[1]) == (2, minute(1))
    cosign(world, policy, grow(world), {3: 22})
    newest = heads(world, policy).newest()
    assert newest is not None
    assert (newest[0].checkpoint.size, newest[1]) == (3, minute(21))


def test_an_unmet_head_is_replaced_by_a_later_unmet_one(world: World, policy: Policy) -> None:
    for number in (1, 2):
        note = grow(world, number)
        cosign(world, policy, note, {1: number})
        assert parse_note(Path(world.home.cosigned).read_bytes()).text == note.text


def test_an_earlier_answer_that_arrives_late_does_not_replace_a_later_one(
    world: World, policy: Policy
) -> None:
    old = grow(world, 1)
    new = grow(world, 2)
    cosign(world, policy, new, {1: 21, 2: 22})
    cosign(world, policy, old, {1: 1, 2: 2})
    assert parse_note(Path(world.home.cosigned).read_bytes()).text == new.text


def test_lines_for_a_head_that_is_no_longer_the_newest_leave_the_checkpoint_alone(
    world: World, policy: Policy
) -> None:
    old = grow(world, 1)
    grow(world, 2)
    before = Path(world.home.checkpoint).read_bytes()
    cosign(world, policy, old, {1: 1, 2: 2})
    assert Path(world.home.checkpoint).read_bytes() == before
    assert parse_note(Path(world.home.cosigned).read_bytes()).text == old.text


def test_forged_files_take_times_away_and_add_none(world: World, policy: Policy) -> None:
    note = grow(world, 1)
    cosign(world, policy, note, {1: 1, 2: 2}, first=True)
    genuine = Path(world.home.cosigned).read_bytes()
    forgeries = (
        b"nonsense",
        genuine.replace(b"\n2\n", b"\n1\n"),
        dump_note(Note(text=note.text, signatures=note.signatures)),
        dump_note(
            sign_note("nightledger/other\n2\n" + note.text.split("\n")[2] + "\n", [cosigner(1), cosigner(2)])
        ),
        dump_note(sign_note("text\n", [cosigner(1)])),
    )
    for forged in forgeries:
        for path in (
            world.home.cosigned,
            world.home.checkpoint,
            os.path.join(world.home.checkpoints_dir, "2"),
        ):
            Path(path).write_bytes(forged)
        found = Cosignatures(world.home, policy, World.check(world).tree)
        assert (found.newest(), found.vouched(0), found.kept_size()) == (None, Vouched(), 0)


def test_an_old_head_under_the_name_of_a_newer_one_vouches_for_nothing_newer(
    world: World, policy: Policy
) -> None:
    """The log's own check names such a file, and whoever writes it may do so between the two looks."""
    cosign(world, policy, grow(world, 1), {1: 1, 2: 2}, first=True)
    cosign(world, policy, grow(world, 2, 3), {1: 30, 2: 31}, first=True)
    kept = Path(world.home.checkpoints_dir)
    old, new = sorted(kept.iterdir(), key=lambda path: int(path.name))[-2:]
    index = int(old.name)
    before = heads(world, policy).vouched(index)
    new.rename(kept / "1000000")
    new.write_bytes(old.read_bytes())
    found = heads(world, policy)
    assert before.first == minute(31)
    assert (found.vouched(index), found.kept_size()) == (before, index)


def test_a_damaged_file_is_mended_by_the_next_cosignature(world: World, policy: Policy) -> None:
    note = grow(world, 1)
    cosign(world, policy, note, {1: 1, 2: 2}, first=True)
    wrong = sign_note(note.text, [cosigner(1)]).signatures[0]
    bad = replace(wrong, signature=wrong.signature[:-1] + bytes([wrong.signature[-1] ^ 1]))
    broken = dump_note(Note(text=note.text, signatures=(*note.signatures, bad)))
    for path in (world.home.cosigned, os.path.join(world.home.checkpoints_dir, "2")):
        Path(path).write_bytes(broken)
    cosign(world, policy, note, {1: 31, 2: 32}, first=True)
    assert heads(world, policy).vouched(0) == Vouched(first=minute(32), last=minute(31))
    Path(world.home.cosigned).write_bytes(broken)
    cosign(world, policy, grow(world, 3), {1: 41, 2: 42})
    assert heads(world, policy).vouched(0).last == minute(41)


def test_a_cosigned_head_that_this_log_does_not_continue_is_named(world: World, policy: Policy) -> None:
    cosign(world, policy, grow(world, 1, 2, 3), {1: 1, 2: 2})
    log = world.log_bytes().splitlines(keepends=True)
    world.write_log(b"".join(log[:2]))
    found = Cosignatures(world.home, policy, scan_log(world.home.audit_log).tree)
    assert found.newest() is None
    foreign = found.foreign()
    assert foreign is not None
    assert (foreign[0].checkpoint.size, foreign[1]) == (4, Damage.ROLLBACK)


def test_lines_are_kept_one_run_at_a_time(
    world: World, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nightledger.trust.audit._LOCK_TIMEOUT_S", 0.0)
    with audit.hold(world.home), pytest.raises(LockedError):
        cosign(world, policy, grow(world), {1: 1})
