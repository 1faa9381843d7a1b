"""What the owner may paste into an agent's instructions, as a diff; nothing is written."""

import os
import re

from msgspec import Struct

from nightledger.domain.errors import ConfigurationError
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.hosts.presets import preset
from nightledger.surfaces.context import CHECKOUT
from nightledger.surfaces.hook.events import full_command
from nightledger.text.changes.diff import unified_diff
from nightledger.text.instructed import lines_that_edit

SOURCE = os.path.join("docs", "agent-instructions.md")
MAX_BYTES = 4 << 20
_COMMAND = re.compile(r"(?<=`)nightledger (\w+)")
_BLOCK = re.compile(r"^```markdown\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Offer(Struct, frozen=True, kw_only=True):
    """What could be added to a host's instructions.

    Attributes:
        path: The instructions, relative to the home.
        diff: Unified diff; empty where all lines are there.
        lines: What it adds, without line ends.
        gated: Whether it is the home's memory, too, and so changes by a signature alone.
        edits: Numbers of the lines there that tell the agent to edit memory itself.
    """

    path: str
    diff: str
    lines: tuple[str, ...] = ()
    gated: bool = False
    edits: tuple[int, ...] = ()


def agent_lines(checkout: str = CHECKOUT) -> tuple[str, ...]:
    """Give the lines that tell an agent when to log and to propose, without line ends.

    Raises:
        ConfigurationError: The document that holds them is missing or holds none.
    """
    path = os.path.join(checkout, SOURCE)
    raw = read_optional(path, MAX_BYTES) or b""
    found = _BLOCK.search(raw.decode("utf-8", "replace"))
    if found is None:
        raise ConfigurationError(
            f"{path} holds no lines to paste", hint="git status: the checkout is incomplete"
        )
    return tuple(found[1].rstrip("\n").split("\n"))


def offer(home: Home, *, checkout: str = CHECKOUT) -> Offer:
    """Compare the lines with what a home's host reads at the start of a session.

    Args:
        home: Whose.
        checkout: The folder that holds ``docs/``.

    Raises:
        UnreadableError: The instructions are no regular file of the home.
        ConfigurationError: The lines to paste are missing.
    """
    path = preset(home.identity.host).instructions
    raw = read_optional(home.path(path), MAX_BYTES, within=home.root) or b""
    before = raw.decode("utf-8", "surrogateescape")
    present = {line.strip() for line in before.split("\n")}
    plain = [line.replace("MEMORY.md", home.identity.gated[0]) for line in agent_lines(checkout)]
    lines = [_COMMAND.sub(lambda found: full_command(home, found[1]), line) for line in plain]
    told = [line for line, short in zip(lines, plain, strict=True) if {line.strip(), short.strip()} & present]
    missing = [line for line in lines if line not in told]
    edits = lines_that_edit(before, home.identity.gated)
    if not missing:
        return Offer(path=path, diff="", edits=edits)
    if missing == lines[1:]:
        missing = lines  # a heading of that name alone is not ours
    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    after = before + gap + "\n".join(missing) + "\n"
    gated = path in home.identity.gated
    diff = unified_diff(before, after, path=path)
    return Offer(path=path, diff=diff, lines=tuple(missing), gated=gated, edits=edits)
