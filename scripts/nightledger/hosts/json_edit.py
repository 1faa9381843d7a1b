"""Put an element into a JSON document that a person keeps, and take it out again, the rest byte for byte.

A document is edited as text: only places are looked for, nothing is parsed and printed anew, so
that order, spacing, escapes and repeated keys stay as they are.

Invariant: what is written parses, and differs from what was there by the element (and the lists it
had to be put in) alone; else the edit is refused.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_ATOM = re.compile(r"[^\s,\]}]+")
DEFAULT_INDENT = "  "


@dataclass(frozen=True, slots=True)
class Part:
    """A member of an object or an element of a list, as places in the text.

    Attributes:
        key: The member's key; empty in a list.
        start: Where it begins, a member with its key.
        value: Where its value begins.
        end: Behind its value.
    """

    key: str
    start: int
    value: int
    end: int


def add_element(text: str, keys: Sequence[str], element: Any) -> str:
    """Give the document with an element at the end of the list that a path of keys names.

    Args:
        text: A JSON object; an empty text counts as ``{}``.
        keys: From the outermost object to the list; what is missing is made.
        element: Anything that JSON can hold.

    Raises:
        ValueError: It is no JSON object, something else has one of the keys, or one stands in it twice.
    """
    if not text.strip("\ufeff \t\r\n"):
        return json.dumps(_nested(keys, [element]), indent=2, ensure_ascii=False) + "\n"
    _require_object(text)
    at, found = _skip(text, text.startswith("\ufeff")), 0
    while found < len(keys):
        part = _named(text, at, keys[found])
        if part is None:
            break
        wanted = "[" if found == len(keys) - 1 else "{"
        if text[part.value] != wanted:
            raise ValueError(f"{'.'.join(keys[: found + 1])} is no {'list' if wanted == '[' else 'object'}")
        at, found = part.value, found + 1
    rest = keys[found:]
    if rest:
        return _put(text, at, json.dumps(rest[0]) + ": ", _nested(rest[1:], [element]))
    return _put(text, at, "", element)


def drop_elements(text: str, keys: Sequence[str | int], elements: Sequence[Any]) -> str:
    """Give the document without the elements of a list that equal one of some; lists left empty by it go, too.

    Args:
        text: A JSON object.
        keys: From the outermost object to the list; a number is a place in a list on the way, from 0.
        elements: What to take out.

    Raises:
        ValueError: It is no JSON object, or one of the keys stands in it twice.
    """
    _require_object(text)
    while True:
        path = _path_to(text, keys)
        if len(path) != len(keys) or text[path[-1].value] != "[":
            return text
        parts = list(_parts(text, path[-1].value))
        found = next((part for part in parts if json.loads(text[part.value : part.end]) in elements), None)
        if found is None:
            return text
        text = _without(text, path[-1].value, found)
        text = _without_empty(text, keys)


def list_at(text: str, keys: Sequence[str]) -> list[Any]:
    """Give the elements of the list that a path of keys names; none where there is no such list.

    Raises:
        ValueError: It is no JSON object, or one of the keys stands in it twice.
    """
    if not text.strip("\ufeff \t\r\n"):
        return []
    _require_object(text)
    path = _path_to(text, keys)
    if len(path) != len(keys) or text[path[-1].value] != "[":
        return []
    return [json.loads(text[part.value : part.end]) for part in _parts(text, path[-1].value)]


def _nested(keys: Sequence[str], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _require_object(text: str) -> None:
    try:
        document = json.loads(text.removeprefix("\ufeff"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(document, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 - it is what stands in a file


def _path_to(text: str, keys: Sequence[str | int]) -> list[Part]:
    at = _skip(text, text.startswith("\ufeff"))
    path: list[Part] = []
    for key in keys:
        part = _child(text, at, key)
        if part is None:
            break
        path.append(part)
        at = part.value
    return path


def _child(text: str, at: int, key: str | int) -> Part | None:
    if isinstance(key, int):
        return (
            next((part for n, part in enumerate(_parts(text, at)) if n == key), None)
            if text[at] == "["
            else None
        )
    return _named(text, at, key) if text[at] == "{" else None


def _named(text: str, at: int, key: str) -> Part | None:
    """Give a member of an object; one whose last element goes would uncover another of its name."""
    named = [part for part in _parts(text, at) if part.key == key]
    if len(named) > 1:
        raise ValueError(f"the key {key!r} stands in it {len(named)} times; leave one")
    return named[0] if named else None


def _parts(text: str, at: int) -> Iterator[Part]:
    """Give the parts of the object or list that begins at a place of a valid document."""
    in_object = text[at] == "{"
    at = _skip(text, at + 1)
    while text[at] not in "}]":
        start, key = at, ""
        if in_object:
            end = _end(text, at)
            key = json.loads(text[at:end])
            at = _skip(text, _skip(text, end) + 1)
        end = _end(text, at)
        yield Part(key=key, start=start, value=at, end=end)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _end(text: str, at: int) -> int:
    """Give the place behind the value that begins at a place."""
    if text[at] == '"':
        return _behind(_STRING, text, at)
    if text[at] not in "{[":
        return _behind(_ATOM, text, at)
    depth = 0
    while True:
        if text[at] == '"':
            at = _end(text, at)
            continue
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(text[at], 0)
        at += 1
        if not depth:
            return at


def _skip(text: str, at: int) -> int:
    return _behind(_SPACE, text, at)


def _behind(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Give the place behind what stands at a place of a valid document."""
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _put(text: str, at: int, key: str, value: Any) -> str:
    """Put a part at the end of the object or list that begins at a place, indented like its neighbours."""
    parts = list(_parts(text, at))
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _indent_of(text, at)
    unit = _unit(text)
    inner = (
        _indent_of(text, parts[-1].start) if parts and "\n" in text[at : parts[-1].start] else outer + unit
    )
    dumped = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + inner)
    if not parts:
        closing = _skip(text, at + 1)
        return f"{text[: at + 1]}{newline}{inner}{key}{dumped}{newline}{outer}{text[closing:]}"
    end = parts[-1].end
    if "\n" not in text[at:end]:
        return f"{text[:end]}, {key}{json.dumps(value, ensure_ascii=False)}{text[end:]}"
    return f"{text[:end]},{newline}{inner}{key}{dumped}{text[end:]}"


def _without(text: str, at: int, gone: Part) -> str:
    """Take a part out of the object or list that begins at a place, with one comma and its own line."""
    parts = list(_parts(text, at))
    place = parts.index(gone)
    if place:
        return text[: parts[place - 1].end] + text[gone.end :]
    if len(parts) > 1:
        return text[: gone.start] + text[parts[1].start :]
    return text[: at + 1] + text[_skip(text, gone.end) :]


def _without_empty(text: str, keys: Sequence[str | int]) -> str:
    """Take away the lists and objects on a path that hold nothing any more, from the innermost."""
    for depth in range(len(keys), 0, -1):
        path = _path_to(text, keys[:depth])
        if len(path) != depth or any(True for _ in _parts(text, path[-1].value)):
            return text
        above = path[-2].value if depth > 1 else _skip(text, text.startswith("\ufeff"))
        text = _without(text, above, path[-1])
    return text


def _indent_of(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Give what the document indents by: the blanks before its first indented line."""
    match = re.search(r"\n([ \t]+)\S", text)
    return match[1] if match else DEFAULT_INDENT
