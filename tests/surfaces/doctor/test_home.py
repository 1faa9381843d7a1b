from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.files.configuration import load_settings
from nightledger.surfaces.doctor.checks import State
from nightledger.surfaces.doctor.home import check_clock, check_home, filesystem_of

MOUNTS = """\
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 21 0:40 / /home rw shared:2 - btrfs /dev/sdb rw
41 40 0:41 / /home/me/far\\040away rw - nfs4 server:/x rw
42 21 0:42 / /homes rw - cifs //server/y rw
no line
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/etc/x", "ext4"),
        ("/home/me/agent", "btrfs"),
        ("/home/me/far away/agent", "nfs4"),
        ("/homes/me", "cifs"),
        ("/homework", "ext4"),
    ],
)
def test_the_innermost_mount_tells_the_file_system(path: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "mounts").write_text(MOUNTS)
    assert filesystem_of(path, str(tmp_path / "mounts")) == kind


def test_a_network_file_system_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "mounts").write_text(f"1 1 0:1 / {tmp_path} rw - nfs4 server:/x rw\n")
    home = make_home(tmp_path / "home")
    checks = list(check_home(home, str(tmp_path), mounts=str(tmp_path / "mounts")))
    assert [c.state for c in checks if "network file system (nfs4)" in c.message] == [State.NOTE]


def test_an_ordinary_home_on_a_system_without_boot_ids_is_told_what_that_means(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", simulated=False)
    now = datetime(2026, 3, 1, tzinfo=UTC)
    settings = load_settings(home)
    notes = [c.message for c in check_clock(home, settings, None, now, "") if c.state is State.NOTE]
    assert notes == [
        "this system names no boots: a step of the clock may shorten cooling, or let a night come again"
    ]
    assert not [c for c in check_clock(home, settings, None, now, "a-boot") if c.state is State.NOTE]
