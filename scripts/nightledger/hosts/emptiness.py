"""Whether a home has anything in it that a night could read, and what would fill it."""

import os

from nightledger.domain.errors import NightledgerError
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.hosts.daylogs import find_daylogs
from nightledger.hosts.presets import preset

_LITTLE_BYTES = 4096
"""A memory of more than that is not one of headings alone. Our choice."""


def why_empty(home: Home) -> str:
    """Say that there is no memory, no daily log and no outcome in a home, and what would fill it.

    Returns:
        Prose; empty where something is there, or cannot be looked at.
    """
    daily = preset(home.identity.host).daily
    if any(_says_something(home, path) for path in home.identity.gated) or find_daylogs(home, daily):
        return ""
    if os.path.exists(home.outcomes) and os.path.getsize(home.outcomes):
        return ""
    return (
        f"Nothing is in this home yet: no memory in {' or '.join(home.identity.gated)}, no daily logs in "
        f"{' or '.join(daily)}, no outcomes; nights find nothing to propose. The agent fills it once its "
        "instructions tell it to: 'nightledger doctor --paste' has the lines. Your own way: 'nightledger edit'."
    )


def _says_something(home: Home, relative: str) -> bool:
    """Tell whether a file has a line that is no heading."""
    try:
        content = read_optional(home.path(relative), _LITTLE_BYTES, within=home.root) or b""
    except NightledgerError:  # larger, or no file: told elsewhere
        return True
    return any(line.strip() and not line.lstrip().startswith(b"#") for line in content.splitlines())
