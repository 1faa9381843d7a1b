import json
from pathlib import Path
from typing import Any

import pytest
from tests.gate.principled import seed
from tests.surfaces.console import Console

from nightledger.domain.frames import Frame

SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
RESTART = "Restart the relay after an upgrade."


@pytest.fixture
def seeded(console: Console) -> Console:
    seed(console.desk)
    return console


def frame(console: Console, name: str, *query: str) -> Any:
    return console.record("recall", "--frame", name, *query)


def test_task_shows_what_fits_the_query_first(seeded: Console) -> None:
    record = frame(seeded, "TASK", "upgrade of the relay")
    best, principle, _ = record["shown"]
    assert principle["kind"] == "principle"
    assert best["text"] == f"- {RESTART}"
    assert (best["path"], best["section"]) == ("MEMORY.md", ["MEMORY.md", "Lessons"])
    assert best["measures"]["similarity"] > 0.8
    assert (record["frame"], record["budget_tokens"], record["places"]) == ("TASK", 800, 5)
    assert record["withheld"] == {"unsigned": 0, "quarantined": 0, "forgotten": 0}


# ---------------------------------------------------------------- what is withheld


def test_a_secret_is_masked_in_both_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.gate.homes import make_desk

    text = f"# MEMORY.md\n\n- The deploy token is {SECRET}, ask first.\n"
    console = Console(desk=make_desk(tmp_path, memory=text.encode()))
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    both = console.out("recall", "--frame", "TASK", "token") + json.dumps(frame(console, "TASK", "token"))
    assert both.count("masked: 40 bytes") == 2
    assert SECRET not in both


# ---------------------------------------------------------------- measures


# ---------------------------------------------------------------- calls


def test_recalling_writes_nothing(seeded: Console) -> None:
    root = Path(seeded.desk.home.root)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    for of in Frame:
        seeded.out("recall", "--frame", of.name, "relay")
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_a_home_sets_its_own_weights_places_and_budgets(seeded: Console) -> None:
    own = Path(seeded.desk.home.settings)
    own.write_text("frames: {self: {guaranteed: 1, most_principles: 1, tokens: 300}}\n", encoding="utf-8")
    record = frame(seeded, "SELF")
    assert (len(record["shown"]), record["budget_tokens"]) == (1, 300)
    own.write_text("frames: {self: {similarity: 90}}\n", encoding="utf-8")
    ran = seeded.run("recall", "--frame", "SELF")
    assert (ran.status, "frames.self: the five weights add up to 180" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "say what to look for: a query, --tags or --frame"),
        (("--tags", "cron", "--frame", "SELF"), "--tags does not go with --frame"),
        (("--frame", "DREAM"), "invalid choice"),
    ],
)
def test_what_does_not_go_together_is_refused(seeded: Console, words: tuple[str, ...], said: str) -> None:
    try:
        err = seeded.run("recall", *words).err
    except SystemExit:
        return
    assert said in err
