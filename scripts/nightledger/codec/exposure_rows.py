"""Exposures read in bulk, with where and on what occasion; lines that are none are passed over.

``use_rows.py`` reads what retention needs, and counts such lines.
"""

from collections.abc import Iterable, Iterator

import msgspec


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
            yield from decoder.decode_lines(chunk)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            yield from _one_by_one(decoder, chunk)


def _one_by_one(decoder: "msgspec.json.Decoder[ExposureRow]", chunk: bytes) -> Iterator[ExposureRow]:
    for line in chunk.split(b"\n"):
        try:
            yield decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
