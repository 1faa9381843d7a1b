"""Our MCP server under the protocol's own conformance suite, and under mcporter. First seen with 0.2.0-alpha.12 and 0.12.3."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.blackbox.world import PROGRAM, World, found
from tests.interop.agent_home import free_port

pytestmark = pytest.mark.interop
KNOWN = Path(__file__).with_name("mcp_conformance.yml")
PASSES = {
    "server-initialize", "server-session-lifecycle", "ping", "tools-list", "tools-call-simple-text", "tools-call-error",
    "server-sse-multiple-streams", "resources-list", "prompts-list", "dns-rebinding-protection",
}  # fmt: skip
PASSES_2026 = {
    "tools-list", "tools-call-simple-text", "tools-call-error", "resources-list", "prompts-list", "caching",
    "sep-2164-resource-not-found", "input-required-result-unsupported-methods", "http-header-validation",
    "input-required-result-ignore-extra-params",
}  # fmt: skip


@pytest.fixture(scope="module")
def packages() -> Path:
    """Return the folder in which ``npm install`` was run."""
    if not (named := os.environ.get("MCP_CLIENTS")):
        pytest.skip("MCP_CLIENTS is not set: make test-hosts MCP_CLIENTS=dir")
    return Path(named) / "node_modules"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return found(tmp_path_factory.mktemp("clients"))


def run(packages: Path, world: World, script: str, *words: str) -> "subprocess.CompletedProcess[str]":
    node = packages / "node/bin/node"
    argv = [str(node) if node.exists() else "node", str(packages / script), *words]
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(world.root),
        "NIGHTLEDGER_KEYS": str(world.keys),
        "NO_COLOR": "1",
    }
    return subprocess.run(
        argv, env=variables, cwd=world.root, capture_output=True, text=True, check=False, timeout=240
    )


@pytest.fixture
def url(packages: Path, world: World) -> Iterator[str]:
    assert packages.is_dir()
    port = free_port()
    argv = [sys.executable, "-m", "tests.interop.mcp_http", str(port), str(world.home)]
    with subprocess.Popen(argv, env={**os.environ, "NIGHTLEDGER_KEYS": str(world.keys)}) as process:
        try:
            for _ in range(300):
                with socket.socket() as one:
                    if not one.connect_ex(("127.0.0.1", port)):
                        break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


@pytest.mark.parametrize(
    ("words", "passes"),
    [(("--suite", "active"), PASSES), (("--requirements", "2026-07-28"), PASSES_2026)],
    ids=["2025-11-25", "2026-07-28"],
)
def test_what_the_suite_asks_of_every_server_holds(
    words: tuple[str, ...], passes: set[str], packages: Path, world: World, url: str
) -> None:
    script = "@modelcontextprotocol/conformance/dist/index.js"
    kept = ("--expected-failures", str(KNOWN), "--output-dir", str(world.root / "results"))
    ran = run(packages, world, script, "server", "--url", url, *words, *kept)
    text = re.sub(r"\x1b\[\d+m", "", ran.stdout)
    assert ran.returncode == 0, text[-2000:]
    good = set(re.findall(r"^✓ ([\w-]+): [1-9]", text, re.MULTILINE))
    assert good >= passes, passes - good
    checks = [
        check
        for path in (world.root / "results").rglob("checks.json")
        for check in json.loads(path.read_text())
    ]
    wire = [check["status"] for check in checks if check["id"] == "wire-schema-valid"]
    assert len(wire) > 20
    assert set(wire) == {"SUCCESS"}, "every message of ours is valid by the specification's schema"


def test_mcporter_lists_our_tools_and_calls_them(packages: Path, world: World) -> None:
    command = f"{sys.executable} {PROGRAM} mcp --home {world.home}"
    server = ("--stdio", command, "--name", "nightledger")
    script = "mcporter/dist/cli.js"
    listed = json.loads(run(packages, world, script, "list", *server, "--json").stdout)
    assert [tool["name"] for tool in listed["tools"]][-2:] == ["status", "do"]
    called = run(packages, world, script, "call", *server, "recall", "query=backups")
    assert "Keep backups for 30 days." in called.stdout, called
    told = run(packages, world, script, "call", *server, "proposals", "review=true")
    assert "Your operator signs with: nightledger review" in told.stdout, told
