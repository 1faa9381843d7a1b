"""How many characters of a memory file a host shows its agent, and which setting says so.

The host's own configuration is asked first; ``cap_characters`` of the home counts where it is smaller, or where
the host's says nothing.
Invariant: configuration is read and never written, and one that cannot be read leaves the host's default.
"""

import os
from collections.abc import Mapping

from msgspec import Struct

from nightledger.domain.settings import Settings
from nightledger.hosts.configured import Unread, member_at, read_config
from nightledger.hosts.presets import OPENCLAW, named_config, preset, state_roots

OWN = "config/nightledger/nightledger.yaml"
HEAD, TAIL = 0.7, 0.2
"""What OpenClaw shows of a longer file, as shares of its cap: the beginning and the end (seen with 2026.9.6)."""


class Cap(Struct, frozen=True, kw_only=True):
    """A cap, and where it is set.

    Attributes:
        characters: How many are shown; None where all are.
        setting: What to change to have another cap; empty where there is none.
        shown: How many characters of a longer file are shown from its beginning, and from its end; None where
            nobody knows how the host cuts.
    """

    characters: int | None
    setting: str = ""
    shown: tuple[int, int] | None = None

    @property
    def told(self) -> str:
        """The number and the setting, for a message."""
        return f"{self.characters or 0:,} ({self.setting})"


def config_file(host: str, user_home: str, environment: Mapping[str, str]) -> str:
    """Return the path of a host's configuration in which its cap may stand; empty for a host that has none.

    Args:
        host: Its name in records.
        user_home: The user's own directory, absolute.
        environment: Variables of the caller.
    """
    if not preset(host).cap:
        return ""
    named = named_config(host, user_home, environment)
    return named or os.path.join(state_roots(user_home, environment)[host], preset(host).config)


def read_cap(host: str, own: int | None, config: str) -> Cap:
    """Return the cap of a host: its own setting, or its default; the home's own setting where that is smaller.

    Args:
        host: Its name in records.
        own: ``cap_characters`` of the home; as shipped, it says nothing.
        config: The host's configuration (:func:`config_file`); empty where nobody looked.
    """
    keys, shipped = preset(host).cap, Settings().cap_characters.get(host)
    of_home = cut(host, own, f"cap_characters.{host} in {OWN}")
    if own is None or not keys:
        return of_home
    found = read_config(config) if config else None
    name, value = ".".join(keys), found if isinstance(found, Unread) else member_at(found, *keys)
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 1:
        return of_home if own != shipped and own < value else cut(host, int(value), f"{name} in {config}")
    why = "which cannot be read" if isinstance(value, Unread) else "where it is not set"
    return of_home if own != shipped else cut(host, shipped, f"{name} in {config}, {why}" if config else name)


def cut(host: str, characters: int | None, setting: str) -> Cap:
    """Return a cap with what its host shows of a longer file; of OpenClaw it is known that it drops the middle."""
    known = characters is not None and host == OPENCLAW
    shown = (int((characters or 0) * HEAD), int((characters or 0) * TAIL)) if known else None
    return Cap(characters=characters, setting=setting, shown=shown)
