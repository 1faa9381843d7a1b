"""c2sp.org/tlog-policy: its own example, its rules one by one, and what a quorum's times say."""

import sys
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.trust.witnesses import (
    LogSigner,
    cosigner,
    head_of,
    note_of,
    policy_of,
    times_of,
    tree_of,
    witness_key,
)

from nightledger.domain.errors import RecordError
from nightledger.trust.cosignature import COSIGNATURE_MLDSA44
from nightledger.trust.note import NoteError, VerifierKey, parse_note
from nightledger.trust.policy import (
    NONE,
    Group,
    Policy,
    Witness,
    cosigned_times,
    dump_policy,
    parse_policy,
    verify_log,
)

LOG = LogSigner().key.dump()
KEYS = [witness_key(number).dump() for number in range(10)]
# The example of the specification, with keys put in.
EXAMPLE = f"""
log {LOG}

witness X1 {KEYS[1]}
witness X2 {KEYS[2]} https://witness.example/x2
witness X3 {KEYS[3]}
group X-witnesses 2 X1 X2 X3

 \twitness Y1\t{KEYS[4]}
witness Y2 {KEYS[5]}
witness Y3 {KEYS[6]}
group Y-witnesses any Y1 Y2 Y3
   # a comment

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
"""


def parsed(text: str) -> Policy:
    return parse_policy(text.encode("utf-8", "surrogateescape"), where="policy")


def problems(text: str) -> tuple[str, ...]:
    with pytest.raises(RecordError) as caught:
        parsed(text)
    return caught.value.problems


def test_the_example_of_the_specification_asks_for_two_of_one_and_one_of_the_other() -> None:
    policy = parsed(EXAMPLE)
    assert [log.name for log in policy.logs] == [LogSigner().name]
    names = [witness.name for witness in policy.witnesses]
    for count in range(7):
        for some in combinations(names, count):
            kinds = [name[0] for name in some]
            assert policy.is_met(some) == (kinds.count("X") >= 2 and kinds.count("Y") >= 1)


def test_a_witness_alone_can_be_the_quorum() -> None:
    policy = parsed(f"witness one {KEYS[1]}\nquorum one\n")
    assert policy.is_met({"one"})
    assert not policy.is_met({"two"})
    assert not policy.is_met(())


def test_a_quorum_of_none_asks_for_nobody_and_knows_no_times() -> None:
    policy = parsed(f"log {LOG}\nquorum none")
    assert (policy.asks, policy.is_met(())) == (False, True)
    assert policy.first_seen(times_of({1: 0})) is policy.last_seen(times_of({1: 0})) is None


def test_a_policy_is_dumped_and_read_back() -> None:
    policy = parsed(EXAMPLE)
    assert parsed(dump_policy(policy).decode()) == policy
    assert dump_policy(Policy()) == b"quorum none\n"


def test_names_are_octets_and_need_no_unicode() -> None:
    raw = b"witness \xff\xfe " + KEYS[1].encode() + b"\nquorum \xff\xfe\n"
    assert dump_policy(parse_policy(raw, where="policy")) == raw


