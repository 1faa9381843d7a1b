"""Find the home that a directory lies in, as git finds its repository."""

import os

IDENTITY = os.path.join("config", "nightledger", "home.json")
"""What makes a directory a home."""


def find_upward(here: str) -> str:
    """Return the nearest directory, from one upward, that is a home; empty where there is none.

    One of another user is passed over, as whoever can write into a directory above could else choose the home;
    root takes any.

    Args:
        here: Absolute.
    """
    user = os.geteuid()
    while True:
        try:
            owner = os.stat(os.path.join(here, IDENTITY)).st_uid
            if user in (0, owner):
                return here
        except OSError:
            pass
        if here == os.path.dirname(here):
            return ""
        here = os.path.dirname(here)
