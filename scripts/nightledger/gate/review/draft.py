"""Answers that were given and not signed yet: kept through an interrupt, taken up by the next review.

They stand in ``$NIGHTLEDGER_KEYS/<home id>/review-draft.json``, outside the home, where an agent that writes its
workspace cannot answer for its operator. Invariant: an answer is taken up only where the very same is shown again.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import NightledgerError
from nightledger.files.atomic import replace_file
from nightledger.files.reading import read_optional
from nightledger.gate.opening import Gate
from nightledger.gate.review.reviewing import Answer, Item, Verb

FILE = "review-draft.json"
_MAX_BYTES = 1 << 22


def shown_sha256(item: Item) -> str:
    """Return the hex SHA-256 of what a review shows of a change: proposal, diff of now, and its section."""
    shown = [item.shown.section_sha256, item.shown.above_sha256] if item.shown else []
    facts = [item.stored.sha256, item.change.n, item.diff, item.unplaced, item.unread, shown]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def read_draft(gate: Gate, items: Sequence[Item]) -> tuple[dict[int, Answer], int]:
    """Return kept answers by the place of their item, and how many are about what has changed since.

    A draft that cannot be read holds none: whatever was answered is asked again.
    """
    given, changed = {}, 0
    kept = {(row["proposal"], row["n"]): row for row in _rows(_path(gate))}
    for at, item in enumerate(items):
        name, n = item.stored.proposal.id, item.change.n
        row = kept.get((name, n))
        if row and row["shown"] == shown_sha256(item):
            given[at] = Answer(proposal=name, n=n, verb=Verb(row["verb"]), reason=row["reason"])
        elif row:
            changed += 1
    return given, changed


def keep_draft(gate: Gate, items: Sequence[Item], given: Mapping[int, Answer]) -> None:
    """Keep answers, durably, beside those about what is not shown; none at all leaves no file.

    Args:
        gate: The home.
        items: What is shown.
        given: Answers by the place of their item.

    Raises:
        OSError: It cannot be written.
    """
    path, shown = _path(gate), {(item.stored.proposal.id, item.change.n) for item in items}
    rows = [row for row in _rows(path) if (row["proposal"], row["n"]) not in shown]
    rows += [
        {
            "proposal": answer.proposal,
            "n": answer.n,
            "verb": answer.verb.value,
            "reason": answer.reason,
            "shown": shown_sha256(items[at]),
        }
        for at, answer in given.items()
    ]
    if rows:
        text = json.dumps({"v": 1, "answers": rows}, indent=1, sort_keys=True)
        replace_file(str(path), f"{text}\n".encode(), disposable=True)
        return
    with suppress(FileNotFoundError):
        os.unlink(path)


def _path(gate: Gate) -> Path:
    return gate.ring.path(gate.home.identity.id, FILE)


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        rows = parse_json(read_optional(str(path), _MAX_BYTES) or b"{}", str(path)).get("answers", [])
        for row in rows:
            Verb(row["verb"])
            _ = (row["proposal"] + row["reason"] + row["shown"], row["n"] + 0)
    except (NightledgerError, KeyError, TypeError, ValueError, AttributeError):
        return []
    return list(rows)
