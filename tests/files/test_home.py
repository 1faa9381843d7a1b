from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.domain.errors import IntegrityError, UnreadableError
from nightledger.files.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path)


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
