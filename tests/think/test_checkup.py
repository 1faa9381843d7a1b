"""What of a model's check-up of a memory is taken."""

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.rows import corpus, each_row, from_corpus
from tests.think.test_analyst import Model

from nightledger.domain.finding import DoubtLabel
from nightledger.files.home import Home
from nightledger.text.checkup.checkup import check_memory
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.patterns import grouped
from nightledger.think.analyst import Analyst, read_prompt
from nightledger.think.checkup import Chosen, Why, choose
from nightledger.think.drafting import PART_CHARACTERS

DAY = date(2026, 5, 2)
MEMORY = corpus("think-checkup-memory.txt")
NAMES = {
    "crane": "m1",
    "moor": "m2",
    "barges": "m3",
    "pier": "m4",
    "four": "m5",
    "overnight": "m6",
    "anna": "m7",
    "gate": "m8",
    "lamp": "m9",
    "nas-1": "m10",
    "nas": "m11",
    "relay": "m12",
    "code": "m13",
    "kiln": "m14",
}


def ask(
    root: Path,
    model: Model,
    memory: str = MEMORY,
    staying: tuple[int, ...] = (),
    *,
    dry_run: bool = True,
) -> Chosen:
    home = Home(root)
    Path(home.system_dir).mkdir(parents=True, exist_ok=True)
    analyst = Analyst(
        server=model,
        prompt=read_prompt(str(root), "checkup"),
        home=home,
        at=datetime(2026, 5, 2, 9, tzinfo=UTC),
        key=b"k" * 32,
        dry_run=dry_run,
    )
    return choose(analyst, parse_markdown(memory), DAY, staying)


def takes(entry: str, quote: str, why: str, *others: str, **more: object) -> dict[str, Any]:
    names = [NAMES.get(one, one) for one in (entry, *others)]
    told = {"op": "retire", "entry": names[0], "quote": quote, "why": why, "others": names[1:]}
    return {**told, "confidence": 0.8, **more}


def answer(*operations: dict[str, Any]) -> str:
    return json.dumps({"operations": operations})


CRANE = takes("crane", "The crane was painted on Tuesday", "report")


@from_corpus("think-checkup")
def test_an_operation_that_keeps_the_contract_is_taken(
    tmp_path_factory: pytest.TempPathFactory, operation: dict[str, Any], lines: list[int]
) -> None:
    chosen = ask(tmp_path_factory.mktemp("home"), Model(answer(operation)))
    assert [doubt.lines[0] for doubt in chosen.doubts] == lines, chosen.run


OTHER = "it does not name the other entry that it needs, or names one that it does not"


@from_corpus("think-checkup")
def test_an_operation_that_does_not_is_refused_and_counted(
    tmp_path_factory: pytest.TempPathFactory, operation: dict[str, Any], why: str
) -> None:
    chosen = ask(tmp_path_factory.mktemp("home"), Model(answer(operation)))
    assert chosen.doubts == ()
    assert chosen.run
    ((reason, count),) = chosen.run.refused.items()
    assert (reason.startswith(why), count) == (True, 1), reason


def test_of_two_that_repeat_each_other_one_stays(tmp_path: Path) -> None:
    memory = "# M\n\n- Boats moor at the east pier\n- At the east pier boats moor\n"
    both = answer(
        takes("m1", "Boats moor at the east pier", "repeats", "m2"),
        takes("m2", "At the east pier boats moor", "repeats", "m1"),
    )
    assert [doubt.lines for doubt in ask(tmp_path, Model(both), memory).doubts] == [(3, 3)]


def test_what_the_rules_doubt_is_no_reason_to_let_another_go(tmp_path: Path) -> None:
    memory = (
        "# M\n\n- Boats moor at the east pier of the harbour\n- Boats moor at the east pier of the harbour\n"
    )
    chosen = ask(tmp_path, Model(answer(takes("m1", "Boats moor at the east pier", "repeats", "m2"))), memory)
    assert len(chosen.doubts) == 1
    doubts = check_memory(memory, today=DAY, chosen=chosen.doubts)
    assert [(doubt.lines[0], doubt.label) for doubt in doubts] == [(4, DoubtLabel.DUPLICATE)]


