"""What a verb needs from around it: home, keys, clock, terminal, who calls; read lazily.

Invariant: importing this module and building a ``Context`` costs no third-party
import and opens no file, because hooks and ``log`` pay for it at each start.
"""

import json
import os
import sys

from nightledger.domain.errors import MissingFileError, RefusedError, UnreadableError
from nightledger.files.durable import read_regular
from nightledger.files.home import IDENTITY, MAX_IDENTITY_BYTES, Home, find_upward

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime
    from typing import Any

    from nightledger.domain.decision import Actor, Moment

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
"""The folder that holds ``scripts/``: the program, never a home that is guessed (decision 25)."""


def keys_directory(environment: "Mapping[str, str]") -> str:
    """Give where private keys and pins live, absolute: ``$NIGHTLEDGER_KEYS``, else ``~/.config/nightledger``."""
    return os.path.abspath(environment.get("NIGHTLEDGER_KEYS") or os.path.expanduser("~/.config/nightledger"))


def named_keys_directory(keys_dir: str) -> str:
    """Give a directory of keys where it is not the default one, and so has to be named to what runs by itself; else empty."""
    return "" if keys_dir == keys_directory({}) else keys_dir


def find_home(named: str | None) -> str:
    """Return the home of a command, absolute: the named one, else ``$NIGHTLEDGER_HOME``, else the nearest one upward.

    Args:
        named: ``--home``; empty or None where it was not given.

    Returns:
        Its path; empty where there is none.
    """
    if chosen := named or os.environ.get("NIGHTLEDGER_HOME"):
        return os.path.abspath(chosen)
    try:
        return find_upward(os.getcwd())
    except OSError:  # the directory is gone
        return ""


class Context:
    """One command's surroundings.

    Attributes:
        home: The home as :func:`find_home` found it; empty where there is none.
        keys_dir: Where private keys and pins live: ``$NIGHTLEDGER_KEYS``, else ``~/.config/nightledger``.
        json: Results as one JSON document.
        guided: ``init --guide`` calls: no next step is told, and no list that a person need not read on the first day.
        by_page: A page of this process asks the person; where a run is at work it says so, and does not wait.
        quiet: Say nothing when there is nothing to say (standard output is no terminal).
        short: Returns a text of ours with the short names of proposals, once the home is open.
        afterwards: What failed after the verb's work was done; raised when the verb has said what it did.
    """

    def __init__(self, *, verb: str, home: str | None, now_text: str | None, json: bool) -> None:
        """Resolve paths from arguments and environment."""
        environment = os.environ
        self.verb = verb
        self.home = find_home(home)
        self.keys_dir = keys_directory(environment)
        self.json = json
        self.guided = False
        self.by_page = False
        self.quiet = not sys.stdout.isatty()
        self._now_text = now_text
        self._now: datetime | None = None
        self.afterwards: Exception | None = None
        self.short: Callable[[str], str] = str

    @property
    def home_path(self) -> str:
        """The home, absolute.

        Raises:
            ConfigurationError: None is named, and the current directory lies in none.
        """
        if not self.home:
            from nightledger.domain.errors import ConfigurationError

            raise ConfigurationError(
                "no home is named, and the current directory lies in none",
                hint="name it: --home DIR, or $NIGHTLEDGER_HOME (HOME_DIR=DIR with make); "
                "'nightledger init --guide' sets one up",
            )
        return self.home

    @property
    def now(self) -> "datetime":
        """The time of this command, read once (:meth:`renew`); aware, UTC, whole seconds as records keep it.

        Raises:
            UsageError: When ``--now`` is malformed or the home is not a simulated one.
        """
        if self._now is None:
            from nightledger.surfaces import clock

            if self._now_text is None:
                self._now = clock.system_now().replace(microsecond=0)
            else:
                self._now = clock.parse_now(self._now_text).replace(microsecond=0)
                self.require_own_clock(simulated=self.verb == "init" or is_simulated(self.home_path))
        return self._now

    @property
    def now_text(self) -> str:
        """The time as ``--now`` says it, unread; empty where it was not given."""
        return self._now_text or ""

    def renew(self) -> None:
        """Read the clock anew at the next look: a person took their time since."""
        self._now = None

    @property
    def moment(self) -> "Moment":
        """The time of this command with the boot clock beside it; no boot in a simulated home."""
        from nightledger.domain.decision import Moment
        from nightledger.surfaces import clock

        boot, boot_s = ("", 0) if self._now_text is not None else clock.boot_clock()
        return Moment(at=self.now, boot=boot, boot_s=boot_s)

    def require_own_clock(self, *, simulated: bool) -> None:
        """Make sure that ``--now`` was given only where the home is one for trials.

        Raises:
            UsageError: It was given for another.
        """
        if self._now_text is None or simulated:
            return
        from nightledger.domain.errors import UsageError

        raise UsageError(
            f"--now works only in a simulated home, and {self.home_path} is an ordinary one",
            hint="make one with 'nightledger init --simulated --home DIR'",
        )

    def interactive(self) -> bool:
        """Tell whether a person can be asked: standard input and output are terminals."""
        return sys.stdin.isatty() and sys.stdout.isatty()

    def print(self, text: str = "") -> None:
        """Print one result line for people; nothing with ``--json``."""
        if not self.json:
            print(text)

    def print_lines(self, lines: "Iterable[str]") -> None:
        """Print result lines for people; nothing with ``--json``."""
        for line in lines:
            self.print(line)

    def note(self, text: str) -> None:
        """Print one line beside the results, on standard error."""
        print(text, file=sys.stderr)

    def emit(self, record: "Any") -> None:
        """Print the one JSON document of this command; nothing without ``--json``."""
        if self.json:
            import json

            print(_printable(json.dumps(record, ensure_ascii=False, indent=2, sort_keys=True)))


