from pathlib import Path

import pytest

from nightledger.demo.walk import clear_stage
from nightledger.domain.errors import RefusedError


def test_the_last_demo_is_cleared_away(tmp_path: Path) -> None:
    home = tmp_path / "demo-home"
    clear_stage(home)
    (home / "memory").mkdir()
    clear_stage(home)
    assert not (home / "memory").exists()


@pytest.mark.parametrize("theirs", ["demo-home", "demo-home.keys"])
def test_a_folder_that_no_demo_made_is_refused_and_kept(tmp_path: Path, theirs: str) -> None:
    (tmp_path / theirs).mkdir()
    (tmp_path / theirs / "precious.md").write_text("mine")
    with pytest.raises(RefusedError, match="no demo made it"):
        clear_stage(tmp_path / "demo-home")
    assert (tmp_path / theirs / "precious.md").read_text() == "mine"


def test_a_link_or_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "linked").symlink_to(elsewhere)
    (tmp_path / "file").write_text("x")
    for name in ("linked", "file"):
        with pytest.raises(RefusedError, match="no demo made it"):
            clear_stage(tmp_path / name)
