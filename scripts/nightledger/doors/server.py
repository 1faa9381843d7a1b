"""The MCP server: what a client asks becomes a command in a process of its own, and its answer goes back.

A process a call keeps a slow one from blocking others, ends with the call that is cancelled, and is told that an agent
calls: so it shows what agents may see, and refuses to sign. Protocol 2026-07-28 and the one before, by the official SDK.
"""

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from nightledger import __version__
from nightledger.domain.errors import EXIT_ALARM, EXIT_WAITING, UsageError
from nightledger.doors.asking import Asker
from nightledger.doors.tools import Call, Desk, Tool, command
from nightledger.files.home import shipped_config

AT_ONCE = 8
"""Calls whose processes run side by side; further ones wait. Our choice."""
PATIENCE_S = 120.0
"""For one call; a first `recall` of ten years' logs takes some thirty seconds. Our choice."""
MAX_ANSWER_BYTES = 400_000
"""Of one answer that is passed on: more than any context takes. Our choice."""
ENVIRONMENT = {"AI_AGENT": "mcp", "NO_COLOR": "1", "COLUMNS": "100"}
_ANSWERS = frozenset({0, EXIT_WAITING, EXIT_ALARM})
"""Exit statuses of commands that did what they were asked."""
_PLAIN = "text/plain"


class Runner:
    """Runs the commands of one home.

    Args:
        program: The words that start the command line.
        common: What every verb is told: the home, in a simulated one the time.
    """

    def __init__(self, program: Sequence[str], common: Sequence[str]) -> None:
        self._program = program
        self._common = common
        self._room = asyncio.Semaphore(AT_ONCE)

    async def run(self, call: Call) -> tuple[int, str]:
        """Return exit status and text of a command; its process ends with whoever waits for it."""
        async with self._room:
            process = await asyncio.create_subprocess_exec(
                *command(self._program, call, self._common),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={**os.environ, **ENVIRONMENT},
                start_new_session=True,
            )
            try:
                async with asyncio.timeout(PATIENCE_S):
                    out, err = await process.communicate(call.input.encode())
            except TimeoutError:
                return 1, f"error: no answer within {PATIENCE_S:g} s"
            finally:
                if process.returncode is None:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGTERM)
        said = out[:MAX_ANSWER_BYTES] + (b"\n(cut)" if len(out) > MAX_ANSWER_BYTES else b"")
        text = "\n".join(
            part.decode("utf-8", "replace").strip() for part in (said, err[:MAX_ANSWER_BYTES]) if part.strip()
        )
        return process.returncode or 0, text


class Door:
    """What a client may ask of one home, which need not be there yet: each call says so.

    Args:
        profile: As :class:`Desk` takes it.
        program: The words that start the command line.
        common: What every verb is told.
    """

    def __init__(self, profile: str, program: Sequence[str], common: Sequence[str]) -> None:
        self._desk = Desk(profile)
        self._runner = Runner(program, common)
        self._asker = Asker(self._desk.table.asking, program, common)
        self._common = common

    def server(self) -> Server[Any]:
        """Return a server that asks here."""
        signs = f"The operator signs with: nightledger review {' '.join(self._common)}"
        return Server(
            "nightledger",
            version=__version__,
            instructions=f"{self._desk.table.instructions} {signs}",
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
            on_list_prompts=self.list_prompts,
            on_get_prompt=self.get_prompt,
        )

    async def list_tools(self, _ctx: Any, _params: Any) -> types.ListToolsResult:
        """List the profile's tools."""
        return types.ListToolsResult(tools=[_tool(tool) for tool in self._desk.tools()])

    async def call_tool(
        self, ctx: Any, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Run the command of a tool; what is wrong with the call is an answer, so that a model can mend it."""
        try:
            call = self._desk.call(params.name, params.arguments or {})
        except UsageError as error:
            return _result(f"error: {error}\nhint: {error.hint}", failed=True)
        asked = await self._asker.ask(ctx, params) if call.asks else ""
        if not isinstance(asked, str):
            return asked
        status, text = await self._runner.run(call)
        return _result("\n".join(filter(None, (text, asked))) or "Nothing.", failed=status not in _ANSWERS)

    async def list_resources(self, _ctx: Any, _params: Any) -> types.ListResourcesResult:
        """List what can be read whole."""
        rows = ((uri, row.says) for uri, row in self._desk.table.resources.items() if "{" not in uri)
        return types.ListResourcesResult(
            resources=[
                types.Resource(name=_last(uri), uri=uri, description=says, mime_type=_PLAIN)
                for uri, says in rows
            ]
        )

    async def list_templates(self, _ctx: Any, _params: Any) -> types.ListResourceTemplatesResult:
        """List what can be read by a name."""
        rows = ((uri, row.says) for uri, row in self._desk.table.resources.items() if "{" in uri)
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(name=_last(uri), uri_template=uri, description=says, mime_type=_PLAIN)
                for uri, says in rows
            ]
        )

    async def read_resource(
        self, _ctx: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Run the command that gives a resource."""
        try:
            status, text = await self._runner.run(self._desk.read(params.uri))
        except UsageError as error:
            raise MCPError(types.INVALID_PARAMS, f"{error}; {error.hint}", {"uri": params.uri}) from error
        if status not in _ANSWERS:
            raise MCPError(types.INTERNAL_ERROR, text)
        content = types.TextResourceContents(uri=params.uri, mime_type=_PLAIN, text=text)
        return types.ReadResourceResult(contents=[content])

    async def list_prompts(self, _ctx: Any, _params: Any) -> types.ListPromptsResult:
        """List the prompts."""
        rows = self._desk.table.prompts.items()
        return types.ListPromptsResult(
            prompts=[types.Prompt(name=name, description=row.says) for name, row in rows]
        )

    async def get_prompt(self, _ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """Return the text of a prompt."""
        row = self._desk.table.prompts.get(params.name)
        if row is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name!r}")
        text = types.TextContent(text=shipped_config(f"prompts/{row.file}").decode())
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])


async def serve(profile: str, program: Sequence[str], common: Sequence[str]) -> None:
    """Answer one client over standard input and output until it goes."""
    server = Door(profile, program, common).server()
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def run(profile: str, program: Sequence[str], common: Sequence[str]) -> None:
    """Serve one client; returns when its end of standard input is reached. SIGINT ends it as SIGTERM does: a read would outwait it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(serve, profile, program, common)


def _tool(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        read_only_hint=tool.reads, destructive_hint=False, idempotent_hint=tool.reads, open_world_hint=False
    )
    return types.Tool(name=tool.name, description=tool.says, input_schema=tool.schema, annotations=hints)


def _result(text: str, *, failed: bool) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=failed)


def _last(uri: str) -> str:
    return uri.removeprefix("nightledger://").partition("/")[0]
