"""What a message may bring about, and the record of it.

Invariant: no message changes a gated file. Whatever would change what an agent remembers ends
as a proposal in the lane of machines; an operator's decision counts for its own signature and
not for the machine that brought it. An action that is unknown, or that the consent graph
blocks, is rejected and recorded.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from nightledger.codec.records import dump_record
from nightledger.domain.consent import SELF_MODIFICATION, Tier, Why
from nightledger.domain.errors import ConfigurationError, RecordError, RefusedError, UnreadableError
from nightledger.domain.event import Actor, EventName
from nightledger.domain.message import PEER, Message, Peer, Status
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Proposal
from nightledger.gate.consenting import read_standing, record_unknown
from nightledger.gate.opening import Gate, Ledger, record
from nightledger.gate.stored import read_stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A message that was taken in and is to be carried out.

    Attributes:
        gate: The home; for an action that writes, the caller holds its lock.
        ledger: Its log, as checked.
        message: What is asked.
        peer: By whom.
        moment: The clocks.
        resumed: Whether it was begun before, and a crash may have come after anything.
    """

    gate: Gate
    ledger: Ledger
    message: Message
    peer: Peer
    moment: Moment
    resumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What became of a message.

    Attributes:
        status: In a word.
        reason: Why it was rejected; empty otherwise.
        body: What the answer carries.
        proposal: The proposal that it made; empty where it made none.
        decision: The decision that it brought; empty where it brought none.
    """

    status: Status
    reason: str = ""
    body: Mapping[str, object] | None = None
    proposal: str = ""
    decision: str = ""


Handler = Callable[[Work], Done]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What an action is to the gate.

    Attributes:
        consent: Its name in the consent graph; empty where the graph is not asked, because the
            action only looks, or carries the operator's own signature.
        proposes: Whether it ends as a proposal; else the graph must let it be done at once.
        writes: Whether it changes anything, and so is recorded in the log.
        actor: Who is said to have caused what it changes.
    """

    consent: str = ""
    proposes: bool = False
    writes: bool = True
    actor: Actor = Actor.UNKNOWN


RULES: Mapping[str, Rule] = {
    "consolidate_daily": Rule(consent="consolidate_daily_to_memory", proposes=True),
    "decide": Rule(actor=Actor.HUMAN),
    "load_memory_file": Rule(consent="load_memory_file", writes=False),
    "proposals": Rule(writes=False),
    "propose_behavioral_change": Rule(consent="propose_behavioral_change", proposes=True),
    "prune_stale_memory": Rule(consent="prune_stale_memory", proposes=True),
    "restore_context": Rule(consent="restore_context"),
    "update_heartbeat": Rule(consent="update_heartbeat_state"),
    "witness": Rule(),
}
"""Every action, with its name in the shipped graph; what is not here is unknown."""
_TELLING = frozenset({"consolidate_daily", "decide", "propose_behavioral_change"})
"""Actions of which the home shows whether a message had brought about what it asks for."""
_NAMES = ("proposal", "decision")
NOT_BUILT = "not built"


def rule_of(action: str) -> Rule:
    """Give what an action is to the gate; one that is unknown is recorded like one that writes."""
    return RULES.get(action, Rule())


def perform(work: Work, handlers: Mapping[str, Handler]) -> Done:
    """Carry a message out, or say why not; a message that writes is recorded.

    Args:
        work: What to do; for an action that writes, with the home's lock held.
        handlers: What carries out each action that is built.

    Raises:
        ConfigurationError: Something of the home stands in its way; the same message may come again.
    """
    writes = rule_of(work.message.action).writes
    if writes and (logged := logged_outcome(work.ledger, work.message)):
        return logged
    blocked, done = (False, None) if work.resumed and _is_made(work) else _refusal(work)
    if done is None:
        handler = handlers.get(work.message.action)
        done = _carry_out(handler, work) if handler else _rejected(NOT_BUILT)
    if writes:
        _record(work, done, blocked=blocked)
    return done


def _carry_out(handler: Handler, work: Work) -> Done:
    try:
        return handler(work)
    except (RefusedError, RecordError, UnreadableError) as error:
        hint = f" ({error.hint})" if error.hint else ""
        return _rejected(f"{error}{hint}")


