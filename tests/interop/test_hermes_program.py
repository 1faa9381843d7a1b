"""Our shell hooks under a real Hermes Agent, told by what reaches its model. README.md says how to run it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from tests.interop import hermes_program
from tests.interop.agent_home import ENTRY, MARK, NOTES, TASK
from tests.interop.hermes_program import Hermes
from tests.interop.model import Call

VENV = os.environ.get("HERMES", "")
pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(not VENV, reason="HERMES is not set: make test-hosts HERMES=dir"),
]
QUESTION = "Which fuse did the greenhouse fan need, and in which month?"


@pytest.fixture(scope="module")
def hermes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hermes]:
    with hermes_program.installed(Path(VENV), tmp_path_factory.mktemp("hermes")) as one:
        yield one


@pytest.fixture(autouse=True)
def no_turns_left(hermes: Hermes) -> Iterator[None]:
    hermes.model.turns.clear()
    yield
    assert hermes.model.turns == []


def test_hermes_takes_our_hooks_for_healthy(hermes: Hermes) -> None:
    (hermes.home.root / "shell-hooks-allowlist.json").unlink(missing_ok=True)
    assert hermes.run("hooks", "list").count("not allowlisted") == 2
    hermes.say("hello")
    assert hermes.run("hooks", "list").count("✓ allowed") == 2
    assert "All shell hooks look healthy." in hermes.run("hooks", "doctor")


def test_the_first_turn_has_what_is_staged_and_later_ones_what_memory_says(hermes: Hermes) -> None:
    (first,), session = hermes.say(QUESTION)
    (told,) = first.said("user")
    assert told.startswith(f"{QUESTION}\n\n{hermes.home.page.strip()}")
    assert "session-handoff.md:5 (unsigned; " in told
    assert TASK not in told
    assert told.endswith("</reference-notes>")
    assert ENTRY in told.partition(NOTES)[2]
    (second,), _ = hermes.say("Water the ferns on Sunday.", "--resume", session)
    assert MARK not in second.said("user")[-1]
    recorded = [one for one in hermes.home.exposures() if one["session"] == session]
    assert [(one["host"], one["event"]) for one in recorded] == [
        ("hermes", "session_start"),
        ("hermes", "prompt"),
    ]


@pytest.mark.parametrize("name", ["memory", "write_file", "patch", "patch_text"])
def test_no_tool_of_hermes_writes_its_memory(hermes: Hermes, name: str) -> None:
    memory = str(hermes.home.memory)
    patch = f"*** Begin Patch\n*** Update File: {memory}\n-# Memory\n+# Mine\n*** End Patch"
    calls = {
        "memory": Call("memory", {"action": "add", "target": "memory", "content": "The owner likes ferns."}),
        "write_file": Call("write_file", {"path": memory, "content": "all gone"}),
        "patch": Call(
            "patch", {"mode": "replace", "path": memory, "old_string": "March", "new_string": "May"}
        ),
        "patch_text": Call("patch", {"mode": "patch", "patch": patch}),
    }
    before = hermes.home.memory.read_bytes()
    hermes.model.turns += [calls[name], "refused"]
    requests, _ = hermes.say("note that down")
    assert "Propose instead" in requests[-1].said("tool")[-1]
    assert hermes.home.memory.read_bytes() == before


def test_the_review_behind_a_turn_cannot_write_memory_either(hermes: Hermes) -> None:
    before = hermes.home.memory.read_bytes()
    hermes.run("config", "set", "--force", "memory.nudge_interval", "1")
    add = Call("memory", {"action": "add", "target": "memory", "content": "The owner likes ferns."})
    hermes.model.turns += ["I see", add, "reviewed"]
    start = len(hermes.model.asked)
    try:
        hermes.talk("I like ferns", lambda: len(hermes.model.asked) >= start + 3)
    finally:
        hermes.run("config", "set", "--force", "memory.nudge_interval", "10")
    review = hermes.model.asked[start + 2]
    assert "Review the conversation above" in review.text()
    assert "Propose instead" in review.said("tool")[-1]
    assert hermes.home.memory.read_bytes() == before


def test_a_sub_agent_is_shown_nothing(hermes: Hermes) -> None:
    goal = f"find out: {QUESTION}"
    hermes.model.turns.append(Call("delegate_task", {"goal": goal, "context": "none"}))
    start, shown = len(hermes.model.asked), len(hermes.home.exposures())

    def of_the_child() -> list[str]:
        asked = [one for one in hermes.model.asked[start:] if "Count the ferns" not in one.text()]
        return [one.text() for one in asked if goal in one.text()]

    hermes.talk("Count the ferns", lambda: bool(of_the_child()))
    child = of_the_child()[0]
    assert MARK not in child
    assert NOTES not in child
    assert [one["event"] for one in hermes.home.exposures()[shown:]] == ["session_start"]


def test_hooks_that_hermes_wrote_anew_are_known_and_taken_out(hermes: Hermes) -> None:
    config = hermes.home.root / "config.yaml"
    hermes.run("config", "set", "agent.max_turns", "50")
    assert "prompt_hook.py" in config.read_text()
    assert "#" not in config.read_text()  # Hermes leaves comments out, our marks among them
    assert "calls this home" in " ".join(hermes.home.run("hosts").split())
    before = yaml.safe_load(config.read_text())
    hermes.home.run("hosts", "remove", "hermes", "--yes")
    try:
        (request,), session = hermes.say(QUESTION)
        left = yaml.safe_load(config.read_text())
    finally:
        hermes.home.run("hosts", "install", "hermes", "--yes")
    assert MARK not in request.text()
    assert NOTES not in request.text()
    assert session not in {one["session"] for one in hermes.home.exposures()}
    assert {**before, "hooks": None} == {**left, "hooks": None}
    assert not left.get("hooks")


def test_a_home_that_is_gone_does_not_disturb_hermes(hermes: Hermes) -> None:
    hermes.model.turns += [Call("write_file", {"path": "gone.txt", "content": "still free"}), "written"]
    with hermes.home.away():
        requests, _ = hermes.say(QUESTION)
    assert MARK not in requests[0].text()
    assert (hermes.project / "gone.txt").exists()


def test_doctor_names_a_setting_that_hermes_has(hermes: Hermes) -> None:
    told = hermes.home.doctor()
    assert "okhosthermes,asitsfilessay" in told
    assert "memory.write_approval:true" in told
    assert "not a recognized" in hermes.run("config", "set", "memory.write_approvals", "true")
    assert "not a recognized" not in hermes.run("config", "set", "memory.write_approval", "true")
    try:
        assert "memory.write_approval" not in hermes.home.doctor()
    finally:
        hermes.run("config", "set", "memory.write_approval", "false")
