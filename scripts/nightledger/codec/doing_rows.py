"""Outcomes as far as they tell what was done when: read in bulk, lines that are none passed over.

``outcome_rows.py`` names what is wrong with an outcome.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from nightledger.codec.row_lines import are_one_a_line
from nightledger.domain.staging.habits import Doing


class DoingRow(msgspec.Struct, frozen=True, gc=False):
    """What an outcome says of what was done; fields as in :class:`~nightledger.domain.outcome.Outcome`."""

    timestamp: datetime
    task_type: str
    context_tags: tuple[str, ...]


def read_doings(chunks: Iterable[bytes]) -> Iterator[Doing]:
    """Give what was done, in the order of lines.

    Args:
        chunks: Whole lines, as ``LineLog.chunks`` gives them.
    """
    decoder = msgspec.json.Decoder(DoingRow)
    for chunk in chunks:
        try:
            rows = decoder.decode_lines(chunk)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            rows = []
        if not are_one_a_line(chunk, len(rows)):
            rows = list(_one_by_one(decoder, chunk))
        for row in rows:
            if row.timestamp.tzinfo is not None:
                yield Doing(at=row.timestamp, task_type=row.task_type, tags=row.context_tags)


def _one_by_one(decoder: "msgspec.json.Decoder[DoingRow]", chunk: bytes) -> Iterator[DoingRow]:
    for line in chunk.split(b"\n"):
        try:
            yield decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
