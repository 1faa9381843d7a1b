"""What an agent was shown: the value behind a line of the exposure ledger.

Invariant: it says what, where and when, by ids and places only; no text of a memory and none of
a prompt is in it. Plain slots, because the prompt hook builds one at each prompt.
"""

import re

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterable

EVENTS = ("prompt", "recall", "session_start")
"""How something is shown: at a prompt, when the agent asks, at the start of a session."""
MOST_SHOWN = 100
"""Names told of one showing; more are no showing but a listing. Our choice."""
MAX_NAME_CHARACTERS = 200
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}")


class Place:
    """Lines that were shown.

    Attributes:
        path: Relative to the home.
        lines: First and last, from 1.
    """

    __slots__ = ("lines", "path")

    def __init__(self, *, path: str, lines: tuple[int, int]) -> None:
        self.path = path
        self.lines = lines


class Exposure:
    """One showing.

    Attributes:
        v: Version of the record.
        at: When, UTC, ``2026-03-01T06:00:00Z``.
        shown: Ids of entries, names of links and principles; sorted, each once.
        host: The agent's host: ``claude_code``.
        event: One of :data:`EVENTS`.
        session: The host's name of the session; empty where it gives none.
        places: Lines that were shown, in the order of showing.
    """

    __slots__ = ("at", "event", "host", "places", "session", "shown", "v")

    def __init__(
        self,
        *,
        at: str,
        shown: "Iterable[str]",
        host: str,
        event: str,
        session: str = "",
        places: "Iterable[Place]" = (),
    ) -> None:
        self.v = 1
        self.at = at
        self.shown = tuple(sorted({name for name in shown if 0 < len(name) <= MAX_NAME_CHARACTERS}))[
            :MOST_SHOWN
        ]
        self.host = host
        self.event = event
        self.session = session
        self.places = tuple(places)[:MOST_SHOWN]


def session_name(given: object) -> str:
    """Give a host's name of a session as records may keep it; empty for what is none.

    Args:
        given: Whatever the host sent.
    """
    return given if isinstance(given, str) and _SESSION.fullmatch(given) else ""
