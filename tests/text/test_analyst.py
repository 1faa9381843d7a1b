from nightledger.text.analyst import (
    ADJACENT,
    CORE,
    KNOWN_TAGS,
    NEAR_IDENTITY,
    UNRELATED,
    Analyst,
    BlockAnalysis,
    ExtractiveAnalyst,
    SelfContext,
    validate,
)

ANALYST: Analyst = ExtractiveAnalyst()


def test_a_block_is_analysed_in_one_call() -> None:
    analysis = ANALYST.process_block("Ann said I must never push on Fridays.", SelfContext())
    assert analysis.alignment_score == NEAR_IDENTITY
    assert "constraint" in analysis.tags
    assert analysis.summary == "Ann said I must never push on Fridays."


def test_what_repeats_a_principle_is_core() -> None:
    context = SelfContext(principles=("Prefer reversible moves while knowledge is thin",))
    block = "We prefer reversible moves while our knowledge is thin."
    assert ANALYST.process_block(block, context).alignment_score == CORE


def test_what_only_touches_how_the_agent_works_is_adjacent() -> None:
    assert ANALYST.process_block("Never boil milk.", SelfContext()).alignment_score == ADJACENT
    goals = SelfContext(goals=("sell the kettle factory in hall seven",))
    assert ANALYST.process_block("Kettle factory in hall seven", goals).alignment_score == ADJACENT


def test_an_event_is_unrelated() -> None:
    assert ANALYST.process_block("It rained in the night.", SelfContext()).alignment_score == UNRELATED


def test_an_empty_summary_falls_back_to_the_content() -> None:
    analysis = ANALYST.process_block("Never boil the kettle dry.", SelfContext(summary_characters=3))
    assert analysis.summary == "Never boil the kettle dry."


def test_whatever_an_analyst_says_is_held_to_known_tags_and_range() -> None:
    wild = BlockAnalysis(alignment_score=7.5, tags=("value", "owned", "constraint"), summary=" ")
    checked = validate(wild, " the block ")
    assert checked == BlockAnalysis(alignment_score=1.0, tags=("constraint", "value"), summary="the block")
    assert set(checked.tags) <= set(KNOWN_TAGS)
    assert validate(BlockAnalysis(alignment_score=-1, tags=(), summary="x"), "b").alignment_score == 0.0