@each_row(
    ("line", "message"),
    [
        ("logs x", "'logs' is no word of a policy"),
        ("log", "a log has a verifier key"),
        (f"log {LOG} a b", "a log has a verifier key"),
        (f"log {LOG}\u00a0x", "a character that no name has"),
        ("log nonsense", "is not a verifier key"),
        (f"log {KEYS[1]}", "a key of type 0x04 cannot have this part"),
        (f"log {LOG}\nlog {LOG}", "this log's key is given twice"),
        ("witness w", "a witness has a name, a verifier key"),
        (f"witness w {LOG}", "a key of type 0x01 cannot have this part"),
        (f"witness v {KEYS[1]}\nwitness w {KEYS[1]}", "this witness's key is given twice"),
        (f"witness w {KEYS[1]}\nwitness w {KEYS[2]}", "the name 'w' is taken"),
        (f"witness none {KEYS[1]}", "the name 'none' is taken"),
        ("group g all", "a group has a name, a number"),
        ("group g all w", "'w' is not defined before this line"),
        ("group g all none", "'none' is not defined before this line"),
        (f"witness w {KEYS[1]}\ngroup g 2 w", "it asks for 2 of 1 members"),
        (f"witness w {KEYS[1]}\ngroup g 0 w", "'0' is no number of members"),
        (f"witness w {KEYS[1]}\ngroup g 01 w", "'01' is no number of members"),
        (f"witness w {KEYS[1]}\ngroup g most w", "'most' is no number of members"),
        (f"witness w {KEYS[1]}\ngroup g all w w", "'w' is already a member of a group"),
        (f"witness w {KEYS[1]}\ngroup g all w\ngroup h all w", "'w' is already a member of a group"),
        ("quorum a b", "a quorum has one name"),
        ("quorum w", "'w' is not defined before this line"),
        ("quorum none\nquorum none", "there is more than one quorum line"),
        ("quorum none\r", "a control character"),
        ("quorum none \x7f", "a control character"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(line: str, message: str) -> None:
    found = problems(f"# first\n{line}")
    assert message in found[0]
    assert found[0].startswith(f"line {1 + len(line.splitlines())}: ")


def test_every_problem_is_named_at_once() -> None:
    assert len(problems("log a\nwitness b\nquorum c\n")) == 3
    assert problems("") == ("there is no quorum line; 'quorum none' asks for nobody",)


def test_a_log_cannot_be_its_own_witness() -> None:
    both = LogSigner().key.public
    as_witness = VerifierKey(name="w", key_type=0x04, public=both).dump()
    found = problems(f"log {LOG}\nwitness w {as_witness}\nquorum w\n")[0]
    assert found == "line 2: a log and a witness have the same key"
    (found,) = problems(f"witness w {as_witness}\nquorum w\nlog {LOG}\n")
    assert found == "line 3: a log and a witness have the same key"


def test_more_names_than_a_hundred_of_a_kind_are_refused() -> None:
    lines = "".join(f"witness w{n} {witness_key(n).dump()}\n" for n in range(101))
    assert problems(lines + "quorum none\n") == ("line 101: more than 100 of a kind are not read",)


def test_the_first_time_is_the_one_by_which_enough_had_cosigned() -> None:
    policy = policy_of(3, 2)
    assert policy.first_seen(times_of({1: 5, 2: 9, 3: 30})) == times_of({0: 9})["w0"]
    assert policy.last_seen(times_of({1: 5, 2: 9, 3: 30})) == times_of({0: 9})["w0"]
    assert policy.first_seen(times_of({1: 5})) is policy.last_seen(times_of({1: 5})) is None


def test_times_of_nested_groups_are_those_of_their_members() -> None:
    policy = parsed(EXAMPLE)
    minutes = {"X1": 10, "X2": 20, "X3": 40, "Y1": 15, "Y2": 50}
    times = {name: times_of({0: minute})["w0"] for name, minute in minutes.items()}
    assert policy.first_seen(times) == times["X2"]  # X by 20, Y by 15, all by 20
    assert policy.last_seen(times) == times["X2"]  # X until 20, Y until 50, all until 20


@given(
    honest=st.lists(st.integers(0, 59), min_size=2, max_size=4),
    lies=st.lists(st.integers(0, 59), max_size=2),
)
def test_liars_below_the_quorum_move_neither_time_past_every_honest_one(
    honest: list[int], lies: list[int]
) -> None:
    minutes = dict(enumerate([*lies, *honest], start=1))
    policy = policy_of(len(minutes), len(lies) + 1)
    first, last = policy.first_seen(times_of(minutes)), policy.last_seen(times_of(minutes))
    assert first is not None
    assert last is not None
    assert first.minute >= min(honest)
    assert last.minute <= max(honest)


def test_only_lines_of_the_policy_that_hold_are_given_with_their_times() -> None:
    tree = tree_of(3)
    later = times_of({2: 7})["w2"]
    note = parse_note(note_of(head_of(tree), cosigner(2, later), cosigner(9)))
    assert cosigned_times(note, policy_of(3, 1)) == {"w2": later}
    assert cosigned_times(note, policy_of(1, 1)) == {}


def test_one_bad_line_of_a_known_witness_spoils_the_note() -> None:
    good, other = (head_of(tree_of(size)) for size in (3, 4))
    line = note_of(other, cosigner(1)).splitlines()[-1]
    note = parse_note(note_of(good, cosigner(2)) + line + b"\n")
    assert cosigned_times(note, Policy(witnesses=(policy_of(2, 1).witnesses[1],))).keys() == {"w2"}
    with pytest.raises(NoteError, match="does not hold"):
        cosigned_times(note, policy_of(2, 1))


def test_a_head_counts_only_for_the_log_it_names() -> None:
    note = parse_note(note_of(head_of(tree_of(3))))
    verify_log(note, LogSigner().name, [LogSigner("other/log", 5).key, LogSigner().key])
    with pytest.raises(NoteError, match="no known key has signed"):
        verify_log(note, LogSigner().name, [LogSigner(number=5).key])
    with pytest.raises(NoteError, match="no known key has signed"):
        verify_log(note, "other/log", [LogSigner().key])


def test_without_ml_dsa_such_a_witness_has_not_cosigned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.mldsa", None)
    key = VerifierKey(name="pq", key_type=COSIGNATURE_MLDSA44, public=bytes(1312))
    policy = Policy(
        logs=(LogSigner().key, VerifierKey(name=LogSigner().name, key_type=6, public=bytes(1312))),
        witnesses=(*policy_of(1, 1).witnesses, Witness(name="pq", key=key)),
        groups=(Group(name="g", threshold=1, members=("w1", "pq")),),
        quorum="g",
    )
    raw = note_of(head_of(tree_of(2)), cosigner(1))
    forged = raw + f"— pq {'AAAA' * 3}\n".encode()
    assert cosigned_times(parse_note(forged), policy).keys() == {"w1"}
    verify_log(parse_note(forged), LogSigner().name, policy.logs)
    assert NONE == "none"
