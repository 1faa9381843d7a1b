import errno
import os
from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.domain.errors import IntegrityError, RefusedError
from nightledger.files.home import Home
from nightledger.surfaces.home import is_simulated, require_machine, this_machine

HERE = os.uname().nodename


def test_the_machine_that_writes_a_home_may(tmp_path: Path) -> None:
    home = make_home(tmp_path, machine=HERE)
    require_machine(home)  # raises where it may not
    assert home.identity.machine == this_machine()


def test_another_one_is_told_where_to_go(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="is written by 'elsewhere'") as caught:
        require_machine(make_home(tmp_path, machine="elsewhere"))
    assert caught.value.hint.startswith("run it on elsewhere")
    assert "--take-over" in caught.value.hint


@pytest.mark.parametrize("damage", [b"", b"[]", b"{}", b"[" * 50_000, b"\xff"])
def test_a_damaged_record_lets_nobody_write(tmp_path: Path, damage: bytes) -> None:
    home = make_home(tmp_path, machine=HERE)
    Path(home.identity_file).write_bytes(damage)
    assert not is_simulated(home.root)
    with pytest.raises(IntegrityError):
        require_machine(Home(home.root))


def test_a_disk_that_fails_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = make_home(tmp_path, simulated=True)

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("os.open", fail)
    with pytest.raises(OSError, match="Input/output error"):
        is_simulated(home.root)
