"""One outcome from what an agent wrote to the line that is stored, checked by hand.

Invariant: the same verdicts as ``schemas/outcome.schema.json`` and as the bulk reader
(``tests/test_drift.py``), on plain dicts and without a third-party import: the logger
starts cold for every record. Every reader of a field gives the stored form and gives that form back unchanged. A stored
line is its own canonical form (RFC 8785).
"""

import re
from datetime import datetime, timedelta

from nightledger.codec.canonical import canonical
from nightledger.domain import words
from nightledger.domain.errors import RecordError

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

REQUIRED = ("timestamp", "task_type", "context_tags", "resolution", "outcome", "source_file")
STAMPS = ("id", "received_at", "v")
"""What the logger adds."""
_NAMED_ITEMS = 5


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
    """Name the fields that an outcome does not have."""
    unknown = [key for key in given if key not in FIELDS and key not in STAMPS]
    return [f"{words.show(key)}: is not a field of an outcome" for key in unknown[: words.MAX_TAGS]]


def _one_of(allowed: tuple[str, ...]) -> "Callable[[Any], str]":
    def read(value: "Any") -> str:
        if isinstance(value, str) and value in allowed:
            return value
        raise ValueError(f"{words.show(value)} is not one of {', '.join(allowed)}")

    return read


def _identifier(value: "Any") -> str:
    return words.read_identifier(value, words.MAX_IDENTIFIER_CHARACTERS)


def _note(value: "Any") -> str:
    text = words.read_text(value)
    if len(text) > words.MAX_NOTE_CHARACTERS:
        raise ValueError(f"has {len(text)} characters; at most {words.MAX_NOTE_CHARACTERS}")
    if "\0" in text:
        raise ValueError("holds a NUL character")
    return text


def _duration_s(value: "Any") -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"must be a number of seconds, not {words.show(value)}")  # noqa: TRY004 - a record's content
    if not 0 <= value <= words.MAX_DURATION_S:
        raise ValueError(f"{words.show(value)} is not between 0 and {words.MAX_DURATION_S} seconds")
    rounded = round(value, 3) + 0
    return int(rounded) if rounded == int(rounded) else rounded


def _list(value: "Any", read: "Callable[[Any], Any]", limit: int) -> "list[Any]":
    if not isinstance(value, list):
        raise ValueError(f"must be a list, not {words.show(value)}")  # noqa: TRY004 - a record's content
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


def _shown_item(value: "Any") -> str:
    return words.read_label(value, words.MAX_SHOWN_CHARACTERS)


def _evidence_item(value: "Any") -> "dict[str, Any]":
    if not isinstance(value, dict) or set(value) != {"lines", "path", "sha256"}:
        raise ValueError(f"{words.show(value)} must be an object of path, lines and sha256, nothing else")
    lines = value["lines"]
    if not (isinstance(lines, list) and [type(line) for line in lines] == [int, int]):
        raise ValueError("lines must be [first, last]")
    if not 1 <= lines[0] <= lines[1] <= words.MAX_LINE:
        raise ValueError(f"lines {lines} must count from 1, the last not before the first")
    sha256 = value["sha256"]
    if not (isinstance(sha256, str) and re.fullmatch("[0-9a-f]{64}", sha256)):
        raise ValueError(f"sha256 {words.show(sha256)} must be 64 lower-case hex digits")
    return {"lines": lines, "path": words.read_path(value["path"]), "sha256": sha256}


FIELDS: "dict[str, Callable[[Any], Any]]" = {
    "timestamp": lambda value: words.dump_moment(words.read_moment(value)),
    "task_type": _identifier,
    "context_tags": lambda value: sorted(set(_list(value, words.read_tag, words.MAX_TAGS))),
    "resolution": _identifier,
    "outcome": _one_of(words.RESULTS),
    "source_file": lambda value: words.read_path(value, anchor=True),
    "session": words.read_label,
    "host": words.read_label,
    "origin": _one_of(words.ORIGINS),
    "signal": _one_of(words.SIGNALS),
    "evidence": lambda value: _list(value, _evidence_item, words.MAX_EVIDENCE),
    "shown": lambda value: sorted(set(_list(value, _shown_item, words.MAX_SHOWN))),
    "project": words.read_label,
    "duration_s": _duration_s,
    "note": _note,
}


