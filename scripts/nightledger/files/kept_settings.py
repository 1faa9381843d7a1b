"""The settings in force, also while a home's own file cannot be used.

Invariant: whoever can write that file can switch off neither guard nor apply by breaking it,
and makes no wait shorter by that. What was last good is kept outside the home, as values and
never as text: a comment of the file is nobody's business there.
"""

import os
from dataclasses import dataclass

from nightledger.codec.settings import dump_settings, parse_settings
from nightledger.domain.errors import NightledgerError
from nightledger.domain.settings import Settings, stricter
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import MAX_BYTES, SHIPPED, load_settings
from nightledger.files.home import Home
from nightledger.files.reading import read_optional, read_regular

PRIVATE_MODE = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """What counts, and why it is not the home's own file.

    Attributes:
        settings: The shipped ones with the home's own over them; where those cannot be used, of
            each the stricter of the shipped and of the last that could, in the zone of ``init``.
        problem: Every problem of the home's own file, with its line; empty where it can be used.
    """

    settings: Settings
    problem: str = ""


def read_in_force(home: Home, kept: str) -> InForce:
    """Read the settings in force; nothing in the home's own file ends this.

    Args:
        home: Whose.
        kept: File in which :func:`keep_settings` left the last good ones; there may be none.
    """
    try:
        return InForce(settings=load_settings(home))
    except NightledgerError as error:
        shipped = read_regular(os.fspath(SHIPPED), MAX_BYTES)
        defaults = parse_settings(shipped, None, where=os.fspath(SHIPPED))
        return InForce(settings=stricter(defaults, _last_good(shipped, kept, defaults)), problem=str(error))


def keep_settings(home: Home, settings: Settings, kept: str) -> None:
    """Keep good settings of a home for the time when its file is broken; durable when this returns.

    Args:
        home: Whose; without a file of its own nothing is kept.
        settings: As they were read.
        kept: Where, outside the home.
    """
    if not os.path.lexists(home.settings):
        if os.path.lexists(kept):
            os.unlink(kept)
        return
    content = dump_settings(settings)
    if read_optional(kept, MAX_BYTES) != content:
        replace_file(kept, content, mode=PRIVATE_MODE)


def _last_good(shipped: bytes, kept: str, defaults: Settings) -> Settings:
    try:
        return parse_settings(shipped, read_optional(kept, MAX_BYTES), where=kept)
    except NightledgerError:
        return defaults
