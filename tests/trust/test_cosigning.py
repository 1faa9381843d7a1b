"""A log asks its witnesses: what is taken, what is told, and what a witness that disagrees proves."""

import sys

import pytest
from tests.trust.witnesses import (
    NOON,
    FakeWitness,
    LogSigner,
    cosigner,
    head_of,
    note_of,
    policy_of,
    tree_of,
    witness_key,
)

from nightledger.remote.cosigner import Answer
from nightledger.remote.witness_ways import Asked, LogView, ask_witness
from nightledger.trust.checkpoint import dump_checkpoint
from nightledger.trust.cosignature import verifier_of
from nightledger.trust.merkle import Tree
from nightledger.trust.note import NoteVerifier, dump_note, parse_note, sign_note
from nightledger.trust.proof import Continuation, dump_continuation, parse_continuation
from nightledger.trust.report import Damage

NAME = witness_key(1).name


def view(tree: Tree, size: int | None = None) -> LogView:
    return LogView(note=parse_note(note_of(head_of(tree, size))), tree=tree, policy=policy_of(2, 1))


def ask(witness: FakeWitness, seen: LogView, known_size: int = 0) -> Asked:
    return ask_witness(NAME, witness, seen, known_size)


def verifier() -> NoteVerifier:
    return verifier_of(witness_key(1).dump())


def test_the_first_head_is_cosigned_at_once() -> None:
    witness, seen = FakeWitness(1), view(tree_of(5))
    asked = ask(witness, seen)
    (cosigned,) = asked.cosigned
    assert (asked.size, asked.problem, asked.waiting) == (5, "", False)
    assert verifier().verify(seen.note.text, cosigned.lines[0].signature)
    assert len(witness.asked) == 1


def test_a_known_size_saves_a_question() -> None:
    witness, tree = FakeWitness(1), tree_of(9)
    ask(witness, view(tree, 5))
    assert ask(witness, view(tree), 5).size == 9
    assert [parse_continuation(raw).old_size for raw in witness.asked] == [0, 5]


def test_a_size_that_was_forgotten_is_told_by_the_witness() -> None:
    witness, tree = FakeWitness(1), tree_of(9)
    ask(witness, view(tree, 5))
    asked = ask(witness, view(tree))
    assert (asked.size, len(asked.cosigned)) == (9, 1)
    assert [parse_continuation(raw).old_size for raw in witness.asked] == [0, 0, 5]


def test_a_witness_that_forgot_begins_anew() -> None:
    asked = ask(FakeWitness(1), view(tree_of(9)), 7)
    assert (asked.size, asked.problem) == (9, "")


def test_the_same_head_is_cosigned_again_at_a_later_time() -> None:
    witness, seen = FakeWitness(1), view(tree_of(5))
    ask(witness, seen)
    witness.at = NOON.replace(hour=15)
    (cosigned,) = ask(witness, seen, 5).cosigned
    assert verifier().verify(seen.note.text, cosigned.lines[0].signature)
    assert cosigned.lines[0].signature[:8] == int(witness.at.timestamp()).to_bytes(8, "big")


def test_a_longer_log_that_the_witness_shows_is_a_rollback() -> None:
    witness, tree = FakeWitness(1), tree_of(9)
    witness.remember(note_of(head_of(tree)))
    assert ask(witness, view(tree_of(5)), 9).contradiction == ask(witness, view(tree_of(5))).contradiction
    found = ask(witness, view(tree_of(5))).contradiction
    assert found is not None
    assert (found.damage, found.head) == (Damage.ROLLBACK, head_of(tree))
    assert found.message.endswith("cosigned a log of 9 entries, and this one has 5")


def test_another_history_that_the_witness_shows_is_a_fork() -> None:
    witness, fork = FakeWitness(1), tree_of(5, b"other")
    witness.remember(note_of(head_of(fork)))
    for size in (5, 9):
        found = ask(witness, view(tree_of(size)), 5).contradiction
        assert found is not None
        assert (found.damage, found.head) == (Damage.FORK, head_of(fork))


def test_a_witness_that_shows_nothing_accuses_nobody() -> None:
    witness = FakeWitness(1)
    witness.remember(note_of(head_of(tree_of(9))))
    witness.shows = False
    asked = ask(witness, view(tree_of(5)))
    assert asked.contradiction is None
    assert asked.refused
    assert asked.problem == (
        "it does not cosign this log: it says that it cosigned 9 entries, and this log has 5"
    )


