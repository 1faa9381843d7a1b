"""``staging-rules.json`` to :class:`StagingRules`: the shipped file with a home's own over it."""

from collections.abc import Mapping
from datetime import time
from typing import Any

from nightledger.codec.configuration import over, parse_json_configuration
from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import ConfigurationError, RecordError
from nightledger.domain.staging import Routine, Source, SourceRules, StagingRules, WindowRules

_HINT = "every key is described in schemas/staging-rules.schema.json; a home's file holds what differs"
_NOT_OURS = ("v", "prompt_hook")
"""The hook reads its own member, without what is imported here (``files/hook_settings.py``)."""
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def parse_staging_rules(shipped: bytes, own: bytes | None, *, where: str) -> StagingRules:
    """Give the staging rules in force.

    Args:
        shipped: The checkout's ``config/staging-rules.json``; its tests hold it against the schema.
        own: The home's file; None where it has none.
        where: The home's file, for messages.

    Raises:
        ConfigurationError: Naming every problem; a misspelt key with the near one.
    """
    values: dict[str, Any] = parse_json(shipped, "config/staging-rules.json")
    if own is not None:
        try:
            values = over(values, parse_json_configuration(own, "staging-rules", where=where, hint=_HINT))
        except RecordError as error:
            raise ConfigurationError(str(error), hint=_HINT) from error
    rules = _rules(values)
    if problems := _why_not(rules):
        raise ConfigurationError(f"{where} is not valid:\n  " + "\n  ".join(problems), hint=_HINT)
    return rules


def _rules(values: dict[str, Any]) -> StagingRules:
    meant = {
        "sources": {Source(name): SourceRules(**rules) for name, rules in values["sources"].items()},
        "windows": tuple(WindowRules(**window) for window in values["windows"]),
        "routines": tuple(map(_routine, values["routines"])),
    }
    return StagingRules(
        **{name: value for name, value in {**values, **meant}.items() if name not in _NOT_OURS}
    )


def _routine(values: Mapping[str, Any]) -> Routine:
    return Routine(
        name=values["name"],
        query=values["query"],
        weekdays=tuple(sorted(map(_WEEKDAYS.index, values.get("weekdays", ())))),
        begins=time.fromisoformat(values["begins"]),
        ends=time.fromisoformat(values["ends"]),
    )


def _why_not(rules: StagingRules) -> list[str]:
    return [
        f"windows.{n}: until_days is {window.until_days}, and from_days {window.from_days}; it must be more"
        for n, window in enumerate(rules.windows)
        if window.until_days is not None and window.until_days <= window.from_days
    ]
