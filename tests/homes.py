"""A small home for tests: directories and identity, without keys or log."""

from pathlib import Path

from nightledger.codec.home_record import dump_home
from nightledger.domain.identity import Identity
from nightledger.files.home import Home

HOME_ID = "3f1d0c5a9b7e42688c1f0a2b3c4d5e6f"


def make_home(root: Path, *, simulated: bool = True, zone: str = "Europe/Berlin") -> Home:
    """Make a home that has an identity and the directories that jobs write to; the clock can be set in it."""
    home = Home(root)
    for directory in (home.config_dir, home.system_dir, home.proposals_dir, home.locks_dir):
        Path(directory).mkdir(parents=True, exist_ok=True)
    identity = Identity(
        id=HOME_ID,
        origin=f"nightledger/{HOME_ID}",
        created_at="2026-01-01T00:00:00Z",
        machine="desk",
        zone=zone,
        host="openclaw",
        simulated=simulated,
        gated=("MEMORY.md",),
    )
    Path(home.identity_file).write_bytes(dump_home(identity))
    return home
