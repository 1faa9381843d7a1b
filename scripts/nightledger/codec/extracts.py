"""What is kept of transcripts: each message behind a mark that says when, whose words, which session, and where it stood.

Invariant: a message is one mark and then its lines, the first of which begins with who speaks; appending never changes
what stands there. The key in the mark is how a message is known again, in whichever file a host copied it to.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from urllib.parse import quote

from msgspec import Struct

from nightledger.domain.proposal import Origin
from nightledger.domain.transcript import Speaker, Turn

_KEYS = re.compile(rb"^<!-- \S+ [a-z]+ \S+ ([0-9a-f]{16})([0-9a-f]{16}) ", re.MULTILINE)
_OWN_LINE = re.compile(r"[#|>]|[-*+]\s|\s|\d{1,3}[.)]\s")
"""A first line of a message that is more than words: it stands below who speaks."""


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
    session, source = _quoted(mark.session, "")[:64] or "-", _quoted(mark.source, "/")
    above = f"<!-- {at}Z {mark.origin} {session} {mark.keys} {source}:{turn.line} -->"
    who = "user:" if turn.speaker is Speaker.USER else "assistant:"
    first = [who, lines[0]] if _OWN_LINE.match(lines[0]) else [f"{who} {lines[0]}"]
    return "\n".join([above, *first, *lines[1:], "", ""]).encode("utf-8", "replace")


@lru_cache(maxsize=64)
def _quoted(name: str, safe: str) -> str:
    return quote(name, safe=safe)


def known_keys(raw: bytes) -> Iterator[str]:
    """Yield both keys of each message of an extract; one that a crash left without its end is to be kept again."""
    for match in _KEYS.finditer(raw, 0, raw.rfind(b"\n\n") + 1):
        yield from (match[1].decode(), match[2].decode())
