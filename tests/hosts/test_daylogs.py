import os
from datetime import date
from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.files.home import Home
from nightledger.hosts.daylogs import LogFile, day_of, find_daylogs, read_daylogs

DIRECTORIES = ("memory", "memory/daily")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = make_home(tmp_path)
    (tmp_path / "memory" / "daily").mkdir()
    return made


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2026-02-28.md", date(2026, 2, 28)),
        ("2026-02-28-boat-talk.md", date(2026, 2, 28)),
        ("2026-02-28_1430.txt", date(2026, 2, 28)),
        ("2026-02-28T14.MD", date(2026, 2, 28)),
        ("2026-02-28 notes.markdown", date(2026, 2, 28)),
        ("2024-02-29.md", date(2024, 2, 29)),
        ("2026-02-29.md", None),
        ("2026-02-28.json", None),
        ("2026-02-281.md", None),
        ("x2026-02-28.md", None),
        ("MEMORY.md", None),
        ("2026-2-8.md", None),
    ],
)
def test_a_log_is_known_by_its_name(name: str, day: date | None) -> None:
    assert day_of(name) == day


def test_logs_come_by_date_then_name_from_every_layout(home: Home, tmp_path: Path) -> None:
    for name in ("2026-03-01.md", "2026-02-28-b.md", "daily/2026-02-28.md", "2026-02-28-a.md", "README.md"):
        (tmp_path / "memory" / name).touch()
    assert [log.path for log in find_daylogs(home, (*DIRECTORIES, "missing"))] == [
        "memory/2026-02-28-a.md",
        "memory/2026-02-28-b.md",
        "memory/daily/2026-02-28.md",
        "memory/2026-03-01.md",
    ]


def test_what_looks_like_a_log_and_is_none_is_named_and_passed_over(home: Home, tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    (memory / "2026-02-01.md").write_bytes(b"\xef\xbb\xbfa\r\n\xff")
    (memory / "2026-02-02.md").mkdir()
    os.mkfifo(memory / "2026-02-03.md")
    (memory / "2026-02-04.md").symlink_to("/etc/hosts")
    (memory / "2026-02-05.md").symlink_to("2026-02-01.md")
    with (memory / "2026-02-06.md").open("wb") as stream:
        stream.truncate(32_000_001)
    texts, skipped = read_daylogs(home, find_daylogs(home, DIRECTORIES))
    assert {log.path: text for log, text in texts.items()} == {
        "memory/2026-02-01.md": b"\xef\xbb\xbfa\r\n\xff",
        "memory/2026-02-05.md": b"\xef\xbb\xbfa\r\n\xff",
    }
    assert [item.path[-13:] for item in skipped] == [f"2026-02-0{n}.md" for n in (2, 3, 4, 6)]
    for item, reason in zip(skipped, ("directory", "FIFO", "outside", "32000001 bytes"), strict=True):
        assert reason in item.reason


def test_a_log_that_vanished_is_named(home: Home) -> None:
    gone = LogFile(path="memory/2026-02-01.md", day=date(2026, 2, 1))
    texts, skipped = read_daylogs(home, [gone])
    assert not texts
    assert skipped[0].path == gone.path
