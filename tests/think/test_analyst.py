"""Asking a model: what it is shown, what it costs, and what becomes of answers that are none."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.rows import corpus, from_corpus

from nightledger.domain.consolidation import DayLog
from nightledger.domain.errors import ConfigurationError
from nightledger.files.home import Home
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.statements.daylog import read_daylog
from nightledger.think.analyst import Analyst, AnalystError, Reply, read_prompt
from nightledger.think.drafting import PART_CHARACTERS, Drafted, draft

DAY = date(2026, 3, 2)
TOKEN = "ghp_Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
NOTES = corpus("think-analyst-notes.txt")
MEMORY = (
    "# Memory\n\n## Infra\n\n- Backups run at 02:00, token ghp_Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6\n"
    "- The relay listens on 8080\n- caf\udce9\n"
)


class Model:
    """A model that says what it was told to."""

    name = "told"

    def __init__(self, *answers: str, tokens_a_night: int = 100_000, tokens: int = 500) -> None:
        self.answers = list(answers)
        self.questions: list[str] = []
        self.tokens_a_night = tokens_a_night
        self.tokens = tokens

    def complete(self, prompt: str, schema: Mapping[str, Any], most_tokens: int) -> Reply:
        assert schema["properties"]
        assert most_tokens
        self.questions.append(prompt)
        if not self.answers:
            raise AnalystError("the model's server does not answer")
        return Reply(text=self.answers.pop(0), tokens=self.tokens)


def answer(*operations: dict[str, Any]) -> str:
    return json.dumps({"operations": operations})


def add(line: int, text: str, **more: Any) -> dict[str, Any]:
    return {"op": "add", "quotes": [{"log": "d1", "line": line, "text": text}], "confidence": 0.8, **more}


NAS = add(4, "The NAS spins down after 20 minutes.")


def ask(
    root: Path,
    model: Model,
    notes: str = NOTES,
    *,
    memory: str = MEMORY,
    beside: Sequence[DayLog] = (),
    dry_run: bool = False,
) -> Drafted:
    home = Home(root)
    Path(home.system_dir).mkdir(parents=True, exist_ok=True)
    analyst = Analyst(
        server=model,
        prompt=read_prompt(str(root), "draft"),
        home=home,
        at=datetime(2026, 3, 3, 3, tzinfo=UTC),
        key=b"k" * 32,
        dry_run=dry_run,
    )
    logs = [read_daylog("memory/2026-03-02.md", notes, DAY), *beside]
    return draft(analyst, logs, parse_markdown(memory), DAY)


def test_a_model_sees_prose_and_headings_with_their_numbers_and_no_secret(tmp_path: Path) -> None:
    model = Model(answer())
    assert ask(tmp_path, model).answered == {"memory/2026-03-02.md"}
    (question,) = model.questions
    shown = question.split("The memory of 2026-03-02:")[1]
    assert "4| The NAS spins down after 20 minutes." in shown
    assert "# 2026-03-02 > NAS" in shown
    assert "m1: - The relay listens on 8080" in shown
    assert "s2: Memory > Infra" in shown
    assert all(text not in shown for text in ("correct-horse", "ghp_", "02:00", "always pay", "{{"))


def test_what_can_be_no_claim_of_its_own_is_shown_without_a_number(tmp_path: Path) -> None:
    model = Model(answer())
    notes = (
        "# Chat\n\nuser: keep it\nassistant: I will\n\n# Notes\n\nIt goes on\nbelow.\n\nIt stands alone.\n"
    )
    ask(tmp_path, model, notes)
    (question,) = model.questions
    shown = question.split("The notes:")[1].split("\n")
    assert [line for line in shown if "|" in line] == [
        "3| user: keep it", "| assistant: I will", "| It goes on", "| below.", "11| It stands alone."
    ]  # fmt: skip


def test_a_line_of_the_transcript_that_another_key_wrote_counts_for_nothing(tmp_path: Path) -> None:
    ask(tmp_path, Model(answer(NAS)))
    path = Path(Home(tmp_path).analyst_log)
    row = json.loads(path.read_text())
    path.write_text(
        json.dumps({**row, "answer": answer()}) + "\n" + json.dumps({**row, "mac": "0" * 64}) + "\n"
    )
    again = ask(tmp_path, Model(answer(NAS)))
    assert (len(again.chosen), again.run.calls, again.run.replayed) == (1, 1, 0)


def test_a_copied_line_of_the_transcript_changes_no_answer(tmp_path: Path) -> None:
    ask(tmp_path, Model(answer(NAS)))
    path = Path(Home(tmp_path).analyst_log)
    first = path.read_text()
    path.unlink()
    ask(tmp_path, Model(answer()))
    path.write_text(first + path.read_text() * 2)
    assert len(ask(tmp_path, Model()).chosen) == 1


def test_a_transcript_that_cannot_be_read_leaves_the_notes_to_the_rules(tmp_path: Path) -> None:
    Path(Home(tmp_path).analyst_log).mkdir(parents=True)
    drafted = ask(tmp_path, Model(answer(NAS)))
    assert (drafted.chosen, drafted.answered) == ((), frozenset())
    assert "transcript cannot be read" in drafted.run.problem


@from_corpus("think-analyst")
def test_no_secret_leaves_whether_it_stands_in_a_heading_an_address_or_below_its_name(
    tmp_path_factory: pytest.TempPathFactory, notes: str
) -> None:
    model = Model(*[answer()] * 2)
    ask(tmp_path_factory.mktemp("home"), model, notes)
    parts = ("ghp_", "s3cret", "8sT1", "4829163", "q7Zr")
    assert not [text for text in model.questions if any(part in text for part in parts)]


def test_a_secret_in_memory_or_a_file_s_name_stays_here_and_stops_no_question(tmp_path: Path) -> None:
    memory = (
        f"# Memory\n\n## token {TOKEN}\n\n### Relay\n\n- The relay listens on 8080\n\n## Password\n\n- s3cret-horse-battery-9\n"
        "\n## Vault\n\n- password:\n  - s3cret-horse-battery-9\n"
    )
    model = Model(answer())
    path = f"memory/2026-03-02-{TOKEN}.md"
    named = ask(tmp_path, model, memory=memory, beside=[read_daylog(path, "- The key hangs there.\n", DAY)])
    (question,) = model.questions
    assert not [text for text in (TOKEN, "s3cret", "hangs there") if text in question]
    assert "m1: - The relay listens on 8080" in question
    assert named.answered == {"memory/2026-03-02.md"}


def test_a_fence_around_an_answer_is_no_fault(tmp_path: Path) -> None:
    assert len(ask(tmp_path, Model(f"```json\n{answer(NAS)}\n```")).chosen) == 1


def test_every_line_of_a_long_day_is_shown_once(tmp_path: Path) -> None:
    lines = [f"- Line {n} says that the harbour has crane {n}." for n in range(1500)]
    model = Model(*[answer()] * 9)
    ask(tmp_path, model, "# 2026-03-02\n" + "\n".join(lines))
    notes = [question.split("The notes:")[1] for question in model.questions]
    assert len(notes) > 1
    assert all(len(text) < 2 * PART_CHARACTERS for text in notes)
    assert [sum(f"| {line[2:]}\n" in f"{text}\n" for text in notes) for line in lines] == [1] * len(lines)


@from_corpus("think-analyst")
def test_a_prompt_needs_each_name_and_no_other(
    tmp_path_factory: pytest.TempPathFactory, text: str, why: str
) -> None:
    folder = tmp_path_factory.mktemp("keys")
    (folder / "prompts").mkdir()
    (folder / "prompts" / "draft.md").write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        read_prompt(str(folder), "draft")
    assert why in str(caught.value)
