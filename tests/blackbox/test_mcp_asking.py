"""An agent has its operator asked: what the client's user gets, what the model reads, and what is signed by it."""

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from tests.blackbox.page import Page, page_at
from tests.blackbox.test_agent_hosts import HOSTS, Ordinary
from tests.blackbox.test_web_review import PASSPHRASE, locked_key
from tests.blackbox.world import PROGRAM, Folder, World
from tests.rows import each_row

ASK = ("proposals", {"review": True})
User = Callable[[types.ElicitRequestURLParams], str]


def told(
    home: Path,
    variables: Mapping[str, str],
    user: User | None,
    *words: str,
    mode: str = "legacy",
    calls: Any = (ASK,),
    at_once: int = 1,
    is_read: threading.Event | None = None,
) -> list[str]:
    """Call tools as the official SDK's client does; its user answers what is asked. Give what a model reads.

    ``is_read`` is set when it has read one.
    """
    argv = [str(PROGRAM), "mcp", "--home", str(home), *words]
    server = StdioServerParameters(
        command=sys.executable, args=argv, env={"PATH": os.environ["PATH"], **variables}
    )

    async def ask(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestURLParams), context
        action = await anyio.to_thread.run_sync(user, params) if user else "cancel"
        return types.ElicitResult.model_validate({"action": action})

    async def run() -> list[str]:
        async with Client(server, mode=mode, elicitation_callback=ask if user else None) as client:
            read: dict[int, str] = {}

            async def call(at: int) -> None:
                result = await client.call_tool(*calls[at])
                read[at] = "\n".join(part.text for part in result.content if part.type == "text")
                (is_read or threading.Event()).set()

            for start in range(0, len(calls), at_once):
                async with anyio.create_task_group() as group:
                    for at in range(len(calls))[start : start + at_once]:
                        group.start_soon(call, at)
            return [read[at] for at in sorted(read)]

    return anyio.run(run)


def asked(world: World, user: User | None, **given: Any) -> list[str]:
    variables = {"NIGHTLEDGER_KEYS": str(world.keys)}
    return told(world.home, variables, user, "--now", world.now.isoformat(), **given)


class Opens:
    """A user who says yes to what is asked; the pages so opened."""

    def __init__(self) -> None:
        self.seen: list[types.ElicitRequestURLParams] = []

    def __call__(self, params: types.ElicitRequestURLParams) -> str:
        self.seen.append(params)
        return "accept"

    @property
    def page(self) -> Page:
        return page_at(self.seen[-1].url)


@each_row("mode", ["legacy", "2026-07-28"])
def test_the_clients_user_signs_on_the_page_and_no_model_reads_its_address(
    mode: str, adopted: World, tmp_path: Path
) -> None:
    world = adopted.copy(tmp_path / mode)
    locked_key(world)
    name = world.propose("Count twice.")
    user = Opens()
    (said,) = asked(world, user, mode=mode)
    assert str(world.home) in user.seen[0].message
    page = user.page  # the server went with its client: the page is there until it was used
    assert (name[:6] in said, "opens the review page" in said) == (True, True)
    assert not re.search(r"127\.0\.0\.1|#t=", said)
    assert page.token not in said
    page.answer(page.items()[0], "approve")
    assert "passphrase" in page.sign()["error"], "whoever has the address has no signature yet"
    assert not world.decisions()
    assert page.sign(PASSPHRASE)["done"]
    assert [one["type"] for one in world.decisions()] == ["approve"]


def gone(port: int) -> bool:
    """Tell whether nothing listens there, soon."""
    for _ in range(100):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)):
                return True
        time.sleep(0.1)
    return False


BARE, LOCKED = "a key without a passphrase", "a key with one"
NOT_OPENED: tuple[tuple[str, User | None, str], ...] = (
    (LOCKED, None, "signs with: nightledger review --home="),
    (
        BARE,
        Opens(),
        "no page to open. Your operator signs with: nightledger review",
    ),
    (LOCKED, lambda _: "decline", "declined, or was not asked. Their command is 'nightledger review'"),
    (LOCKED, lambda _: "cancel", "declined, or was not asked. Their command is 'nightledger review'"),
)


@each_row("key, user, words", NOT_OPENED)
def test_a_page_that_nobody_opens_is_told_and_does_not_stay(
    key: str, user: User | None, words: str, adopted: World, new_folder: Folder
) -> None:
    world = adopted.copy(new_folder())
    if key == LOCKED:
        locked_key(world)
    world.propose("Count twice.")
    seen: list[str] = []

    def answers(params: types.ElicitRequestURLParams) -> str:
        seen.append(params.url)
        assert user
        return user(params)

    both = asked(world, answers if user else None, calls=(ASK, ("do", {"name": "proposals", "with": ASK[1]})))
    assert [words in said for said in both] == [True, True]
    assert len(seen) == (1 if key == LOCKED and user else 0), "after a no nobody is asked again soon"
    for url in seen:
        assert gone(page_at(url).port)
    assert not world.decisions()


def test_under_a_hosts_mark_one_page_serves_every_call_and_two_calls_ask_once(tmp_path: Path) -> None:
    home = Ordinary(tmp_path)
    (key,) = home.keys.glob("*/operator")
    subprocess.run(["ssh-keygen", "-q", "-p", "-f", key, "-P", "", "-N", PASSPHRASE], check=True)
    opens, is_read = Opens(), threading.Event()
    variables = {"NIGHTLEDGER_KEYS": str(home.keys), **HOSTS}

    def slow(params: types.ElicitRequestURLParams) -> str:
        assert is_read.wait(60), "the second call is answered while its user is asked by the first"
        return opens(params)

    first, second, third = told(home.home, variables, slow, calls=(ASK, ASK, ASK), at_once=2, is_read=is_read)
    assert sorted(("opens the review page" in said, "asked already" in said) for said in (first, second)) == [
        (False, True),
        (True, False),
    ]
    assert "opens the review page" in third
    assert [one.url for one in opens.seen] == [opens.seen[0].url] * 2
    page = opens.page
    page.answer(page.items()[0], "later")
    assert page.sign()["done"]
