"""c2sp.org/tlog-policy: its own example, its rules one by one, and what a quorum's times say."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from tests.rows import corpus
from tests.trust.witnesses import LogSigner, policy_of, times_of, witness_key

from nightledger.trust.policy import Policy, parse_policy

LOG = LogSigner().key.dump()
KEYS = [witness_key(number).dump() for number in range(10)]
# The example of the specification, with keys put in.
EXAMPLE = corpus("trust-policy.txt").format(LOG=LOG, KEYS=KEYS)


def parsed(text: str) -> Policy:
    return parse_policy(text.encode("utf-8", "surrogateescape"), where="policy")


def test_the_example_of_the_specification_asks_for_two_of_one_and_one_of_the_other() -> None:
    policy = parsed(EXAMPLE)
    assert [log.name for log in policy.logs] == [LogSigner().key.name]
    names = [witness.name for witness in policy.witnesses]
    for count in range(7):
        for some in combinations(names, count):
            kinds = [name[0] for name in some]
            assert policy.is_met(some) == (kinds.count("X") >= 2 and kinds.count("Y") >= 1)


def test_times_of_nested_groups_are_those_of_their_members() -> None:
    policy = parsed(EXAMPLE)
    minutes = {"X1": 10, "X2": 20, "X3": 40, "Y1": 15, "Y2": 50}
    times = {name: times_of({0: minute})["w0"] for name, minute in minutes.items()}
    assert policy.first_seen(times) == times["X2"]  # X by 20, Y by 15, all by 20
    assert policy.last_seen(times) == times["X2"]  # X until 20, Y until 50, all until 20


@given(
    honest=st.lists(st.integers(0, 59), min_size=2, max_size=4), lies=st.lists(st.integers(0, 59), max_size=2)
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
