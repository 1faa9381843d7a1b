"""The consent graph: what an agent may do alone, with approval, or never.

Invariant: the strictest answer wins and the unknown is blocked. A home's own graph may
tighten the shipped one and never loosen ``self_modification`` or what is blocked. No
answer of the graph replaces the signature on a gated file.
"""

from collections.abc import Mapping
from enum import IntEnum, StrEnum

from msgspec import Struct
from msgspec.structs import force_setattr, replace

SELF_MODIFICATION = "self_modification"
OTHER_NAMES = {"imessage": "messages"}
"""Domains by a further name that they have; the published graph says ``imessage``."""


class Tier(IntEnum):
    """How much consent an action needs; higher is stricter."""

    AUTONOMOUS = 0
    REQUIRES_APPROVAL = 1
    TRUSTED_CHANNEL_REQUIRED = 2
    BLOCKED = 3

    @property
    def word(self) -> str:
        """The name used in files: ``requires_approval``."""
        return self.name.lower()


TIER_WORDS = {tier.word: tier for tier in Tier}

PROTECTED_FILES = ("SOUL.md", "AGENTS.md")
"""Never gated: no proposal changes them (FACTS: locked by the OS in the published design)."""


class ConsentGraph(Struct, frozen=True, kw_only=True):
    """Tiers by domain and action.

    Attributes:
        domains: For each domain, each known action and its tier. What was given under another name
            (``OTHER_NAMES``) stands under the first one, the strictest tier where several name an action.
        cooling_hours: Hours from a proposal's leaf to its earliest apply.
        undo_days: Days in which an applied change can be undone.
        decay_days: Days without a signed review after which autonomous is so no more.
    """

    domains: Mapping[str, Mapping[str, Tier]]
    cooling_hours: int = 2
    undo_days: int = 7
    decay_days: int = 30

    def __post_init__(self) -> None:
        """Bring each domain under its first name, so that no name is asked with less strictness than another."""
        force_setattr(self, "domains", _under_first_names(self.domains))

    def knows(self, domain: str, action: str) -> bool:
        """Tell whether any name of the graph covers an action."""
        return any(_covers(name, action) for name in self._actions(domain))

    def tier(self, domain: str, action: str) -> Tier:
        """Give the tier of an action; what is unknown is blocked.

        An action may be covered by a name that ends in ``*``; the strictest of all that match wins.
        """
        matching = [tier for name, tier in self._actions(domain).items() if _covers(name, action)]
        return max(matching, default=Tier.BLOCKED)

    def _actions(self, domain: str) -> Mapping[str, Tier]:
        return self.domains.get(OTHER_NAMES.get(domain, domain), {})


def _under_first_names(domains: Mapping[str, Mapping[str, Tier]]) -> dict[str, dict[str, Tier]]:
    found: dict[str, dict[str, Tier]] = {}
    for name, actions in domains.items():
        tiers = found.setdefault(OTHER_NAMES.get(name, name), {})
        tiers.update({action: max(tier, tiers.get(action, tier)) for action, tier in actions.items()})
    return found


def _covers(name: str, action: str) -> bool:
    return name == action or (name.endswith("*") and action.startswith(name[:-1]))


def merge(shipped: ConsentGraph, own: ConsentGraph) -> ConsentGraph:
    """Give the graph in force: the home's own over the shipped floor.

    In ``self_modification`` (unknown actions included), and wherever the shipped graph
    blocks, the stricter of the two holds; elsewhere the home's word counts.
    """
    domains: dict[str, dict[str, Tier]] = {name: dict(actions) for name, actions in shipped.domains.items()}
    for domain, actions in own.domains.items():
        merged = domains.setdefault(domain, {})
        merged.update(
            {action: max(tier, _floor(shipped, domain, action)) for action, tier in actions.items()}
        )
    return ConsentGraph(
        domains=domains,
        cooling_hours=max(shipped.cooling_hours, own.cooling_hours),
        undo_days=max(shipped.undo_days, own.undo_days),
        decay_days=min(shipped.decay_days, own.decay_days),
    )


def tightened(shipped: ConsentGraph, own: ConsentGraph) -> ConsentGraph:
    """Give what a home's own graph makes stricter, and nothing that it allows beyond the shipped one.

    So it counts until the operator has signed for it: an agent can write that file.
    """
    merged = merge(shipped, own)
    domains = {
        domain: {action: max(tier, shipped.tier(domain, action)) for action, tier in actions.items()}
        for domain, actions in merged.domains.items()
    }
    return replace(merged, domains=domains)


def loosened(shipped: ConsentGraph, own: ConsentGraph) -> tuple[str, ...]:
    """Name each action where the home's own graph asks for less than the floor allows."""
    return tuple(
        f"{domain}.{action}: {tier.word} is below the floor {_floor(shipped, domain, action).word}"
        for domain, actions in sorted(own.domains.items())
        for action, tier in sorted(actions.items())
        if tier < _floor(shipped, domain, action)
    )


def _floor(shipped: ConsentGraph, domain: str, action: str) -> Tier:
    tier = shipped.tier(domain, action)
    if domain == SELF_MODIFICATION or (shipped.knows(domain, action) and tier is Tier.BLOCKED):
        return tier
    return Tier.AUTONOMOUS


class Why(StrEnum):
    """What an answer rests on."""

    LISTED = "listed"
    """The graph says so."""
    UNKNOWN = "unknown"
    """No name of the graph covers it."""
    DECAYED = "decayed"
    """The graph says autonomous, and nobody has signed a review for too long."""
    UNREVIEWED = "unreviewed"
    """The home's own graph allows it, or is not the one that was signed for, and the operator has not signed for that."""


class Mode(StrEnum):
    """How an approval is asked for."""

    VISIBLE = "visible"
    """Go on and tell."""
    FORCED = "forced"
    """Ask first."""


VISIBLE_FROM = 0.85
"""Self-reported confidence from which approval may be VISIBLE (published value)."""


class Answer(Struct, frozen=True, kw_only=True):
    """What an agent may do.

    Attributes:
        tier: The answer.
        why: What it rests on.
        mode: How approval is asked for; None unless the tier asks for one.
    """

    tier: Tier
    why: Why
    mode: Mode | None = None


def decide(
    signed: ConsentGraph,
    allowed: ConsentGraph,
    domain: str,
    action: str,
    *,
    decayed: bool,
    confidence: float = 0.0,
) -> Answer:
    """Answer whether an agent may do something now; the strictest of all that is known.

    Args:
        signed: The graph that counts: shipped, with what the operator signed for.
        allowed: The same with everything that the home's own file says.
        domain: For example ``email``.
        action: For example ``send``.
        decayed: Whether nobody has signed a review for too long.
        confidence: 0..1, as the agent reports it. It never changes the tier, and in
            ``self_modification`` nothing at all.
    """
    tier, why = signed.tier(domain, action), Why.LISTED
    if not allowed.knows(domain, action):
        why = Why.UNKNOWN
    elif allowed.tier(domain, action) < tier:
        why = Why.UNREVIEWED
    if tier is Tier.AUTONOMOUS and decayed:
        tier, why = Tier.REQUIRES_APPROVAL, Why.DECAYED
    if tier is not Tier.REQUIRES_APPROVAL:
        return Answer(tier=tier, why=why)
    visible = confidence >= VISIBLE_FROM and domain != SELF_MODIFICATION and why is Why.LISTED
    return Answer(tier=tier, why=why, mode=Mode.VISIBLE if visible else Mode.FORCED)
