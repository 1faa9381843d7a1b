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
from nightledger.remote.handlers import Done, Work, find_made, logged_messages
from nightledger.remote.waiting import list_waiting


class Rule(Struct, frozen=True):
    """What an action is to the gate.

    Attributes:
        handler: Carries it out; None for what is not built.
        consent: Its name in the consent graph; empty where the graph is not asked, because the
            action only looks, or carries the operator's own signature.
        proposes: Whether it ends as a proposal; else the graph must let it be done at once.
        writes: Whether it changes anything, and so is recorded in the log.
        tells: Whether the home shows if a message had brought about what it asks for.
        actor: Who is said to have caused what it changes.
    """

    handler: Callable[[Work], Done] | None = None
    consent: str = ""
    proposes: bool = False
    writes: bool = True
    tells: bool = False
    actor: Actor = Actor.UNKNOWN


RULES: dict[str, Rule] = {
    "consolidate_daily": Rule(
        handlers.consolidate_received, "consolidate_daily_to_memory", proposes=True, tells=True
    ),
    "decide": Rule(handlers.decide, tells=True, actor=Actor.HUMAN),
    "load_memory_file": Rule(handlers.load_memory_file, "load_memory_file", writes=False),
    "proposals": Rule(list_waiting, writes=False),
    "propose_behavioral_change": Rule(
        handlers.propose_change, "propose_behavioral_change", proposes=True, tells=True
    ),
    "prune_stale_memory": Rule(handlers.prune_received, "prune_stale_memory", proposes=True),
    "restore_context": Rule(handlers.restore_context, "restore_context"),
    "update_heartbeat": Rule(handlers.update_heartbeat, "update_heartbeat_state"),
    "witness": Rule(),
}
"""Every action, with its name in the shipped graph; what is not here is unknown."""


def rule_of(action: str) -> Rule:
    """Return what an action is to the gate; one that is unknown is recorded like one that writes."""
    return RULES.get(action, Rule())


def perform(work: Work) -> Done:
    """Carry a message out, or say why not; a message that writes is recorded.

    Args:
        work: What to do; for an action that writes, with the home's lock held.

    Raises:
        ConfigurationError: Something of the home stands in its way; the same message may come again.
    """
    rule = rule_of(work.message.action)
    if rule.writes and (logged := logged_outcome(work.ledger, work.message)):
        return logged
    blocked, done = (False, None) if work.resumed and _is_made(work) else _refusal(work)
    if done is None:
        done = _carry_out(rule.handler, work) if rule.handler else _rejected("not built")
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
    blocked, done = _consent(work, rule) if rule.consent else (False, None)
    if done and work.resumed and rule.writes and not rule.tells:
        raise ConfigurationError(
            f"{message.id} was begun and may be done; now {done.reason}",
            hint="mend the consent graph; until then the message waits",
        )
    return blocked, done


def is_undone(work: Work) -> bool:
    """Return whether a message that was begun before brought nothing about, and so has its time and no more.

    Of what only writes an agent's page or a machine's heartbeat, or says when to look, nobody can tell: it is done
    again, and nothing twice.
    """
    rule = rule_of(work.message.action)
    return not rule.writes or (
        rule.tells and not (_is_made(work) or logged_outcome(work.ledger, work.message))
    )


def _is_made(work: Work) -> bool:
    """Tell whether a message that was begun before had brought about what it asks for: then it is not judged again."""
    if work.message.action == "decide":
        sha256 = hashlib.sha256(work.message.body["decision"].encode()).hexdigest()
        return any(status.sha256 == sha256 for status in work.ledger.book.decisions.values())
    return find_made(work) is not None


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


def brief(message: Message, done: Done, why: str) -> Done:
    """Return what became of a message without what it has to show; what was done is never called rejected.

    Args:
        message: What was asked.
        done: What became of it.
        why: What is said where it only looked, and so has nothing else to give.
    """
    return replace(done, body=done.names()) if rule_of(message.action).writes else _rejected(why)


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
