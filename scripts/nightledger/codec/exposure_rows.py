"""Exposures read in bulk, with where and on what occasion; lines that are none are passed over.

``use_rows.py`` reads what retention needs, and counts such lines.
"""

from collections.abc import Iterable, Iterator

import msgspec

from nightledger.codec.row_lines import are_one_a_line


class PlaceRow(msgspec.Struct, frozen=True, gc=False):
    """Lines that were shown; fields as in :class:`~nightledger.domain.exposure.Place`."""

    path: str
    lines: tuple[int, int]


class ExposureRow(msgspec.Struct, frozen=True, gc=False):
    """One showing; fields as in :class:`~nightledger.domain.exposure.Exposure`, those that are needed."""

    at: str
    shown: tuple[str, ...] = ()
    event: str = ""
    places: tuple[PlaceRow, ...] = ()


def read_exposures(chunks: Iterable[bytes]) -> Iterator[ExposureRow]:
    """Give the rows of whole lines.

    Args:
        chunks: As ``LineLog.chunks`` gives them.
    """
    decoder = msgspec.json.Decoder(ExposureRow)
    for chunk in chunks:
        try:
            rows = decoder.decode_lines(chunk)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            rows = []
        yield from rows if are_one_a_line(chunk, len(rows)) else _one_by_one(decoder, chunk)


def _one_by_one(decoder: "msgspec.json.Decoder[ExposureRow]", chunk: bytes) -> Iterator[ExposureRow]:
    for line in chunk.split(b"\n"):
        try:
            yield decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
