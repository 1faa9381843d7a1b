"""Files that changes may write beside gated ones, by their real place."""

import os

import pytest
from tests.gate.forgetting_desk import ARCHIVE, COPY, FULL, LOG, file, put
from tests.gate.homes import Desk

from nightledger.domain.errors import RefusedError
from nightledger.domain.kept import LINKS
from nightledger.gate.kept_files import places_of, read_target


def test_daily_logs_archives_and_gated_files_are_read_and_missing_ones_are_empty(desk: Desk) -> None:
    put(desk, LOG, FULL)
    assert read_target(desk.home, LOG) == FULL
    assert read_target(desk.home, COPY) == read_target(desk.home, ARCHIVE) == b""
    assert read_target(desk.home, "MEMORY.md") == desk.memory.read_bytes()
    assert read_target(desk.home, LINKS) == b""
    assert places_of(desk.home).daily == ("memory", "memory/daily")


@pytest.mark.parametrize("path", ["SOUL.md", "memory/notes.md", "memory/system/entries.json", "audit/x.md"])
def test_any_other_file_is_refused(desk: Desk, path: str) -> None:
    with pytest.raises(RefusedError, match="neither a daily log nor in the archive"):
        read_target(desk.home, path)


def test_a_log_that_is_a_link_is_refused_even_within_the_home(desk: Desk) -> None:
    put(desk, "memory/elsewhere.md", FULL)
    os.symlink(file(desk, "memory/elsewhere.md"), file(desk, LOG))
    with pytest.raises(RefusedError, match="reached through a link"):
        read_target(desk.home, LOG)


def test_an_archive_whose_folder_is_a_link_is_refused(desk: Desk) -> None:
    os.makedirs(file(desk, "memory/other"))
    os.symlink(file(desk, "memory/other"), file(desk, "memory/archive"))
    with pytest.raises(RefusedError, match="reached through a link"):
        read_target(desk.home, ARCHIVE)


def test_a_log_that_is_another_name_of_the_memory_file_is_refused(desk: Desk) -> None:
    file(desk, LOG).parent.mkdir(exist_ok=True)
    os.link(desk.memory, file(desk, LOG))
    with pytest.raises(RefusedError, match=r"is really MEMORY\.md"):
        read_target(desk.home, LOG)


def test_a_log_that_is_another_name_of_a_protected_file_is_refused(desk: Desk) -> None:
    put(desk, "SOUL.md", b"soul\n")
    file(desk, LOG).parent.mkdir(exist_ok=True)
    os.link(file(desk, "SOUL.md"), file(desk, LOG))
    with pytest.raises(RefusedError, match=r"SOUL\.md"):
        read_target(desk.home, LOG)
