import os
from pathlib import Path

import pytest
from tests.gate.forgetting_desk import LOG, file, put
from tests.gate.homes import MEMORY, Desk, make_founding

from nightledger.domain.errors import RefusedError, UnreadableError
from nightledger.gate.founding import plan
from nightledger.gate.gated import MAX_MEMORY_BYTES, read_gated, read_target, require_gated


@pytest.mark.parametrize("name", ["USER.md", "./MEMORY.md", "memory/../MEMORY.md", "SOUL.md", ""])
def test_only_the_listed_spelling_is_gated(desk: Desk, name: str) -> None:
    with pytest.raises(RefusedError, match="is not a gated file"):
        read_gated(desk.home, name)


@pytest.mark.parametrize("how", ["link", "symlink"])
@pytest.mark.parametrize("name", ["SOUL.md", "AGENTS.md", "config/nightledger/allowed_signers"])
def test_no_second_name_reaches_a_protected_file(desk: Desk, how: str, name: str) -> None:
    protected = Path(desk.home.root, name)
    protected.touch()
    desk.memory.unlink()
    if how == "link":
        os.link(protected, desk.memory)
    else:
        desk.memory.symlink_to(protected)
    with pytest.raises(RefusedError, match=f"is really the protected file {name}"):
        require_gated(desk.home, "MEMORY.md")


def test_a_home_is_not_made_with_two_names_for_one_file(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "MEMORY.md").write_text(MEMORY)
    (home / "A.md").symlink_to("MEMORY.md")
    with pytest.raises(RefusedError, match="is a link that leads to another gated file"):
        plan(make_founding(tmp_path, gated=("MEMORY.md", "A.md")))


def test_a_file_of_the_largest_size_is_read_and_one_byte_more_is_not(desk: Desk) -> None:
    with desk.memory.open("r+b") as stream:
        stream.truncate(MAX_MEMORY_BYTES + 1)
    with pytest.raises(UnreadableError, match=f"at most {MAX_MEMORY_BYTES}"):
        read_gated(desk.home, "MEMORY.md")
    os.truncate(desk.memory, MAX_MEMORY_BYTES)
    assert len(read_gated(desk.home, "MEMORY.md")) == MAX_MEMORY_BYTES


@pytest.mark.parametrize("path", ["SOUL.md", "memory/notes.md", "memory/system/entries.json", "audit/x.md"])
def test_any_other_file_is_refused(desk: Desk, path: str) -> None:
    with pytest.raises(RefusedError, match="neither a daily log nor in the archive"):
        read_target(desk.home, path)


def test_a_log_that_is_another_name_of_a_protected_file_is_refused(desk: Desk) -> None:
    put(desk, "SOUL.md", b"soul\n")
    file(desk, LOG).parent.mkdir(exist_ok=True)
    os.link(file(desk, "SOUL.md"), file(desk, LOG))
    with pytest.raises(RefusedError, match=r"SOUL\.md"):
        read_target(desk.home, LOG)
