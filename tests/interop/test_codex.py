"""Our hooks under the real Codex: what it does in a way of its own. First seen with version 0.169."""

import json
import subprocess
from typing import Any

import pytest
from tests.interop.agent_home import NOTES
from tests.interop.keyboard import DOWN, ENTER, at_keyboard
from tests.interop.model import Asked, Call, Turn, answering
from tests.interop.scene import ASK_SENSOR, DIRECT, IN_SCRIPTS, MEMORY, REASON, STAGED, Codex, add, update

from nightledger.hosts.workspaces import find_rivals

pytestmark = [pytest.mark.interop, pytest.mark.parametrize("host", ["codex"])]
MODELS = pytest.mark.parametrize("model", [DIRECT, IN_SCRIPTS])


def asked_of(model: str, tool: str, given: str | dict[str, Any]) -> Call:
    """Return a call as one of the models makes it."""
    if model == DIRECT:
        return Call(tool, given)
    said = f"await tools.{tool}({json.dumps(given)})"
    return Call("exec", f"try {{ text(JSON.stringify({said})); }} catch (error) {{ text(String(error)); }}\n")


def in_shell(patch: str, before: str = "") -> dict[str, str]:
    return {"cmd": f"{before}apply_patch <<'EOF'\n{patch}EOF\n"}


def listed(scene: Codex) -> list[dict[str, Any]]:
    """Give the hooks as Codex lists them to a person at /hooks."""
    asked = [
        {"id": 0, "method": "initialize", "params": {"clientInfo": {"name": "test", "version": "1"}}},
        {"id": 1, "method": "hooks/list", "params": {"cwds": [str(scene.home)]}},
    ]
    with subprocess.Popen(
        [scene.program, "app-server"], env=scene.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    ) as server:  # fmt: skip
        assert server.stdin
        assert server.stdout
        answer: dict[str, Any] = {}
        for request in asked:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **request}) + "\n")
            server.stdin.flush()
            while (answer := json.loads(server.stdout.readline())).get("id") != request["id"]:
                pass
        server.stdin.close()
    hooks: list[dict[str, Any]] = answer["result"]["data"][0]["hooks"]
    return hooks


def trust(scene: Codex) -> None:
    """Write down what Codex writes down when its user trusts every hook."""
    states = [
        f'[hooks.state.{json.dumps(one["key"])}]\ntrusted_hash = "{one["currentHash"]}"\n'
        for one in listed(scene)
    ]
    (scene.config / "config.toml").write_text("".join(states))


def test_codex_runs_no_hook_that_was_not_trusted(scene: Codex) -> None:
    ran = scene.run(["Yes."], ASK_SENSOR, trusted=False)
    assert NOTES not in ran.model.first.text()
    assert "review" not in ran.err + json.dumps(ran.out)
    assert scene.ours.exposures() == []
    assert [one["trustStatus"] for one in listed(scene)] == ["untrusted"] * 3


def test_trusted_hooks_run_and_a_changed_one_waits_again(scene: Codex) -> None:
    trust(scene)
    ran = scene.run(["Yes."], ASK_SENSOR, trusted=False)
    assert NOTES in ran.model.first.text()
    assert STAGED in ran.model.first.text()
    scene.settings.write_text(scene.settings.read_text().replace('"timeout": 5', '"timeout": 6'))
    assert sorted(one["trustStatus"] for one in listed(scene)) == ["modified", "modified", "trusted"]


def test_at_a_terminal_codex_asks_for_that_trust_and_keeps_it(scene: Codex) -> None:
    with answering(["Yes."]) as model:
        words = ["--no-daemon", "--no-alt-screen", "-m", IN_SCRIPTS, *scene.words(model)]
        argv = [scene.program, "--dangerously-bypass-approvals-and-sandbox", *words]
        with at_keyboard(argv, scene.home, scene.environment) as person:
            person.expect("3 hooks are new or changed")
            person.press(DOWN, ENTER)
            person.until(lambda: {one["trustStatus"] for one in listed(scene)} == {"trusted"})
    assert NOTES in scene.run(["Yes."], ASK_SENSOR, trusted=False).model.first.text()


@MODELS
def test_a_patch_of_memory_is_denied_with_our_reason_and_its_bytes_stay(scene: Codex, model: str) -> None:
    patches = [update("MEMORY.md"), update(scene.memory), add("AGENTS.md"), add("notes.md")]
    ran = scene.run([asked_of(model, "apply_patch", one) for one in patches], "hello", model=model)
    relative, absolute, protected, other = ran.model.last.results()
    assert REASON in relative
    assert REASON in absolute
    assert "AGENTS.md is protected" in protected
    assert REASON not in other
    assert scene.memory.read_text() == MEMORY
    assert (scene.home / "notes.md").read_text() == "x\n"
    assert not (scene.home / "AGENTS.md").exists()


@MODELS
def test_a_patch_in_a_shell_s_command_is_denied_too(scene: Codex, model: str) -> None:
    """Codex takes it out of the command and applies it itself; no tool of that name is told of."""
    project = scene.root / "project"
    project.mkdir()
    given = [
        in_shell(update(scene.memory)),
        in_shell(update("MEMORY.md"), before=f"cd {scene.home} && "),
        {**in_shell(update("MEMORY.md")), "workdir": str(scene.home)},
        in_shell(add("notes.md")),
        {"cmd": "echo more >> notes.md"},
    ]
    turns = [asked_of(model, "exec_command", one) for one in given]
    ran = scene.run(turns, "hello", model=model, cwd=project)
    *denied, _, _ = ran.model.last.results()
    assert [REASON in one for one in denied] == [True] * 3
    assert scene.memory.read_text() == MEMORY
    assert (project / "notes.md").read_text() == "x\nmore\n"


def test_a_sub_agent_s_patch_is_denied_too(scene: Codex) -> None:
    def script(asked: Asked) -> Turn:
        if "SUBTASK" in asked.text() and not asked.has_called("spawn_agent"):
            return "No." if asked.results() else asked_of(IN_SCRIPTS, "apply_patch", update(scene.memory))
        task = {"task_name": "one", "message": "SUBTASK", "fork_turns": "none"}
        wait = {"timeout_ms": 10_000}
        turns = [Call("spawn_agent", task, "collaboration"), Call("wait_agent", wait, "collaboration")]
        return turns[len(asked.results())] if len(asked.results()) < len(turns) else "Done."

    ran = scene.run(script, "hello", model=IN_SCRIPTS)
    assert [one for asked in ran.model.asked for one in asked.results() if REASON in one]
    assert scene.memory.read_text() == MEMORY


@pytest.mark.parametrize("is_on", [False, True])
def test_codex_memories_are_on_where_doctor_says_so(bare: Codex, is_on: bool) -> None:  # noqa: FBT001 - a case
    if is_on:
        (bare.config / "config.toml").write_text("[features]\nmemories = true\n")
    told = subprocess.run(
        [bare.program, "features", "list"], env=bare.environment, capture_output=True, text=True, check=True
    )
    (row,) = [line.split() for line in told.stdout.splitlines() if line.startswith("memories ")]
    assert row[-1] == str(is_on).lower()
    assert bool(find_rivals("codex", str(bare.config), str(bare.home))) is is_on
