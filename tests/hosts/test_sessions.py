import os
from pathlib import Path

import pytest

from nightledger.hosts import sessions
from nightledger.hosts.sessions import WITHIN_S, hosts_at_work

AT = 1_700_000_000.0
FILES = {
    "openclaw": "agents/main/sessions/ab12.jsonl",
    "claude_code": "projects/-home-ann-garden/ab12.jsonl",
    "codex": "sessions/2026/03/01/rollout-1-ab12.jsonl",
    "hermes": "state.db",
}


def written(root: Path, name: str, at: float) -> dict[str, str]:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n")
    os.utime(path, (at, at))
    return dict.fromkeys(FILES, str(root))


@pytest.mark.parametrize(("host", "name"), FILES.items())
def test_a_session_file_written_about_then_says_that_the_host_was_at_work(
    host: str, name: str, tmp_path: Path
) -> None:
    roots = {host: written(tmp_path, name, AT)[host]}
    assert hosts_at_work(roots, AT + WITHIN_S) == (host,)
    assert hosts_at_work(roots, AT - WITHIN_S) == (host,)
    assert hosts_at_work(roots, AT + WITHIN_S + 1) == ()


def test_the_newer_store_of_openclaw_counts(tmp_path: Path) -> None:
    roots = written(tmp_path, "agents/main/agent/openclaw-agent.sqlite-wal", AT)
    assert hosts_at_work(roots, AT) == ("openclaw",)


@pytest.mark.parametrize(
    "name", ["agents/main/notes.md", "projects/a/b/c.jsonl", "other/state.db", "a.jsonl"]
)
def test_other_files_say_nothing(name: str, tmp_path: Path) -> None:
    assert hosts_at_work(written(tmp_path, name, AT), AT) == ()


def test_directories_that_are_missing_unreadable_or_links_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    roots = written(tmp_path / "real", FILES["openclaw"], AT)
    (tmp_path / "claw").mkdir()
    (tmp_path / "claw" / "agents").mkdir()
    (tmp_path / "claw" / "agents" / "main").symlink_to(tmp_path / "real/agents/main")
    assert hosts_at_work({"openclaw": str(tmp_path / "claw")}, AT) == ()
    assert hosts_at_work({"openclaw": str(tmp_path / "nowhere"), "generic": str(tmp_path)}, AT) == ()
    monkeypatch.setattr(sessions, "MOST_FILES", 0)
    assert hosts_at_work(roots, AT) == ()


def test_a_file_that_goes_while_it_is_looked_at_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    roots = written(tmp_path, FILES["openclaw"], AT)

    def gone(_: object) -> os.stat_result:
        raise FileNotFoundError

    monkeypatch.setattr(os, "lstat", gone)
    assert hosts_at_work({"openclaw": roots["openclaw"]}, AT) == ()


def test_an_entry_that_cannot_be_looked_at_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        name = "main"

        def is_dir(self, **_: object) -> bool:
            raise PermissionError

    class Listing:
        def __enter__(self) -> list[Broken]:
            return [Broken()]

        def __exit__(self, *_: object) -> None:
            return None

    monkeypatch.setattr(os, "scandir", lambda _: Listing())
    assert hosts_at_work({"openclaw": str(tmp_path)}, AT) == ()
