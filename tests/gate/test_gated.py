import os

import pytest
from tests.gate.forgetting_desk import LOG, file, put
from tests.gate.homes import Desk

from nightledger.domain.errors import RefusedError, UnreadableError
from nightledger.gate.gated import MAX_MEMORY_BYTES, read_gated, read_target


@pytest.mark.parametrize("name", ["USER.md", "./MEMORY.md", "memory/../MEMORY.md", "SOUL.md", ""])
def test_only_the_listed_spelling_is_gated(desk: Desk, name: str) -> None:
    with pytest.raises(RefusedError, match="is not a gated file"):
        read_gated(desk.home, name)


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
