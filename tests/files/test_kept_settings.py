import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from nightledger.codec.settings import dump_settings, parse_settings
from nightledger.files.configuration import SHIPPED, keep_settings, read_in_force
from nightledger.files.home import Home

SHIPPED_ONES = parse_settings(SHIPPED.read_bytes(), None, where="")


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


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "nightly_at": st.sampled_from(["00:00", "23:05"]),
            "cooling_hours": st.integers(2, 168),
            "undo_days": st.integers(7, 366),
            "cap_characters": st.dictionaries(
                st.sampled_from(["openclaw", "codex", "hermes"]), st.none() | st.integers(500, 10**6)
            ),
            "agent_bytes": st.integers(256, 65536),
        },
    )
)
def test_what_is_kept_is_read_as_what_it_was(values: dict[str, Any]) -> None:
    shipped = SHIPPED.read_bytes()
    quoted = {name: f'"{value}"' if name == "nightly_at" else value for name, value in values.items()}
    own = "".join(f"{name}: {str(value).replace('None', 'null')}\n" for name, value in quoted.items())
    settings = parse_settings(shipped, own.encode(), where="own")
    assert parse_settings(shipped, dump_settings(settings), where="kept") == settings


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
