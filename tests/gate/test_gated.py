import hashlib
import os
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, Desk, make_desk, make_founding

from nightledger.domain.drift import OnDrift
from nightledger.domain.errors import RefusedError, UnreadableError
from nightledger.gate.founding import plan
from nightledger.gate.gated import (
    MAX_MEMORY_BYTES,
    protected_paths,
    read_gated,
    require_gateable,
    require_gated,
    sha256_gated,
    why_unreadable,
)


def test_a_gated_file_is_read_and_hashed(desk: Desk) -> None:
    assert read_gated(desk.home, "MEMORY.md") == MEMORY.encode()
    assert sha256_gated(desk.home, "MEMORY.md") == hashlib.sha256(MEMORY.encode()).hexdigest()


def test_a_missing_one_is_empty(desk: Desk) -> None:
    desk.memory.unlink()
    assert read_gated(desk.home, "MEMORY.md") == b""


@pytest.mark.parametrize("name", ["USER.md", "./MEMORY.md", "memory/../MEMORY.md", "SOUL.md", ""])
def test_only_the_listed_spelling_is_gated(desk: Desk, name: str) -> None:
    with pytest.raises(RefusedError, match="is not a gated file"):
        read_gated(desk.home, name)


def test_protected_files_are_the_identity_of_agent_home_and_log(desk: Desk) -> None:
    names = {desk.home.relative(path) for path in protected_paths(desk.home)}
    assert names == {
        "SOUL.md",
        "AGENTS.md",
        "audit/trusted-channel-audit.jsonl",
        "audit/checkpoint",
        "config/nightledger/consent-graph.json",
        "config/nightledger/allowed_signers",
        "config/nightledger/revoked_keys",
        "config/nightledger/peers.json",
        "config/nightledger/policy",
        "config/nightledger/home.json",
        "memory/system/constitution.json",
    }


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


def test_a_protected_file_that_is_missing_is_protected_too(desk: Desk) -> None:
    desk.memory.unlink()
    desk.memory.symlink_to(Path(desk.home.root, "SOUL.md"))
    with pytest.raises(RefusedError, match="is really the protected file SOUL"):
        require_gated(desk.home, "MEMORY.md")


def two_files(root: Path) -> Desk:
    """Make a home with a second gated file."""
    notes = root / "home" / "notes"
    notes.mkdir(parents=True)
    (notes / "a.md").write_text("# N\n\n## Lessons\n\n- A note.\n")
    return make_desk(root, gated=("MEMORY.md", "notes/a.md"))


@pytest.mark.parametrize("mode", OnDrift)
def test_a_gated_file_that_becomes_a_link_to_another_writes_nothing_there(
    tmp_path: Path, mode: OnDrift
) -> None:
    desk = two_files(tmp_path)
    desk.set(on_drift=mode)
    notes = Path(desk.home.path("notes/a.md"))
    notes.unlink()
    notes.symlink_to("../MEMORY.md")
    for _ in range(2):
        (told,) = desk.guard()
        assert (told.path, told.problem) == (
            "notes/a.md",
            "notes/a.md is a link that leads to another gated file, MEMORY.md",
        )
    assert desk.text() == MEMORY


def test_a_link_that_leads_to_no_other_gated_file_is_followed(tmp_path: Path) -> None:
    desk = two_files(tmp_path)
    notes = Path(desk.home.path("notes/a.md"))
    notes.rename(notes.with_name("b.md"))
    notes.symlink_to("b.md")
    assert read_gated(desk.home, "notes/a.md").startswith(b"# N")


def test_a_home_is_not_made_with_two_names_for_one_file(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "MEMORY.md").write_text(MEMORY)
    (home / "A.md").symlink_to("MEMORY.md")
    with pytest.raises(RefusedError, match="is a link that leads to another gated file"):
        plan(make_founding(tmp_path, gated=("MEMORY.md", "A.md")))


@pytest.mark.parametrize(
    "name", ["audit/blobs/x", "memory/system/entries.json", "memory/state/a.md", "config/nightledger/a"]
)
def test_our_own_records_are_never_gated(desk: Desk, name: str) -> None:
    with pytest.raises(RefusedError, match="which the gate never changes"):
        require_gateable(desk.home, name)
    desk.memory.unlink()
    desk.memory.symlink_to(Path(desk.home.root, name))
    with pytest.raises(RefusedError, match="which the gate never changes"):
        require_gated(desk.home, "MEMORY.md")


def test_a_note_may_be_gated_but_is_not_until_it_is_named(desk: Desk) -> None:
    require_gateable(desk.home, "memory/notes.md")
    with pytest.raises(RefusedError, match="not a gated file of this home"):
        require_gated(desk.home, "memory/notes.md")


def test_a_file_of_the_largest_size_is_read_and_one_byte_more_is_not(desk: Desk) -> None:
    with desk.memory.open("r+b") as stream:
        stream.truncate(MAX_MEMORY_BYTES + 1)
    with pytest.raises(UnreadableError, match=f"at most {MAX_MEMORY_BYTES}"):
        read_gated(desk.home, "MEMORY.md")
    os.truncate(desk.memory, MAX_MEMORY_BYTES)
    assert len(read_gated(desk.home, "MEMORY.md")) == MAX_MEMORY_BYTES


def test_a_memory_file_elsewhere_in_the_home(tmp_path: Path) -> None:
    (tmp_path / "home" / "memories").mkdir(parents=True)
    (tmp_path / "home" / "memories" / "MEMORY.md").write_text(MEMORY)
    desk = make_desk(tmp_path, memory=None, gated=("memories/MEMORY.md",))
    assert read_gated(desk.home, "memories/MEMORY.md") == MEMORY.encode()


def test_why_a_gated_file_cannot_be_read_is_told_with_what_helps(desk: Desk) -> None:
    assert why_unreadable(desk.home, "MEMORY.md") == ""
    desk.memory.unlink()
    desk.memory.mkdir()
    assert "MEMORY.md is a directory" in why_unreadable(desk.home, "MEMORY.md")
    desk.memory.rmdir()
    desk.memory.symlink_to("/etc/hosts")
    assert why_unreadable(desk.home, "MEMORY.md").endswith("; put the file itself in its place")
