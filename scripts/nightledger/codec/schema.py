"""Check JSON values by the schemas of ``schemas/``: every problem at once.

Invariant: the schema is the contract. Formats are checked, not only annotated, by the same
rules of names that write the records; an integer is a whole number written as one.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from nightledger.domain.errors import ConfigurationError
from nightledger.domain.words import (
    dump_moment,
    read_identifier,
    read_label,
    read_moment,
    read_path,
    read_tag,
    read_text,
    show,
)

if TYPE_CHECKING:  # their start takes eight times that of the interpreter; only what others wrote is checked
    from jsonschema import FormatChecker, ValidationError
    from jsonschema.protocols import Validator

SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "schemas")
MAX_NAMED_PROBLEMS = 50
_LONGEST = 512
"""Lengths are the schema's own business; a format only says which characters."""


def read_schema(name: str) -> dict[str, Any]:
    """Give a schema of the checkout.

    Args:
        name: Of the record kind: ``outcome`` for ``schemas/outcome.schema.json``.

    Raises:
        ConfigurationError: When the checkout lacks it.
    """
    path = os.path.normpath(os.path.join(SCHEMAS, f"{name}.schema.json"))
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
    return sorted(_validator(name).iter_errors(value), key=lambda error: error.json_path)


@cache
def _validator(name: str) -> "Validator":
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    integers = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    strict: Any = extend(  # type: ignore[no-untyped-call]  # typeshed leaves it untyped
        Draft202012Validator, validators={"ascending": _ascending, "pattern": _pattern}, type_checker=integers
    )
    name, _, part = name.partition("#")
    schema = read_schema(name)
    validator: Validator = strict(schema["$defs"][part] if part else schema, format_checker=_formats())
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
        yield ValidationError(f"{show(value)} does not match {wanted}")


def exact(pattern: str) -> str:
    """Return a pattern as ECMA 262 means it: ``$`` is the end, in Python also the place before a last line end."""
    return f"{pattern[:-1]}\\Z" if pattern.endswith("$") else pattern


def is_stored_form(form: str, value: object) -> bool:
    """Return whether a text is in the stored form of a format; whatever is no text is, and so is an empty one.

    Raises:
        ValueError: It is no such thing at all, with why.
    """
    return not isinstance(value, str) or value == "" or _READERS[form](value) == value


def _formats() -> "FormatChecker":
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    for name in _READERS:
        checker.checks(name, raises=ValueError)(partial(is_stored_form, name))
    checker.checks("milliseconds")(_is_milliseconds)
    return checker


def _is_milliseconds(value: object) -> bool:
    return not isinstance(value, float) or round(value, 3) == value


def _read_note(text: str) -> str:
    if "\0" in text:
        raise ValueError("holds a NUL character")
    return read_text(text)


_READERS: dict[str, Callable[[str], object]] = {
    "date-time": lambda text: dump_moment(read_moment(text)),
    "tag": read_tag,
    "identifier": lambda text: read_identifier(text, _LONGEST),
    "label": lambda text: read_label(text, _LONGEST),
    "home-path": read_path,
    "home-place": lambda text: read_path(text, anchor=True),
    "note": _read_note,
}


def _say(error: "ValidationError") -> str:
    """Put a problem into words that never repeat more than 40 characters of the value."""
    wanted: Any = error.validator_value
    value = error.instance
    if error.validator == "type":
        names = wanted if isinstance(wanted, str) else " or ".join(wanted)
        return f"{show(value)} is not of type {names}"
    if error.validator in ("enum", "const"):
        words = wanted if error.validator == "enum" else [wanted]
        return f"{show(value)} is not one of {', '.join(map(str, words))}"
    if error.validator == "format":
        return str(error.cause) if error.cause else f"{show(value)} is not in its stored form"
    if error.validator in ("required", "additionalProperties", "ascending"):
        return error.message[:200]
    return f"{show(value)} breaks the rule {error.validator} {json.dumps(wanted)[:100]}"
