"""What a message may bring about, and the record of it.

Invariant: no message changes a gated file. Whatever would change what an agent remembers ends
as a proposal in the lane of machines; an operator's decision counts for its own signature and
not for the machine that brought it. An action that is unknown, or that the consent graph
blocks, is rejected and recorded.
"""

import hashlib
from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.records import dump_record
from nightledger.domain.consent import SELF_MODIFICATION, Tier, Why
from nightledger.domain.errors import ConfigurationError, RecordError, RefusedError, UnreadableError
from nightledger.domain.event import Actor, EventName
from nightledger.domain.message import Message, Status
from nightledger.gate.consenting import read_standing, record_unknown
from nightledger.gate.opening import Ledger, record
from nightledger.remote import handlers
from nightledger.remote.handlers import Done, Work, logged_messages
from nightledger.remote.waiting import list_waiting


class Rule(Struct, frozen=True):
    """What an action is to the gate.

    Attributes:
        handler: Carries it out.
        consent: Its name in the consent graph; empty where the graph is not asked, because the
            action only looks, or carries the operator's own signature.
        proposes: Whether it ends as a proposal; else the graph must let it be done at once.
        writes: Whether it changes anything, and so is recorded in the log.
        actor: Who is said to have caused what it changes.
    """

    handler: Callable[[Work], Done]
    consent: str = ""
    proposes: bool = False
    writes: bool = True
    actor: Actor = Actor.UNKNOWN


RULES: dict[str, Rule] = {
    "consolidate_daily": Rule(handlers.consolidate_received, "consolidate_daily_to_memory", proposes=True),
    "decide": Rule(handlers.decide, actor=Actor.HUMAN),
    "load_memory_file": Rule(handlers.load_memory_file, "load_memory_file", writes=False),
    "proposals": Rule(list_waiting, writes=False),
    "propose_behavioral_change": Rule(handlers.propose_change, "propose_behavioral_change", proposes=True),
    "prune_stale_memory": Rule(handlers.prune_received, "prune_stale_memory", proposes=True),
    "restore_context": Rule(handlers.restore_context, "restore_context"),
    "update_heartbeat": Rule(handlers.update_heartbeat, "update_heartbeat_state"),
}
"""Every action, with its name in the shipped graph; what is not here is unknown."""


def rule_of(action: str) -> Rule:
    """Return what an action is to the gate; one that is unknown is refused, and recorded like one that writes."""
    return RULES.get(action) or Rule(lambda _: _rejected(f"the action {action} is unknown"))


def perform(work: Work) -> Done:
    """Carry a message out, or say why not; a message that writes is recorded.

    Args:
        work: What to do; for an action that writes, with the home's lock held.
    """
    rule = rule_of(work.message.action)
    blocked, done = _refusal(work)
    if done is None:
        done = _carry_out(rule.handler, work)
    if rule.writes:
        _record(work, done, blocked=blocked)
    return done


def _carry_out(handler: Callable[[Work], Done], work: Work) -> Done:
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
    return _consent(work, rule) if rule.consent else (False, None)


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


def logged_outcome(ledger: Ledger, message: Message) -> Done | None:
    """Return what the log says became of a message, None where it does not name it; what else was answered then is gone."""
    fields: Mapping[str, str] | None = next(
        (fields for fields in logged_messages(ledger) if fields["message"] == message.id), None
    )
    if fields is None:
        return None
    status = Status(fields["status"])
    reason = "it was rejected when it first came" if status is Status.REJECTED else ""
    done = Done(
        status=status,
        reason=reason,
        proposal=fields.get("proposal", ""),
        decision=fields.get("decision", ""),
    )
    return replace(done, body=done.names())


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
        **done.names(),
    }
    record(work.gate, [(EventName.MESSAGE, fields)], work.moment)
    if blocked:
        record_unknown(work.gate, work.ledger, message.domain, message.action, work.moment)