MAX_NAMED_PROBLEMS = 200
"""A batch of 100,000 bad lines is one mistake made 100,000 times."""


def refusal(problems: "list[str]") -> RecordError:
    """Give the error that names what is wrong with a batch, of which nothing was written."""
    named = problems[:MAX_NAMED_PROBLEMS]
    if len(problems) > len(named):
        named.append(f"and {len(problems) - len(named)} more")
    return RecordError(
        "the outcome", tuple(named), hint="nothing was written; mend what is named and log it again"
    )


def read_outcome(value: "Any", *, now: datetime) -> "tuple[dict[str, Any], list[str]]":
    """Give the stored record of what was logged, and every problem; the record counts only without problems.

    Args:
        value: A JSON value; ``id``, ``received_at`` and ``v`` may be left out, null means left out.
        now: When it was received; aware.
    """
    if not isinstance(value, dict):
        return {}, [f"must be a JSON object, not {words.show(value)}"]
    given = {key: item for key, item in value.items() if item is not None}
    record, problems = read_fields(given)
    problems = find_unknown(given) + [f"{key}: is missing" for key in REQUIRED if key not in given] + problems
    problems += _ahead(record, now) + _wrong_version(given)
    if problems:
        return record, problems
    record["v"] = 1
    record["id"] = outcome_id(record)
    record["received_at"] = words.dump_moment(now)
    if given.get("id", record["id"]) != record["id"]:
        problems.append(
            f"id: {words.show(given['id'])} is not the id of this content, {record['id']}; leave it out"
        )
    return record, problems


def find_outcome_problems(record: "Any") -> list[str]:
    """Name what is wrong with a stored record, as the schema and the bulk reader see it; [] when it is valid.

    Whether its id is that of its content is not told.
    """
    if not isinstance(record, dict):
        return ["must be a JSON object"]
    stored = {key: item for key, item in record.items() if key not in STAMPS}
    read, problems = read_fields(stored)
    problems += find_unknown(record)
    problems += [f"{key}: is missing" for key in (*REQUIRED, *STAMPS) if key not in record]
    problems += [f"{key}: is not in its stored form" for key in read if read[key] != stored[key]]
    problems += _wrong_version(record)
    if not problems:
        problems += _wrong_stamps(record)
    return problems


def outcome_id(record: "dict[str, Any]") -> str:
    """Derive the id: SHA-256 over the canonical record without ``id`` and ``received_at``.

    Args:
        record: A stored record, or one that lacks the two.
    """
    identity = {key: item for key, item in record.items() if key not in ("id", "received_at")}
    return words.content_id("o", canonical(identity, floats=True))


def _ahead(record: "dict[str, Any]", now: datetime) -> list[str]:
    if "timestamp" not in record:
        return []
    ahead = words.read_moment(record["timestamp"]) - now
    if ahead <= timedelta(seconds=words.MAX_AHEAD_S):
        return []
    return [
        f"timestamp: {record['timestamp']} is in the future; it is {words.dump_moment(now)}. A wrong zone or clock?"
    ]


def _wrong_version(record: "dict[str, Any]") -> list[str]:
    version = record.get("v", 1)
    if type(version) is int and version == 1:
        return []
    return [f"v: {words.show(version)} is not 1; a newer record needs a newer Nightledger"]


def _wrong_stamps(record: "dict[str, Any]") -> list[str]:
    problems = []
    try:
        if words.dump_moment(words.read_moment(record["received_at"])) != record["received_at"]:
            problems.append("received_at: is not in its stored form")
    except ValueError as error:
        problems.append(f"received_at: {error}")
    if not is_outcome_id(record["id"]):
        problems.append(f"id: {words.show(record['id'])} is not an id: o- and 26 characters")
    return problems


def is_outcome_id(value: "Any") -> bool:
    """Tell whether a value has the form of an outcome's id."""
    return isinstance(value, str) and re.fullmatch(f"o-[a-z2-7]{{{words.ID_CHARACTERS}}}", value) is not None
