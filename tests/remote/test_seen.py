"""A message whose number is spent is never new again."""

import json
from pathlib import Path

import pytest

from nightledger.codec.canonical import MAX_INTEGER
from nightledger.domain.errors import IntegrityError, NotDurableError
from nightledger.domain.message import Message
from nightledger.remote import receiving as module
from nightledger.remote.receiving import BEGUN, Seen

NOW = 1_772_262_000
ISS = "b" * 32
OTHER = "c" * 32


def message(n: int, *, iss: str = ISS) -> Message:
    name = "m-" + f"{n:026b}".translate({ord("0"): "a", ord("1"): "b"})
    return Message(
        v=1, id=name, iss=iss, aud="a" * 32, iat=NOW, exp=NOW + 60, seq=n, action="x", domain="y", body={}
    )


def load(root: Path) -> Seen:
    (root / "keys").mkdir(exist_ok=True)
    return Seen(str(root / "keys" / "channel.json"), str(root / "work" / "answers"))


def answer_of(root: Path, n: int) -> Path:
    return root / "work" / "answers" / f"{message(n).id}.json"


def taken(root: Path, *numbers: int) -> Seen:
    seen = load(root)
    for n in numbers:
        seen.take(message(n))
        seen.answered(message(n), b"yes")
    return seen


def test_a_message_is_new_then_begun_then_answered_whoever_looks(tmp_path: Path) -> None:
    seen = load(tmp_path)
    assert (seen.known(message(1)), seen.seq(ISS), seen.is_lost) == (None, 0, True)
    seen.take(message(1))
    assert load(tmp_path).known(message(1)) == BEGUN
    assert load(tmp_path).seq(ISS) == 1
    seen.answered(message(1), b"yes")
    again = load(tmp_path)
    assert (again.answer(message(1)), again.is_lost) == (b"yes", False)


def test_numbers_are_each_senders_own_and_never_fall(tmp_path: Path) -> None:
    seen = taken(tmp_path, 5, 3)
    seen.refuse(message(9, iss=OTHER))
    seen.refuse(message(2, iss=OTHER))
    again = load(tmp_path)
    assert (again.seq(ISS), again.seq(OTHER), again.known(message(9, iss=OTHER))) == (5, 9, None)


@pytest.mark.parametrize("left", [None, b"no", b""])
def test_an_answer_that_is_not_the_one_that_was_given_is_none(tmp_path: Path, left: bytes | None) -> None:
    seen = taken(tmp_path, 1)
    answer = answer_of(tmp_path, 1)
    answer.unlink() if left is None else answer.write_bytes(left)
    assert seen.answer(message(1)) is None


def test_the_oldest_ids_give_way_with_their_answers_and_stay_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT", 2)
    seen = taken(tmp_path, 1, 2, 3)
    assert [seen.answer(message(n)) for n in (1, 2, 3)] == [None, b"yes", b"yes"]
    assert not answer_of(tmp_path, 1).exists()
    assert load(tmp_path).seq(ISS) == 3


def test_nothing_is_begun_before_its_number_is_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise NotDurableError("no room")

    monkeypatch.setattr(module, "replace_file", fail)
    with pytest.raises(NotDurableError):
        load(tmp_path).take(message(1))


def test_without_a_record_the_log_says_what_was_taken_in(tmp_path: Path) -> None:
    seen = load(tmp_path)
    seen.begin({ISS: 7})
    assert seen.seq(ISS) == 7


@pytest.mark.parametrize(
    "fields",
    [
        {"iss": "x"},
        {"iss": ["b"]},
        {"seq": "7"},
        {"seq": True},
        {"seq": -1},
        {"seq": MAX_INTEGER + 1},
        {"ids": [["../x", ""]]},
        {"ids": [[message(1).id, "x"]]},
        {"ids": [[message(1).id]]},
        {"ids": 7},
    ],
)
def test_a_record_of_other_values_is_an_alarm(tmp_path: Path, fields: dict[str, object]) -> None:
    sender = {"iss": ISS, "seq": 7, "ids": [], **fields}
    (tmp_path / "channel.json").write_text(json.dumps({"v": 1, "senders": [sender]}))
    with pytest.raises(IntegrityError, match="is damaged"):
        Seen(str(tmp_path / "channel.json"), str(tmp_path))


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"{}", b'{"senders": 1}', b"\xff"])
def test_a_damaged_record_is_an_alarm(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "channel.json").write_bytes(raw)
    with pytest.raises(IntegrityError, match="is damaged"):
        Seen(str(tmp_path / "channel.json"), str(tmp_path))
