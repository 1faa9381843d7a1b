"""Whether a value is what a schema of ``schemas/`` says, asked without the schema library: what is right need not wait for its start.

Invariant: what fits here is valid by JSON Schema 2020-12. Where a keyword is not known, or cannot be decided, nothing
fits: the library is asked then, and it alone names problems (``records``).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from nightledger.domain import words

_LONGEST = 512
"""Lengths are the schema's own business; a format only says which characters."""
_TYPES = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "object": (dict,),
    "array": (list,), "null": (type(None),),
}  # fmt: skip


class _UndecidedError(Exception):
    """Only the schema library knows."""


def surely_fits(shape: Mapping[str, Any], value: Any) -> bool:
    """Return whether a value is what a schema says; False, too, where that was not decided.

    Args:
        shape: A schema, with the ``$defs`` that it refers to.
        value: A JSON value.
    """
    try:
        return _fits(shape.get("$defs", {}), shape, value)
    except (_UndecidedError, KeyError, RecursionError):
        return False


def exact(pattern: str) -> str:
    """Return a pattern as ECMA 262 means it: ``$`` is the end, in Python also the place before a last line end."""
    return f"{pattern[:-1]}\\Z" if pattern.endswith("$") else pattern


def is_stored_form(form: str, value: object) -> bool:
    """Return whether a text is in the stored form of a format; whatever is no text is, and so is an empty one.

    Raises:
        ValueError: It is no such thing at all, with why.
    """
    return not isinstance(value, str) or value == "" or FORMATS[form](value) == value


def _read_note(text: str) -> str:
    if "\0" in text:
        raise ValueError("holds a NUL character")
    return words.read_text(text)


FORMATS: dict[str, Callable[[str], object]] = {
    "date-time": lambda text: words.dump_moment(words.read_moment(text)),
    "tag": words.read_tag,
    "identifier": lambda text: words.read_identifier(text, _LONGEST),
    "label": lambda text: words.read_label(text, _LONGEST),
    "home-path": words.read_path,
    "home-place": lambda text: words.read_path(text, anchor=True),
    "note": _read_note,
}
"""What gives a text its stored form, by format."""


def _has_form(form: str, value: Any) -> bool:
    if form not in FORMATS:
        raise _UndecidedError
    try:
        return is_stored_form(form, value)
    except ValueError:
        return False


def _is_type(kinds: str | list[str], value: Any) -> bool:
    return any(type(value) in _TYPES[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _is_same(wanted: Any, value: Any) -> bool:
    if isinstance(wanted, dict | list | float) or isinstance(value, float):  # 1 and 1.0 are one value
        raise _UndecidedError
    return type(wanted) is type(value) and bool(wanted == value)


_Keyword = Callable[[Any, Any], bool]
_PLAIN: dict[str, tuple[Any, _Keyword]] = {
    "type": (object, _is_type),
    "enum": (object, lambda allowed, value: any(_is_same(one, value) for one in allowed)),
    "const": (object, _is_same),
    "format": (object, _has_form),
    "pattern": (str, lambda pattern, text: re.search(exact(pattern), text) is not None),
    "minLength": (str, lambda least, text: len(text) >= least),
    "maxLength": (str, lambda most, text: len(text) <= most),
    "minimum": (int | float, lambda least, number: isinstance(number, bool) or not number < least),
    "maximum": (int | float, lambda most, number: isinstance(number, bool) or not number > most),
    "minItems": (list, lambda least, items: len(items) >= least),
    "maxItems": (list, lambda most, items: len(items) <= most),
    "minProperties": (dict, lambda least, members: len(members) >= least),
    "maxProperties": (dict, lambda most, members: len(members) <= most),
    "required": (dict, lambda names, members: members.keys() >= set(names)),
    "dependentRequired": (
        dict,
        lambda rows, members: all(members.keys() >= set(rows[one]) for one in rows.keys() & members.keys()),
    ),
}
"""By keyword of what type it asks anything, and whether that is so (JSON Schema 2020-12, Validation, section 6)."""


_WITHIN = {
    "$ref",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "then",
    "items",
    "propertyNames",
    "properties",
    "additionalProperties",
}
_NOTES = {"$comment", "$defs", "$id", "$schema", "default", "description", "examples", "title"}


def _fits(parts: Mapping[str, Any], shape: Any, value: Any) -> bool:
    if isinstance(shape, bool):
        return shape
    if not shape.keys() <= _PLAIN.keys() | _WITHIN | _NOTES:
        raise _UndecidedError
    plain = ((*_PLAIN[key], wanted) for key, wanted in shape.items() if key in _PLAIN)
    if not all(holds(wanted, value) for of, holds, wanted in plain if isinstance(value, of)):
        return False
    return all(_choices(parts, shape, value)) and all(_members(parts, shape, value))


def _choices(parts: Mapping[str, Any], shape: Mapping[str, Any], value: Any) -> Iterator[bool]:
    fits = partial(_fits, parts)
    if "$ref" in shape:
        yield fits(parts[shape["$ref"].removeprefix("#/$defs/")], value)
    yield from (fits(one, value) for one in shape.get("allOf", ()))
    if "anyOf" in shape:
        yield any(fits(one, value) for one in shape["anyOf"])
    if "oneOf" in shape:
        yield sum(fits(one, value) for one in shape["oneOf"]) == 1
    if "if" in shape:
        yield not fits(shape["if"], value) or fits(shape.get("then", True), value)


def _members(parts: Mapping[str, Any], shape: Mapping[str, Any], value: Any) -> Iterator[bool]:
    if isinstance(value, list):
        yield from (_fits(parts, shape.get("items", True), item) for item in value)
    elif isinstance(value, dict):
        others, known = shape.get("additionalProperties", True), shape.get("properties", {})
        yield from (_fits(parts, shape.get("propertyNames", True), name) for name in value)
        yield from (_fits(parts, known.get(name, others), one) for name, one in value.items())
