"""``consent-graph.json`` to ``ConsentGraph``: the shipped floor with a home's own over it."""

from typing import Any

from nightledger.codec.configuration import parse_json_configuration
from nightledger.codec.strict_json import parse_json
from nightledger.domain.consent import TIER_WORDS, ConsentGraph, Tier, loosened, merge
from nightledger.domain.errors import ConfigurationError

_HINT = "the shipped config/consent-graph.json is the floor; a home may only be stricter"


def parse_consent(shipped: bytes, own: bytes | None, *, where: str) -> ConsentGraph:
    """Give the consent graph in force.

    Args:
        shipped: The checkout's ``config/consent-graph.json``.
        own: The home's file; None where it has none.
        where: The home's file, for messages.

    Raises:
        ConfigurationError: A graph that is not valid, or that loosens the floor.
    """
    floor, graph = parse_graphs(shipped, own, where=where)
    return floor if graph is None else merge(floor, graph)


def parse_graphs(
    shipped: bytes, own: bytes | None, *, where: str
) -> tuple[ConsentGraph, ConsentGraph | None]:
    """Give the shipped graph and the home's own, apart; see :func:`parse_consent`.

    Raises:
        ConfigurationError: A graph that is not valid, or that loosens the floor.
    """
    floor = _graph(parse_json(shipped, "config/consent-graph.json"))  # its tests hold it against the schema
    if own is None:
        return floor, None
    graph = _graph(parse_json_configuration(own, "consent-graph", where=where, hint=_HINT))
    if problems := loosened(floor, graph):
        raise ConfigurationError(f"{where} loosens the floor:\n  " + "\n  ".join(problems), hint=_HINT)
    return floor, graph


def _graph(record: dict[str, Any]) -> ConsentGraph:
    times = {
        "cooling_hours": record.get("cooling_period_hours"),
        "undo_days": record.get("undo_window_days"),
        "decay_days": record.get("consent_decay_days"),
    }
    return ConsentGraph(
        domains={name: _tiers(lists) for name, lists in record["domains"].items()},
        **{name: value for name, value in times.items() if value is not None},
    )


def _tiers(lists: dict[str, Any]) -> dict[str, Tier]:
    """Give each action's tier; where several lists name it the strictest wins."""
    tiers: dict[str, Tier] = {}
    for word, actions in lists.items():
        for action in actions:
            tiers[action] = max(TIER_WORDS[word], tiers.get(action, Tier.AUTONOMOUS))
    return tiers
