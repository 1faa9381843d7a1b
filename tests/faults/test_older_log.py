"""A log that is older than, or another than, one that this machine saw: no verb works on it."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.failed_tests import has_failed
from tests.faults.sweep_report import report
from tests.gate.homes import addition, make_desk, open_desk

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
LATER = "2026-03-01T07:00:00Z"
VERBS = (
    ("apply",),
    ("apply", "ID"),
    ("approve", "ID"),
    ("check",),
    ("consent", "check", "email", "read"),
    ("consent", "review"),
    ("consolidate",),
    ("constitution",),
    ("constitution", "amend"),
    ("curate",),
    ("edit",),
    ("expunge", "--sha256", "0" * 64),
    ("history",),
    ("key", "confirm"),
    ("key", "list"),
    ("night", "--retry"),
    ("proposals",),
    ("propose", "--text", "- A lesson.", "--section", "Lessons", "--reason", "because"),
    ("rebuild", "--check"),
    ("recall", "--frame", "SELF"),
    ("reject", "ID", "--reason", "no"),
    ("review",),
    ("show", "ID"),
    ("status", "--exit-code"),
    ("undo", "ID"),
    ("verify",),
)


def nightledger(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPTS / "command.py"), *words, "--home", str(root / "home"), "--now", LATER],
        env={
            "PYTHONPATH": str(SCRIPTS),
            "NIGHTLEDGER_KEYS": str(root / "keys"),
            "PATH": "/usr/bin:/bin",
            "EDITOR": "true",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(autouse=True)
def _counted(request: pytest.FixtureRequest) -> Iterator[None]:
    """Count each attack for the table of faults; one that came through fails its test."""
    yield
    report("older or forked log, every verb", request.node.name, points=1, failed=int(has_failed(request)))


@pytest.fixture(scope="module")
def rolled_back(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Give a home whose log and checkpoint were put back together to an older, well-signed state."""
    root = tmp_path_factory.mktemp("rolled-back")
    desk = make_desk(root)
    proposal = desk.proposal(addition("One."))
    desk.signing()
    older = root / "older"
    shutil.copytree(root / "home", older)
    desk.reject(proposal)
    desk.signing()
    shutil.rmtree(root / "home")
    older.rename(root / "home")
    return root, proposal.id


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Give a home with another history of the same length, signed by the log's own keys."""
    root = tmp_path_factory.mktemp("forked")
    desk = make_desk(root)
    proposal = desk.proposal(addition("One."))
    desk.signing()
    twin = root.parent / f"{root.name}-twin"
    shutil.copytree(root, twin)
    desk.reject(proposal)
    desk.signing()
    other = open_desk(twin)
    other.record("heartbeat", day="2026-03-01", waiting=0)
    other.signing()
    shutil.rmtree(root / "home")
    (twin / "home").rename(root / "home")
    return root, proposal.id


def refuses(home: tuple[Path, str], words: tuple[str, ...], damage: set[str]) -> None:
    root, proposal = home
    before = {
        path: path.read_bytes()
        for path in (root / "home").rglob("*")
        if path.is_file() and ".nightledger" not in path.parts and path.name != "runs.jsonl"
    }
    ran = nightledger(root, *(proposal if word == "ID" else word for word in words))
    assert ran.returncode == 4, ran.stdout + ran.stderr
    assert any(word in ran.stdout + ran.stderr for word in damage), ran.stdout + ran.stderr
    for path, content in before.items():
        assert path.name in ("ATTENTION.md", "hebbian-links.json", "cursors.json") or (
            path.read_bytes() == content
        ), path


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_no_verb_works_on_a_log_that_was_put_back(
    rolled_back: tuple[Path, str], words: tuple[str, ...]
) -> None:
    refuses(rolled_back, words, {"ROLLBACK"})


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_no_verb_works_on_another_history(forked: tuple[Path, str], words: tuple[str, ...]) -> None:
    refuses(forked, words, {"FORK"})
