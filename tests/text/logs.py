"""Invented daily logs for the tests of what reads them."""

from datetime import date

from nightledger.domain.consolidation import DayLog
from nightledger.text.statements.daylog import read_daylog

DAY = date(2026, 3, 9)


def read(text: str, path: str = "memory/2026-03-09.md") -> DayLog:
    """Read an invented log of one day."""
    return read_daylog(path, text, DAY)
