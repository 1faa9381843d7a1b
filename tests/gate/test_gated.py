import os

import pytest
from tests.gate.forgetting_desk import LOG, file, put
from tests.gate.homes import Desk

from nightledger.domain.errors import RefusedError
from nightledger.gate.gated import MAX_MEMORY_BYTES, read_gated, read_target


def test_only_the_listed_spelling_is_gated(desk: Desk) -> None:
    for name in ("USER.md", "./MEMORY.md", "memory/../MEMORY.md", "SOUL.md", ""):
        with pytest.raises(RefusedError, match="is not a gated file"):
            read_gated(desk.home, name)


def test_a_file_of_the_largest_size_is_read(desk: Desk) -> None:
    os.truncate(desk.memory, MAX_MEMORY_BYTES)
    assert len(read_gated(desk.home, "MEMORY.md")) == MAX_MEMORY_BYTES


def test_no_change_writes_another_file_nor_a_log_that_is_another_name_of_a_protected_one(desk: Desk) -> None:
    put(desk, "SOUL.md", b"soul\n")
    for path in ("SOUL.md", "memory/notes.md", "memory/system/entries.json", "audit/x.md"):
        with pytest.raises(RefusedError, match="neither a daily log nor in the archive"):
            read_target(desk.home, path)
    file(desk, LOG).parent.mkdir(exist_ok=True)
    os.link(file(desk, "SOUL.md"), file(desk, LOG))
    with pytest.raises(RefusedError, match=r"SOUL\.md"):
        read_target(desk.home, LOG)
