import hashlib
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import HOME_ID, MEMORY, START, Desk, make_founding
from tests.gate.killing import Killer, dies
from tests.whole import WHOLE

from nightledger.domain.decision import Actor
from nightledger.domain.errors import (
    ConfigurationError,
    LockedError,
    NightledgerError,
    RefusedError,
    UnreadableError,
)
from nightledger.files.atomic import Lock
from nightledger.gate import founding
from nightledger.gate.founding import found, plan, remove_disposable
from nightledger.gate.opening import open_gate, read_ledger
from nightledger.gate.proposing.views import refresh_views


def workspace(root: Path) -> Path:
    (root / "home").mkdir()
    (root / "home" / "MEMORY.md").write_text(MEMORY)
    return root / "home"


def listing(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("name", ["audit/x.log", "config/nightledger/x", "memory/system/x", "memory/state/x"])
def test_a_directory_of_another_tool_is_refused(tmp_path: Path, name: str) -> None:
    home = workspace(tmp_path)
    (home / name).parent.mkdir(parents=True)
    (home / name).write_text("theirs")
    before = listing(home)
    with pytest.raises(RefusedError, match="which Nightledger did not make"):
        plan(make_founding(tmp_path))
    assert listing(home) == before


def giant(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(50_000_000)


@pytest.mark.parametrize(
    ("fields", "prepare", "kind"),
    [
        ({"gated": ("SOUL.md",)}, lambda _: None, RefusedError),
        ({"gated": ("AGENTS.md",)}, lambda _: None, RefusedError),
        ({"gated": ("audit/decisions/x.json",)}, lambda _: None, RefusedError),
        ({"gated": ("config/nightledger/nightledger.yaml",)}, lambda _: None, RefusedError),
        ({"gated": (".nightledger/x",)}, lambda _: None, RefusedError),
        ({"gated": ("../x.md",)}, lambda _: None, RefusedError),
        ({"gated": ("/etc/x.md",)}, lambda _: None, RefusedError),
        ({"gated": ("a\x1bb.md",)}, lambda _: None, RefusedError),
        ({"gated": ("BIG.md",)}, lambda home: giant(home / "BIG.md"), UnreadableError),
        ({"gated": ("dir",)}, lambda home: (home / "dir").mkdir(), UnreadableError),
        ({"gated": ("pipe",)}, lambda home: os.mkfifo(home / "pipe"), UnreadableError),
        ({"gated": ("out.md",)}, lambda home: (home / "out.md").symlink_to("/etc/hosts"), RefusedError),
    ],
)
def test_what_cannot_be_gated_is_refused_before_anything_is_made(
    tmp_path: Path, fields: dict[str, Any], prepare: Any, kind: type[NightledgerError]
) -> None:
    home = workspace(tmp_path)
    prepare(home)
    with pytest.raises(kind):
        plan(make_founding(tmp_path, **fields))
    assert not (home / "config").exists()
    assert not (tmp_path / "keys").exists()


def test_a_home_whose_keys_are_elsewhere_says_so(desk: Desk) -> None:
    desk.ring.directory.rename(desk.root / "moved")
    with pytest.raises(ConfigurationError, match="its keys are not in"):
        found(make_founding(desk.root), None, START)


def test_a_kill_at_any_step_of_init_is_completed_by_the_next_one(tmp_path: Path) -> None:
    dead, step = True, 1
    while dead:
        root = tmp_path / str(step)
        root.mkdir()
        home = workspace(root)
        dead = dies(partial(killed_init, root, step))
        begun = (root / "keys" / HOME_ID / "operator.pub").exists()
        identity = found(make_founding(root), None, START)
        gate = open_gate(str(home), str(root / "keys"), actor=Actor.HUMAN)
        ledger = read_ledger(gate)
        assert [event.event for event in ledger.log.events] == ["genesis"]
        assert ledger.log.size == 1
        assert ledger.book.gated["MEMORY.md"] == hashlib.sha256(MEMORY.encode()).hexdigest()
        assert identity.id == HOME_ID
        assert (home / "MEMORY.md").read_text() == MEMORY
        # once keys are made, every step is tried (every fourth in 'make test'): the log is begun, acknowledged, pinned, signed
        step += (1 if WHOLE else 4) if begun else 8
    assert step > 40


def killed_init(root: Path, step: int) -> None:
    Killer(step).arm()
    found(make_founding(root), None, START)


def test_a_run_at_work_keeps_everything_in_place(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(founding, "LOCK_TIMEOUT_S", 0.0)
    refresh_views(desk.gate, desk.ledger())
    with Lock(desk.home.lock_path("link")), pytest.raises(LockedError):
        remove_disposable(desk.home)
    assert os.path.lexists(desk.home.entries)
    remove_disposable(desk.home)
