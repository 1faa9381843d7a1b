"""Files that changes may write beside gated ones, by their real place."""

import os

import pytest
from tests.gate.forgetting_desk import LOG, file, put
from tests.gate.homes import Desk

from nightledger.domain.errors import RefusedError
from nightledger.gate.gated import read_target


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
