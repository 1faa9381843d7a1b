"""What is kept of transcripts: each message behind a mark that says when, whose words, which session, and where it stood.

Invariant: a message is one mark and then its lines, the first of which begins with who speaks; appending never changes
what stands there. The key in the mark is how a message is known again, in whichever file a host copied it to.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from urllib.parse import quote, unquote

from msgspec import Struct

from nightledger.domain.deriving import Derived
from nightledger.domain.proposal import Origin
from nightledger.domain.transcript import Speaker, Turn
from nightledger.domain.words import read_moment

_MARK = re.compile(
    r"^<!-- (\S+) ([a-z]+) (\S+) [0-9a-f]{32} (\S+):\d+ -->\n(user|assistant):\s*(.*)$", re.MULTILINE
)
_KEYS = re.compile(rb"^<!-- \S+ [a-z]+ \S+ ([0-9a-f]{16})([0-9a-f]{16}) ", re.MULTILINE)
_OWN_LINE = re.compile(r"[#|>]|[-*+]\s|\s|\d{1,3}[.)]\s")
"""A first line of a message that is more than words: it stands below who speaks."""


class Message(Struct, frozen=True, kw_only=True):
    """A message as an extract holds it.

    Attributes:
        at: When; aware, UTC, in whole seconds.
        origin: Whose words they are, as the mark has it.
        session: The host's name of the session, as the mark spells it; empty where it gives none.
        source: The transcript, relative to the host's own directory.
        speaker: User or assistant.
        words: Its first line, in one run.
    """

    at: datetime
    origin: str
    session: str
    source: str
    speaker: Speaker
    words: str


def name_key(turn: Turn) -> str:
    """Return the key of a message by the host's name of it, 16 hex digits; empty where it has none."""
    return _key(turn.id) if turn.id else ""


def words_key(turn: Turn, lines: Sequence[str]) -> str:
    """Return the key of a message by who said what, of what is kept of it: no secret is in it."""
    return _key("\n".join((turn.speaker, *lines)))


def _key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Mark(Struct, frozen=True, kw_only=True):
    """What stands above a message.

    Attributes:
        session: The host's name of the session, masked.
        source: The transcript, relative to the host's own directory, masked.
        origin: Whose words they are.
        keys: By name and by words; that by words twice where the host gives no name.
    """

    session: str
    source: str
    origin: Origin
    keys: str


def dump_message(turn: Turn, lines: Sequence[str], mark: Mark) -> bytes:
    r"""Return a message as an extract holds it, with its last ``\n``.

    Args:
        turn: What was said.
        lines: What is kept of it; at least one.
        mark: What stands above it.
    """
    at = turn.at.replace(tzinfo=None, microsecond=0).isoformat()
    above = f"<!-- {at}Z {mark.origin} {session_name(mark.session)} {mark.keys} {_quoted(mark.source, '/')}:{turn.line} -->"
    who = "user:" if turn.speaker is Speaker.USER else "assistant:"
    first = [who, lines[0]] if _OWN_LINE.match(lines[0]) else [f"{who} {lines[0]}"]
    return "\n".join([above, *first, *lines[1:], "", ""]).encode("utf-8", "replace")


@lru_cache(maxsize=64)
def _quoted(name: str, safe: str) -> str:
    return quote(name, safe=safe)


def session_name(session: str) -> str:
    """Return a session's name as a mark has it: a word; ``-`` where there is none."""
    return _quoted(session, "")[:64] or "-"


def outcome_key(one: Derived) -> str:
    """Return the key of a derived outcome, by the host's name of what told it, and what it tells."""
    return _key(one.key)


def dump_outcome(one: Derived, source: str) -> bytes:
    r"""Return the mark of a derived outcome, a line behind which nothing is said, with an empty one.

    Args:
        one: What became of a task; its session without secrets.
        source: The transcript, relative to the host's own directory.
    """
    at = one.at.replace(tzinfo=None, microsecond=0).isoformat()
    key, place = outcome_key(one), f"{_quoted(source, '/')}:{one.line}"
    told = f"{one.result} {one.signal} sha256={one.sha256}"
    return f"<!-- {at}Z {one.origin} {session_name(one.session)} {key}{key} {place} {told} -->\n\n".encode()


def known_keys(raw: bytes) -> Iterator[str]:
    """Yield both keys of each message of an extract; one that a crash left without its end is to be kept again."""
    for match in _KEYS.finditer(raw, 0, raw.rfind(b"\n\n") + 1):
        yield from (match[1].decode(), match[2].decode())


def read_messages(raw: bytes) -> Iterator[Message]:
    """Yield the messages of an extract, in order; what is none is passed over."""
    for match in _MARK.finditer(raw.decode("utf-8", "replace")):
        at, origin, session, source, speaker, words = match.groups()
        try:
            moment = read_moment(at)
        except ValueError:
            continue
        yield Message(
            at=moment, origin=origin, session=session.strip("-") and session, source=unquote(source),
            speaker=Speaker(speaker), words=" ".join(words.split()),
        )  # fmt: skip
