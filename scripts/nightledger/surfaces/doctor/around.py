"""What stands around a home: other writers, locks of the operating system, the instructions of its host.

Invariant: what others own is told with the setting to change, never changed.
"""

import os
import re
from collections.abc import Iterator

from msgspec import Struct

from nightledger.domain.errors import ConfigurationError
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.files.staged import find_page
from nightledger.gate.gated import Held, lockables
from nightledger.hosts.configured import Unread
from nightledger.hosts.daylogs import named_config, preset, state_roots
from nightledger.hosts.workspaces import find_rivals
from nightledger.surfaces.context import CHECKOUT
from nightledger.surfaces.doctor.keys import Check, found
from nightledger.surfaces.hook.running import full_command
from nightledger.surfaces.verbs.stage import LIMIT_SAID, not_given
from nightledger.text.changes.diff import unified_diff
from nightledger.text.instructed import lines_that_edit

_ANYBODY = "whoever may write in the directory can change the files, and apply"
_OWNER = (
    "the files' owner may unlock them, as chflags(1) has it: this stops accidents, not an agent of that user"
)
_ROOT = "only root applies: let root's cron call 'apply' and 'guard', with --home and NIGHTLEDGER_KEYS"


def check_rivals(home: Home) -> Iterator[Check]:
    """Look into the configuration of the home's host.

    Args:
        home: Whose.
    """
    host, user_home = home.identity.host, os.path.expanduser("~")
    root = state_roots(user_home, os.environ).get(host, "")
    config = named_config(host, user_home, os.environ)
    rivals = find_rivals(host, root, home.root, config) if root else ()
    for one in rivals:
        if isinstance(one, Unread):
            yield found("rivals.unread", path=one.path, reason=one.reason)
        else:
            facts = {"name": one.name, "writes": one.writes, "path": one.path, "setting": one.setting}
            yield found("rivals.unsure" if one.is_on is None else "rivals.on", **facts)
    if not rivals and root and not os.path.isdir(root) and not config:
        yield found("rivals.nowhere", root=root, host=host)
    elif not rivals and root:
        yield found("rivals.none", host=host)


def check_locks(home: Home) -> Iterator[Check]:
    """Look at each gated and protected file and at the audit log."""
    files = [one for one in lockables(home) if one.held is not Held.MISSING]
    by_held = {held: [one.path for one in files if one.held is held] for held in Held}
    if by_held[Held.IMPOSSIBLE]:
        yield found("locks.impossible", who=_ANYBODY)
        return
    if not by_held[Held.LOCKED]:
        yield found("locks.none", who=_ANYBODY, root=home.root)
        return
    yield found("locks.good", names=", ".join(by_held[Held.LOCKED]))
    if by_held[Held.UNLOCKED]:
        yield found("locks.some", names=", ".join(by_held[Held.UNLOCKED]))
    yield found("locks.who", who=_OWNER if os.uname().sysname == "Darwin" else _ROOT)


def check_staging(home: Home) -> Iterator[Check]:
    """Tell how much of the staged page no session is given; ``status`` tells of the page itself."""
    page = find_page(home)
    if page and (count := not_given(page)):
        yield found("staging.cut", count=count, limit=LIMIT_SAID)


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
