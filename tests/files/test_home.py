from pathlib import Path

import pytest

from nightledger.codec.home_record import dump_home
from nightledger.domain.errors import IntegrityError, UnreadableError
from nightledger.domain.identity import Identity
from nightledger.files.home import Home

IDENTITY = Identity(
    id="3f1d0c5a9b7e42688c1f0a2b3c4d5e6f",
    origin="nightledger/3f1d0c5a9b7e42688c1f0a2b3c4d5e6f",
    created_at="2026-02-28T03:05:00Z",
    machine="desk",
    zone="Europe/Berlin",
    host="openclaw",
    simulated=False,
    gated=("MEMORY.md", "docs/RULES.md"),
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    Path(made.config_dir).mkdir(parents=True)
    Path(made.identity_file).write_bytes(dump_home(IDENTITY))
    return made


def test_an_identity_that_is_a_link_out_of_the_home_is_refused(home: Home, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.json"
    Path(home.identity_file).rename(outside)
    Path(home.identity_file).symlink_to(outside)
    with pytest.raises(IntegrityError, match="outside"):
        _ = home.identity
    outside.unlink()


@pytest.mark.parametrize("relative", ["", "/etc/passwd", "../x", "a/../../x", "a\0b"])
def test_a_name_that_leads_out_of_the_home_is_refused(home: Home, relative: str) -> None:
    with pytest.raises(UnreadableError, match="not a path inside the home"):
        home.path(relative)
