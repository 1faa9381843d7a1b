"""The members that an event of each name has, and their forms.

Invariant: whoever reads an event of a known name finds what stands here. Further members, and events
of other names, come from later versions and have any form that the log takes.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache, reduce
from operator import or_
from types import GenericAlias
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from nightledger.domain.decision import DecisionType
from nightledger.domain.event import EventName
from nightledger.domain.ids import ID_CHARACTERS
from nightledger.domain.proposal import Kind
from nightledger.domain.states import ChangeState

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
