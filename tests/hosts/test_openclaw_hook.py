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

from nightledger.domain.staging.page import dump_page
from nightledger.files.home import Home
from nightledger.files.staged import StagedLine, write_staged
from nightledger.hosts.hook_call import HookCall
from nightledger.hosts.openclaw_hook import EVENT, folder_name, hook_files

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "prompt_hook.py"
NODE = shutil.which("node")
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


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_handler_adds_one_file_for_this_workspace_and_lets_every_failure_pass(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", machine=os.uname().nodename)
    folder = tmp_path / "hook"
    folder.mkdir()
    handler = folder / "handler.mjs"  # plain JavaScript as well as TypeScript: nothing in it is typed
    handler.write_text(hook_files(call_of(home))["handler.ts"])
    page = dump_page(["Water the plants (from MEMORY.md:3; landmark)"], "2126-03-02T00:00:00Z")
    write_staged(home, page, [StagedLine((), "")])

    def event(**changed: Any) -> dict[str, Any]:
        context = {
            "workspaceDir": home.root,
            "bootstrapFiles": [{"name": "AGENTS.md"}],
            "sessionKey": "agent:main:main",
        }
        return {"type": "agent", "action": "bootstrap", "sessionKey": "x", "context": {**context, **changed}}

    files = run(handler, event())["context"]["bootstrapFiles"]
    assert [file["name"] for file in files] == ["AGENTS.md", "NIGHTLEDGER.md"]
    assert "Water the plants" in files[1]["content"]
    assert files[1]["missing"] is False
    recorded = json.loads(Path(home.exposures).read_text())
    assert (recorded["host"], recorded["event"], recorded["session"]) == (
        "openclaw",
        "session_start",
        "agent:main:main",
    )
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
    handler.write_text(hook_files(call_of(home, tmp_path / "gone.py"))["handler.ts"])
    assert run(handler, event()) == event()
