"""Audit entries and their bytes: one canonical JSON line an event.

Invariant: what is written holds ids, hashes, counts and enumerated words only. The members
of ``fields`` stand beside ``v, seq, event, actor, at`` in one flat object. Whoever reads an event of a known name
finds the members that stand here, in their forms. Further members, and events of other names, come from later
versions and have any form that the log takes.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache, reduce
from operator import or_
from types import GenericAlias
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field

from nightledger.codec.canonical import canonical
from nightledger.domain.decision import Actor, DecisionType, Event, EventName
from nightledger.domain.errors import IntegrityError, NightledgerError
from nightledger.domain.proposal import Kind
from nightledger.domain.states import ChangeState
from nightledger.domain.words import ID_CHARACTERS

__all__ = ["Actor", "Event", "EventError", "LineError", "NewEvent", "path_word"]

VERSION = 1
MAX_LEAF_BYTES = 65_535
"""C2SP tlog-tiles carries an entry's length in 16 bits."""
MAX_WORD_CHARACTERS = 1_024
MAX_DEPTH = 3
"""Lists and objects below ``fields``: a list of objects that hold a list."""
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


Word = Annotated[str, Meta(max_length=1_024)]
Name = Annotated[str, Meta(pattern=f"^[a-z]-[a-z2-7]{{{ID_CHARACTERS}}}$")]
NoName = Annotated[str, Meta(pattern=f"^([a-z]-[a-z2-7]{{{ID_CHARACTERS}}})?$")]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
NoHash = Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")]
Count = Annotated[int, Meta(ge=0)]
Number = Annotated[int, Meta(ge=0, le=100_000)]
"""A change of a proposal, or how many there are: more could not be read again."""
Seconds = Annotated[int, Meta(ge=0, le=10_000_000_000)]
"""Three centuries: a ``timedelta`` holds more."""


def _list_of(form: Any) -> Any:
    return GenericAlias(list, (form,))


def _members(name: str, *needed: tuple[str, Any], **optional: Any) -> Any:
    more = [(member, form, None) for member, form in optional.items()]
    return msgspec.defstruct(name, [*needed, *more], kw_only=True)


File: Any = _members("File", ("path", Word), ("sha256", Hash))
SizedFile: Any = _members("SizedFile", ("path", Word), ("sha256", Hash), ("size", Count))
TrustFile: Any = _members("TrustFile", ("name", Word), ("sha256", Hash))
Target: Any = _members(
    "Target", ("path", Word), ("before", Hash), ("after", Hash), signed_base=NoHash, signed_result=NoHash,
    accepted_before=Hash, accepted=Hash,
)  # fmt: skip
_CHANGES = {"proposal": Name, "changes": list[Number]}
_NEEDED: Mapping[EventName, Mapping[str, Any]] = {
    EventName.GENESIS: {"origin": Word},
    EventName.PROPOSED: {"proposal": Name, "sha256": Hash, "kind": Kind, "lane": Word, "changes": Number},
    EventName.DEFERRED: _CHANGES,
    EventName.CLOSED: {**_CHANGES, "reason": ChangeState},
    EventName.STALE: _CHANGES,
    EventName.ASKED_AGAIN: {"sha256": Hash},
    EventName.DECIDED: {
        "decision": Name, "sha256": Hash, "type": DecisionType, "proposal": NoName, "changes": list[Number],
    },
    EventName.APPLY_INTENT: {
        "apply": Word, "decision": Name, "proposal": NoName, "changes": list[Number], "targets": _list_of(Target),
    },
    EventName.NAMED: {"apply": Word, "names": list[tuple[Name, Name]]},
    EventName.APPLY_DONE: {"apply": Word},
    EventName.APPLY_ABORTED: {"apply": Word},
    EventName.APPLY_RACED: {"apply": Word},
    EventName.QUARANTINED: {"sha256": Hash, "rules": list[Word], "path": Word, "line": Count},
    EventName.HEARTBEAT: {"day": date},
    EventName.TAIL_CLOSED: {"first": Count, "count": Count, "damaged": Count},
    EventName.DRIFT_FOUND: {
        "path": Word, "sha256": Hash, "base": NoHash, "proposal": NoName, "writer": Word,
    },
    EventName.PROTECTED_SEEN: {"files": _list_of(File)},
    EventName.TRUST_CHANGED: {"decision": Name, "files": _list_of(TrustFile)},
    EventName.TRUST_RESET: {"files": _list_of(TrustFile)},
    EventName.CONSENT_BLOCKED: {"action": Word, "domain": Word},
    EventName.LOCKED: {"paths": list[Word]},
    EventName.UNLOCKED: {"paths": list[Word]},
    EventName.LOCK_REPAIRED: {"paths": list[Word]},
    EventName.EXPUNGED: {"decision": Name, "sha256s": list[Hash], "places": _list_of(SizedFile)},
    EventName.BLOBS_REMOVED: {"sha256s": list[Hash]},
    EventName.MESSAGE: {
        "message": Name, "peer": Word, "iss": Word, "number": Count, "action": Word, "status": Word,
    },
    EventName.RESTORED: {"size": Count, "lost": Count},
}  # fmt: skip
_OPTIONAL: Mapping[EventName, Mapping[str, Any]] = {
    EventName.GENESIS: {"simulated": bool, "trust": _list_of(TrustFile), "gated": _list_of(File)},
    EventName.CLOSED: {"cause": Word},
    EventName.DECIDED: {"signature_sha256": NoHash},
    EventName.APPLY_INTENT: {"taken_back": list[Number], "outcomes": Count},
    EventName.APPLY_ABORTED: {"reason": Word, "replaced": _list_of(File)},
    EventName.APPLY_RACED: {"replaced": _list_of(File)},
    EventName.HEARTBEAT: {"waiting": Count, "inputs": _list_of(SizedFile)},
    EventName.DRIFT_FOUND: {"blob": NoHash, "commit": Word, "known_earlier": Word},
    EventName.MESSAGE: {"proposal": NoName, "decision": NoName, "sha256": NoHash},
    EventName.RESTORED: {"decision": NoName, "base": NoHash},
    EventName.TRUST_RESET: {"size": Count, "root": Hash},
}


def have_their_forms(records: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether each of these records whose event's name is known has what stands here."""
    try:
        msgspec.convert([record for record in records if record["event"] in _NEEDED], _shape())
    except msgspec.ValidationError:
        return False
    return True


@cache
def _shape() -> Any:
    """Return the type of a list of events whose names are known."""
    shapes = [
        msgspec.defstruct(
            name.name,
            [
                *needed.items(),
                *((member, form, None) for member, form in _OPTIONAL.get(name, {}).items()),
                ("boot", Word, ""),
                ("boot_s", Seconds, 0),
            ],
            kw_only=True,
            tag_field="event",
            tag=name.value,
        )
        for name, needed in _NEEDED.items()
    ]
    return _list_of(reduce(or_, shapes))
