"""Small questions about a home that commands ask before they import anything heavy."""

import json
import os
from datetime import datetime

from nightledger.domain.errors import MissingFileError, RefusedError, UnreadableError
from nightledger.files.home import IDENTITY, MAX_IDENTITY_BYTES, Home
from nightledger.files.reading import read_regular
from nightledger.surfaces.context import CHECKOUT

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from typing import Any

    from nightledger.domain.event import Actor
    from nightledger.surfaces.context import Context


def is_simulated(home_path: str) -> bool:
    """Tell whether the home was made with ``init --simulated``; False where it cannot be read."""
    return _read_identity(home_path).get("simulated") is True


def host_roots() -> dict[str, str]:
    """Return each host's own directory, whether it is there or not (``hosts/presets.py``)."""
    from nightledger.hosts.presets import state_roots

    return state_roots(os.path.expanduser("~"), os.environ)


def cap_config(host: str) -> str:
    """Return the path of a host's own configuration, in which its cap may stand (``hosts/configured.py``)."""
    from nightledger.hosts.configured import config_file

    return config_file(host, os.path.expanduser("~"), os.environ)


def this_machine() -> str:
    """Give this machine's name, as ``init`` records it."""
    return os.uname().nodename


def actor_of(context: "Context") -> "Actor":
    """Guess who called: a person at a terminal or a page, else an unattended run."""
    from nightledger.domain.event import Actor

    return Actor.HUMAN if context.by_page or context.interactive() else Actor.CRON


def require_machine(home: Home) -> None:
    """Make sure that this machine is the one that writes the home, and that nothing written would land elsewhere.

    One field is read by hand, because ``log`` asks at each start; where it does not say yes,
    the whole record is read and checked.

    Raises:
        RefusedError: Another one is; its name and what to do are in the message.
        IntegrityError: The home's record is damaged.
        ConfigurationError: A link leads a directory of ours out of the home.
    """
    home.require_inside()
    if _read_identity(home.root).get("machine") == this_machine():
        return
    machine = home.identity.machine
    if machine != this_machine():
        raise RefusedError(
            f"{home.root} is written by {machine!r}, and this is {this_machine()!r}",
            hint=f"run it on {machine}, or move the home here: 'nightledger backup' there, 'nightledger restore FILE --take-over' here",
        )


def _read_identity(home_path: str) -> "dict[str, Any]":
    try:
        identity = json.loads(read_regular(os.path.join(home_path, IDENTITY), MAX_IDENTITY_BYTES))
    except (MissingFileError, UnreadableError, NotADirectoryError):
        return {}  # whatever else the system says is told as it is: a dying disk is no ordinary home
    except (ValueError, RecursionError):
        return {}
    return identity if isinstance(identity, dict) else {}


MARKS_FILE = os.path.join(CHECKOUT, "config", "agent-hosts.json")
OPENCLAW_LOCAL = "tui-local"
"""OpenClaw's mark for a shell that its owner opened by hand: a person, not an agent."""


def marks() -> dict[str, str]:
    """Return the hosts by the variables that they set for the commands of their agents alone."""
    with open(MARKS_FILE, encoding="utf-8") as stream:
        return {row["variable"]: row["host"] for row in json.load(stream)["marks"]}


def _calling() -> tuple[str, str]:
    """Return the variable that says that an agent's host is calling, and its host; empty where a person or a timer is."""
    for name, host in marks().items():
        value = os.environ.get(name, "")
        if value and (name, value) != ("OPENCLAW_SHELL", OPENCLAW_LOCAL):
            return name, host
    return "", ""


def calling_host() -> str:
    """Name the host whose agent is calling; empty where a person or a timer is."""
    return _calling()[1]


def require_person(verb: str, *, simulated: bool) -> None:
    """Make sure that no agent's host is calling; simulated homes are for trials by anyone.

    Raises:
        RefusedError: The environment carries a host's mark.
    """
    mark, host = ("", "") if simulated else _calling()
    if mark:
        raise RefusedError(
            f"'nightledger {verb}' is for the operator, and {host} is calling (${mark} is set)",
            hint="run it in a terminal of your own; an agent may 'nightledger propose'",
        )


MARK_S = 3600
"""So long it is believed: whoever can write the home can write the mark."""
UNMARKED_MIN = 10
"""In the first minutes of each hour it is not believed at all: whoever writes it anew each hour would never be looked at."""


def is_believed(written_at: float, now: datetime) -> bool:
    """Tell whether a mark that names its time is believed now."""
    return 0 <= now.timestamp() - written_at < MARK_S and now.minute >= UNMARKED_MIN
