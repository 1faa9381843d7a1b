"""Our MCP server under the real Claude Code and Codex: they list its tools and call one. First seen with 2.1.332 and 0.171."""

import json

import pytest
from tests.interop.model import Call, Turn
from tests.interop.scene import SENSOR, STAGED, Claude, Codex, Host

pytestmark = [pytest.mark.interop, pytest.mark.parametrize("host", ["claude-code", "codex"])]
QUERY = {"query": "greenhouse sensor"}


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
        read = {
            "server": "nightledger",
            "uri": "nightledger://staged",
        }  # tools are searched for by its own model alone
        turns = [
            Call("list_mcp_resources", {"server": "nightledger"}),
            Call("read_mcp_resource", read),
            "done",
        ]
        ran = scene.run(turns, "-c", f"mcp_servers.nightledger={server}", "hello")
        listed, staged = ran.model.last.results()
        assert "nightledger://constitution" in listed
        assert STAGED in staged