def _refusal(work: Work) -> tuple[bool, Done | None]:
    """Say why a message is not even tried, and whether that is because its action is blocked or unknown."""
    message, rule = work.message, RULES.get(work.message.action)
    if rule is None:
        return True, _rejected(f"the action {message.action} is unknown")
    if message.action not in work.peer.actions:
        return False, _rejected(f"{work.peer.name} may not ask for {message.action}")
    if message.domain != SELF_MODIFICATION:
        return False, _rejected(f"{message.action} belongs to the domain {SELF_MODIFICATION}")
    blocked, done = _consent(work, rule) if rule.consent else (False, None)
    if done and work.resumed and rule.writes and message.action not in _TELLING:
        raise ConfigurationError(
            f"{message.id} was begun and may be done; now {done.reason}",
            hint="mend the consent graph; until then the message waits",
        )
    return blocked, done


def is_undone(work: Work) -> bool:
    """Tell whether a message that was begun before brought nothing about, and so has its time and no more.

    Of what only writes an agent's page or a machine's heartbeat, or says when to look, nobody can tell: it is done
    again, and nothing twice.
    """
    if not rule_of(work.message.action).writes:
        return True
    return work.message.action in _TELLING and not (
        _is_made(work) or logged_outcome(work.ledger, work.message)
    )


def _is_made(work: Work) -> bool:
    """Tell whether a message that was begun before had brought about what it asks for: then it is not judged again."""
    if work.message.action == "decide":
        sha256 = hashlib.sha256(work.message.body["decision"].encode()).hexdigest()
        return any(status.sha256 == sha256 for status in work.ledger.book.decisions.values())
    return find_made(work) is not None


def find_made(work: Work) -> Proposal | None:
    """Find the proposal that a message made before a crash; None where it made none."""
    if not work.resumed:
        return None
    home = work.gate.home
    path = home.relative(home.received(work.message.id))
    for item in read_stored(work.gate, work.ledger.book):
        own = item.proposal.lane == PEER  # an agent may name that path in a proposal of its own
        if own and any(e.path == path for change in item.proposal.changes for e in change.evidence):
            return item.proposal
    return None


def _consent(work: Work, rule: Rule) -> tuple[bool, Done | None]:
    try:
        standing = read_standing(work.gate, work.ledger, work.moment)
    except (ConfigurationError, RecordError, UnreadableError):  # an agent can write that file
        return False, _rejected("the consent graph cannot be used")
    answer = standing.answer(SELF_MODIFICATION, rule.consent)
    if answer.tier is Tier.BLOCKED:
        return True, _rejected(f"the consent graph blocks {rule.consent}")
    if answer.tier is not Tier.AUTONOMOUS and not rule.proposes:
        why = " since nobody has signed a review for long" if answer.why is Why.DECAYED else ""
        return False, _rejected(f"the consent graph wants the operator's approval for {rule.consent}{why}")
    return False, None


def _rejected(reason: str) -> Done:
    return Done(status=Status.REJECTED, reason=reason)


def logged_messages(ledger: Ledger) -> Iterator[Mapping[str, Any]]:
    """Give what the log says of each message that writes."""
    return (fields for name, fields, _ in ledger.log.entries() if name == EventName.MESSAGE)


def logged_outcome(ledger: Ledger, message: Message) -> Done | None:
    """Give what the log says became of a message, None where it does not name it; what else was answered then is gone."""
    fields = next((fields for fields in logged_messages(ledger) if fields["message"] == message.id), None)
    if fields is None:
        return None
    status = Status(fields["status"])
    made = {name: fields[name] for name in _NAMES if name in fields}
    reason = "it was rejected when it first came" if status is Status.REJECTED else ""
    return Done(status=status, reason=reason, body=made, **made)


def brief(message: Message, done: Done, why: str) -> Done:
    """Give what became of a message without what it has to show; what was done is never called rejected.

    Args:
        message: What was asked.
        done: What became of it.
        why: What is said where it only looked, and so has nothing else to give.
    """
    if not rule_of(message.action).writes:
        return _rejected(why)
    return replace(done, body={name: value for name in _NAMES if (value := getattr(done, name))})


def _record(work: Work, done: Done, *, blocked: bool) -> None:
    """Log what became of a message."""
    message = work.message
    fields: dict[str, object] = {
        "message": message.id,
        "peer": work.peer.name,
        "iss": message.iss,
        "number": message.seq,
        "action": message.action,
        "status": done.status.value,
        "sha256": hashlib.sha256(dump_record(message)).hexdigest(),
    }
    fields |= {name: value for name in _NAMES if (value := getattr(done, name))}
    record(work.gate, [(EventName.MESSAGE, fields)], work.moment)
    if blocked:
        asked = [event for event in work.ledger.log.events if event.event == EventName.CONSENT_BLOCKED]
        record_unknown(work.gate, asked, message.domain, message.action, work.moment)