def test_a_head_that_the_log_never_signed_accuses_nobody() -> None:
    text = dump_checkpoint(head_of(tree_of(9)))
    for raw in (
        dump_note(sign_note(text, [LogSigner(number=7), cosigner(1)])),
        dump_note(sign_note(text, [LogSigner()])),
        note_of(head_of(tree_of(9), origin="other/log"), cosigner(1)),
        b"nonsense",
    ):
        witness = FakeWitness(1)
        witness.last = head_of(tree_of(9)), raw
        asked = ask(witness, view(tree_of(5)))
        assert asked.contradiction is None
        assert asked.refused
        assert "cannot be seen" in asked.problem


def test_a_wrong_word_about_a_head_of_this_log_is_no_contradiction() -> None:
    witness, tree = FakeWitness(1), tree_of(5)
    witness.remember(note_of(head_of(tree, 3)))
    witness.answers = [Answer(status=422, body=b"no\n")]
    asked = ask(witness, view(tree))
    assert (asked.contradiction, asked.size, asked.problem) == (None, 3, "it answered 422: no")
    assert not asked.refused


def test_an_answer_that_comes_later_is_waited_for() -> None:
    witness = FakeWitness(1)
    witness.later = True
    asked = ask(witness, view(tree_of(5)), 3)
    assert (asked.waiting, asked.cosigned, asked.size, asked.problem) == (True, (), 3, "")


def late(earlier: bytes) -> FakeWitness:
    """A spool that first answers an earlier request."""
    witness = FakeWitness(1)
    witness.earlier = [earlier]
    return witness


def asked_before(tree: Tree, size: int) -> bytes:
    return dump_continuation(Continuation(old_size=0, hashes=(), checkpoint=note_of(head_of(tree, size))))


def test_an_answer_to_an_earlier_request_is_taken_and_the_newest_head_asked_for() -> None:
    tree = tree_of(9)
    asked = ask(late(asked_before(tree, 4)), view(tree))
    assert [cosigned.note.text for cosigned in asked.cosigned] == [
        dump_checkpoint(head_of(tree, 4)),
        dump_checkpoint(head_of(tree)),
    ]
    assert (asked.size, asked.problem) == (9, "")


def test_an_answer_about_a_head_of_another_log_is_not_taken() -> None:
    for other in (tree_of(4, b"other"), tree_of(12)):
        asked = ask(late(asked_before(other, other.size)), view(tree_of(9)))
        assert (asked.cosigned, asked.problem) == ((), "it answered about a head that is not of this log")


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Answer(status=500, body=b"broken\n"), "it answered 500: broken"),
        (Answer(status=404, body=b"unknown \xff log\n"), "it answered 404: unknown \ufffd log"),
        (Answer(status=409, body=b"many\n"), "it answered 409 with b'many\\n', which is no size"),
        (Answer(status=409, body=b"9" * 40), "which is no size"),
        (Answer(status=200, body=b""), "no known key has signed the note"),
        (Answer(status=200, body=b"nonsense\n"), "its answer cannot be read: not a signature line"),
    ],
)
def test_what_no_witness_would_answer_is_a_problem(answer: Answer, problem: str) -> None:
    witness = FakeWitness(1)
    witness.answers = [answer]
    asked = ask(witness, view(tree_of(5)))
    assert problem in asked.problem
    assert (asked.cosigned, asked.contradiction) == ((), None)


def test_a_line_for_another_head_or_by_a_stranger_is_not_taken() -> None:
    seen, other = view(tree_of(5)), dump_checkpoint(head_of(tree_of(6)))
    for number, text in ((1, other), (9, seen.note.text), (2, seen.note.text)):
        witness = FakeWitness(1)
        made = dump_note(sign_note(text, [cosigner(number)])).removeprefix(f"{text}\n".encode())
        witness.answers = [Answer(status=200, body=made)]
        asked = ask(witness, seen)
        assert asked.cosigned == ()
        assert asked.problem


def test_a_witness_that_never_comes_to_the_point_is_left() -> None:
    witness = FakeWitness(1)
    witness.answers = [Answer(status=409, body=b"%d\n" % size) for size in (1, 2, 3)]
    assert ask(witness, view(tree_of(5))).problem == "it gave no line for this head"


def test_a_witness_that_is_not_there_is_a_problem_and_no_error() -> None:
    witness = FakeWitness(1)
    witness.silent = True
    asked = ask(witness, view(tree_of(5)), 3)
    assert (asked.problem, asked.size) == ("nobody answers", 3)


def test_without_ml_dsa_its_other_line_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.mldsa", None)
    assert ask(FakeWitness(1), view(tree_of(5))).problem == ""
