"""Records to and from canonical JSON: one mechanism for every kind that is a dataclass.

Invariant: what is dumped parses back to an equal value; what is parsed from outside
satisfied its JSON Schema, every problem named at once, before it became a value.
"""

import json
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from nightledger.codec.canonical import canonical
from nightledger.codec.configuration import SCHEMAS
from nightledger.codec.strict_json import parse_json
from nightledger.domain.decision import Decision
from nightledger.domain.errors import RecordError
from nightledger.domain.proposal import Proposal

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

T = TypeVar("T")

SCHEMA_NAMES: dict[type, str] = {Proposal: "proposal", Decision: "decision"}
"""Which schema a kind of record has."""


def to_plain(value: Any) -> Any:
    """Give a dataclass, or what is in it, as JSON types; times as RFC 3339 in UTC with ``Z``."""
    import msgspec

    return msgspec.to_builtins(value)


def dump_record(record: Any) -> bytes:
    """Give a record's canonical bytes (RFC 8785), without a line end.

    Raises:
        CanonicalError: When it holds something that has no JSON form.
    """
    return canonical(to_plain(record), floats=True)


def parse_record(kind: type[T], raw: bytes, *, where: str) -> T:
    """Read one record from outside.

    Args:
        kind: Its dataclass.
        raw: JSON.
        where: File or input, for messages.

    Raises:
        RecordError: Naming every problem.
    """
    value = parse_json(raw, where)
    problems = find_problems(SCHEMA_NAMES[kind], value)
    if problems:
        raise RecordError(where, problems)
    return _convert(kind, value, where)


def decode_record(kind: type[T], raw: bytes, *, where: str) -> T:
    """Read one record that we wrote and whose hash was checked; types only, no schema.

    Raises:
        RecordError: When it is not a record of this kind after all.
    """
    return _convert(kind, parse_json(raw, where), where)


def find_problems(schema_name: str, value: Any) -> tuple[str, ...]:
    """Name everything about a JSON value that its schema does not allow; () when it is valid."""
    errors = _validator(schema_name).iter_errors(value)
    return tuple(
        sorted(
            {f"{'.'.join(map(str, error.absolute_path)) or 'it'}: {error.message[:200]}" for error in errors}
        )
    )


@cache
def _validator(schema_name: str) -> "Draft202012Validator":
    from jsonschema import Draft202012Validator, FormatChecker

    schema = json.loads((SCHEMAS / f"{schema_name}.schema.json").read_bytes())
    return Draft202012Validator(schema, format_checker=FormatChecker())


def _convert(kind: type[T], value: Any, where: str) -> T:
    import msgspec

    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, ValueError) as error:
        raise RecordError(where, (str(error),)) from error
