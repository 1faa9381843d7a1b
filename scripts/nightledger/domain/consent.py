"""The consent graph: what an agent may do alone, with approval, or never.

Invariant: the strictest answer wins and the unknown is blocked. A home's own graph may
tighten the shipped one and never loosen ``self_modification`` or what is blocked. No
answer of the graph replaces the signature on a gated file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

SELF_MODIFICATION = "self_modification"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentGraph:
    """Tiers by domain and action.

    Attributes:
        domains: For each domain, each known action and its tier.
        cooling_hours: Hours from a proposal's leaf to its earliest apply.
        undo_days: Days in which an applied change can be undone.
    """

    domains: Mapping[str, Mapping[str, Tier]]
    cooling_hours: int = 2
    undo_days: int = 7

    def tier(self, domain: str, action: str) -> Tier:
        """Give the tier of an action; what is unknown is blocked.

        An action may be covered by a name that ends in ``*``; the strictest of all that match wins.
        """
        known = self.domains.get(domain, {})
        matching = [tier for name, tier in known.items() if _covers(name, action)]
        return max(matching, default=Tier.BLOCKED)


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
    )


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
    known = any(_covers(name, action) for name in shipped.domains.get(domain, {}))
    if domain == SELF_MODIFICATION or (known and tier is Tier.BLOCKED):
        return tier
    return Tier.AUTONOMOUS
