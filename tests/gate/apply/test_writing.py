"""Files that change together: all or none, whatever comes between."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.gate.forgetting_desk import ARCHIVE, COPY, LOG, compress, pruned, put
from tests.gate.homes import Desk

from nightledger.domain.proposal import Proposal
from nightledger.files.blobs import BlobStore
from nightledger.gate.apply import writing
from nightledger.gate.apply.writing import Write, in_order

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
