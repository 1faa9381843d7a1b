"""What a verb needs from around it: home, keys, clock, terminal; read lazily.

Invariant: importing this module and building a ``Context`` costs no third-party
import and opens no file, because hooks and ``log`` pay for it at each start.
"""

import os
import sys

from nightledger.files.home import find_upward

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime
    from typing import Any

    from nightledger.domain.moment import Moment

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
        guided: ``start`` calls: no next step is told, and no list that a person need not read on the first day.
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
                "'nightledger start' sets one up",
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
                from nightledger.surfaces.home import is_simulated

                self._now = clock.parse_now(self._now_text).replace(microsecond=0)
                self.require_own_clock(
                    simulated=self.verb in ("init", "start") or is_simulated(self.home_path)
                )
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
        from nightledger.domain.moment import Moment
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
