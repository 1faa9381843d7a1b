"""Our hooks under the real Claude Code: what it does in a way of its own. First seen with version 2.1.330."""

import json
from typing import Any

import pytest
from tests.interop.agent_home import NOTES
from tests.interop.keyboard import DOWN, ENTER, at_keyboard
from tests.interop.model import Asked, Call, Turn, answering
from tests.interop.scene import ASK_SENSOR, KEY, MEMORY, REASON, SENSOR, STAGED, Claude

from nightledger.hosts.workspaces import Rival, find_rivals

pytestmark = [pytest.mark.interop, pytest.mark.parametrize("host", ["claude-code"])]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("resume", ("hello", "--continue")),
        ("fork", ("hello", "--continue", "--fork-session")),
        ("compact", ("/compact", "--continue")),
        ("clear", ("/clear", "--continue")),
    ],
)
def test_however_a_session_begins_it_begins_with_what_is_staged(
    scene: Claude, source: str, words: tuple[str, ...]
) -> None:
    first = scene.run(["Yes."], "hello")
    ran = scene.run(lambda _: "A summary.", *words)
    begun = {one["hook_name"]: one for one in ran.hooks("SessionStart")}
    assert STAGED in begun[f"SessionStart:{source}"]["stdout"]
    starts = [one["session"] for one in scene.ours.exposures() if one["event"] == "session_start"]
    assert starts[0] == first.session
    assert (len(set(starts)) == 2) is (source in ("fork", "clear"))


def test_at_a_terminal_hooks_wait_until_the_folder_is_trusted(scene: Claude) -> None:
    known = {
        "hasCompletedOnboarding": True,
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
    }
    (scene.config / ".claude.json").write_text(json.dumps(known))
    with answering(["Yes."]) as model:
        environment = {**scene.environment, **scene.variables(model)}
        with at_keyboard([scene.program, ASK_SENSOR], scene.home, environment) as person:
            person.expect("Yes, I trust this folder")
            person.watch(2)
            assert scene.ours.exposures() == []
            person.press(DOWN, ENTER)
            person.until(lambda: bool(model.asked))
    text = model.first.text()
    assert STAGED in text
    assert NOTES in text
    assert [one["event"] for one in scene.ours.exposures()] == ["session_start", "prompt"]


def test_a_write_of_memory_is_denied_with_our_reason_and_its_bytes_stay(scene: Claude) -> None:
    alias = scene.root / "alias.md"
    alias.symlink_to(scene.memory)
    edit = {"file_path": str(scene.memory), "old_string": "Marta", "new_string": "Eve"}
    turns: list[Turn] = [
        scene.overwrite(),
        Call("Read", {"file_path": str(scene.memory)}),
        Call("Edit", edit),
        Call("Read", {"file_path": str(alias)}),
        scene.write(alias),
        scene.write(scene.home / "AGENTS.md"),
    ]
    written, read, edited, _, aliased, protected = scene.ask(turns, "hello").model.last.results()
    for said in (written, edited, aliased):
        assert REASON in said
        assert " propose --home " in said
    assert SENSOR in read
    assert "AGENTS.md is protected: only its owner changes it" in protected
    assert scene.memory.read_text() == MEMORY
    assert not (scene.home / "AGENTS.md").exists()


def test_a_sub_agent_s_write_is_denied_too(scene: Claude) -> None:
    def script(asked: Asked) -> Turn:
        if "SUBTASK" in asked.text("user") and not asked.has_called("Agent"):
            return "No." if asked.turns else scene.overwrite()
        task = {"description": "a task", "prompt": "SUBTASK", "subagent_type": "general-purpose"}
        return "Done." if asked.turns else Call("Agent", {**task, "run_in_background": False})

    ran = scene.ask(script, "hello")
    assert [one for asked in ran.model.asked for one in asked.results() if REASON in one]
    assert scene.memory.read_text() == MEMORY


def test_a_project_s_own_hooks_count_in_that_project_alone(bare: Claude) -> None:
    project = bare.root / "project"
    project.mkdir()
    bare.ours.run("hosts", "install", "claude-code", "--yes", "--project", str(project))
    assert NOTES in bare.ask(["Yes."], ASK_SENSOR, cwd=project).model.first.text()
    assert bare.ask(["Yes."], ASK_SENSOR).was_told_nothing()


@pytest.mark.parametrize(
    ("settings", "is_on"),
    [
        ({}, True),
        ({"autoMemoryEnabled": False}, False),
        ({"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}}, False),
        ({"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "0"}, "autoMemoryEnabled": False}, True),
    ],
    ids=["unset", "setting", "variable", "variable over setting"],
)
def test_auto_memory_is_on_where_doctor_says_so(bare: Claude, settings: dict[str, Any], is_on: bool) -> None:  # noqa: FBT001 - a case
    bare.settings.write_text(json.dumps(settings))
    found = find_rivals("claude_code", str(bare.config), str(bare.home))
    names = [one.name for one in found if isinstance(one, Rival)]
    assert ("Claude Code auto memory" in names) is is_on
    text = bare.ask(["Yes."], "hello").model.first.text()
    assert (f"{bare.config}/projects/" in text) is is_on
