"""What holds on this machine, and what an agent with a shell could do all the same: ``config/trust-levels.json``.

Invariant: nothing is claimed there that is not built; the longer list is of what is not proved.
"""

from dataclasses import dataclass
from typing import Any

from nightledger.surfaces.doctor.keys import Protection


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """How much a signature proves here.

    Attributes:
        name: The level, in a few words.
        raised_by: What would raise it.
        could_still: What an agent with a shell, running as this user, could do.
        not_built: What the design has and this version has not.
    """

    name: str
    raised_by: str
    could_still: tuple[str, ...]
    not_built: tuple[str, ...]


def level_of(protection: Protection) -> Level:
    """Return the level that holds with an operator's key that is so protected."""
    import msgspec

    from nightledger.files.shipped import shipped_config

    table: dict[str, Any] = msgspec.json.decode(shipped_config("trust-levels.json"))
    level = table["levels"][protection.value]
    return Level(
        name=level["name"],
        raised_by=level["raised_by"],
        could_still=(level["could_still"], *(text.format(**level) for text in table["always"])),
        not_built=tuple(table["not_built"]),
    )
