r"""The run ledger: runs out of the stored lines, bad lines named.

Invariant: a line is a run exactly when ``schemas/run.schema.json`` says so. msgspec only ever accepts, and only lines
that are their own re-encoding; whatever it does not accept, the schema judges and names (``tests/test_drift.py``
compares the two).
"""

from datetime import UTC, datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from nightledger.codec.records import load_record
from nightledger.codec.strict_json import BOM, MAX_LINE_BYTES, read_value
from nightledger.domain.errors import RecordError
from nightledger.domain.runs import Run, RunOutcome

_Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,63}\Z")]
_Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
MAX_PLAIN_COUNTS = 1000
"""Keeps a line that is taken fast far below ``MAX_LINE_BYTES``; our jobs have at most five."""


class RunRow(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """A stored run; fields as in :class:`Run`, in the order of the canonical line."""

    attempt: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    boot: Annotated[str, Meta(max_length=64)]
    boot_s: Annotated[int, Meta(ge=0, le=2**31 - 1)]
    counts: Annotated[dict[_Name, _Count], Meta(max_length=MAX_PLAIN_COUNTS)]
    finished_at: Annotated[datetime, Meta(tz=True)]
    id: Annotated[str, Meta(pattern=r"^r-[a-z2-7]{26}\Z")]
    job: _Name
    outcome: RunOutcome
    period: Annotated[str, Meta(min_length=1, max_length=64)]
    reason: Annotated[str, Meta(max_length=2000)]
    started_at: Annotated[datetime, Meta(tz=True)]
    v: Literal[2]


def read_runs(raw: bytes, *, where: str) -> tuple[tuple[Run, ...], tuple[tuple[int, str], ...]]:
    r"""Read the run ledger; bad lines are named, never raised.

    Args:
        raw: The file's bytes; lines end with ``\n`` only, the last one perhaps with nothing.
        where: The file, for messages.

    Returns:
        The runs in order, and ``(line number, what is wrong)`` of the other lines.
    """
    decode, value = msgspec.json.Decoder(RunRow).decode, msgspec.json.Decoder(Run).decode
    encode = msgspec.json.Encoder(order="sorted").encode
    runs, problems = [], []
    for number, line in enumerate(raw.removeprefix(BOM).split(b"\n"), 1):
        if not line.strip(b" \t\r"):
            continue
        try:
            row = decode(line)
            if encode(row) == line and row.started_at.tzinfo is UTC and row.finished_at.tzinfo is UTC:
                runs.append(value(line))
                continue
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            pass
        try:
            runs.append(load_record(Run, read_value(line, MAX_LINE_BYTES), where=f"{where}:{number}"))
        except (ValueError, RecordError) as error:
            told = error.problems if isinstance(error, RecordError) else (str(error),)
            problems.append((number, "; ".join(told)))
    return tuple(runs), tuple(problems)
