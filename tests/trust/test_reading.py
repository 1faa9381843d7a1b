"""What `verify` finds: each way to damage a log, with its class and its first bad place."""

import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.trust.worlds import HOME_ID, NOW, ORIGIN, World

from nightledger.domain.errors import IntegrityError
from nightledger.trust import scan
from nightledger.trust.checkpoint import Checkpoint, dump_checkpoint
from nightledger.trust.event import NewEvent
from nightledger.trust.merkle import CompactRange, TreeRangeError, leaf_hash
from nightledger.trust.note import dump_note, sign_note
from nightledger.trust.pin import Head, KeptHead, keep_head
from nightledger.trust.reading import check_log, read_events, require_intact, verify
from nightledger.trust.report import Damage, Finding, Report


@pytest.fixture
def signed(world: World) -> World:
    """Nine entries under a checkpoint; heads of 1, 4, 7 and 9 entries were kept."""
    for numbers in ((1, 2, 3), (4, 5, 6), (7, 8)):
        world.append(*numbers)
        world.sign(keep=True)
    return world


def found(world: World) -> list[tuple[str, int | None, bool]]:
    return [(one.damage.value, one.line, one.alarm) for one in world.check().report.findings]


def first_alarm(report: Report) -> Finding:
    return report.alarms[0]


def copies(world: World) -> dict[Path, bytes]:
    paths = [Path(world.home.audit_log), Path(world.home.checkpoint)]
    return {path: path.read_bytes() for path in paths}


def put(saved: dict[Path, bytes]) -> None:
    for path, raw in saved.items():
        path.write_bytes(raw)


def resign(world: World) -> None:
    """Sign whatever the log now holds, as one who has the log's key could."""
    tree = CompactRange().extend(map(leaf_hash, world.log_bytes().splitlines()))
    head = Checkpoint(origin=ORIGIN, size=tree.size, root=tree.root())
    raw = dump_note(sign_note(dump_checkpoint(head), world.key.signers(NOW)))
    Path(world.home.checkpoint).write_bytes(raw)


# ------------------------------------------------------------------ all is well


def test_an_intact_log_has_no_findings_and_gives_its_entries(signed: World) -> None:
    log = signed.check()
    report = log.report
    assert (report.ok, report.findings, report.unchecked, report.size, report.signed_size) == (
        True,
        (),
        (),
        9,
        9,
    )
    assert [event.seq for event in log.events] == list(range(9))
    assert log.size == 9
    assert log.root_at(4).hex() == signed.pin.heads[1].root.hex()
    with pytest.raises(TreeRangeError):
        log.root_at(10)
    require_intact(log)
    assert verify(signed.home, signed.pin, thorough=True) == report


def test_acknowledged_entries_count_before_they_are_signed(signed: World) -> None:
    signed.append(9)
    log = signed.check()
    assert (log.report.findings, log.report.signed_size) == ((), 9)
    assert log.events[-1].fields["n"] == 9


def test_a_home_that_nothing_was_logged_in_is_no_alarm(bare: World) -> None:
    report = verify(bare.home, None)
    assert (report.ok, report.findings, report.size, report.signed_size) == (True, (), 0, 0)


def test_without_a_pin_form_and_roots_are_checked_and_the_rest_is_said(signed: World) -> None:
    report = verify(signed.home, None)
    assert (report.ok, report.signed_size) == (True, 9)
    assert report.unchecked == ("signatures: this machine has not pinned the log's keys",)
    signed.edit_line(5, b'"n":4', b'"n":5')
    assert first_alarm(verify(signed.home, None)).damage is Damage.EDITED


def test_what_a_platform_cannot_check_is_said(signed: World, monkeypatch: pytest.MonkeyPatch) -> None:
    if len(signed.key.vkeys) == 1:
        pytest.skip("this platform's cryptography has no ML-DSA")
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.mldsa", None)
    report = signed.check().report
    assert report.ok
    assert "no ML-DSA" in report.unchecked[0]


