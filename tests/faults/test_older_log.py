"""A log that is older than, or another than, one that this machine saw: no verb works on it."""

import json
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.faults.sweep_report import report
from tests.gate.homes import addition, make_desk, open_desk
from tests.rows import corpus
from tests.second_verifier import disagreement

from nightledger.demo.shell import Shell

LATER = datetime(2026, 3, 1, 7, tzinfo=UTC)
VERBS: list[list[str]] = json.loads(corpus("faults-older_log-verbs.json"))


def past(root: Path, *, forked: bool) -> tuple[Path, str]:
    """Return a home whose log and checkpoint were put back together to an older, well-signed state.

    Or one with another history of the same length, signed by the log's own keys.
    """
    desk = make_desk(root / "now")
    proposal = desk.proposal(addition("One."))
    desk.signing()
    shutil.copytree(root / "now", root / "other")
    desk.reject(proposal)
    desk.signing()
    if forked:
        other = open_desk(root / "other")
        other.record("heartbeat", day="2026-03-01", waiting=0)
        other.signing()
    shutil.rmtree(root / "now" / "home")
    (root / "other" / "home").rename(root / "now" / "home")
    assert disagreement(root / "now", 4) == []
    return root / "now", proposal.id


def problem(home: tuple[Path, str], words: Sequence[str], damage: str) -> str:
    """Run a verb and return what it did wrong, nothing where it refused and left every file as it was."""
    root, proposal = home
    before = {
        path: path.read_bytes()
        for path in (root / "home").rglob("*")
        if path.is_file() and ".nightledger" not in path.parts and path.name != "runs.jsonl"
    }
    filled = (proposal if word == "ID" else word for word in words)
    ran = Shell(home=root / "home", keys=root / "keys").run(*filled, now=LATER)
    if ran.status != 4 or damage not in ran.out + ran.err:
        return f"{' '.join(words)}: {ran.status} {ran.out}{ran.err}"
    written = ("ATTENTION.md", "hebbian-links.json", "cursors.json")
    changed = [str(path) for path, content in before.items() if path.read_bytes() != content]
    return "".join(f"{' '.join(words)} wrote {path}\n" for path in changed if Path(path).name not in written)


@pytest.fixture(autouse=True)
def _no_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "true")


@pytest.mark.parametrize(("kind", "damage"), [("rolled_back", "ROLLBACK"), ("forked", "FORK")])
def test_no_verb_works_on_another_history_than_this_machine_saw(
    kind: str, damage: str, tmp_path: Path
) -> None:
    home = past(tmp_path, forked=kind == "forked")
    wrong = [found for words in VERBS if (found := problem(home, words, damage))]
    report("older or forked log, every verb", kind, points=len(VERBS), failed=len(wrong))
    assert not wrong, "\n".join(wrong)


def test_a_log_that_nobody_put_back_is_worked_on(tmp_path: Path) -> None:
    """The control: on a home that is as it was left a verb does not end with 4."""
    desk = make_desk(tmp_path)
    desk.signing()
    assert problem((tmp_path, ""), ("status",), "ROLLBACK").startswith("status: 0")
