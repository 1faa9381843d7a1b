import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.homes import make_home

from nightledger.domain.exposure import dump_page
from nightledger.files.home import Home
from nightledger.files.hook_state import PromptState, write_state
from nightledger.files.staged import write_staged
from nightledger.hosts.hooking import EVENT, HookCall, folder_name, hook_files

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "prompt_hook.py"
NODE = shutil.which("node")
SESSION = "5f0c"
_DRIVER = """
const { default: handler } = await import(process.argv[2]);
const event = JSON.parse(process.argv[3]);
await handler(event);
console.log(JSON.stringify(event));
"""


def call_of(home: Home, script: Path = SCRIPT) -> HookCall:
    return HookCall(python=sys.executable, script=str(script), home=home.root, home_id=home.identity.id)


def test_the_folder_holds_what_openclaw_looks_for(tmp_path: Path) -> None:
    home = make_home(tmp_path / "my 'home'")
    files = hook_files(call_of(home))
    assert set(files) == {"HOOK.md", "handler.ts"}
    _, front, body = files["HOOK.md"].split("---\n", 2)
    meta = yaml.safe_load(front)
    assert meta["name"] == folder_name(call_of(home)) == "nightledger-3f1d0c5a"
    assert meta["metadata"]["openclaw"]["events"] == [EVENT]
    assert home.root in body
    assert json.dumps(home.root) in files["handler.ts"]
    assert "hosts remove openclaw" in files["handler.ts"]


def run(handler: Path, event: dict[str, Any]) -> dict[str, Any]:
    driver = handler.with_name("driver.mjs")
    driver.write_text(_DRIVER)
    assert NODE is not None
    done = subprocess.run(
        [NODE, str(driver), str(handler), json.dumps(event)],
        capture_output=True,
        text=True,
        check=True,
        env=dict(os.environ),
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def bootstrap(home: Home, **changed: Any) -> dict[str, Any]:
    """Give an event as OpenClaw 2026.9.6 makes it, some of its context changed."""
    context = {
        "workspaceDir": home.root,
        "bootstrapFiles": [
            {"name": "AGENTS.md", "path": f"{home.root}/AGENTS.md", "content": "Be kind.", "missing": False},
            {"name": "MEMORY.md", "path": home.memory_md, "content": "# Memory", "missing": False},
        ],
        "cfg": {"agents": {"defaults": {}, "entries": {"main": {}}}},
        "agentId": "main",
        "sessionKey": "agent:main:main",
        "sessionId": SESSION,
    }
    return {"type": "agent", "action": "bootstrap", "sessionKey": "x", "context": {**context, **changed}}


def put_hook(home: Home, folder: Path, script: Path = SCRIPT) -> Path:
    folder.mkdir(exist_ok=True)
    handler = folder / "handler.mjs"  # plain JavaScript as well as TypeScript: nothing in it is typed
    handler.write_text(hook_files(call_of(home, script))["handler.ts"])
    return handler


@pytest.fixture
def staged(tmp_path: Path) -> Home:
    home = make_home(tmp_path / "home", machine=os.uname().nodename)
    page = dump_page(["Water the plants (from MEMORY.md:3; landmark)"], "2126-03-02T00:00:00Z")
    write_staged(home, page, [((), "", "")])
    write_state(
        home, SESSION, PromptState()
    )  # at a session's first message the stager runs, and what it did not make is not given
    return home


def names(event: dict[str, Any]) -> list[str]:
    return [file["name"] for file in event["context"]["bootstrapFiles"]]


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("limits", "others", "added"),
    [
        pytest.param({}, [19_000, 19_000], True, marks=pytest.mark.slow),
        ({}, [30_000, 30_000, 19_000], True),  # of each no more than 20,000 count
        ({}, [20_000, 20_000, 19_900], False),
        pytest.param(
            {"bootstrapTotalMaxChars": 90_000}, [20_000, 20_000, 19_900], True, marks=pytest.mark.slow
        ),
        pytest.param({"bootstrapMaxChars": 100}, [10], False, marks=pytest.mark.slow),
        pytest.param({"bootstrapTotalMaxChars": "many"}, [10], True, marks=pytest.mark.slow),
    ],
)
def test_a_page_that_openclaw_would_cut_is_not_added(
    staged: Home,
    tmp_path: Path,
    limits: dict[str, Any],
    others: list[int],
    added: bool,  # noqa: FBT001 - a case
) -> None:
    handler = put_hook(staged, tmp_path / "hook")
    files = [{"name": f"{n}.md", "content": "x" * size, "missing": False} for n, size in enumerate(others)]
    files.append({"name": "USER.md", "path": "/nowhere/USER.md", "missing": True})
    for agents in ({"defaults": limits}, {"defaults": {}, "entries": {"main": limits}}):
        found = names(run(handler, bootstrap(staged, bootstrapFiles=files, cfg={"agents": agents})))
        assert ("NIGHTLEDGER.md" in found) is added
    assert Path(staged.exposures).exists() is added


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_handler_adds_one_file_for_this_workspace_and_lets_every_failure_pass(
    staged: Home, tmp_path: Path
) -> None:
    home, handler = staged, put_hook(staged, tmp_path / "hook")

    def event(**changed: Any) -> dict[str, Any]:
        return bootstrap(home, **changed)

    files = run(handler, event())["context"]["bootstrapFiles"]
    assert [file["name"] for file in files] == ["AGENTS.md", "MEMORY.md", "NIGHTLEDGER.md"]
    assert "Water the plants" in files[2]["content"]
    assert files[2]["missing"] is False
    recorded = json.loads(Path(home.exposures).read_text())
    assert (recorded["host"], recorded["event"], recorded["session"]) == ("openclaw", "session_start", "5f0c")
    unchanged = [
        event(workspaceDir=str(tmp_path)),
        event(workspaceDir=str(tmp_path / "gone")),
        event(workspaceDir=None),
        event(sessionKey="agent:main:subagent:7"),
        event(bootstrapFiles=None),
        {"type": "command", "action": "new"},
        {"type": "agent", "action": "bootstrap"},
    ]
    for one in unchanged:
        assert run(handler, one) == one
    assert run(put_hook(home, tmp_path / "hook", tmp_path / "gone.py"), event()) == event()
