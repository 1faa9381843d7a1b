"""What a model was asked and answered: lines of a file of the home, each sealed with a key that lies beside the home's others.

Invariant: a line that was not written with the key counts for nothing, so who can write in the home cannot put words into a model's mouth.
"""

import hashlib
import hmac
import os
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct

from nightledger.codec.canonical import canonical
from nightledger.codec.rows import read_rows
from nightledger.domain.consolidation import Said
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog, append_records

KEY, KEY_BYTES, MAX_KEY_BYTES = "analyst.key", 32, 4096
"""In the directory of the home's keys: whoever has it can write what a model is said to have answered."""


NOTHING = "null"
"""Stands for what was said of a block and cannot be used: it is asked about no more, until its words are others."""


class Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """A line of ``memory/system/analyst.jsonl``: a question by its hash, and what was answered."""

    v: int
    at: str
    model: str
    question_sha256: str
    answer: str
    tokens: int
    mac: str

    def sealed(self, key: bytes) -> str:
        """Give hex HMAC-SHA256 (RFC 2104) over the canonical JSON of all other members."""
        told = {name: value for name, value in msgspec.to_builtins(self).items() if name != "mac"}
        return hmac.new(key, canonical(told), hashlib.sha256).hexdigest()


def question_name(question: dict[str, Any]) -> str:
    """Return hex SHA-256 of the canonical JSON of what was asked: ``model`` and ``question``, or a ``block``."""
    return hashlib.sha256(canonical(question)).hexdigest()


def block_name(block: str) -> str:
    """Return the name of what was asked of one block of memory, whichever model was."""
    return question_name({"block": block.strip().encode("utf-8", "replace").decode()})


def read_key(folder: str) -> bytes:
    """Return the key of a home's transcript; empty where there is none."""
    kept = read_optional(os.path.join(folder, KEY), MAX_KEY_BYTES)
    return kept if kept and len(kept) == KEY_BYTES else b""


def read_asked(home: Home, key: bytes, *, most_bytes: int = 0) -> list[Asked]:
    """Return the lines that were written with the key; of those in the last so many bytes, where they are named."""
    with LineLog(home.analyst_log) as log:
        begin = max(0, log.end - most_bytes) if most_bytes else 0
        rows = [row for rows, _ in read_rows(Asked, log.chunks(begin)) for row in rows]
    return [row for row in rows if hmac.compare_digest(row.mac.encode(), row.sealed(key).encode())]


def read_answers(home: Home, key: bytes) -> dict[str, str]:
    """Return answers by the name of their question; of several the first: a copy of a later line changes no night."""
    answers: dict[str, str] = {}
    for row in read_asked(home, key):
        answers.setdefault(row.question_sha256, row.answer)
    return answers


def keep_answers(home: Home, key: bytes, *rows: Asked) -> None:
    """Append lines, sealed; they are on disk when this returns."""
    told = ({**msgspec.to_builtins(row), "mac": row.sealed(key)} for row in rows)
    append_records(home.analyst_log, b"".join(canonical(one) + b"\n" for one in told))


def read_said(home: Home, key: bytes) -> dict[str, Said]:
    """Return what a model said of blocks of memory, by their name, as far as it can be used."""
    found: dict[str, Said] = {}
    for name, answer in read_answers(home, key).items():
        with suppress(msgspec.MsgspecError):  # an answer to another question, or nothing that can be used
            found[name] = msgspec.json.decode(answer, type=Said)
    return found
