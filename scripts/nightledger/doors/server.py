"""The MCP server: what a client asks becomes a command in a process of its own, and its answer goes back.

A process a call keeps a slow one from blocking others, ends with the call that is cancelled, and is told that an agent
calls: so it shows what agents may see, and refuses to sign. Protocol 2026-07-28 and the one before, by the official SDK.

An agent can have its operator asked to review: the client opens the review page for its user, by URL elicitation.

Invariant: the page's address, which holds the token, goes to the client's user and into no answer that a model reads. The page
is a process of its own, carries no mark of an agent's host, signs only with a key that asks its owner, and ends by itself.
"""

import asyncio
import os
import re
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from nightledger import __version__
from nightledger.domain.errors import EXIT_ALARM, EXIT_WAITING, UsageError
from nightledger.doors.tools import REVIEW, Asking, Call, Desk, Row, command
from nightledger.files.home import shipped_config
from nightledger.surfaces.context import marks

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


PAGE = Call(words=("review", "--web", "--no-open", "--for-client"))
START_S = 60.0
"""For the page to come up; ten years' queue takes some seconds. Our choice."""
ANSWER_S = 100.0
"""For the client's user to say yes or no: hosts give a call two minutes or less. Our choice."""
PAUSE_S = 600.0
"""After a no nobody is asked again for so long. Our choice."""
EMBEDS = "2026-07-28"
"""Since this protocol a request to the user stands in the answer to a call, which is then sent again (SEP-2322)."""
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/#t=[\w-]+")


class Page:
    """The review page's process, one at a time; it outlives the server that started it.

    Attributes:
        is_opened: Whether the client's user said yes to it.
    """

    def __init__(self, argv: Sequence[str]) -> None:
        """Start nothing yet.

        Args:
            argv: Its command.
        """
        self._argv = argv
        self.is_opened = False
        self._process: subprocess.Popen[str] | None = None
        self._address: Future[str] = Future()

    async def address(self) -> str:
        """Return where the page is, started if it is not on; empty where there is none."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(self._address)), START_S)
        except TimeoutError:
            self.end()
            return ""

    def _start(self) -> None:
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            self._argv,
            stdin=quiet,
            stdout=quiet,
            stderr=subprocess.PIPE,
            text=True,
            env={name: value for name, value in os.environ.items() if name not in marks()},
            start_new_session=True,
        )
        self._address, self.is_opened = Future(), False
        threading.Thread(target=_listen, args=(self._process, self._address), daemon=True).start()

    def end(self) -> None:
        """End the page; what was answered on it is kept."""
        if self._process:
            self._process.terminate()


class Asker:
    """Asks the client's user.

    Args:
        says: What is said.
        program: The words that start the command line.
        common: What every verb is told, ``--home=`` first.
    """

    def __init__(self, says: Asking, program: Sequence[str], common: Sequence[str]) -> None:
        self._says = says
        self._signs = f"nightledger review {' '.join(common)}"
        self._message = says.message.format(home=common[0].removeprefix("--home="))
        self._page = Page(command(program, PAGE, common))
        self._turn = asyncio.Lock()
        self._quiet_until = 0.0

    async def ask(self, ctx: Any, params: types.CallToolRequestParams) -> types.InputRequiredResult | str:
        """Return what came of it, for a model; or, where the protocol has it so, the question that the client asks first."""
        given = (params.input_responses or {}).get(REVIEW)
        if given is not None:
            return self._take(given if isinstance(given, types.ElicitResult) else None)
        able = ctx.session.client_capabilities
        if not (able and able.elicitation and able.elicitation.url):
            return self._says.command.format(command=self._signs)
        if time.monotonic() < self._quiet_until:
            return self._says.declined
        if self._turn.locked():
            return self._says.busy
        async with self._turn:
            if not (url := await self._page.address()):
                return self._says.closed.format(command=self._signs)
            if ctx.protocol_version >= EMBEDS:
                question = types.ElicitRequestURLParams(message=self._message, url=url)
                return types.InputRequiredResult(
                    input_requests={REVIEW: types.ElicitRequest(params=question)}
                )
            answer = None
            try:
                with suppress(MCPError, TimeoutError):
                    async with asyncio.timeout(ANSWER_S):
                        name = secrets.token_urlsafe(16)
                        answer = await ctx.session.elicit_url(self._message, url, name, ctx.request_id)
            finally:  # of a call that was cancelled, too
                said = self._take(answer)
            return said

    def _take(self, answer: types.ElicitResult | None) -> str:
        """Return what a yes or no comes to; a page that nobody opened ends."""
        if answer and answer.action == "accept":
            self._page.is_opened = True
            return self._says.opened
        self._quiet_until = time.monotonic() + PAUSE_S
        if not self._page.is_opened:
            self._page.end()
        return self._says.declined


def _listen(process: "subprocess.Popen[str]", address: Future[str]) -> None:
    """Hear a page to its end, so that it is never held up; its address is the first that it says."""
    for line in process.stderr or ():
        if (found := _ADDRESS.search(line)) and not address.done():
            address.set_result(found[0])
    process.wait()
    if not address.done():
        address.set_result("")


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
        return types.ListToolsResult(tools=[_tool(*one) for one in self._desk.tools()])

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
        rows = self._described(has_name=False)
        return types.ListResourcesResult(resources=[types.Resource(uri=uri, **row) for uri, row in rows])

    async def list_templates(self, _ctx: Any, _params: Any) -> types.ListResourceTemplatesResult:
        """List what can be read by a name."""
        found = [
            types.ResourceTemplate(uri_template=uri, **row) for uri, row in self._described(has_name=True)
        ]
        return types.ListResourceTemplatesResult(resource_templates=found)

    def _described(self, *, has_name: bool) -> Iterator[tuple[str, dict[str, Any]]]:
        for uri, row in self._desk.table.resources.items():
            if ("{" in uri) == has_name:
                last = uri.removeprefix("nightledger://").partition("/")[0]
                yield uri, {"name": last, "description": row.says, "mime_type": _PLAIN}

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


def _tool(name: str, row: Row, schema: dict[str, Any]) -> types.Tool:
    hints = types.ToolAnnotations(
        read_only_hint=row.reads, destructive_hint=False, idempotent_hint=row.reads, open_world_hint=False
    )
    return types.Tool(name=name, description=row.says, input_schema=schema, annotations=hints)


def _result(text: str, *, failed: bool) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=failed)
