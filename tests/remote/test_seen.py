"""A message whose number is spent is never new again."""

from pathlib import Path

import pytest

from nightledger.domain.errors import NotDurableError
from nightledger.domain.message import Message
from nightledger.remote import receiving as module
from nightledger.remote.receiving import BEGUN, Seen

NOW = 1_772_262_000
ISS = "b" * 32


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