def _printable(document: str) -> str:
    """Escape, as JSON does, the characters that a terminal acts on or no encoding takes."""
    if document.isascii():
        return document
    import re

    return re.sub("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", _escape, document)


def _escape(match: "re.Match[str]") -> str:
    return f"\\u{ord(match.group()):04x}"


def is_simulated(home_path: str) -> bool:
    """Tell whether the home was made with ``init --simulated``; False where it cannot be read."""
    return _read_identity(home_path).get("simulated") is True


def host_roots() -> dict[str, str]:
    """Return each host's own directory, whether it is there or not (``hosts/daylogs.py``)."""
    from nightledger.hosts.daylogs import state_roots

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
    from nightledger.domain.decision import Actor

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
            f"what you ask of 'nightledger {verb}' is for the operator, and {host} is calling (${mark} is set)",
            hint="run it in a terminal of your own; an agent may 'nightledger propose'",
        )


MAX_INPUT_BYTES = 64 << 20
"""Of standard input, and of a file of which lines are named."""


def read_input(most: int = 0) -> bytes:
    """Return what came on standard input.

    Args:
        most: Bytes; 0 for what anything takes.

    Raises:
        UsageError: It is more than that.
    """
    most = most or MAX_INPUT_BYTES
    raw = sys.stdin.buffer.read(most + 1)
    if len(raw) > most:
        from nightledger.domain.errors import UsageError

        told = f"standard input has more than {most >> 20} MB; nothing was written"
        raise UsageError(told, hint="split it: split -l 10000")
    return raw


def read_place(text: str, option: str) -> tuple[str, tuple[int, int]]:
    """Return the path and the first and last line that ``memory/2026-02-28.md:12-14`` names.

    Raises:
        UsageError: It names none.
    """
    from nightledger.domain.words import number_of

    path, _, lines = text.rpartition(":")
    first, _, last = lines.partition("-")
    if not path or not first.isdecimal() or not (last or first).isdecimal():
        from nightledger.domain.errors import UsageError

        raise UsageError(
            f"{option} {text!r} is not PATH:LINES", hint="for example: memory/2026-02-28.md:12-14"
        )
    return path, (number_of(first), number_of(last or first))


def read_lines(home: Home, text: str, option: str) -> tuple[str, tuple[int, int], bytes]:
    """Return what :func:`read_place` does, and the bytes of that file of the home.

    Raises:
        UsageError: It names no lines of it.
    """
    path, (first, last) = read_place(text, option)
    content = read_regular(home.path(path), MAX_INPUT_BYTES, within=home.root)
    count = content.count(b"\n") + 1
    if not 1 <= first <= last <= count:
        from nightledger.domain.errors import UsageError

        bad = last if 1 <= first <= count else first
        raise UsageError(f"{path} has no line {bad}", hint=f"it has {count} lines")
    return path, (first, last), content


MARK_S = 3600
"""So long it is believed: whoever can write the home can write the mark."""
UNMARKED_MIN = 10
"""In the first minutes of each hour it is not believed at all: whoever writes it anew each hour would never be looked at."""


def is_believed(written_at: float, now: "datetime") -> bool:
    """Tell whether a mark that names its time is believed now."""
    return 0 <= now.timestamp() - written_at < MARK_S and now.minute >= UNMARKED_MIN
