"""The fields of an outcome: how each is read, on plain JSON values.

Invariant: every reader gives the stored form and gives that form back unchanged; a
``ValueError`` names all that is wrong with the field.
"""

from nightledger.domain import words
from nightledger.domain.words import (
    MAX_TAGS,
    dump_moment,
    read_identifier,
    read_label,
    read_moment,
    read_path,
    read_tag,
    read_text,
    show,
)

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

REQUIRED = ("timestamp", "task_type", "context_tags", "resolution", "outcome", "source_file")
STAMPS = ("id", "received_at", "v")
"""What the logger adds."""
_NAMED_ITEMS = 5
_SHA256_DIGITS = 64


def read_fields(given: "dict[str, Any]") -> "tuple[dict[str, Any], list[str]]":
    """Read what is known of a record; the stored fields, and every problem as ``field: what``.

    Args:
        given: A record; the logger's stamps and unknown fields are passed over.
    """
    record: dict[str, Any] = {}
    problems: list[str] = []
    for key, read in FIELDS.items():
        if key not in given:
            continue
        try:
            record[key] = read(given[key])
        except ValueError as error:
            problems.append(f"{key}: {error}")
    return record, problems


def find_unknown(given: "dict[str, Any]") -> list[str]:
    """Name the fields that an outcome does not have, with the nearest one that it has."""
    unknown = [key for key in given if key not in FIELDS and key not in STAMPS]
    if not unknown:
        return []
    import difflib

    problems = []
    for key in unknown[:MAX_TAGS]:
        close = (
            difflib.get_close_matches(key, FIELDS, n=1) if len(key) <= words.MAX_IDENTIFIER_CHARACTERS else []
        )
        problems.append(
            f"{show(key)}: is not a field of an outcome" + (f"; did you mean {close[0]}?" if close else "")
        )
    return problems


def _one_of(allowed: tuple[str, ...]) -> "Callable[[Any], str]":
    def read(value: "Any") -> str:
        if isinstance(value, str) and value in allowed:
            return value
        raise ValueError(f"{show(value)} is not one of {', '.join(allowed)}")

    return read


def _identifier(value: "Any") -> str:
    return read_identifier(value, words.MAX_IDENTIFIER_CHARACTERS)


def _timestamp(value: "Any") -> str:
    return dump_moment(read_moment(value))


def _source_file(value: "Any") -> str:
    return read_path(value, anchor=True)


def _note(value: "Any") -> str:
    text = read_text(value)
    if len(text) > words.MAX_NOTE_CHARACTERS:
        raise ValueError(f"has {len(text)} characters; at most {words.MAX_NOTE_CHARACTERS}")
    if "\0" in text:
        raise ValueError("holds a NUL character")
    return text


def _duration_s(value: "Any") -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"must be a number of seconds, not {show(value)}")  # noqa: TRY004 - a record's content
    if not 0 <= value <= words.MAX_DURATION_S:
        raise ValueError(f"{show(value)} is not between 0 and {words.MAX_DURATION_S} seconds")
    rounded = round(value, 3) + 0
    return int(rounded) if rounded == int(rounded) else rounded


def _list(value: "Any", read: "Callable[[Any], Any]", limit: int) -> "list[Any]":
    if not isinstance(value, list):
        raise ValueError(f"must be a list, not {show(value)}")  # noqa: TRY004 - a record's content
    if not 1 <= len(value) <= limit:
        raise ValueError(f"has {len(value)} items; 1 to {limit} are allowed")
    items, wrong = [], []
    for n, item in enumerate(value, 1):
        try:
            items.append(read(item))
        except ValueError as error:
            wrong.append(f"item {n} {error}")
    if wrong:
        raise ValueError("; ".join(wrong[:_NAMED_ITEMS]))
    return items


def _tags(value: "Any") -> list[str]:
    return sorted(set(_list(value, read_tag, MAX_TAGS)))


def _shown(value: "Any") -> list[str]:
    return sorted(set(_list(value, _shown_item, words.MAX_SHOWN)))


def _shown_item(value: "Any") -> str:
    return read_label(value, words.MAX_SHOWN_CHARACTERS)


def _evidence(value: "Any") -> "list[dict[str, Any]]":
    return _list(value, _evidence_item, words.MAX_EVIDENCE)


def _evidence_item(value: "Any") -> "dict[str, Any]":
    if not isinstance(value, dict) or set(value) != {"lines", "path", "sha256"}:
        raise ValueError(f"{show(value)} must be an object of path, lines and sha256, nothing else")
    lines = value["lines"]
    if not (isinstance(lines, list) and [type(line) for line in lines] == [int, int]):
        raise ValueError("lines must be [first, last]")
    if not 1 <= lines[0] <= lines[1] <= words.MAX_LINE:
        raise ValueError(f"lines {lines} must count from 1, the last not before the first")
    sha256 = value["sha256"]
    if not (
        isinstance(sha256, str) and len(sha256) == _SHA256_DIGITS and set(sha256) <= set("0123456789abcdef")
    ):
        raise ValueError(f"sha256 {show(sha256)} must be 64 lower-case hex digits")
    return {"lines": lines, "path": read_path(value["path"]), "sha256": sha256}


FIELDS: "dict[str, Callable[[Any], Any]]" = {
    "timestamp": _timestamp,
    "task_type": _identifier,
    "context_tags": _tags,
    "resolution": _identifier,
    "outcome": _one_of(words.RESULTS),
    "source_file": _source_file,
    "session": read_label,
    "host": read_label,
    "origin": _one_of(words.ORIGINS),
    "signal": _one_of(words.SIGNALS),
    "evidence": _evidence,
    "shown": _shown,
    "project": read_label,
    "duration_s": _duration_s,
    "note": _note,
}
