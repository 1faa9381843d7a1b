from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.domain.errors import ConfigurationError, UnreadableError
from nightledger.domain.settings import Operator
from nightledger.files.configuration import load_operator, read_rule_files
from nightledger.files.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path / "home", zone="Asia/Tokyo")


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_an_operators_file_that_others_may_write_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "operator.yaml"
    path.write_text("notify: [/bin/true]\n")
    path.chmod(mode)
    with pytest.raises(ConfigurationError, match="others may write it") as caught:
        load_operator(str(tmp_path))
    assert "chmod 600" in caught.value.hint


def test_rule_files_are_read_from_outside_the_home_only(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text("title = 'a'\n")
    assert read_rule_files(Operator(rule_files=(str(path),)), home) == {str(path): b"title = 'a'\n"}
    assert read_rule_files(Operator(), home) == {}
    inside = Path(home.root) / "rules.toml"
    inside.write_text("title = 'a'\n")
    with pytest.raises(ConfigurationError, match="may not lie in the home"):
        read_rule_files(Operator(rule_files=(str(inside),)), home)
    with pytest.raises(UnreadableError):
        read_rule_files(Operator(rule_files=(str(tmp_path / "missing"),)), home)
