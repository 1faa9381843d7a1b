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


@pytest.mark.parametrize("theirs", ["demo-home", "demo-home.keys", "linked", "file"])
def test_what_no_demo_made_is_refused_and_kept(tmp_path: Path, theirs: str) -> None:
    for name in ("elsewhere", theirs) if theirs.startswith("demo") else ("elsewhere",):
        (tmp_path / name).mkdir()
        (tmp_path / name / "precious.md").write_text("mine")
    (tmp_path / "linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "file").write_text("x")
    with pytest.raises(RefusedError, match="no demo made it"):
        clear_stage(tmp_path / theirs.removesuffix(".keys"))
    kept = [path.read_text() for path in tmp_path.glob("*/precious.md")]
    assert kept == ["mine"] * (3 if theirs.startswith("demo") else 2)
