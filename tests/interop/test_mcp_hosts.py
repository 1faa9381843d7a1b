"""Our MCP server under the real Claude Code and Codex: they list its tools and call one. First seen with 2.1.332 and 0.171."""

import json
import subprocess

import pytest
from tests.blackbox.page import page_at
from tests.interop.model import Call, Turn
from tests.interop.scene import SENSOR, STAGED, Claude, Codex, Host

pytestmark = pytest.mark.interop
OURS = "mcp__nightledger"
QUERY = {"query": "greenhouse sensor"}


def ask_for_passphrase(scene: Host) -> None:
    """Give the operator's key a passphrase, so that its user has to be asked."""
    (key,) = scene.root.glob("**/operator")
    subprocess.run(["ssh-keygen", "-q", "-p", "-f", key, "-P", "", "-N", "correct horse"], check=True)


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_host_lists_our_tools_and_is_answered_what_was_signed(scene: Host) -> None:
    python, script, *_ = scene.ours.command()
    args = [script, "mcp", "--home", str(scene.home)]
    keys = {"NIGHTLEDGER_KEYS": scene.environment["NIGHTLEDGER_KEYS"]}
    if isinstance(scene, Claude):
        name = "mcp__nightledger__recall"
        servers = {"mcpServers": {"nightledger": {"command": python, "args": args, "env": keys}}}
        (scene.root / "mcp.json").write_text(json.dumps(servers))
        allowed = json.dumps({"permissions": {"allow": [name]}})
        search = Call("ToolSearch", {"query": f"select:{name}"})
        turns: list[Turn] = [
            scene.shell("sleep 8"),
            search,
            Call(name, QUERY),
            "done",
        ]  # it starts servers meanwhile
        ran = scene.run(turns, "hello", "--mcp-config", str(scene.root / "mcp.json"), "--settings", allowed)
        assert SENSOR in "\n".join(ran.model.last.results())
    else:
        assert isinstance(scene, Codex)
        env = f"{{NIGHTLEDGER_KEYS = {json.dumps(keys['NIGHTLEDGER_KEYS'])}}}"
        server = f"{{command = {json.dumps(python)}, args = {json.dumps(args)}, env = {env}}}"
        scene.ours.run("propose", "--text", "Water at six.", "--reason", "it helped")
        ask_for_passphrase(scene)
        where = {"server": "nightledger"}
        turns = [
            scene.shell("sleep 6"),
            Call("recall", QUERY, OURS),
            Call("proposals", {"review": True}, OURS),
            Call("list_mcp_resources", where),
            Call("read_mcp_resource", {**where, "uri": "nightledger://staged"}),
            "done",
        ]
        # one that Codex knows searches for tools by a way that a script cannot answer
        ran = scene.run(
            turns, "-c", f"mcp_servers.nightledger={server}", "hello", model="one-that-codex-does-not-know"
        )
        _, found, asked, listed, staged = ran.model.last.results()
        assert SENSOR in found
        assert "Their command is 'nightledger review'" in asked, (
            "0.169 says that it opens addresses, and declines"
        )
        assert "nightledger://constitution" in listed
        assert STAGED in staged


@pytest.mark.parametrize("host", ["claude-code"])
def test_claude_code_takes_the_pages_address_to_its_user_and_not_to_the_model(scene: Host) -> None:
    python, script, *_ = scene.ours.command()
    keys = scene.environment["NIGHTLEDGER_KEYS"]
    ask_for_passphrase(scene)
    scene.ours.run("propose", "--text", "Water at six.", "--reason", "it helped")
    server = {
        "command": python,
        "args": [script, "mcp", "--home", str(scene.home)],
        "env": {"NIGHTLEDGER_KEYS": keys},
    }
    (scene.root / "mcp.json").write_text(json.dumps({"mcpServers": {"nightledger": server}}))
    told, said = scene.root / "told.json", scene.root / "said.json"
    said.write_text('{"hookSpecificOutput": {"hookEventName": "Elicitation", "action": "accept"}}')
    hook = {
        "type": "command",
        "command": f"cat > '{told}'; cat '{said}'",
    }  # in the place of a user who says yes
    name = "mcp__nightledger__proposals"
    settings = {"permissions": {"allow": [name]}, "hooks": {"Elicitation": [{"hooks": [hook]}]}}
    turns: list[Turn] = [scene.shell("sleep 8"), Call("ToolSearch", {"query": f"select:{name}"})]
    turns += [Call(name, {"review": True}), "done"]
    assert isinstance(scene, Claude)
    words = ("--mcp-config", str(scene.root / "mcp.json"), "--settings", json.dumps(settings))
    ran = scene.run(turns, "hello", *words)
    read = "\n".join(ran.model.last.results())
    assert "opens the review page" in read
    assert "127.0.0.1" not in read
    page = page_at(told.read_text())
    page.answer(page.items()[0], "later")
    assert page.sign()["done"]
