"""Take in outcomes: check all, append all, or write nothing.

Reads   the lines that evidence names, to hash them
Writes  memory/system/outcome-records.jsonl (appended)
Changes no memory.
"""

import hashlib
from datetime import datetime

from nightledger.codec.canonical import canonical
from nightledger.codec.outcome_line import read_outcome, refusal
from nightledger.domain.errors import UnreadableError
from nightledger.files.durable import read_regular
from nightledger.files.home import Home
from nightledger.files.line_log import append_records

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MAX_EVIDENCE_BYTES = 16 << 20


def log_outcomes(
    home: Home, records: "Sequence[tuple[str, Any]]", *, now: datetime
) -> "tuple[list[dict[str, Any]], int]":
    """Append outcomes durably: when this returns, all of them survive power loss.

    Returns:
        The records as stored, in the order given, ``id`` among their fields; and the length of an unfinished line of an
        earlier run that was closed, 0 where there was none.

    Args:
        home: Where to.
        records: ``(place, JSON value)``; the place, such as ``line 3``, is for messages. Evidence
            without ``sha256`` is hashed from the file as it is now.
        now: When they were received; aware.

    Raises:
        ConfigurationError: When the home is none.
        RecordError: Naming every problem of every record; nothing was written.
        NotDurableError: When the disk reports a failure; they are not acknowledged.
    """
    home.require()
    stored, problems = [], []
    for place, value in records:
        hashed, wrong = _with_hashes(home, value)
        record, more = read_outcome(hashed, now=now)
        problems += [f"{place}: {problem}" if place else problem for problem in wrong or more]
        stored.append(record)
    if problems:
        raise refusal(problems)
    if not stored:
        return [], 0
    lines = b"".join(canonical(record, floats=True) + b"\n" for record in stored)
    _, _, torn_bytes = append_records(home.outcomes, lines)
    return stored, torn_bytes


def _with_hashes(home: Home, value: "Any") -> "tuple[Any, list[str]]":
    """Add the hash of each evidence that lacks it; what is not evidence is left to the checks."""
    if not isinstance(value, dict) or not isinstance(value.get("evidence"), list):
        return value, []
    evidence, problems = [], []
    for item in value["evidence"]:
        if isinstance(item, dict) and set(item) == {"path", "lines"}:
            try:
                evidence.append({**item, "sha256": _hash_lines(home, item["path"], item["lines"])})
            except (UnreadableError, ValueError) as error:
                problems.append(f"evidence: {error}")
        else:
            evidence.append(item)
    return {**value, "evidence": evidence}, problems


def _hash_lines(home: Home, path: "Any", lines: "Any") -> str:
    if not (
        isinstance(path, str) and isinstance(lines, list) and [type(line) for line in lines] == [int, int]
    ):
        raise ValueError("path must be text and lines [first, last]")
    content = read_regular(home.path(path), MAX_EVIDENCE_BYTES, within=home.root)
    found = content.removesuffix(b"\n").split(b"\n")
    first, last = lines
    if not 1 <= first <= last <= len(found):
        raise ValueError(f"{path} has {len(found)} lines, not {first} to {last}")
    return hashlib.sha256(b"\n".join(found[first - 1 : last])).hexdigest()
