"""An id that was taken in is never new again."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.codec.canonical import MAX_INTEGER
from nightledger.domain.errors import IntegrityError, NotDurableError
from nightledger.domain.message import Marks, Message
from nightledger.files import seen as module
from nightledger.files.seen import FullError, Seen, SeenPaths, State

NOW = 1_772_262_000
ISS = "b" * 32


def message(n: int, *, exp: int = NOW + 60, iss: str = ISS) -> Message:
    return Message(
        v=1, id=f"m-{n:026d}", iss=iss, aud="a" * 32, iat=NOW, exp=exp, seq=n, action="x", domain="y", body={}
    )


def paths(root: Path) -> SeenPaths:
    (root / "keys").mkdir(exist_ok=True)
    return SeenPaths(
        record=str(root / "keys" / "channel-ids"),
        answers=str(root / "work" / "answers"),
        pin=str(root / "keys" / "channel.json"),
    )


def load(root: Path, **logged: int) -> Seen:
    return Seen(paths(root), logged=logged)


def taken(root: Path, *numbers: int, answer: bytes = b"yes") -> Seen:
    seen = load(root)
    for n in numbers:
        seen.take(message(n), NOW)
        seen.answered(message(n).id, answer)
    return seen


def test_an_id_is_new_then_begun_then_answered_whoever_looks(tmp_path: Path) -> None:
    first = message(1)
    assert load(tmp_path).state(first.id) is State.NEW
    seen = load(tmp_path)
    seen.take(first, NOW)
    assert seen.state(first.id) is load(tmp_path).state(first.id) is State.BEGUN
    seen.answered(first.id, b"yes")
    again = load(tmp_path)
    assert again.state(first.id) is State.ANSWERED
    assert again.answer(first.id) == b"yes"


def test_an_answer_that_somebody_removed_is_none(tmp_path: Path) -> None:
    seen = taken(tmp_path, 1)
    Path(seen.paths.answer(message(1).id)).unlink()
    assert seen.answer(message(1).id) is None


def test_marks_rise_with_what_is_taken_in(tmp_path: Path) -> None:
    taken(tmp_path, 5, 3)
    assert load(tmp_path).marks(ISS) == Marks(seq=5, iat=NOW)
    assert load(tmp_path).marks("c" * 32) == Marks()


def ahead(n: int, *, iss: str = ISS, seconds: int = 900) -> Message:
    return replace(message(n, iss=iss), iat=NOW + seconds, exp=NOW + seconds + 60)


def test_what_was_made_in_the_future_stays_refused_and_marks_nothing_else(tmp_path: Path) -> None:
    seen = load(tmp_path)
    assert not seen.is_refused(ahead(1))
    seen.refuse(ahead(1), NOW)
    assert load(tmp_path).is_refused(ahead(1))
    assert not load(tmp_path).is_refused(ahead(2))
    assert load(tmp_path).marks(ISS) == Marks()
    seen.take(message(3), NOW)
    assert load(tmp_path).is_refused(ahead(1))


def test_what_had_expired_stays_refused_and_what_is_sent_after_it_does_not(tmp_path: Path) -> None:
    seen = load(tmp_path)
    seen.refuse(message(5), NOW + 60)
    seen.refuse(message(3, exp=NOW + 10), NOW + 60)
    assert load(tmp_path).marks(ISS) == Marks(past_seq=5, past_exp=NOW + 60)
    assert all(load(tmp_path).is_refused(one) for one in (message(5), message(3, exp=NOW + 10)))
    assert not load(tmp_path).is_refused(message(6))
    assert not load(tmp_path).is_refused(message(5, iss="c" * 32))


def test_too_many_from_the_future_are_refused_for_now_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_AHEAD", 2)
    seen = load(tmp_path)
    for n in (1, 2):
        seen.refuse(ahead(n), NOW)
    with pytest.raises(FullError, match="made in the future"):
        seen.refuse(ahead(3), NOW)
    assert not load(tmp_path).is_refused(ahead(3))
    seen.refuse(ahead(3, iss="c" * 32), NOW)  # one sender's clock is not another's
    seen.take(message(4), NOW)
    assert all(load(tmp_path).is_refused(one) for one in (ahead(1), ahead(2), ahead(3, iss="c" * 32)))


def test_what_its_senders_own_messages_have_passed_gives_its_room_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_AHEAD", 1)
    seen = load(tmp_path)
    seen.refuse(ahead(1), NOW)
    seen.refuse(ahead(2, iss="c" * 32), NOW)
    seen.take(replace(message(3), iat=NOW + 960, exp=NOW + 2000), NOW + 960)
    seen.refuse(ahead(4, seconds=3600), NOW + 960)
    found = load(tmp_path)
    assert found.is_refused(ahead(4, seconds=3600))
    assert found.is_refused(ahead(2, iss="c" * 32))
    assert found.marks(ISS).iat >= ahead(1).exp  # so find_reasons refuses it at any clock


def test_what_was_begun_is_kept_a_month_longer_than_what_was_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "COMPACT_FROM", 1)
    seen = taken(tmp_path, 1)
    seen.take(message(2), NOW)
    late = NOW + 60 + module.BEGUN_S
    load(tmp_path).take(message(3, exp=late + 900), late - 1)
    assert [load(tmp_path).state(message(n).id) for n in (1, 2)] == [State.NEW, State.BEGUN]
    load(tmp_path).take(message(4, exp=late + 900), late)
    assert load(tmp_path).state(message(2).id) is State.NEW
    assert load(tmp_path).marks(ISS).forgotten_exp == NOW + 60


def test_what_was_begun_gives_its_room_back_when_its_sender_finds_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_IDS", 1)
    other = message(9, iss="c" * 32)
    for one in (message(1), other):
        load(tmp_path).take(one, NOW)
    load(tmp_path).take(message(2, exp=NOW + 900), NOW + 60)
    assert load(tmp_path).state(message(1).id) is State.NEW
    assert load(tmp_path).marks(ISS).forgotten_exp == NOW + 60
    assert load(tmp_path).state(other.id) is State.BEGUN


def test_what_was_begun_stays_where_forgetting_an_answer_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_IDS", 2)
    begun, answered = message(1), message(2)
    load(tmp_path).take(begun, NOW)
    seen = load(tmp_path)
    seen.take(answered, NOW)
    seen.answered(answered.id, b"{}")
    load(tmp_path).take(message(3, exp=NOW + 900), NOW + 60)
    assert load(tmp_path).state(begun.id) is State.BEGUN
    assert load(tmp_path).state(answered.id) is State.NEW


def test_what_stands_in_the_place_of_an_old_answer_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "COMPACT_FROM", 1)
    seen = taken(tmp_path, 1)
    Path(seen.paths.answer(message(1).id)).unlink()
    Path(seen.paths.answer(message(1).id)).mkdir()
    load(tmp_path).take(message(2, exp=NOW + 900), NOW + 100)
    assert load(tmp_path).state(message(2).id) is State.BEGUN


def test_resuming_marks_the_sender_as_taking_in_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise NotDurableError("the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr(module, "replace_file", fail)
        with pytest.raises(NotDurableError):
            load(tmp_path).take(message(7), NOW)
    load(tmp_path).resume(message(7))
    assert load(tmp_path).marks(ISS) == Marks(seq=7, iat=NOW)


def test_an_answer_that_is_not_the_one_that_was_given_is_none(tmp_path: Path) -> None:
    seen = taken(tmp_path, 1)
    path = Path(seen.paths.answer(message(1).id))
    for other in (b"", b"no!", b"yes, and more"):
        path.write_bytes(other)
        assert load(tmp_path).answer(message(1).id) is None
    path.unlink()
    path.mkdir()
    assert load(tmp_path).answer(message(1).id) is None


def test_a_pin_that_could_not_be_read_again_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = taken(tmp_path, 1)
    before = Path(seen.paths.pin).read_bytes()
    monkeypatch.setattr(module, "_MAX_PIN_BYTES", len(before))
    with pytest.raises(FullError, match="would have"):
        seen.take(message(2, iss="c" * 32), NOW)
    assert Path(seen.paths.pin).read_bytes() == before


def test_a_pin_of_before_there_were_refusals_is_read(tmp_path: Path) -> None:
    paths(tmp_path)
    sender = f'{{"iss":"{ISS}","seq":7,"iat":5,"lost_seq":3,"forgotten_exp":2}}'
    Path(paths(tmp_path).pin).write_text(f'{{"v":1,"n":0,"senders":[{sender}]}}')
    assert load(tmp_path).marks(ISS) == Marks(seq=7, iat=5, lost_seq=3, forgotten_exp=2)


def test_a_deleted_record_refuses_all_that_may_have_stood_in_it(tmp_path: Path) -> None:
    taken(tmp_path, 5, 3)
    Path(paths(tmp_path).record).unlink()
    assert load(tmp_path).marks(ISS).lost_seq == 5
    assert load(tmp_path).marks(ISS).lost_seq == 5  # it stays so, and the new record is a whole one


def test_a_record_put_back_from_before_is_a_loss(tmp_path: Path) -> None:
    record = Path(paths(tmp_path).record)
    taken(tmp_path, 1)
    old = record.read_bytes()
    taken(tmp_path, 2, 3)
    record.write_bytes(old)
    seen = load(tmp_path)
    assert seen.marks(ISS).lost_seq == 3
    assert seen.state(message(1).id) is State.ANSWERED  # what it still says is kept


def test_a_line_that_is_missing_inside_is_a_loss(tmp_path: Path) -> None:
    record = Path(paths(tmp_path).record)
    taken(tmp_path, 1, 2)
    lines = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join(lines[:1] + lines[2:]))
    assert load(tmp_path).marks(ISS).lost_seq == 2


@given(cut=st.integers(0, 2000))
def test_a_record_cut_anywhere_makes_no_id_new_that_could_come_again(tmp_path: Path, cut: int) -> None:
    root = tmp_path / str(cut)
    root.mkdir(exist_ok=True)
    record = Path(paths(root).record)
    record.unlink(missing_ok=True)
    Path(paths(root).pin).unlink(missing_ok=True)
    taken(root, 1, 2, 3)
    content = record.read_bytes()
    record.write_bytes(content[: min(cut, len(content))])
    seen = load(root)
    for n in (1, 2, 3):
        known = seen.state(message(n).id) is not State.NEW
        assert known or seen.marks(ISS).lost_seq >= n


def test_a_torn_last_line_is_closed_append_only_and_is_no_loss(tmp_path: Path) -> None:
    record = Path(paths(tmp_path).record)
    taken(tmp_path, 1)
    before = record.read_bytes()
    record.write_bytes(before + b'{"n":3,"id":"m-')  # a crash in the middle of take
    taken(tmp_path, 2)
    assert record.read_bytes().startswith(before + b'{"n":3,"id":"m-\n')
    seen = load(tmp_path)
    assert seen.marks(ISS).lost_seq == 0
    assert {seen.state(message(n).id) for n in (1, 2)} == {State.ANSWERED}


def test_nothing_is_done_before_the_id_and_its_pin_are_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise NotDurableError("the disk is gone")

    seen = load(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(module, "replace_file", fail)
        with pytest.raises(NotDurableError):
            seen.take(message(1), NOW)
    assert load(tmp_path).state(message(1).id) is State.BEGUN  # it is on disk; whoever resumes pins first


def test_without_a_pin_the_log_says_what_was_taken_in(tmp_path: Path) -> None:
    seen = load(tmp_path, **{ISS: 7})
    assert seen.marks(ISS).lost_seq == 7
    assert seen.marks(ISS).seq == 7


def test_a_whole_record_without_its_pin_is_believed(tmp_path: Path) -> None:
    taken(tmp_path, 1)
    Path(paths(tmp_path).pin).unlink()
    seen = load(tmp_path, **{ISS: 1})
    assert seen.state(message(1).id) is State.ANSWERED
    assert seen.marks(ISS).lost_seq == 0


@pytest.mark.parametrize("pin", [b"{", b"[]", b'{"n":1}', b'{"n":1,"senders":[{"iss":"x","odd":1}]}'])
def test_a_damaged_pin_is_an_alarm(tmp_path: Path, pin: bytes) -> None:
    Path(paths(tmp_path).pin).write_bytes(pin)
    with pytest.raises(IntegrityError, match="damaged"):
        load(tmp_path)


def test_lines_that_are_none_are_passed_over_and_counted_as_lost(tmp_path: Path) -> None:
    record = Path(paths(tmp_path).record)
    taken(tmp_path, 1, 2)
    lines = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(
        b"[1]\n" + b'{"n":"x"}\n' + b'{"id":"y"}\n' + lines[0] + b'{"n":2,"odd":1}\n' + lines[2] + lines[3]
    )
    seen = load(tmp_path)
    assert seen.state(message(1).id) is State.BEGUN
    assert seen.marks(ISS).lost_seq == 2


def test_a_full_record_refuses_and_forgets_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_IDS", 2)
    seen = taken(tmp_path, 1, 2)
    with pytest.raises(FullError, match="remembered"):
        seen.take(message(3), NOW)
    assert seen.state(message(1).id) is State.ANSWERED
    assert seen.state(message(3).id) is State.NEW
    seen.take(message(4, iss="c" * 32), NOW)  # one sender's flood is not another's


def test_answers_have_a_limit_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ANSWER_BYTES", 10)
    seen = taken(tmp_path, 1, answer=b"x" * 10)
    with pytest.raises(FullError):
        seen.take(message(2), NOW)
    seen.take(message(3, iss="c" * 32), NOW)  # what one sender asked for keeps no other out


@pytest.mark.parametrize("limit", ["MAX_ANSWER_BYTES", "MAX_IDS"])
def test_what_has_expired_gives_its_room_back_however_few_the_lines_are(
    limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, limit, 1)
    seen = taken(tmp_path, 1)
    for n in (2, 3):
        seen.take(message(n, iss=str(n) * 32, exp=NOW + 900), NOW)
    seen.take(message(4, exp=NOW + 900), NOW + 100)
    assert seen.state(message(1).id) is State.NEW
    assert seen.marks(ISS).forgotten_exp == NOW + 60
    assert seen.state(message(2).id) is load(tmp_path).state(message(2).id) is State.BEGUN


def test_a_line_of_anybodys_removes_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COMPACT_FROM", 4)
    taken(tmp_path, 1)
    other = tmp_path / "keys" / "pin.json"
    other.write_text("{}")
    with Path(paths(tmp_path).record).open("a") as record:
        for n, name in ((3, "../../keys/pin"), (4, str(tmp_path / "keys" / "pin"))):
            fields = {"n": n, "id": name, "iss": ISS, "seq": 1, "exp": 1, "answer_bytes": 1}
            record.write(f"{json.dumps(fields)}\n")
    load(tmp_path).take(message(2), NOW + 100)
    assert other.exists()


def test_a_count_of_anybodys_is_not_pinned(tmp_path: Path) -> None:
    taken(tmp_path, 1)
    with Path(paths(tmp_path).record).open("a") as record:
        record.write(f'{{"n":{MAX_INTEGER}}}\n')
    seen = load(tmp_path)
    assert seen.state(message(1).id) is State.ANSWERED
    assert seen.marks(ISS).lost_seq == 1
    seen.take(message(2), NOW)
    assert load(tmp_path).state(message(2).id) is State.BEGUN


def test_senders_of_anybodys_are_not_pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COMPACT_FROM", 4)
    seen = taken(tmp_path, 1)
    before = Path(seen.paths.pin).stat().st_size
    with Path(seen.paths.record).open("a") as record:
        for n in range(3, 200):
            fields = {"n": n, "id": f"m-{n:026d}", "iss": f"{n:032x}", "seq": 1, "exp": 1, "answer_bytes": 1}
            record.write(f"{json.dumps(fields)}\n")
    load(tmp_path).take(message(2), NOW + 100)
    assert Path(seen.paths.pin).stat().st_size < 2 * before


def test_expired_ids_are_forgotten_when_they_are_many_and_cannot_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "COMPACT_FROM", 4)
    seen = taken(tmp_path, 1, 2)
    Path(seen.paths.answer(message(2).id)).unlink()
    later = replace(message(3), exp=NOW + 900)
    seen.take(later, NOW + 100)
    assert seen.state(message(1).id) is State.NEW
    assert seen.marks(ISS).forgotten_exp == NOW + 60  # so find_reasons refuses it at any clock
    assert seen.state(later.id) is load(tmp_path).state(later.id) is State.BEGUN
    assert not list((tmp_path / "work" / "answers").glob("m-*"))
    assert load(tmp_path).marks(ISS).lost_seq == 0


def test_few_expired_ids_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COMPACT_FROM", 4)
    seen = taken(tmp_path, 1)
    for n in (2, 3, 4):
        seen.take(message(n, exp=NOW + 900), NOW)
    seen.take(message(5, exp=NOW + 900), NOW + 100)
    assert seen.state(message(1).id) is State.ANSWERED


@pytest.mark.parametrize(
    "odd", ['"id":[]', '"exp":null', '"seq":"7"', '"answer_bytes":-1', '"n":1e3', '"n":"2"']
)
def test_a_line_of_other_values_counts_as_lost(odd: str, tmp_path: Path) -> None:
    taken(tmp_path, 1)
    record = Path(paths(tmp_path).record)
    first, second = record.read_text().splitlines()
    name = odd.partition(":")[0]
    at = first.index(name)
    ends = [end for end in (first.find(",", at), first.find("}", at)) if end > 0]
    record.write_text(f"{first[:at]}{odd}{first[min(ends) :]}\n{second}\n")
    seen = load(tmp_path)
    assert seen.marks(ISS).lost_seq == 1
    seen.take(message(2), NOW)


@pytest.mark.parametrize("odd", ['"ahead":7', '"ahead":[{"id":"../x"}]', '"ahead":[[]]'])
def test_a_pin_that_names_no_messages_is_damaged(odd: str, tmp_path: Path) -> None:
    paths(tmp_path)
    Path(paths(tmp_path).pin).write_text(f'{{"v":1,"n":1,"senders":[],{odd}}}')
    with pytest.raises(IntegrityError, match="is damaged"):
        load(tmp_path)


@pytest.mark.parametrize("odd", ['"n":2.5', '"iss":["a"]', '"seq":"7"'])
def test_a_pin_of_other_values_is_damaged(odd: str, tmp_path: Path) -> None:
    pin = {"n": '"n":1', "iss": '"iss":"a"', "seq": '"seq":1'}
    pin[odd.split('"')[1]] = odd
    paths(tmp_path)
    Path(paths(tmp_path).pin).write_text(f'{{"v":1,{pin["n"]},"senders":[{{{pin["iss"]},{pin["seq"]}}}]}}')
    with pytest.raises(IntegrityError, match="is damaged"):
        load(tmp_path)
