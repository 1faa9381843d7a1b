"""A Sunday of the demo: what is old is proposed to go, signed, applied, and one of it taken back.

Invariant: what the operator takes back is byte for byte what it was, or the walk ends with an error.
"""

import json
from datetime import datetime
from typing import Any

from nightledger.demo.narrator import Narrator
from nightledger.demo.shell import Ran, Shell
from nightledger.domain.errors import NightledgerError

WEEKDAY = 6
"""Counted from Monday 0."""


class SundayError(NightledgerError):
    """Something that was let go did not come back as it was."""

    hint = "this is a bug; the demo's home is left as it is"


def tell(shell: Shell, narrator: Narrator, morning: datetime, forenoon: datetime) -> bool:
    """Sign, apply and take back what a Sunday's pruning proposed; False where it proposed no compression.

    Args:
        shell: The command line on the demo's folders.
        narrator: Where it is told.
        morning: When the operator looks.
        forenoon: When what was signed has cooled.

    Raises:
        SundayError: A step failed, or the bytes are not those that were there.
    """
    waiting: list[dict[str, Any]] = json.loads(_must(shell.run("review", "--json", now=morning)).out)
    logs = [item for item in waiting if item["op"] == "compress"]
    if not logs:
        return False
    proposal, path = logs[0]["id"], logs[0]["target"]
    narrator.heading(f"{morning:%Y-%m-%d}, a Sunday: what is old is proposed to go")
    _show(narrator, _must(shell.run("approve", proposal, now=morning)), limit=30)
    log = shell.home / path
    before = log.read_bytes()
    _show(narrator, _must(shell.run("apply", proposal, now=forenoon)))
    after = log.read_bytes()
    _require(after != before, f"{path} was not compressed")
    lines, once = (content.count(b"\n") for content in (after, before))
    narrator.say(f"{path} has {lines} lines instead of {once}; its full text is in memory/archive/daily.")
    _show(narrator, _must(shell.run("undo", f"{proposal}#{logs[0]['n']}", now=forenoon)))
    _require(log.read_bytes() == before, f"{path} is not what it was")
    narrator.say("It is byte for byte what it was.")
    return True


def _show(narrator: Narrator, ran: Ran, *, limit: int = 3) -> None:
    narrator.command(ran.words)
    narrator.output(ran.out, limit=limit, tail=1)


def _must(ran: Ran) -> Ran:
    _require(ran.status == 0, f"{ran.out}{ran.err}".strip())
    return ran


def _require(holds: bool, message: str) -> None:  # noqa: FBT001 - what must hold
    if not holds:
        raise SundayError(message)
