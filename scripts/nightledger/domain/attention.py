"""What needs the operator, in counts and ages: nothing that an agent wrote.

Invariant: what is said here is made of enumerated words, numbers and hours, so that it
may go to a phone, a chat or a mail.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from nightledger.domain.words import count_of

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


class Need(StrEnum):
    """Why the operator is needed."""

    WAITING = "waiting"
    """A proposal waits for an answer."""
    ALTERED = "altered"
    """The log, or a file that it names, is not what was signed, logged or read; or that cannot be told."""
    REWRITTEN = "rewritten"
    """A file that is only appended to was rewritten, and a later night read it so."""
    DRIFT = "drift"
    """A gated file changed outside Nightledger."""
    TRUST = "trust"
    """A trust file is not the one in force, or the keys were reset by nobody's signature."""
    WITNESS = "witness"
    """Witnesses have not cosigned this log lately, or cosigned another one."""
    CONSENT = "consent"
    """The home's own consent graph cannot be used; nothing is applied."""
    SETTINGS = "settings"
    """The home's own settings, or ``operator.yaml`` beside the keys, cannot be used."""
    LETTER = "letter"
    """A message to another machine was never taken in."""
    SOURCE = "source"
    """Transcripts that the operator said yes to give nothing any more."""
    FAILED = "failed"
    """A job failed and stays due."""
    MISSED = "missed"
    """A period was due for a day or longer."""


_TOLD = {
    Need.WAITING: ("proposal waits", "proposals wait", "nightledger review"),
    Need.ALTERED: ("integrity alarm", "integrity alarms", "nightledger verify"),
    Need.REWRITTEN: (
        "input of nights was rewritten",
        "inputs of nights were rewritten",
        "nightledger verify",
    ),
    Need.DRIFT: (
        "file changed outside Nightledger",
        "files changed outside Nightledger",
        "nightledger review",
    ),
    Need.TRUST: ("alarm about who may sign", "alarms about who may sign", "nightledger key list"),
    Need.WITNESS: ("alarm about witnesses", "alarms about witnesses", "nightledger witness ask"),
    Need.CONSENT: ("consent graph cannot be used", "consent graphs cannot be used", "nightledger doctor"),
    Need.SETTINGS: ("settings file cannot be used", "settings files cannot be used", "nightledger doctor"),
    Need.LETTER: ("dead letter", "dead letters", "nightledger status"),
    Need.SOURCE: ("source has fallen silent", "sources have fallen silent", "nightledger doctor"),
    Need.FAILED: ("job failed", "jobs failed", "nightledger status"),
    Need.MISSED: ("period was missed", "periods were missed", "nightledger night"),
}
"""How one and several are told, and the command that settles it."""
_KEYS_SHOWN = 3
ALARMS = frozenset({Need.ALTERED, Need.DRIFT, Need.TRUST, Need.WITNESS})
"""Of these the operator is told each day, of all else once and once more after a day."""
A_DAY_LATER = DAY - timedelta(minutes=10)
"""The call of a night a day later may begin some minutes sooner. Our choice."""
AGAIN = "again "
"""Begins the mark of what was told a second time."""


class Item(Struct, frozen=True, kw_only=True):
    """One thing that needs the operator.

    Attributes:
        need: Why.
        key: Tells it from others of its kind: the id of a proposal, a job with its period.
        since: Since when; aware, UTC.
    """

    need: Need
    key: str
    since: datetime

    @property
    def mark(self) -> str:
        """Its name among what the operator was told about."""
        return f"{self.need.value} {self.key}"


def news(items: Sequence[Item], told: Mapping[str, datetime], now: datetime) -> tuple[Item, ...]:
    """Return the items that the operator was not told about yet, and those told a day ago or longer: an alarm each day, else once.

    Args:
        items: What needs the operator now.
        told: When each mark was told, with :data:`AGAIN` before it the second time.
        now: Aware, UTC.
    """
    return tuple(
        item
        for item in items
        if item.mark not in told
        or (
            not timedelta() <= now - told[item.mark] < A_DAY_LATER
            and (item.need in ALARMS or AGAIN + item.mark not in told)
        )
    )


def summarize(items: Sequence[Item], now: datetime) -> str:
    """Say in one line how much needs the operator: ``2 proposals wait (oldest 3 days), 1 job failed``.

    Args:
        items: At least one.
        now: Aware, UTC.
    """
    return ", ".join(f"{_counted(need, found)}{_age(found, now)}" for need, found in _by_need(items) if found)


def next_steps(items: Sequence[Item]) -> str:
    """Return the commands for what needs the operator, the gravest first: the page and the night name the same."""
    return ", then ".join(dict.fromkeys(_TOLD[need][2] for need, found in _by_need(items) if found))


def list_needs(items: Sequence[Item]) -> str:
    """Give the page ``ATTENTION.md``: what needs the operator, and the command for each.

    It holds no ages, so that it stays byte for byte what it was while nothing else changes.

    Args:
        items: What needs the operator now; may be empty.
    """
    lines = (
        f"- {_counted(need, found)}{_detail(need, found)}: `{_TOLD[need][2]}`\n"
        for need, found in _by_need(items)
        if found
    )
    listed = "".join(lines) or "Nothing.\n"
    return f"# What needs the operator\n\n{listed}"


def variables(items: Sequence[Item], now: datetime) -> dict[str, int]:
    """Give the counts and the whole hours of the oldest of each need: ``{"waiting": 2, "waiting_oldest_h": 75}``.

    Args:
        items: What needs the operator.
        now: Aware, UTC.
    """
    numbers = {}
    for need, found in _by_need(items):
        numbers[need.value] = len(found)
        numbers[f"{need.value}_oldest_h"] = _oldest_h(found, now)
    return numbers


def _by_need(items: Sequence[Item]) -> list[tuple[Need, list[Item]]]:
    return [(need, [item for item in items if item.need is need]) for need in Need]


def _counted(need: Need, found: Sequence[Item]) -> str:
    one, many, _ = _TOLD[need]
    return count_of(len(found), one, many)


def _detail(need: Need, found: Sequence[Item]) -> str:
    if need is Need.WAITING:
        return f", the oldest since {min(item.since for item in found):%Y-%m-%d %H:%M} UTC"
    keys = sorted(item.key for item in found)
    more = f" and {len(keys) - _KEYS_SHOWN} more" if len(keys) > _KEYS_SHOWN else ""
    return f" ({', '.join(keys[:_KEYS_SHOWN])}{more})"


def _oldest_h(items: Sequence[Item], now: datetime) -> int:
    return max((max(0, (now - item.since) // HOUR) for item in items), default=0)


def _age(items: Sequence[Item], now: datetime) -> str:
    days = _oldest_h(items, now) // 24
    oldest = "oldest " if len(items) > 1 else ""
    return f" ({oldest}{count_of(days, 'day')})" if days else ""
