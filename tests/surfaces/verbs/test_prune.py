import json
import re
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, make_desk
from tests.jobs.pruning import CLOSED, LOG
from tests.recall.asking import put
from tests.surfaces.console import Console

from nightledger.domain.errors import EXIT_LOCKED
from nightledger.domain.pruning import Kept
from nightledger.files.atomic import Lock
from nightledger.surfaces import session
from nightledger.surfaces.screen import sentences


@pytest.fixture
def console(tmp_path: Path) -> Console:
    """The command line of a home that has a closed entry and an old log."""
    made = Console(desk=make_desk(tmp_path, memory=f"{MEMORY}\n{CLOSED}".encode()))
    put(made.desk, "memory/2026-01-05.md", LOG)
    return made


def test_what_was_looked_at_and_proposed_is_said(console: Console) -> None:
    put(console.desk, "memory/2026-01-06.md", "- quiet\n")
    wanted = (
        r"0 links: 0 seen in one session only and not for 60 days; 0 proposed to forget\. "
        r"3 entries: 1 closed for more than 90 days; 1 proposed to archive\. "
        r"p-\w+: Archive 1 entry of MEMORY\.md, closed in 2025-11 "
        r"2 daily logs: 2 older than 30 days, 1 too short to gain by it; 1 proposed to compress\. "
        r"p-\w+: Compress 1 log of 2026-01"
    )
    assert re.fullmatch(wanted, console.text("prune"))
    request = json.loads(Path(console.home.prune_view).read_text())
    assert [item["type"] for item in request["prune_candidates"]] == ["memory_entry", "daily_log"]


@pytest.mark.parametrize("verb", ["prune", "curate"])
def test_a_dry_run_takes_no_lock_so_that_a_home_that_cannot_be_written_can_be_looked_at(
    console: Console, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "LOCK_TIMEOUT_S", 0.1)
    with Lock(console.home.lock_path()):
        assert console.out(verb, "--dry-run")
        assert console.refused(verb, status=EXIT_LOCKED)


def test_every_reason_is_counted_or_said_in_words() -> None:
    told = sentences("prune")
    assert sorted(kept.value for kept in Kept) == sorted((*told["counted"], *told["named"]))
