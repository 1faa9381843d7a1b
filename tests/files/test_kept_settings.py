import os
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from nightledger.codec.settings import parse_settings
from nightledger.files.configuration import keep_settings, read_in_force
from nightledger.files.home import Home

SHIPPED_ONES = parse_settings(None, where="")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(str(tmp_path / "home"))
    Path(home.config_dir).mkdir(parents=True)
    return home


@pytest.fixture
def kept(tmp_path: Path) -> str:
    (tmp_path / "keys").mkdir()
    return str(tmp_path / "keys" / "settings.json")


def write(home: Home, text: str) -> None:
    Path(home.settings).write_text(text)


def remember(home: Home, kept: str) -> None:
    keep_settings(home, read_in_force(home, kept).settings, kept)


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ("cooling_hours: 0\n", ":1: cooling_hours: "),
        ("undo_days: 30\n\tx\n", ":2: "),
        ("zone: Nowhere/At_all\n", "is not an IANA zone"),
        (None, "is a directory"),
    ],
)
def test_a_broken_file_leaves_the_stricter_of_shipped_and_last_good(
    home: Home, kept: str, broken: str | None, told: str
) -> None:
    write(home, "zone: Europe/Berlin\ncooling_hours: 72\nnightly_additions: 20\n# a secret\n")
    remember(home, kept)
    if broken is None:
        os.unlink(home.settings)
        os.mkdir(home.settings)
    else:
        write(home, broken)
    found = read_in_force(home, kept)
    assert found.settings == replace(SHIPPED_ONES, cooling_hours=72)
    assert home.settings in found.problem
    assert told in found.problem
    assert b"secret" not in Path(kept).read_bytes()
    assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600
