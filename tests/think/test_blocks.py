"""Asking a model about blocks of memory: many in one question, each once, and nothing of it believed that does not hold."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.rows import from_corpus
from tests.think.test_analyst import Model

from nightledger.domain.consolidation import AnalystRun, Said, SelfContext
from nightledger.files.home import Home
from nightledger.think.analyst import Analyst, block_name, read_prompt, read_said
from nightledger.think.checkup import BLOCKS_A_QUESTION, ask_blocks

FILLER = "The quay was swept on the second day of the week by the three men of the early shift, as it is done in each week of the year. "
CRANE = (
    f"- The crane stands at the north pier. {FILLER}Never move it before the wind report is read. {FILLER}"
)
OVEN = f"- The oven takes an hour to heat. {FILLER}Bread goes in at four. {FILLER}"
HOME = SelfContext(tags=frozenset({"harbour", "crane"}), principles=("I use the least force.",))
KEY = b"k" * 32


def ask(root: Path, model: Model, *blocks: str, context: SelfContext = HOME) -> AnalystRun:
    home = Home(root)
    Path(home.system_dir).mkdir(parents=True, exist_ok=True)
    analyst = Analyst(server=model, prompt="", home=home, at=datetime(2026, 3, 3, 3, tzinfo=UTC), key=KEY)
    return ask_blocks(analyst, read_prompt(str(root), "blocks"), blocks, context, AnalystRun(model="told"))


def answer(*blocks: dict[str, Any]) -> str:
    return json.dumps({"blocks": blocks})


def of(block: str, *sentences: int, tags: tuple[str, ...] = (), share: float = 0.5) -> dict[str, Any]:
    return {"block": block, "sentences": sentences, "tags": tags, "alignment_score": share}


def test_one_question_gives_alignment_tags_and_summary_of_all_long_blocks_and_each_is_asked_about_once(
    tmp_path: Path,
) -> None:
    model = Model(answer(of("b1", 3, tags=("Crane", "wind report", "harbour", "rocket")), of("b2", 1)))
    run = ask(tmp_path, model, CRANE, "- Short.", OVEN, CRANE)
    assert (run.calls, run.tokens, run.blocks) == (1, 500, {"said": 2})
    (question,) = model.questions
    assert "b1\n  1| The crane stands at the north pier.\n" in question
    assert "  3| Bread goes in at four." in question
    assert all(text in question for text in ("I use the least force.", "crane, harbour"))
    assert "Short" not in question
    assert read_said(Home(tmp_path), KEY)[block_name(CRANE)] == Said(
        sentences=(3,), tags=("crane", "harbour", "wind_report"), alignment_score=0.5
    )
    assert "crane stands" not in Path(Home(tmp_path).analyst_log).read_text()
    changed = CRANE.replace("wind report", "tide table")
    again = Model(answer(of("b1", 1)))
    assert ask(tmp_path, again, CRANE, OVEN, changed).blocks == {"said": 1}
    assert "tide table" in again.questions[0]
    assert "oven" not in again.questions[0]


@from_corpus("think-blocks")
def test_what_does_not_hold_is_counted_left_to_the_rules_and_not_asked_about_again(
    tmp_path_factory: pytest.TempPathFactory, said: dict[str, Any], why: str
) -> None:
    root = tmp_path_factory.mktemp("home")
    long = f"{CRANE}It is so. {FILLER}"
    assert ask(root, Model(answer(said)), long).blocks == {why: 1}
    assert read_said(Home(root), KEY) == {}
    silent = Model()
    assert ask(root, silent, long).blocks == {}
    assert silent.questions == []


@from_corpus("think-blocks")
def test_an_answer_of_another_form_leaves_the_blocks_to_the_rules_and_they_are_asked_about_again(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    root = tmp_path_factory.mktemp("home")
    why = "the model answered something else than blocks"
    assert ask(root, Model(text), CRANE, OVEN).blocks == {why: 2}
    assert ask(root, Model(answer(of("b1", 3))), CRANE).blocks == {"said": 1}


def test_a_budget_that_ends_in_the_middle_keeps_what_was_answered_and_names_what_is_left(
    tmp_path: Path,
) -> None:
    blocks = [CRANE.replace("north", f"north-{n}") for n in range(BLOCKS_A_QUESTION + 1)]
    full = answer(*(of(f"b{n}", 3) for n in range(1, BLOCKS_A_QUESTION + 1)))
    run = ask(tmp_path, Model(full, full, tokens_a_night=9_000, tokens=8_000), *blocks)
    assert run.calls == 1
    assert run.blocks == {"said": BLOCKS_A_QUESTION, "the budget of 9,000 tokens is spent": 1}
    assert len(read_said(Home(tmp_path), KEY)) == BLOCKS_A_QUESTION


def test_a_block_with_a_secret_stops_the_question(tmp_path: Path) -> None:
    model = Model(answer(of("b1", 1)))
    run = ask(tmp_path, model, CRANE + "token: ghp_Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6")
    assert (model.questions, run.blocks) == ([], {"the question holds what looks like a secret": 1})
