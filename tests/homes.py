"""A small home for tests: directories and identity, without keys or log."""

from pathlib import Path
from typing import Any

from nightledger.codec.home_record import Identity, dump_home
from nightledger.files.home import Home

HOME_ID = "3f1d0c5a9b7e42688c1f0a2b3c4d5e6f"


def make_home(root: Path, **fields: Any) -> Home:
    """Make a home that has an identity and the directories that jobs write to; the clock can be set in it.

    Args:
        root: Its directory.
        fields: Fields of its identity that matter to the test.
    """
    home = Home(root)
    for directory in (home.config_dir, home.system_dir, home.audit_dir, home.proposals_dir, home.locks_dir):
        Path(directory).mkdir(parents=True, exist_ok=True)
    home_id = fields.get("id", HOME_ID)
    values: dict[str, Any] = {
        "id": home_id,
        "origin": f"nightledger/{home_id}",
        "created_at": "2026-01-01T00:00:00Z",
        "machine": "desk",
        "zone": "Europe/Berlin",
        "host": "openclaw",
        "simulated": True,
        "gated": ("MEMORY.md",),
    }
    Path(home.identity_file).write_bytes(dump_home(Identity(**{**values, **fields})))
    return home
