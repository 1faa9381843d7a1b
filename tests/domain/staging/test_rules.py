"""What a stretch of the past holds, and how important an entry is."""

from tests.rows import from_corpus

from nightledger.domain.staging import WindowRules, importance_of


def test_a_stretch_holds_its_last_day_and_not_its_first() -> None:
    held = [WindowRules(from_days=7, until_days=14, most=1).holds(days) for days in (6, 7, 13, 14)]
    assert held == [False, True, True, False]
    assert WindowRules(from_days=90, until_days=None, most=1).holds(9_000)


@from_corpus("domain-staging-rules")
def test_what_was_signed_comes_first_then_what_outcomes_prove_then_what_was_stated(
    pinned: bool,  # noqa: FBT001 - a row
    durable: bool,  # noqa: FBT001 - a row
    observation: bool,  # noqa: FBT001 - a row
    lean: float,
    stated: float | None,
    importance: float,
) -> None:
    asked = {"pinned": pinned, "durable": durable, "observation": observation}
    assert importance_of(**asked, lean=lean, stated=stated) == importance
