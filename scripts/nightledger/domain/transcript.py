"""What a session's transcript says, whichever host wrote it: one value for all formats.

Invariant: a turn says who spoke by what the host wrote around the words, never by the words.
"""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from nightledger.domain.proposal import Origin

EXTRACTS = "memory/system/transcripts"
"""Directory of what was kept of transcripts: a file a day and host, only appended to."""
AGREED = "transcripts.json"
"""In a home's directory of keys: the hosts whose transcripts may be read, each with the day of the yes."""


class Speaker(StrEnum):
    """Who a turn is of."""

    USER = "user"
    ASSISTANT = "assistant"
    CALL = "call"
    """The assistant calls a tool: what it said before in the same turn was narration."""
    TOOL = "tool"


class Turn(Struct, frozen=True, kw_only=True, gc=False):
    """One thing that was said or done in a session.

    Attributes:
        speaker: Who.
        at: When; aware, UTC.
        session: The host's name of the session; empty where it gives none.
        text: What was said; empty for tools.
        tool: Name of the tool; empty where none is named.
        exit_status: Of a command; None where none is told.
        is_error: Whether a tool's result is marked as an error; None where nothing is told.
        call: The host's name of a tool's call; its result has the same.
        command: What a call runs; empty where it goes on while the result is there.
        path: The file that a call names.
        id: The host's name of the message; empty where it gives none.
        cwd: Working directory of the session, absolute; empty where it is not known.
        line: Where it stands in its file: the line from 1, or the row's number.
        origin: Whose words they are, where the line itself tells; None where it does not.
    """

    speaker: Speaker
    at: datetime
    session: str
    text: str = ""
    tool: str = ""
    exit_status: int | None = None
    is_error: bool | None = None
    call: str = ""
    command: str = ""
    path: str = ""
    id: str = ""
    cwd: str = ""
    line: int = 0
    origin: Origin | None = None
