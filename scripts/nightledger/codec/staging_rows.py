"""Rows of outcomes and exposures as far as staging needs them; ``use_rows.py`` reads them."""

from datetime import datetime

import msgspec


class DoingRow(msgspec.Struct, frozen=True, gc=False):
    """What an outcome says of what was done; fields as in :class:`~nightledger.domain.outcome.Outcome`."""

    timestamp: datetime
    task_type: str
    context_tags: tuple[str, ...]


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
