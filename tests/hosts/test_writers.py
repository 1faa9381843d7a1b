import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.rows import from_corpus

from nightledger.hosts import workspaces
from nightledger.hosts.workspaces import WITHIN_S, find_commit, find_mark, hosts_at_work

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


@from_corpus("hosts-writers")
def test_a_tool_is_known_by_its_own_marks_and_a_person_by_none(lines: list[str], writer: str | None) -> None:
    assert find_mark(lines) == writer


TEXT = b"# MEMORY.md\n\n- Keep backups.\n"

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(root: Path, *words: str) -> str:
    command = ["git", "-C", str(root), "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *words]
    environment = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    root.mkdir()
    git(root, "init", "-q")
    commit(root, TEXT)
    return root


def commit(root: Path, content: bytes) -> str:
    (root / "MEMORY.md").write_bytes(content)
    git(root, "add", "MEMORY.md")
    git(root, "commit", "-q", "-m", "a state")
    return git(root, "rev-parse", "HEAD")


def test_the_commit_that_holds_these_bytes_is_found(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    assert find_commit(str(repository), TEXT) == first
    (repository / "deep").mkdir()
    assert find_commit(str(repository / "deep"), TEXT) == first
    assert find_commit(str(repository), TEXT + b"- More.\n") == ""


def test_a_commit_that_took_these_bytes_away_does_not_hold_them(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    commit(repository, TEXT + b"- More.\n")
    assert find_commit(str(repository), TEXT) == first
    again = commit(repository, TEXT)
    (repository / "MEMORY.md").rename(repository / "OLD.md")
    commit(repository, b"other\n")
    assert find_commit(str(repository), TEXT) == again


def test_nothing_that_the_repository_configures_is_run(repository: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    for key in (
        "core.fsmonitor", "core.pager", "diff.external", "gpg.program", "core.sshCommand", "core.editor",
        "pager.log", "core.alternateRefsCommand", "diff.md.textconv", "credential.helper",
    ):  # fmt: skip
        git(repository, "config", key, str(trap))
    git(repository, "config", "log.showSignature", "true")
    git(repository, "config", "core.hooksPath", str(tmp_path))
    git(repository, "config", "remote.origin.promisor", "true")
    git(repository, "config", "remote.origin.url", f"ext::{trap}")
    (repository / ".gitattributes").write_text("*.md diff=md\n")
    assert find_commit(str(repository), TEXT) == git(repository, "rev-parse", "HEAD")
    assert find_commit(str(repository), b"other") == ""
    assert not (tmp_path / "sprung").exists()


def test_without_repository_commit_or_git_nothing_is_found(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_commit(str(tmp_path), TEXT) == ""
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "-q")
    assert find_commit(str(empty), TEXT) == ""
    (empty / ".git" / "HEAD").unlink()
    (empty / ".git" / "HEAD").symlink_to("/etc/hostname")
    assert find_commit(str(empty), TEXT) == ""
    monkeypatch.setitem(workspaces._ENVIRONMENT, "PATH", str(tmp_path))
    assert find_commit(str(repository), TEXT) == ""
