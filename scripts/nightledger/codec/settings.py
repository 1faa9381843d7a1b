"""The configuration of a home and of its operator.

Of ``consent-graph.json`` and ``staging-rules.json`` the shipped file counts, of settings the defaults of their schema,
which ``config/nightledger.yaml`` describes, with a home's own over them; ``operator.yaml`` is the operator's alone. What
checks a file that somebody wrote (``codec/configuration.py``, with its YAML) is imported where there is one.
"""

import zoneinfo
from datetime import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from nightledger.codec.canonical import parse_json
from nightledger.codec.schema import read_schema
from nightledger.domain.consent import TIER_WORDS, ConsentGraph, Tier, loosened, merge
from nightledger.domain.errors import ConfigurationError, RecordError
from nightledger.domain.settings import FrameRules, Operator, Settings

if TYPE_CHECKING:
    from nightledger.domain.staging import StagingRules

_HINT = "every setting is described in the checkout's config/nightledger.yaml"


@lru_cache(maxsize=4)  # a night opens the gate for each of its jobs
def parse_settings(own: bytes | None, *, where: str) -> Settings:
    """Read the settings in force.

    Args:
        own: The home's file, which holds only what differs from the defaults; None where it has none.
        where: The home's file, for messages.

    Raises:
        ConfigurationError: Naming every problem with its line.
    """
    values = {key: told["default"] for key, told in read_schema("settings")["properties"].items()}
    if own is not None:
        from nightledger.codec.configuration import over, parse_configuration

        values = over(values, parse_configuration(own, "settings", where=where, hint=_HINT))
    if values["zone"] is not None:
        find_zone(values["zone"], where=f"{where}: zone")
    return _settings(values, where)


def find_zone(name: str, *, where: str) -> zoneinfo.ZoneInfo:
    """Give the zone of that name.

    Args:
        name: IANA name, ``Europe/Berlin``.
        where: Where it was set, for messages.

    Raises:
        ConfigurationError: When there is none.
    """
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigurationError(
            f"{where}: {name!r} is not an IANA zone", hint="write it like Europe/Berlin"
        ) from error


def _settings(values: dict[str, Any], where: str) -> Settings:
    meant = {
        "nightly_at": time.fromisoformat(values["nightly_at"]),
        "prune_at": time.fromisoformat(values["prune_at"]),
        "frames": {
            name: _frame(rules, f"{where}: frames.{name}") for name, rules in values["frames"].items()
        },
    }
    return Settings(**{**values, **meant})


def _frame(values: dict[str, int], where: str) -> FrameRules:
    rules = FrameRules(**values)
    if problems := rules.why_not():
        raise ConfigurationError(f"{where}: {'; '.join(problems)}", hint=_HINT)
    return rules


_FLOOR_HINT = "the shipped config/consent-graph.json is the floor; a home may only be stricter"


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
    from nightledger.codec.configuration import parse_json_configuration

    graph = _graph(parse_json_configuration(own, "consent-graph", where=where, hint=_FLOOR_HINT))
    if problems := loosened(floor, graph):
        raise ConfigurationError(f"{where} loosens the floor:\n  " + "\n  ".join(problems), hint=_FLOOR_HINT)
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


_OPERATOR_HINT = "it holds: notify: {by: desktop}"


def parse_operator(raw: bytes, *, where: str) -> Operator:
    """Read what the operator lets us run.

    Args:
        raw: YAML.
        where: The file, for messages.

    Raises:
        ConfigurationError: Naming every problem with its line; a program without its full path too.
    """
    import msgspec

    from nightledger.codec.configuration import parse_configuration

    values = parse_configuration(raw, "operator", where=where, hint=_OPERATOR_HINT)
    servers = {name: values.get(name) or None for name in ("meaning", "analyst")}
    operator = msgspec.convert({**values, **servers}, Operator)
    words = operator.notify
    if isinstance(words, tuple) and words and not words[0].startswith("/"):
        # cron's search path is not the operator's, and a home must not be able to shadow a program.
        raise ConfigurationError(
            f"{where}: notify: {words[0]!r} is not a full path", hint=f"command -v {words[0]} gives it"
        )
    return operator


_STAGING_HINT = (
    "every key is described in schemas/staging-rules.schema.json; a home's file holds what differs"
)
_NOT_OURS = ("v", "prompt_hook")
"""The hook reads its own member, without what is imported here (``files/hook_state.py``)."""


def parse_staging_rules(shipped: bytes, own: bytes | None, *, where: str) -> "StagingRules":
    """Give the staging rules in force.

    Args:
        shipped: The checkout's ``config/staging-rules.json``; its tests hold it against the schema.
        own: The home's file; None where it has none.
        where: The home's file, for messages.

    Raises:
        ConfigurationError: Naming every problem.
    """
    import msgspec

    from nightledger.domain.staging import StagingRules

    values: dict[str, Any] = parse_json(shipped, "config/staging-rules.json")
    if own is not None:
        from nightledger.codec.configuration import over, parse_json_configuration

        try:
            values = over(
                values, parse_json_configuration(own, "staging-rules", where=where, hint=_STAGING_HINT)
            )
        except RecordError as error:
            raise ConfigurationError(str(error), hint=_STAGING_HINT) from error
    rules = msgspec.convert({key: told for key, told in values.items() if key not in _NOT_OURS}, StagingRules)
    problems = [
        f"windows.{n}: until_days is {window.until_days}, and from_days {window.from_days}; it must be more"
        for n, window in enumerate(rules.windows)
        if window.until_days is not None and window.until_days <= window.from_days
    ]
    if problems:
        raise ConfigurationError(f"{where} is not valid:\n  " + "\n  ".join(problems), hint=_STAGING_HINT)
    return rules
