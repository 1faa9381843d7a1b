"""Files that change together: all or none, whatever comes between."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.gate.forgetting_desk import ARCHIVE, COPY, FULL, LOG, archive, compress, pruned, put, snapshot
from tests.gate.homes import Desk, open_desk
from tests.gate.killing import Killer, dies

from nightledger.domain.proposal import Proposal
from nightledger.files import atomic
from nightledger.files.blobs import BlobStore
from nightledger.gate.apply import writing
from nightledger.gate.apply.writing import Write, in_order, recover
from nightledger.gate.integrity.checking import find_altered

OTHER = "memory/2026-01-03.md"


def ready(desk: Desk, *drafts: Any) -> Proposal:
    proposal = pruned(desk, *drafts)
    desk.approve(proposal)
    desk.wait(hours=3)
    return proposal


def racing(monkeypatch: pytest.MonkeyPatch, path: str, act: Callable[[], object]) -> None:
    """Let somebody act at the very moment at which a file is exchanged, once."""
    real = writing.exchange
    done: list[str] = []

    def late(gate: Any, write: Write) -> str:
        if write.path == path and not done:
            done.append(path)
            act()
        return real(gate, write)

    monkeypatch.setattr(writing, "exchange", late)


def test_copies_come_first_and_gated_files_last(desk: Desk) -> None:
    kept = [Write(path=path, before=b"", after=b"x") for path in ("MEMORY.md", LOG, ARCHIVE, COPY)]
    assert [write.path for write in in_order(desk.home, kept)] == [COPY, LOG, ARCHIVE, "MEMORY.md"]
    back = [Write(path=COPY, before=b"x", after=b""), Write(path=LOG, before=b"s", after=b"x")]
    assert [write.path for write in in_order(desk.home, back)] == [LOG, COPY]


def test_who_writes_while_all_is_put_back_loses_no_bytes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    ready(desk, compress(desk, LOG), compress(desk, OTHER))

    def act() -> None:
        put(desk, OTHER, b"late\n")
        put(desk, COPY, b"later\n")

    racing(monkeypatch, OTHER, act)
    desk.apply()
    aborted = desk.ledger().log.events[-1]
    assert aborted.fields["reason"] == "raced"
    (kept,) = aborted.fields["replaced"]
    assert kept["path"] == COPY
    assert BlobStore(desk.home.blobs_dir).get(kept["sha256"]) == b"later\n"


def killed_at(root: Path, desk: Desk, step: int, work: Callable[[Desk], object]) -> tuple[Desk, bool]:
    shutil.copytree(desk.root, root)
    fresh = open_desk(root)
    fresh.moment = desk.moment

    def die() -> None:
        Killer(step).arm()
        work(fresh)

    return fresh, dies(die)


def ends_of(
    desk: Desk, homes: Path, work: Callable[[Desk], object], before: dict[str, bytes], after: dict[str, bytes]
) -> set[str]:
    """Kill work at each step; check what the next start makes of it; give what ends there were."""
    step, dead, ends = 0, True, set()
    while dead:
        step += 1
        fresh, dead = killed_at(homes / str(step), desk, step, work)
        torn = snapshot(fresh)
        if LOG in before:
            assert FULL in (torn[LOG], torn.get(COPY)), step
        recover(fresh.gate, fresh.ledger(), fresh.moment)
        assert fresh.ledger().book.unfinished() == ()
        found = snapshot(fresh)
        assert found in (before, after), step
        assert not find_altered(fresh.home, fresh.ledger(), fresh.moment)
        assert atomic.leftovers(str(Path(fresh.home.path(COPY)).parent)) == ()
        ends.add("after" if found == after else "before")
        shutil.rmtree(homes / str(step))
    return ends


def test_a_kill_at_any_step_of_a_compression_leaves_all_old_or_all_new(
    desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ready(desk, compress(desk, LOG))
    before = snapshot(desk)
    done, _ = killed_at(tmp_path_factory.mktemp("done") / "home", desk, 1 << 30, lambda fresh: fresh.apply())
    ends = ends_of(
        desk, tmp_path_factory.mktemp("killed"), lambda fresh: fresh.apply(), before, snapshot(done)
    )
    assert ends == {"before", "after"}


@pytest.mark.slow
def test_a_kill_at_any_step_of_an_archival_and_of_its_undo_leaves_all_old_or_all_new(
    desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    proposal = ready(desk, *archive(desk, "backups"))
    before = snapshot(desk)
    done, _ = killed_at(tmp_path_factory.mktemp("done") / "home", desk, 1 << 30, lambda fresh: fresh.apply())
    after = snapshot(done)
    homes = tmp_path_factory.mktemp("killed")
    assert ends_of(desk, homes, lambda fresh: fresh.apply(), before, after) == {"before", "after"}
    desk.apply()
    homes = tmp_path_factory.mktemp("undone")
    assert ends_of(desk, homes, lambda fresh: fresh.undo(proposal), after, before) == {"before", "after"}
