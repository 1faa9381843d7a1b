"""Say why a directory is no home, and what makes it one."""

import os
from shlex import quote

from nightledger.domain.errors import ConfigurationError


def no_home(root: str) -> ConfigurationError:
    """Give the error for a root that is missing, no directory, or not yet a home.

    Args:
        root: Absolute path.
    """
    make = f"nightledger init --home {quote(root)}"
    if not os.path.lexists(root):
        return ConfigurationError(f"the home {root} does not exist", hint=f"make it: {make}")
    if not os.path.isdir(root):
        return ConfigurationError(f"the home {root} is not a directory", hint="name a directory with --home")
    adopt = f"{make}, or {make} --adopt to take over an agent's workspace"
    return ConfigurationError(f"{root} is not a home yet", hint=f"make it one: {adopt}")
