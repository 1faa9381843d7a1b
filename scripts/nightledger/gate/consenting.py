"""What an agent may do now: the consent graph, who signed for it, and how long ago.

Invariant: what a home's own graph allows beyond the shipped one counts only while the
operator's signature over that very file stands in the log, and what is autonomous only
while the file that was signed last is the one that stands there, and somebody has signed a
review within the graph's days.
"""

import hashlib
import re

from msgspec import Struct

from nightledger.codec.canonical import canonical
from nightledger.codec.settings import parse_graphs
from nightledger.domain.consent import Answer, ConsentGraph, Mode, Tier, Why, decide, merge, tightened
from nightledger.domain.decision import (
    DAY_S,
    REVIEWS,
    Decision,
    DecisionTarget,
    DecisionType,
    EventName,
    Moment,
    since_review_s,
)
from nightledger.files.durable import read_optional
from nightledger.files.home import shipped_config
from nightledger.gate.opening import MAX_CONFIG_BYTES, Gate, Ledger, record
from nightledger.gate.trusting import Trust, read_verified

GRAPH = "config/nightledger/consent-graph.json"
BLOCKED_A_DAY = 20
"""Entries about unknown actions that one day takes: an agent that asks for thousands floods nothing."""
_WORD = re.compile(r"[a-z0-9_.*-]{1,64}")


class Standing(Struct, frozen=True, kw_only=True):
    """The graph as it stands now.

    Attributes:
        signed: What counts: the shipped graph, with all that the operator signed for.
        allowed: The same with everything that the home's own file says.
        reviewed: Whether the home's own file is the one that was signed for, or none is there or signed for.
        replaced: Whether another file was signed for than stands there now, or one that is gone: what it
            forbade is not known any more.
        since_review_s: Seconds since the last signed review, by the clock that says most.
    """

    signed: ConsentGraph
    allowed: ConsentGraph
    reviewed: bool
    replaced: bool
    since_review_s: int

    @property
    def decayed(self) -> bool:
        """Whether nobody has signed a review for too long."""
        return self.since_review_s >= self.signed.decay_days * DAY_S

    def answer(self, domain: str, action: str, confidence: float = 0.0) -> Answer:
        """Answer whether an agent may do something now."""
        found = decide(self.signed, self.allowed, domain, action, decayed=self.decayed, confidence=confidence)
        if found.tier is Tier.AUTONOMOUS and self.replaced:
            return Answer(tier=Tier.REQUIRES_APPROVAL, why=Why.UNREVIEWED, mode=Mode.FORCED)
        return found


def read_standing(gate: Gate, ledger: Ledger, moment: Moment) -> Standing:
    """Work out what counts now.

    Raises:
        ConfigurationError: A graph that is not valid, or that loosens the floor.
        IntegrityError: The signers in force cannot be told.
    """
    raw, floor, own, allowed = _graphs(gate)
    trust = Trust(gate.home, ledger)
    last, signed_for = _reviews(gate, ledger, trust)
    replaced = signed_for not in (None, _sha256(None), _sha256(raw))
    reviewed = not replaced and (own is None or signed_for == _sha256(raw))
    return Standing(
        signed=allowed if reviewed or own is None else tightened(floor, own),
        allowed=allowed,
        reviewed=reviewed,
        replaced=replaced,
        since_review_s=since_review_s(ledger.log.entries(), last, moment),
    )


def _reviews(gate: Gate, ledger: Ledger, trust: Trust) -> tuple[str | None, str | None]:
    """Return the last review's id, and the hash of the graph that was last signed for; None where there is none.

    Only decisions whose signature holds count: whoever has the log's key could forge an entry. Where
    that of the last review of the graph does not hold, no older one steps into its place: the hash is "".
    """
    last: str | None = None
    signed_for: str | None = None
    for status in reversed(list(ledger.book.decisions.values())):
        if status.type not in REVIEWS or (last and status.type is not DecisionType.CONSENT):
            continue
        decision = read_verified(gate.home, ledger, trust, status)
        if status.type is DecisionType.CONSENT and signed_for is None:
            signed_for = decision.targets[0].result if decision else ""
        if decision is not None:
            last = last or status.id
        if last and signed_for is not None:
            break
    return last, signed_for


def graph_target(gate: Gate) -> DecisionTarget:
    """Return what a review of the consent graph signs: the home's own file, and all that is in force with it.

    Raises:
        ConfigurationError: A graph that is not valid, or that loosens the floor.
    """
    raw, _, _, allowed = _graphs(gate)
    own_sha256 = _sha256(raw)
    return DecisionTarget(
        path=GRAPH,
        base=own_sha256,
        result=own_sha256,
        hunks_sha256=hashlib.sha256(_canonical(allowed)).hexdigest(),
    )


def review_reasons(gate: Gate, decision: Decision) -> list[str]:
    """Return why a decision is no review of the graph that stands there now; empty where it is."""
    if decision.proposal or decision.changes or decision.targets != (graph_target(gate),):
        return ["the consent graph is not the one that it was signed over"]
    return []


def record_unknown(gate: Gate, ledger: Ledger, domain: str, action: str, moment: Moment) -> bool:
    """Log that an unknown action was asked for, once a day for each and not without end.

    Args:
        gate: The home; the caller holds its lock.
        ledger: Its log, as checked.
        domain: As it was asked for.
        action: As it was asked for.
        moment: The clocks.

    Returns:
        Whether it stands in the log for today.
    """
    asked = {"domain": _word(domain), "action": _word(action)}
    today = [
        {name: fields[name] for name in asked}
        for event, fields, at in ledger.log.entries()
        if event == EventName.CONSENT_BLOCKED and at.date() == moment.at.date()
    ]
    if asked in today:
        return True
    if len(today) >= BLOCKED_A_DAY:
        return False
    record(gate, [(EventName.CONSENT_BLOCKED, {**asked})], moment)
    return True


def _graphs(gate: Gate) -> tuple[bytes | None, ConsentGraph, ConsentGraph | None, ConsentGraph]:
    """Return the bytes of the home's own graph, the shipped one, the own one, and both together."""
    raw = read_optional(gate.home.consent_graph, MAX_CONFIG_BYTES, within=gate.home.root)
    floor, own = parse_graphs(shipped_config("consent-graph.json"), raw, where=gate.home.consent_graph)
    return raw, floor, own, floor if own is None else merge(floor, own)


def _sha256(raw: bytes | None) -> str:
    return hashlib.sha256(raw or b"").hexdigest()


def _canonical(graph: ConsentGraph) -> bytes:
    """Return what an operator signs of a graph: tiers by their words, not by the numbers that they are compared by."""
    domains = {
        domain: {action: tier.word for action, tier in actions.items()}
        for domain, actions in graph.domains.items()
    }
    days = {
        "cooling_hours": graph.cooling_hours,
        "undo_days": graph.undo_days,
        "decay_days": graph.decay_days,
    }
    return canonical({"domains": domains, **days})


def _word(text: str) -> str:
    """Return a word as it is where it is one, else its hash: no text of an agent stands in the log."""
    if _WORD.fullmatch(text):
        return text
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()}"
