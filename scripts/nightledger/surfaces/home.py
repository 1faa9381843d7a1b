"""Small questions about a home that commands ask before they import anything heavy."""

import json
import os

IDENTITY = os.path.join("config", "nightledger", "home.json")


def is_simulated(home_path: str) -> bool:
    """Tell whether the home was made with ``init --simulated``; False where it cannot be read."""
    try:
        with open(os.path.join(home_path, IDENTITY), encoding="utf-8") as stream:
            identity = json.load(stream)
    except (OSError, ValueError):
        return False
    return isinstance(identity, dict) and identity.get("simulated") is True
