"""Messages and answers to and from the very bytes that are signed.

Invariant: what is parsed is canonical JSON and carries the id that its other members make,
so that one message has one sequence of bytes, and the same id cannot stand for two.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from nightledger.codec.canonical import CanonicalError, canonical
from nightledger.codec.records import dump_record, parse_record, to_plain
from nightledger.domain.errors import RecordError
from nightledger.domain.ids import content_id
from nightledger.domain.message import Message, Reply

MAX_MESSAGE_BYTES = 1 << 20
"""Of an envelope on its way in; a daily log of a busy day has some 50 KB."""
MAX_REPLY_BYTES = 16 << 20
"""Of an answer; it may carry every proposal that waits, with the files that they change."""


def make_message(  # noqa: PLR0913 - one argument a claim
    *, iss: str, aud: str, iat: int, exp: int, seq: int, action: str, domain: str, body: Mapping[str, Any]
) -> Message:
    """Give a message with the id that its claims make."""
    bare = Message(
        v=1, id="", iss=iss, aud=aud, iat=iat, exp=exp, seq=seq, action=action, domain=domain, body=body
    )
    return replace(bare, id=_id_of(bare))


def parse_message(payload: bytes, where: str) -> Message:
    """Read the payload of an envelope whose signature was verified.

    Raises:
        RecordError: It is no message in its one form.
    """
    message = parse_record(Message, payload, where=where, max_bytes=MAX_MESSAGE_BYTES)
    if _canonical(message) != payload:
        raise RecordError(where, ("it is not in canonical form",))
    if _id_of(message) != message.id:
        raise RecordError(where, (f"id: {message.id} is not the id of what it says",))
    return message


def parse_reply(payload: bytes, where: str) -> Reply:
    """Read the payload of an answer whose signature was verified.

    Raises:
        RecordError: It is no answer.
    """
    return parse_record(Reply, payload, where=where, max_bytes=MAX_REPLY_BYTES)


def _canonical(message: Message) -> bytes | None:
    try:
        return dump_record(message)
    except CanonicalError:  # a float, or half a surrogate pair
        return None


def _id_of(message: Message) -> str:
    return content_id("m", canonical(to_plain(replace(message, id=""))))
