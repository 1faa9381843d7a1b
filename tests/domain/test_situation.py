from nightledger.domain.pattern import Situation, mostly_same


def situation(*ids: str) -> Situation:
    return Situation(task_type="debug_cron", tags=(), records=(), ids=frozenset(ids))


def test_situations_that_share_half_of_all_their_outcomes_are_mostly_the_same() -> None:
    assert mostly_same(situation("a", "b"), situation("a"))
    assert mostly_same(situation("a", "b", "c"), situation("b", "c", "d"))
    assert not mostly_same(situation("a", "b", "c"), situation("a"))
    assert not mostly_same(situation("a"), situation("b"))
