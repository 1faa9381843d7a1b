"""``nightledger.yaml`` to :class:`Settings`: the shipped file with a home's own over it."""

import difflib
import zoneinfo
from dataclasses import asdict, fields
from datetime import time
from functools import lru_cache
from typing import Any

from nightledger.codec.canonical import canonical
from nightledger.codec.configuration import over, parse_configuration
from nightledger.domain.drift import OnDrift
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.frames import FrameRules
from nightledger.domain.settings import Settings

_HINT = "every setting is described in the checkout's config/nightledger.yaml"


@lru_cache(maxsize=4)  # a night opens the gate for each of its jobs
def parse_settings(shipped: bytes, own: bytes | None, *, where: str) -> Settings:
    """Read the settings in force.

    Args:
        shipped: The checkout's ``config/nightledger.yaml``.
        own: The home's file, which holds only what differs; None where it has none.
        where: The home's file, for messages.

    Raises:
        ConfigurationError: Naming every problem with its line, misspelt keys with the near one.
    """
    values = parse_configuration(shipped, "settings", where="config/nightledger.yaml", hint=_HINT, ours=True)
    if own is not None:
        values = over(values, parse_configuration(own, "settings", where=where, hint=_HINT))
    if values["zone"] is not None:
        find_zone(values["zone"], where=f"{where}: zone")
    return _settings(values, where)


def dump_settings(settings: Settings) -> bytes:
    """Give settings as a file that :func:`parse_settings` takes; the zone is left out."""
    values = {field.name: getattr(settings, field.name) for field in fields(settings) if field.name != "zone"}
    plain = {
        "nightly_at": f"{settings.nightly_at:%H:%M}",
        "on_drift": settings.on_drift.value,
        "prune_at": f"{settings.prune_at:%H:%M}",
        "cap_characters": dict(settings.cap_characters),
        "frames": {name: asdict(rules) for name, rules in settings.frames.items()},
    }
    return canonical({**values, **plain}) + b"\n"


def find_zone(name: str, *, where: str) -> zoneinfo.ZoneInfo:
    """Give the zone of that name.

    Args:
        name: IANA name, ``Europe/Berlin``.
        where: Where it was set, for messages.

    Raises:
        ConfigurationError: When there is none; with the nearest name.
    """
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        close = difflib.get_close_matches(name, sorted(zoneinfo.available_timezones()), n=1)
        raise ConfigurationError(
            f"{where}: {name!r} is not an IANA zone",
            hint=f"did you mean {close[0]!r}?" if close else "write it like Europe/Berlin",
        ) from error


def _settings(values: dict[str, Any], where: str) -> Settings:
    meant = {
        "nightly_at": time.fromisoformat(values["nightly_at"]),
        "prune_at": time.fromisoformat(values["prune_at"]),
        "on_drift": OnDrift(values["on_drift"]),
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
