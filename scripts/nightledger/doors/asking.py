"""An agent has its operator asked to review: the client opens the review page for its user, by URL elicitation.

Invariant: the page's address, which holds the token, goes to the client's user and into no answer that a model reads. The page
is a process of its own, carries no mark of an agent's host, signs only with a key that asks its owner, and ends by itself.
"""

import asyncio
import os
import re
import secrets
import subprocess
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from nightledger.doors.tools import REVIEW, Asking, Call, command
from nightledger.surfaces.context import marks

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
