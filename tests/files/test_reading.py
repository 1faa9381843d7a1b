from pathlib import Path

import pytest

from nightledger.domain.errors import UnreadableError
from nightledger.files.durable import is_within, read_regular

LIMIT = 1000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "log.md"
    path.parent.mkdir()
    path.write_bytes(b"text\n")
    return path


def refusal(path: Path, within: Path | None = None) -> UnreadableError:
    with pytest.raises(UnreadableError) as caught:
        read_regular(str(path), LIMIT, within=None if within is None else str(within))
    assert str(path) in str(caught.value)
    assert caught.value.hint
    return caught.value


def test_a_file_of_the_largest_size_is_read_and_one_byte_more_is_not(file: Path) -> None:
    file.write_bytes(b"x" * LIMIT)
    assert len(read_regular(str(file), LIMIT)) == LIMIT
    file.write_bytes(b"x" * (LIMIT + 1))
    assert "1001 bytes; at most 1000" in str(refusal(file))


def test_a_link_is_refused_unless_it_stays_in_the_home(file: Path) -> None:
    link = file.parent / "link.md"
    link.symlink_to("log.md")
    assert "is a link" in str(refusal(link))
    assert read_regular(str(link), LIMIT, within=str(file.parent)) == b"text\n"


@pytest.mark.parametrize("directory", [False, True])
def test_a_link_out_of_the_home_is_refused_whether_file_or_directory(file: Path, directory: bool) -> None:  # noqa: FBT001 - a parameter of the test
    outside = file.parent.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    link = file.parent / "link"
    link.symlink_to(outside if directory else outside / "secret.md")
    path = link / "secret.md" if directory else link
    assert "outside" in str(refusal(path, within=file.parent))


def test_being_inside_follows_links_and_names_do_not_fool_it(file: Path) -> None:
    home = file.parent
    (home.parent / "home-2").mkdir()
    assert is_within(str(home), str(home))
    assert is_within(str(file), str(home))
    assert is_within(str(home / "none" / "yet"), str(home))
    assert not is_within(str(home.parent / "home-2"), str(home))
    assert not is_within(str(home / ".." / "home-2"), str(home))
    assert is_within("/etc", "/")
