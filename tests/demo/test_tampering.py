from pathlib import Path

import pytest

from nightledger.demo.tampering import AUDIT_LOG, cut_the_tail, edit_a_line, slip_in_an_entry


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "audit").mkdir()
    (tmp_path / AUDIT_LOG).write_bytes(b"".join(b'{"at":"2026-01-0%dT00:00:00Z"}\n' % n for n in range(1, 9)))
    (tmp_path / "MEMORY.md").write_bytes(b"# MEMORY.md")
    return tmp_path


def test_an_edited_line_keeps_the_length_of_the_log(home: Path) -> None:
    before = (home / AUDIT_LOG).read_bytes()
    edit_a_line(home)
    after = (home / AUDIT_LOG).read_bytes()
    assert len(after) == len(before)
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


def test_a_cut_tail_leaves_whole_lines(home: Path) -> None:
    cut_the_tail(home)
    after = (home / AUDIT_LOG).read_bytes()
    assert after.count(b"\n") == 5
    assert after.endswith(b"}\n")


def test_an_entry_is_slipped_in_behind_what_is_there(home: Path) -> None:
    slip_in_an_entry(home)
    assert (home / "MEMORY.md").read_bytes().startswith(b"# MEMORY.md\n- ")
