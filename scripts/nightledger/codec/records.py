"""Record values to and from JSON: strict syntax, schema, typed value.

Invariant: ``parse_record(T, dump_record(value), where=...) == value``, and one value has
one sequence of bytes (RFC 8785). A message carries the id that its other members make, so that
the same id cannot stand for two. Outcomes have a way of their own (``outcome_line``, ``rows``), and
so have the run ledger (``rows``) and a home's identity (``home_record``), for speed.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from nightledger.codec.canonical import MAX_DOCUMENT_BYTES, CanonicalError, canonical, parse_json
from nightledger.domain.errors import RecordError
from nightledger.domain.words import content_id, dump_moment

if TYPE_CHECKING:  # a verb has the kinds that it reads
    from nightledger.domain.message import Message, Reply

Record = TypeVar("Record")
SCHEMAS = {
    "Consolidation": "consolidation",
    "Constitution": "constitution",
    "Decision": "decision",
    "Message": "message",
    "Peers": "peers",
    "Proposal": "proposal",
    "Reinforcement": "reinforcement",
    "Reply": "reply",
    "Run": "run",
    "Waiting": "waiting",
}
"""The schema of every kind of record that goes through this module, by the name of its class."""
WITH_FLOATS = frozenset({"Proposal"})
"""What may hold floats; what is signed holds none."""


def parse_record(
    kind: type[Record], raw: bytes, *, where: str, max_bytes: int = MAX_DOCUMENT_BYTES
) -> Record:
    """Read one record.

    Args:
        kind: Its class, one of :data:`SCHEMAS`.
        raw: JSON, UTF-8.
        where: File or input, for messages.
        max_bytes: The largest size that is read.

    Raises:
        RecordError: Naming every problem.
    """
    return load_record(kind, parse_json(raw, where, max_bytes=max_bytes), where=where)


def load_record(kind: type[Record], value: Any, *, where: str) -> Record:
    """Give the typed value of a JSON value that was read strictly.

    Raises:
        RecordError: Naming every problem.
    """
    from nightledger.codec.schema import find_problems

    problems = find_problems(SCHEMAS[kind.__name__], value)
    if problems:
        raise RecordError(where, problems)
    return _convert(kind, value, where)


def decode_record(kind: type[Record], raw: bytes, *, where: str) -> Record:
    """Read one record that we wrote and whose hash was checked: types only, no schema.

    It spares the start of the schema library, eight times that of the interpreter. Bytes that
    are their own re-encoding have one meaning and are taken at once; others are read strictly.

    Raises:
        RecordError: When it is no record of this kind after all.
    """
    import msgspec

    try:
        record = msgspec.json.decode(raw, type=kind)
        if msgspec.json.encode(record, order="sorted") == raw:
            return record
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        pass
    return _convert(kind, parse_json(raw, where), where)


def decode_lines(kind: type[Record], raw: bytes) -> list[Record]:
    """Return the records of a JSONL file that we wrote, for display: types only, no schema; bad lines are passed over."""
    from nightledger.codec.rows import read_rows

    ((rows, _),) = read_rows(kind, [raw])
    return rows


def dump_record(record: object) -> bytes:
    """Give a record's canonical JSON, without a line end.

    Raises:
        CanonicalError: When it holds a float that is not allowed, NaN, or half a surrogate pair.
    """
    return canonical(to_plain(record), floats=type(record).__name__ in WITH_FLOATS)


def dump_line(record: object) -> bytes:
    """Give a record as a line of a JSONL file."""
    return dump_record(record) + b"\n"


def to_plain(value: object) -> Any:
    """Give a value of ours as JSON knows it: dicts, lists, text, numbers, times as RFC 3339 UTC.

    Raises:
        CanonicalError: When a time has no zone, or something in it is no JSON value.
    """
    import msgspec

    try:
        return _listed(msgspec.to_builtins(value, builtin_types=(datetime,)))
    except TypeError as error:
        raise CanonicalError(str(error)) from error


def _convert(kind: type[Record], value: Any, where: str) -> Record:
    import msgspec

    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:  # a name may hold half a surrogate pair
        raise RecordError(where, (str(error),)) from error


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_listed(item) for item in value]
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is None:
        raise CanonicalError(f"the time {value} has no zone")
    return dump_moment(value)


MAX_MESSAGE_BYTES = 1 << 20
"""Of an envelope on its way in; a daily log of a busy day has some 50 KB."""
MAX_REPLY_BYTES = 16 << 20
"""Of an answer; it may carry every proposal that waits, with the files that they change."""


def make_message(  # noqa: PLR0913 - one argument a claim
    *, iss: str, aud: str, iat: int, exp: int, seq: int, action: str, domain: str, body: Mapping[str, Any]
) -> "Message":
    """Give a message with the id that its claims make."""
    from nightledger.domain.message import Message

    bare = Message(
        v=1, id="", iss=iss, aud=aud, iat=iat, exp=exp, seq=seq, action=action, domain=domain, body=body
    )
    return replace(bare, id=_id_of(bare))


def parse_message(payload: bytes, where: str) -> "Message":
    """Read the payload of an envelope whose signature was verified.

    Raises:
        RecordError: It is no message in its one form.
    """
    from nightledger.domain.message import Message

    message = parse_record(Message, payload, where=where, max_bytes=MAX_MESSAGE_BYTES)
    if _canonical(message) != payload:
        raise RecordError(where, ("it is not in canonical form",))
    if _id_of(message) != message.id:
        raise RecordError(where, (f"id: {message.id} is not the id of what it says",))
    return message


def parse_reply(payload: bytes, where: str) -> "Reply":
    """Read the payload of an answer whose signature was verified.

    Raises:
        RecordError: It is no answer.
    """
    from nightledger.domain.message import Reply

    return parse_record(Reply, payload, where=where, max_bytes=MAX_REPLY_BYTES)


def _canonical(message: "Message") -> bytes | None:
    try:
        return dump_record(message)
    except CanonicalError:  # a float, or half a surrogate pair
        return None


def _id_of(message: "Message") -> str:
    return content_id("m", canonical(to_plain(replace(message, id=""))))
