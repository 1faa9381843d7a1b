"""Audit entries and their bytes: one canonical JSON line an event.

Invariant: what is written holds ids, hashes, counts and enumerated words only. The members
of ``fields`` stand beside ``v, seq, event, actor, at`` in one flat object.
"""

import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct, field

from nightledger.codec.canonical import canonical
from nightledger.domain.errors import IntegrityError, NightledgerError
from nightledger.domain.event import Actor, Event

__all__ = ["Actor", "Event", "EventError", "LineError", "NewEvent", "path_word"]

VERSION = 1
MAX_LEAF_BYTES = 65_535
"""C2SP tlog-tiles carries an entry's length in 16 bits."""
MAX_WORD_CHARACTERS = 1_024
MAX_DEPTH = 3
"""Lists and objects below ``fields``: a list of objects that hold a list."""
ACTORS = frozenset(Actor)
EVENT_NAME = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*")
_NOT_IN_WORDS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_TIME = "%04d-%02d-%02dT%02d:%02d:%02dZ"


class EventError(NightledgerError):
    """An event holds what the audit log does not take: a mistake in the code that made it."""


class LineError(IntegrityError):
    """A line of the audit log is not an event in its only form."""


class NewEvent(Struct, frozen=True, kw_only=True):
    """Something that happened and has no place in the log yet.

    Attributes:
        event: What happened, ``proposal.created``.
        actor: Who caused it.
        at: Wall clock; aware. The log keeps whole seconds.
        fields: What it is about.
    """

    event: str
    actor: Actor
    at: datetime
    fields: Mapping[str, Any] = field(default_factory=dict)

    def placed(self, seq: int) -> Event:
        """Give the audit entry at a place in the log.

        Args:
            seq: From 0.
        """
        return Event(
            v=VERSION, seq=seq, event=self.event, actor=self.actor, at=self._second(), fields=self.fields
        )

    def line(self, seq: int) -> bytes:
        r"""Give the line at a place in the log, without ``\n``: its leaf.

        Raises:
            EventError: When a field holds what is no id, hash or word; when the line is too long for a leaf.
            CanonicalError: When a field is no string, integer, list or object.
        """
        _require_words(self.fields)
        at = self._second()
        own = {
            "v": VERSION,
            "seq": seq,
            "event": self.event,
            "actor": str(self.actor),
            "at": _TIME % (at.year, at.month, at.day, at.hour, at.minute, at.second),
        }
        line = canonical({**self.fields, **own})
        if len(line) > MAX_LEAF_BYTES:
            raise EventError(f"{self.event} has {len(line)} bytes; texts and diffs go to blobs")
        return line

    def _second(self) -> datetime:
        return self.at.astimezone(UTC).replace(microsecond=0)


def path_word(path: str) -> str:
    """Give a path as a string that the log takes, percent-encoding what it does not.

    Control characters, lone surrogates (bytes that are no UTF-8), ``%`` and forms that are
    not NFC are encoded; ``urllib.parse.unquote(word, errors="surrogateescape")`` gives the
    path back.

    Raises:
        EventError: When it is longer than the log takes.
    """
    word = path
    if "%" in path or _NOT_IN_WORDS.search(path) or unicodedata.normalize("NFC", path) != path:
        from urllib.parse import quote

        word = quote(path.encode("utf-8", "surrogateescape"), safe="/ !#$&'()*+,:;=?@[]")
    if len(word) > MAX_WORD_CHARACTERS:
        raise EventError(f"a path has {len(word)} characters")
    return word


def _require_words(value: Any) -> None:
    """Refuse prose; whether the rest is an entry's form is told by who reads the line again (``scan.py``)."""
    if isinstance(value, str):
        # nearly all are ASCII; a fifth of the time
        plain = value.isascii() and value.isprintable()
        if len(value) > MAX_WORD_CHARACTERS or not (plain or _is_word(value)):
            raise EventError("a field holds text, not an id, hash or word")
    elif isinstance(value, (list, tuple, Mapping)):
        for one in value.values() if isinstance(value, Mapping) else value:
            _require_words(one)


def _is_word(value: str) -> bool:
    return not _NOT_IN_WORDS.search(value) and unicodedata.is_normalized("NFC", value)
