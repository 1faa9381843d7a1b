"""Record values to and from JSON: strict syntax, schema, typed value; and the check by the schemas of ``schemas/``, every problem at once.

Invariant: ``parse_record(T, dump_record(value), where=...) == value``, and one value has
one sequence of bytes (RFC 8785). A message carries the id that its other members make, so that
the same id cannot stand for two. Outcomes have a way of their own (``outcome_line``, ``rows``), and
so have the run ledger (``rows``) and a home's identity (``home_record``), for speed.

Invariant: the schema is the contract. Formats are checked, not only annotated, by the same
rules of names that write the records; an integer is a whole number written as one.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import replace

from nightledger.codec.canonical import MAX_DOCUMENT_BYTES, CanonicalError, canonical, parse_json
from nightledger.codec.fitting import FORMATS, exact, is_stored_form, surely_fits
from nightledger.domain import words
from nightledger.domain.errors import ConfigurationError, RecordError

if TYPE_CHECKING:  # their start takes eight times that of the interpreter; only what others wrote is checked
    from jsonschema import FormatChecker, ValidationError
    from jsonschema.protocols import Validator

    from nightledger.domain.message import Message, Reply


SCHEMA_DIRECTORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "schemas")
MAX_NAMED_PROBLEMS = 50


def read_schema(name: str) -> dict[str, Any]:
    """Give a schema of the checkout.

    Args:
        name: Of the record kind: ``outcome`` for ``schemas/outcome.schema.json``.

    Raises:
        ConfigurationError: When the checkout lacks it.
    """
    path = os.path.normpath(os.path.join(SCHEMA_DIRECTORY, f"{name}.schema.json"))
    try:
        with open(path, encoding="utf-8") as stream:
            schema: dict[str, Any] = json.load(stream)
    except FileNotFoundError as error:
        raise ConfigurationError(
            f"{path} is missing", hint="the checkout is incomplete; git status"
        ) from error
    return schema


def find_problems(name: str, value: Any) -> tuple[str, ...]:
    """Name what is wrong with a value, sorted by place, the value itself cut and escaped; () when it is valid.

    Args:
        name: Of the record kind; ``record#goal`` is the part ``goal`` of the schema's ``$defs``.
        value: A JSON value, lists and dicts.
    """
    errors = find_errors(name, value)
    problems = [
        f"{error.json_path.removeprefix('$.')}: {_say(error)}" for error in errors[:MAX_NAMED_PROBLEMS]
    ]
    if len(errors) > len(problems):
        problems.append(f"and {len(errors) - len(problems)} more")
    return tuple(problems)


def find_errors(name: str, value: Any) -> "list[ValidationError]":
    """Return what is wrong with a value, sorted by place; see :func:`find_problems`."""
    if surely_fits(schema_named(name), value):
        return []
    return sorted(_validator(name).iter_errors(value), key=lambda error: error.json_path)


@cache
def schema_named(name: str) -> Mapping[str, Any]:
    """Return a schema of the checkout, or the part behind a ``#`` of it with the ``$defs`` that it refers to."""
    name, _, part = name.partition("#")
    schema = read_schema(name)
    return {**schema["$defs"][part], "$defs": schema["$defs"]} if part else schema


@cache
def _validator(name: str) -> "Validator":
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    integers = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    strict: Any = extend(  # type: ignore[no-untyped-call]  # typeshed leaves it untyped
        Draft202012Validator, validators={"ascending": _ascending, "pattern": _pattern}, type_checker=integers
    )
    validator: Validator = strict(schema_named(name), format_checker=_formats())
    return validator


def _ascending(_: "Validator", wanted: Any, value: Any, __: Any) -> "Iterator[ValidationError]":
    from jsonschema import ValidationError

    if not wanted or not isinstance(value, list) or len({type(item) for item in value}) > 1:
        return
    if value and isinstance(value[0], (str, int)) and value != sorted(value):
        yield ValidationError("is not in ascending order")


def _pattern(_: "Validator", wanted: str, value: Any, __: Any) -> "Iterator[ValidationError]":
    """Check a pattern as ECMA 262 means it."""
    from jsonschema import ValidationError

    if isinstance(value, str) and re.search(exact(wanted), value) is None:
        yield ValidationError(f"{words.show(value)} does not match {wanted}")


def _formats() -> "FormatChecker":
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    for name in FORMATS:
        checker.checks(name, raises=ValueError)(partial(is_stored_form, name))
    checker.checks("milliseconds")(_is_milliseconds)
    return checker


def _is_milliseconds(value: object) -> bool:
    return not isinstance(value, float) or round(value, 3) == value


def _say(error: "ValidationError") -> str:
    """Put a problem into words that never repeat more than 40 characters of the value."""
    wanted: Any = error.validator_value
    value = error.instance
    if error.validator == "type":
        names = wanted if isinstance(wanted, str) else " or ".join(wanted)
        return f"{words.show(value)} is not of type {names}"
    if error.validator in ("enum", "const"):
        allowed = wanted if error.validator == "enum" else [wanted]
        return f"{words.show(value)} is not one of {', '.join(map(str, allowed))}"
    if error.validator == "format":
        return str(error.cause) if error.cause else f"{words.show(value)} is not in its stored form"
    if error.validator in ("required", "additionalProperties", "ascending"):
        return error.message[:200]
    return f"{words.show(value)} breaks the rule {error.validator} {json.dumps(wanted)[:100]}"


Record = TypeVar("Record")


def parse_record(
    kind: type[Record], raw: bytes, *, where: str, max_bytes: int = MAX_DOCUMENT_BYTES
) -> Record:
    """Read one record.

    Args:
        kind: Its class, whose schema has its name in small letters.
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
    problems = find_problems(kind.__name__.lower(), value)
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
    # what is signed holds no floats
    return canonical(to_plain(record), floats=type(record).__name__ == "Proposal")


def dump_line(record: object) -> bytes:
    """Give a record as a line of a JSONL file."""
    return dump_record(record) + b"\n"


def to_plain(value: object) -> Any:
    """Give a value of ours as JSON knows it: dicts, lists, text, numbers, times as RFC 3339 UTC.

    Raises:
        CanonicalError: When a time has no zone, or something in it is no JSON value.
    """
    try:
        return _listed(msgspec.to_builtins(value, builtin_types=(datetime,)))
    except TypeError as error:
        raise CanonicalError(str(error)) from error


def _convert(kind: type[Record], value: Any, where: str) -> Record:
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
    return words.dump_moment(value)


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
    return words.content_id("m", canonical(to_plain(replace(message, id=""))))