def test_an_entry_goes_with_all_below_it(tmp_path: Path) -> None:
    memory = "# M\n\n- The fair of March\n  - two stalls\n  - rain\n- Boats\n"
    chosen = ask(tmp_path, Model(answer(takes("m1", "The fair of March", "over"))), memory)
    assert [doubt.lines for doubt in chosen.doubts] == [(3, 3), (4, 4), (5, 5)]
    kept = ask(tmp_path, Model(answer(takes("m1", "The fair of March", "over"))), memory, (4,))
    assert kept.doubts == ()


@each_row(("staying", "asked"), [((), 14), ((15,), 14), ((14,), 15), ((14, 15), 0)])
def test_of_two_that_contradict_each_other_one_that_stays_is_not_asked_about(
    tmp_path_factory: pytest.TempPathFactory, staying: tuple[int, ...], asked: int
) -> None:
    said = answer(takes("nas-1", "Backups go to `nas-1`", "contradicts", "nas"))
    chosen = ask(tmp_path_factory.mktemp("home"), Model(said), staying=staying)
    doubts = [
        doubt for doubt in check_memory(MEMORY, today=DAY, chosen=chosen.doubts) if doubt.other in (14, 15)
    ]
    assert [(doubt.lines[0], doubt.label) for doubt in doubts] == (
        [(asked, DoubtLabel.CONTRADICTION)] if asked else []
    )


def test_a_model_sees_entries_under_their_headings_and_neither_code_nor_secrets(tmp_path: Path) -> None:
    key = "ghp_Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    more = f"\n## Vault {key}\n\n- The safe is green\n\n## Keys\n\n- token {key}\n- [x] paint the boat\n"
    model = Model(answer())
    ask(tmp_path, model, MEMORY + more)
    shown = model.questions[0].split("under its headings:")[1]
    assert "# Memory > Harbour\nm1: The crane" in shown
    assert "\n  m5: four at most" in shown
    assert "[x] paint the boat" in shown
    assert all(text not in shown for text in (key, "never run this", "The safe is green", "{{"))


def test_a_long_memory_is_asked_about_in_parts_and_each_entry_once(tmp_path: Path) -> None:
    lines = [f"- Boat {n} lies at berth {n} of the long harbour." for n in range(1500)]
    memory = "# M\n\n## One\n" + "\n".join(lines[:200]) + "\n\n## Two\n" + "\n".join(lines[200:]) + "\n"
    model = Model(*[answer()] * 9, tokens_a_night=1_000_000)
    ask(tmp_path, model, memory)
    parts = [question.split("under its headings:")[1] for question in model.questions]
    assert len(parts) > 2
    assert all(len(part) < 2 * PART_CHARACTERS for part in parts)
    assert [sum(f": {line[2:]}\n" in f"{part}\n" for part in parts) for line in lines] == [1] * len(lines)


def test_the_budget_is_one_a_day_whatever_asks(tmp_path: Path) -> None:
    first = ask(tmp_path, Model(answer(CRANE), tokens_a_night=25_000, tokens=12_000), dry_run=False)
    assert first.run
    assert (first.run.calls, first.run.tokens) == (1, 12_000)
    again = Model(tokens_a_night=25_000)
    assert ask(tmp_path, again, dry_run=False).doubts == first.doubts
    other = Model(answer(), tokens_a_night=20_000)
    third = ask(tmp_path, other, MEMORY.replace("crane", "winch"), dry_run=False)
    assert third.run
    assert (again.questions, other.questions) == ([], [])
    assert "budget of 20,000 tokens is spent" in third.run.problem


def test_each_doubt_is_told_in_words() -> None:
    told = grouped("doubt-reasons")
    assert (set(told["fails_when"]), set(told["model"])) == (set(DoubtLabel), set(Why))
    assert {label for label, _ in told["model"].values()} <= set(DoubtLabel)
