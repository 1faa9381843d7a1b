"""Who else writes the agent's memory: told with the setting to change, never changed."""

import os
from collections.abc import Iterator

from nightledger.files.home import Home
from nightledger.hosts.rivals import Unread, find_rivals
from nightledger.hosts.roots import named_config, state_roots
from nightledger.surfaces.doctor.checks import Check, good, note


def check_rivals(home: Home) -> Iterator[Check]:
    """Look into the configuration of the home's host.

    Args:
        home: Whose.
    """
    host = home.identity.host
    user_home = os.path.expanduser("~")
    root = state_roots(user_home, os.environ).get(host, "")
    config = named_config(host, user_home, os.environ)
    found = find_rivals(host, root, home.root, config) if root else ()
    for one in found:
        if isinstance(one, Unread):
            yield note(f"{one.path} cannot be read: {one.reason}", "see for yourself what it turns on")
        elif one.is_on is None:
            said = f"{one.name} {one.writes}; {one.path} does not say whether it is on, and versions differ"
            yield note(said, f"to turn it off, set {one.setting}")
        else:
            yield note(f"{one.name} {one.writes}", f"to turn it off, set {one.setting} in {one.path}")
    if not found and root and not os.path.isdir(root) and not config:
        told = (
            f"{root} is not there: of {host}'s configuration nothing was looked at but what lies in the home"
        )
        yield note(told, "run doctor as the user whose agent it is, with the variables that agent has")
    elif not found and root:
        yield good(f"nothing of {host}'s configuration writes the memory beside the gate")