def test_displays_read_without_checking(signed: World) -> None:
    signed.edit_line(5, b'"n":4', b'"n":5')
    assert [event.fields.get("n") for event in read_events(signed.home)][4] == 5


def test_acknowledged_lines_are_hashed_and_not_judged_again(
    signed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[int] = []
    true_decode = scan._decode

    def watch(lines: list[bytes], first: int) -> object:
        judged.append(first)
        return true_decode(lines, first)

    monkeypatch.setattr(scan, "_decode", watch)
    report = verify(signed.home, signed.pin)
    assert (report.ok, judged) == (True, [])
    assert verify(signed.home, signed.pin, thorough=True) == report
    assert judged == [0]


# ------------------------------------------------------------------ edited


def test_an_edited_line_is_an_alarm(signed: World) -> None:
    signed.edit_line(5, b'"n":4', b'"n":5')
    log = signed.check()
    assert found(signed) == [("edited", 5, True)]
    with pytest.raises(IntegrityError, match=r"EDITED .*line 5 or one of those up to 7 is not"):
        require_intact(log)


def test_the_line_is_bracketed_by_kept_checkpoints(signed: World) -> None:
    signed.edit_line(6, b'"n":5', b'"n":4')
    (finding,) = signed.check().report.findings
    assert (finding.damage, finding.line) == (Damage.EDITED, 5)
    assert "line 5 or one of those up to 7" in finding.message


def test_heads_seen_bracket_it_as_well(signed: World) -> None:
    shutil.rmtree(signed.home.checkpoints_dir)
    signed.edit_line(6, b'"n":5', b'"n":4')
    (finding,) = signed.check().report.findings
    assert "line 5 or one of those up to 7" in finding.message


def test_without_anything_kept_or_seen_the_whole_log_is_meant(signed: World) -> None:
    shutil.rmtree(signed.home.checkpoints_dir)
    signed.edit_line(6, b'"n":5', b'"n":4')
    (finding,) = verify(signed.home, None).findings
    assert "line 1 or one of those up to 9" in finding.message


@pytest.mark.parametrize("change", ["delete", "swap", "double", "insert"])
def test_lines_deleted_swapped_doubled_or_inserted_are_edits(signed: World, change: str) -> None:
    lines = signed.log_bytes().split(b"\n")
    changed = {
        "delete": [*lines[:4], *lines[5:]],
        "swap": [*lines[:4], lines[5], lines[4], *lines[6:]],
        "double": [*lines[:5], lines[4], *lines[5:]],
        "insert": [*lines[:4], b"{}", *lines[4:]],
    }[change]
    signed.write_log(b"\n".join(changed))
    first = first_alarm(signed.check().report)
    assert (first.damage, first.line) == (Damage.EDITED, 6 if change == "double" else 5)


def test_an_acknowledged_entry_that_was_edited_before_it_was_signed_is_an_alarm(signed: World) -> None:
    signed.append(9, 10)
    signed.edit_line(11, b'"n":10', b'"n":11')
    assert found(signed) == [("edited", 10, True)]


def test_a_line_that_is_no_entry_is_bad_even_under_a_good_signature(signed: World) -> None:
    signed.write_log(signed.log_bytes() + b"not an entry\n")
    resign(signed)
    assert found(signed) == [("edited", 10, True)]


@given(at=st.integers(min_value=0), bit=st.integers(0, 7))
def test_any_flipped_bit_is_an_alarm_of_the_right_class(
    at: int, bit: int, tampered: World, intact: bytes
) -> None:
    at %= len(intact)
    tampered.write_log(intact[:at] + bytes([intact[at] ^ 1 << bit]) + intact[at + 1 :])
    first = first_alarm(tampered.check().report)
    line = intact[:at].count(b"\n") + 1
    if intact[at : at + 1] == b"\n" and at == len(intact) - 1:
        assert first.damage is Damage.TRUNCATED
    else:
        assert first.damage is Damage.EDITED
        assert 1 <= (first.line or 0) <= line


@given(end=st.integers(min_value=0))
def test_a_cut_at_any_byte_is_an_alarm_of_the_right_class(end: int, tampered: World, intact: bytes) -> None:
    end %= len(intact)
    tampered.write_log(intact[:end])
    first = first_alarm(tampered.check().report)
    expected = Damage.TORN if end == len(intact) - 1 else Damage.TRUNCATED
    assert (first.damage, first.line) == (expected, intact[:end].count(b"\n") + 1)


@pytest.fixture(scope="module")
def tampered(tmp_path_factory: pytest.TempPathFactory, keys_made_once: object) -> World:
    """One signed log that the tests above damage in turn; each writes the whole file."""
    from tests.trust.worlds import make_home

    from nightledger.trust.keys import KeyRing, create_log_keys, load_log_key

    del keys_made_once
    root = tmp_path_factory.mktemp("tampered")
    ring = KeyRing(root / "keys")
    create_log_keys(ring, HOME_ID)
    world = World(home=make_home(root / "home"), ring=ring, key=load_log_key(ring, HOME_ID, ORIGIN))
    world.start()
    world.append(*range(6))
    world.sign()
    return world


@pytest.fixture(scope="module")
def intact(tampered: World) -> bytes:
    return tampered.log_bytes()


# ------------------------------------------------------------------ cut, rolled back, forked


def test_lines_missing_at_the_end_are_a_truncation(signed: World) -> None:
    signed.write_log(b"".join(signed.log_bytes().splitlines(keepends=True)[:6]))
    (finding,) = signed.check().report.findings
    assert (finding.damage, finding.line) == (Damage.TRUNCATED, 7)
    assert "and 2 behind it are missing" in finding.message


def test_an_emptied_or_missing_log_is_a_truncation(signed: World) -> None:
    signed.write_log(b"")
    assert found(signed) == [("truncated", 1, True)]
    Path(signed.home.audit_log).unlink()
    assert found(signed) == [("truncated", 1, True)]


def test_a_signed_line_without_its_end_is_torn(signed: World) -> None:
    signed.write_log(signed.log_bytes()[:-1])
    assert found(signed) == [("torn", 9, True)]


def test_an_edited_line_without_its_end_is_missing(signed: World) -> None:
    signed.write_log(signed.log_bytes()[:-1].replace(b'"n":8', b'"n":9'))
    assert found(signed)[0][:2] == ("truncated", 9)


def test_acknowledged_entries_that_are_missing_are_a_truncation(signed: World) -> None:
    before = signed.log_bytes()
    signed.append(9)
    signed.write_log(before)
    assert found(signed) == [("truncated", 10, True)]


def test_an_older_pair_of_log_and_checkpoint_is_a_rollback(world: World) -> None:
    world.append(1)
    world.sign()
    older = copies(world)
    world.append(2)
    world.sign()
    put(older)
    (finding,) = world.check().report.findings
    assert (finding.damage, finding.line) == (Damage.ROLLBACK, 3)
    assert "a log of 3 entries was signed or seen before; if you put an older state back" in finding.message


def test_a_checkpoint_that_was_kept_shows_a_rollback_even_without_a_pin(world: World) -> None:
    world.append(1)
    world.sign()
    older = copies(world)
    world.append(2)
    world.sign(keep=True)
    put(older)
    assert first_alarm(verify(world.home, None)).damage is Damage.ROLLBACK


def test_another_history_signed_by_the_same_key_is_a_fork(signed: World) -> None:
    shutil.rmtree(signed.home.checkpoints_dir)
    signed.edit_line(5, b'"n":4', b'"n":5')
    resign(signed)
    findings = signed.check().report.findings
    assert {(one.damage, one.line) for one in findings} >= {(Damage.FORK, 7), (Damage.FORK, 9)}
    assert "differs from the history seen on 2026-03-01" in first_alarm(signed.check().report).message


def test_a_kept_checkpoint_shows_a_fork_even_without_a_pin(signed: World) -> None:
    signed.edit_line(5, b'"n":4', b'"n":5')
    resign(signed)
    findings = verify(signed.home, None).findings
    assert {(one.damage, Path(one.path).name) for one in findings} == {(Damage.FORK, "7"), (Damage.FORK, "9")}
    assert "another history of 7 entries was signed" in findings[0].message


def test_another_log_under_the_same_key_is_a_fork_at_its_first_line(signed: World) -> None:
    shutil.rmtree(signed.home.checkpoints_dir)
    signed.edit_line(1, b"genesis", b"begin")
    resign(signed)
    pin = replace(signed.pin, heads=(), acknowledged=0)
    (finding,) = verify(signed.home, pin).findings
    assert (finding.damage, finding.line) == (Damage.FORK, 1)


def test_a_head_seen_that_the_log_contradicts_is_a_fork(signed: World) -> None:
    seen = Head(size=5, root=leaf_hash(b"another"), at=NOW)
    (finding,) = verify(signed.home, replace(signed.pin, heads=(seen,))).findings
    assert (finding.damage, finding.line) == (Damage.FORK, 5)


# ------------------------------------------------------------------ unsigned


def test_a_missing_checkpoint_is_unsigned(signed: World) -> None:
    os.unlink(signed.home.checkpoint)
    (finding,) = signed.check().report.findings
    assert (finding.damage, finding.path, finding.line) == (Damage.UNSIGNED, signed.home.checkpoint, None)
    assert "is missing" in finding.message


def test_a_missing_checkpoint_and_log_are_unsigned_and_truncated(signed: World) -> None:
    os.unlink(signed.home.checkpoint)
    os.unlink(signed.home.audit_log)
    shutil.rmtree(signed.home.checkpoints_dir)
    assert {one[0] for one in found(signed)} == {"unsigned", "rollback"}


def test_a_stripped_or_forged_line_is_unsigned(signed: World) -> None:
    path = Path(signed.home.checkpoint)
    whole = path.read_bytes()
    lines = whole.split(b"\n")
    for forged in (whole[:-30] + b"A" * 28 + b"=\n", b"\n".join([*lines[:-2], b""])):
        path.write_bytes(forged)
        assert found(signed) == [("unsigned", None, True)]


def test_a_checkpoint_by_another_key_is_unsigned(signed: World, tmp_path: Path) -> None:
    from nightledger.trust.keys import KeyRing, create_log_keys, load_log_key

    ring = KeyRing(tmp_path / "stranger")
    create_log_keys(ring, HOME_ID)
    resign(replace(signed, key=load_log_key(ring, HOME_ID, ORIGIN)))
    assert found(signed) == [("unsigned", None, True)]


def test_lines_that_nobody_signed_for_are_told_and_are_no_alarm(signed: World) -> None:
    forged = signed.log_bytes().splitlines()[-1].replace(b'"seq":8', b'"seq":9')
    signed.write_log(signed.log_bytes() + forged + b"\n")
    log = signed.check()
    assert found(signed) == [("unsigned", 10, False)]
    assert (log.report.ok, len(log.events)) == (True, 9)


@pytest.mark.parametrize("tail", [b"half", b"\0" * 20])
def test_a_torn_tail_is_told_and_is_no_alarm(signed: World, tail: bytes) -> None:
    signed.write_log(signed.log_bytes() + tail)
    assert found(signed) == [("torn", 10, False)]
    signed.write_log(signed.log_bytes() + b"\n")
    assert found(signed) == [("torn", 10, False)]


def test_a_damaged_kept_checkpoint_is_unsigned(signed: World) -> None:
    (Path(signed.home.checkpoints_dir) / "4").write_bytes(b"nonsense")
    (finding,) = signed.check().report.findings
    assert (finding.damage, Path(finding.path).name) == (Damage.UNSIGNED, "4")


def test_a_kept_checkpoint_that_is_none_comes_with_what_mends_it(signed: World) -> None:
    path = Path(signed.home.checkpoints_dir) / "7"
    path.write_bytes(b"nonsense")
    with pytest.raises(IntegrityError, match="move it out of there and keep it"):
        require_intact(signed.check())
    path.rename(path.parent.parent / "kept-7")
    assert signed.check().report.ok


def test_a_kept_checkpoint_under_another_size_is_unsigned(signed: World) -> None:
    shutil.copy(Path(signed.home.checkpoints_dir) / "4", Path(signed.home.checkpoints_dir) / "5")
    (finding,) = signed.check().report.findings
    assert "is a head of 4 entries; if it is none of yours, move it" in finding.message


def test_signatures_of_kept_checkpoints_are_checked_on_request(signed: World) -> None:
    path = Path(signed.home.checkpoints_dir) / "4"
    raw = path.read_bytes()
    path.write_bytes(raw[:-30] + b"A" * 28 + b"=\n")
    assert signed.check().report.ok
    report = verify(signed.home, signed.pin, thorough=True)
    assert [(one.damage, Path(one.path).name) for one in report.findings] == [(Damage.UNSIGNED, "4")]


def test_a_kept_checkpoint_that_disagrees_and_is_forged_is_unsigned_not_a_fork(signed: World) -> None:
    head = Checkpoint(origin=ORIGIN, size=5, root=bytes(32))
    raw = dump_note(sign_note(dump_checkpoint(head), signed.key.signers(NOW)))
    (Path(signed.home.checkpoints_dir) / "5").write_bytes(raw[:-30] + b"A" * 28 + b"=\n")
    assert found(signed) == [("unsigned", None, True)]
    (Path(signed.home.checkpoints_dir) / "5").write_bytes(raw)
    assert found(signed) == [("fork", None, True)]


def test_other_files_beside_kept_checkpoints_do_no_harm(signed: World) -> None:
    (Path(signed.home.checkpoints_dir) / ".gitignore").write_bytes(b"*\n")
    assert found(signed) == []


def test_alarms_come_first_then_places(signed: World) -> None:
    (Path(signed.home.checkpoints_dir) / "4").write_bytes(b"nonsense")
    signed.edit_line(5, b'"n":4', b'"n":5')
    signed.write_log(signed.log_bytes() + b"half")
    assert found(signed) == [("edited", 5, True), ("unsigned", None, True), ("torn", 10, False)]


def test_a_forged_closure_voids_nothing(signed: World) -> None:
    forged = NewEvent(
        event="log.tail_closed",
        actor=signed.event().actor,
        at=NOW,
        fields={"first": 2, "count": 7, "damaged": 0},
    )
    signed.write_log(signed.log_bytes() + forged.line(9) + b"\n")
    assert len(signed.check().events) == 9
    signed.append(9)
    signed.sign()
    log = signed.check()
    assert (log.report.ok, log.report.closed) == (True, 1)
    assert [event.seq for event in log.events] == [*range(9), 10, 11]


# ------------------------------------------------------------------ the five attacks of issue 1


def test_an_edited_log_with_a_new_seq_chain_is_still_caught(signed: World) -> None:
    lines = signed.log_bytes().splitlines()
    del lines[4]
    renumbered = [
        json.dumps({**json.loads(line), "seq": seq}, sort_keys=True, separators=(",", ":")).encode()
        for seq, line in enumerate(lines)
    ]
    signed.write_log(b"".join(line + b"\n" for line in renumbered))
    assert found(signed) == [("edited", 5, True), ("truncated", 9, True)]
    renumbered.append(signed.event(99).line(8))
    signed.write_log(b"".join(line + b"\n" for line in renumbered))
    assert found(signed) == [("edited", 5, True)]


# ------------------------------------------------------------------ entries are judged when they are read


def acknowledge(world: World) -> None:
    """Acknowledge and sign whatever the log now holds, as one who has the keys' directory could."""
    raw = world.log_bytes()
    tree = CompactRange().extend(map(leaf_hash, raw.split(b"\n")[:-1]))
    keep_head(world.key.directory, KeptHead(range=tree, offset=len(raw)))
    resign(world)


FORGED = b'{"actor":"cron","at":"2026-03-01T03:05:00Z","event":"run.finished","n":9,"seq":9,"v":1}'


def test_what_is_forged_below_would_count_as_it_stands(signed: World) -> None:
    signed.write_log(signed.log_bytes() + FORGED + b"\n")
    acknowledge(signed)
    assert signed.check().events[-1].fields == {"n": 9}


@pytest.mark.parametrize(
    "forged",
    [
        b"not an entry",
        b"",
        FORGED.replace(b'"event":"run', b'"event": "run'),
        FORGED.replace(b'"n":9,"seq":9', b'"seq":9,"n":9'),
        FORGED.replace(b'"event"', b'"\\u0065vent"'),
        FORGED.replace(b'"event":', b'"event":"genesis","event":'),
        FORGED.replace(b'"n":9', b'"n":9.0'),
        FORGED.replace(b'"n":9', b'"n":null'),
        FORGED.replace(b'"n":9', b'"n":' + b"[" * 9 + b"]" * 9),
        FORGED.replace(b'"seq":9', b'"seq":8'),
        FORGED.replace(b'"v":1', b'"v":2'),
        FORGED.replace(b'"cron"', b'"nobody"'),
        FORGED.replace(b'"run.finished"', b'"Run"'),
        FORGED.replace(b"03-01T", b"02-30T"),
        FORGED + b"\r",
    ],
)
def test_an_acknowledged_line_that_is_no_entry_stops_whoever_reads_the_entries(
    signed: World, forged: bytes
) -> None:
    signed.write_log(signed.log_bytes() + forged + b"\n")
    acknowledge(signed)
    log = check_log(signed.home, signed.pin)
    with pytest.raises(IntegrityError, match=r"EDITED .*: line 10 is not the entry that belongs here"):
        list(log.entries())
    with pytest.raises(IntegrityError, match="line 10"):
        _ = log.events
    with pytest.raises(IntegrityError, match="line 10"):
        _ = log.newest
    (finding,) = verify(signed.home, signed.pin, thorough=True).findings
    assert (finding.damage, finding.line) == (Damage.EDITED, 10)


def test_entries_and_events_say_the_same(signed: World) -> None:
    log = signed.check()
    assert [(name, fields.get("n"), at) for name, fields, at in log.entries()] == [
        (event.event, event.fields.get("n"), event.at) for event in log.events
    ]
    assert log.events is log.events
    assert log.newest == log.events[-1]


def test_an_empty_log_has_no_newest_entry(bare: World) -> None:
    log = check_log(bare.home, None)
    assert (log.newest, log.events, list(log.entries())) == (None, (), [])


def test_the_newest_entry_is_the_last_that_counts(signed: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "_BATCH", 1)
    signed.write_log(signed.log_bytes() + FORGED + b"\nhalf\n")
    newest = signed.check().newest
    assert newest is not None
    assert newest.seq == 8


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


def test_lines_are_given_as_they_stand(world: World) -> None:
    world.append(*range(2_000))
    log = world.check()
    raw = world.log_bytes().split(b"\n")[:-1]
    assert log.lines() == tuple(raw)
    assert [log.line(index) for index in (0, 1, 999, 2_000)] == [raw[index] for index in (0, 1, 999, 2_000)]
    for index in (-1, 2_001):
        with pytest.raises(TreeRangeError, match="has 2001 lines"):
            log.line(index)
