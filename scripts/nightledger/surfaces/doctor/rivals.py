"""Who else writes the agent's memory: told with the setting to change, never changed."""

import os
from collections.abc import Iterator

from nightledger.files.home import Home
from nightledger.hosts.rivals import Unread, find_rivals
from nightledger.hosts.roots import state_roots
from nightledger.surfaces.doctor.checks import Check, good, note

AREA = "rivals"


def check_rivals(home: Home) -> Iterator[Check]:
    """Look into the configuration of the home's host.

    Args:
        home: Whose.
    """
    host = home.identity.host
    root = state_roots(os.path.expanduser("~"), os.environ).get(host, "")
    found = find_rivals(host, root, home.root) if root else ()
    for one in found:
        if isinstance(one, Unread):
            yield note(AREA, f"{one.path} cannot be read: {one.reason}", "see for yourself what it turns on")
        elif one.is_on is None:
            said = f"{one.name} {one.writes}; {one.path} does not say whether it is on, and versions differ"
            yield note(AREA, said, f"to turn it off, set {one.setting}")
        else:
            yield note(AREA, f"{one.name} {one.writes}", f"to turn it off, set {one.setting} in {one.path}")
    if not found and root:
        yield good(AREA, f"nothing of {host}'s configuration writes the memory beside the gate")
