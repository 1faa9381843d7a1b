import os
from datetime import date
from pathlib import Path

import pytest
from tests.homes import make_home
from tests.rows import from_corpus

from nightledger.files.home import Home
from nightledger.hosts import daylogs

DIRECTORIES = ("memory", "memory/daily")
DAY = date(2026, 2, 28)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = make_home(tmp_path / "home")
    Path(made.path("memory/daily")).mkdir()
    return made


def write(home: Home, path: str, content: bytes = b"- a line\n") -> Path:
    written = Path(home.path(path))
    written.write_bytes(content)
    return written


@from_corpus("hosts-daylogs")
def test_a_name_that_begins_with_a_date_is_a_daily_log(name: str) -> None:
    assert daylogs.day_of(name) == DAY


@from_corpus("hosts-daylogs")
def test_any_other_name_is_none(name: str) -> None:
    assert daylogs.day_of(name) is None


def test_logs_of_every_layout_come_by_date_then_name(home: Home) -> None:
    for name in ("2026-03-01", "daily/2026-02-28", "2026-02-28-b", "2026-02-28-a", "notes"):
        write(home, f"memory/{name}.md")
    assert daylogs.find_daylogs(home, DIRECTORIES) == [
        daylogs.LogFile(path="memory/2026-02-28-a.md", day=DAY),
        daylogs.LogFile(path="memory/2026-02-28-b.md", day=DAY),
        daylogs.LogFile(path="memory/daily/2026-02-28.md", day=DAY),
        daylogs.LogFile(path="memory/2026-03-01.md", day=date(2026, 3, 1)),
    ]


def test_what_cannot_be_read_is_named_as_the_home_knows_it_and_the_rest_is_read(home: Home) -> None:
    write(home, "memory/2026-02-28.md")
    Path(home.path("memory/2026-02-28-dir.md")).mkdir()
    os.mkfifo(home.path("memory/2026-02-28-fifo.md"))
    os.close(os.open(os.fsencode(home.path("memory")) + b"/2026-02-28-\xff.md", os.O_CREAT))
    contents, skipped = daylogs.read_daylogs(home, daylogs.find_daylogs(home, DIRECTORIES))
    assert [log.path for log in contents] == ["memory/2026-02-28.md"]
    assert [one.reason for one in skipped] == [
        "memory/2026-02-28-dir.md is a directory, not a file to read",
        "memory/2026-02-28-fifo.md is a FIFO, not a file to read",
        "memory/2026-02-28-\\xff.md has a name that is not UTF-8",
    ]
    assert [one.path for one in skipped][:2] == ["memory/2026-02-28-dir.md", "memory/2026-02-28-fifo.md"]


def test_links_are_followed_inside_the_home_only(home: Home, tmp_path: Path) -> None:
    inside = write(home, "memory/kept.md", b"in")
    outside = tmp_path / "secret.md"
    outside.write_bytes(b"out")
    Path(home.path("memory/2026-02-27.md")).symlink_to(inside)
    Path(home.path("memory/2026-02-28.md")).symlink_to(outside)
    contents, (skipped,) = daylogs.read_daylogs(home, daylogs.find_daylogs(home, DIRECTORIES))
    assert list(contents.values()) == [b"in"]
    assert skipped.reason == f"memory/2026-02-28.md is a link to {outside}, outside the home"


@pytest.mark.parametrize(("content", "read"), [(b"12\n345", b"12\n"), (b"123\n5", b"123\n"), (b"12345", b"")])
def test_of_a_log_larger_than_any_agent_writes_the_first_whole_lines_are_read(
    home: Home, monkeypatch: pytest.MonkeyPatch, content: bytes, read: bytes
) -> None:
    monkeypatch.setattr(daylogs, "MAX_LOG_BYTES", 4)
    write(home, "memory/2026-02-27.md", b"1234")
    write(home, "memory/2026-02-28.md", content)
    contents, (skipped,) = daylogs.read_daylogs(home, daylogs.find_daylogs(home, DIRECTORIES))
    assert list(contents.values()) == [b"1234", read]
    assert skipped.reason.startswith(
        f"memory/2026-02-28.md has {len(content)} bytes; its first {len(read)} are read"
    )


def test_a_log_of_wide_characters_is_one_finding_that_says_how_to_convert_it(home: Home) -> None:
    write(home, "memory/2026-03-01.md", "# Sunday\n\nThe relay stopped. Grüße.\n".encode("UTF-16"))
    texts, skipped = daylogs.read_daylogs(home, daylogs.find_daylogs(home, ["memory"]))
    assert texts == {}
    (only,) = skipped
    assert only.reason == (
        "memory/2026-03-01.md is UTF-16, not UTF-8: convert it with 'iconv -f UTF-16 -t UTF-8 FILE > NEW'"
    )


@from_corpus("hosts-daylogs")
def test_a_workspace_is_known_by_all_of_its_marks(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], host: str
) -> None:
    root = tmp_path_factory.mktemp("workspace")
    for name in names:
        (root / name).touch()
    assert daylogs.detect_host(str(root)) == host


def test_no_host_gates_what_no_proposal_may_change() -> None:
    for one in daylogs.PRESETS:
        assert one.gated
        assert not {"SOUL.md", "AGENTS.md", "CLAUDE.md", one.instructions} & set(one.gated)
    assert daylogs.preset(daylogs.HERMES).gated == ("memories/MEMORY.md", "memories/USER.md")


def test_a_variable_moves_a_hosts_own_directory() -> None:
    own = {"OPENCLAW_STATE_DIR": "~/claw"}
    assert daylogs.state_roots("/home/ann", own)["openclaw"] == "/home/ann/claw"
    assert daylogs.state_roots("/home/ann", own)["codex"] == "/home/ann/.codex"
