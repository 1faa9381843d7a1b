import json
import re
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY
from tests.jobs.pruning import CLOSED, LOG
from tests.surfaces.calling import Caller, make_caller

from nightledger.domain.errors import LockedError
from nightledger.domain.pruning import Kept
from nightledger.files.atomic import Lock
from nightledger.surfaces import session
from nightledger.surfaces.screen import sentences

NEXT = "2026-03-02T06:00:00Z"


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    made = make_caller(tmp_path, monkeypatch, capsys, memory=f"{MEMORY}\n{CLOSED}".encode())
    Path(made.home.memory_dir).mkdir(exist_ok=True)
    return made


def write(caller: Caller, name: str, text: str = LOG) -> None:
    (Path(caller.home.memory_dir) / name).write_text(text)


def test_what_was_looked_at_and_proposed_is_said(caller: Caller) -> None:
    write(caller, "2026-01-05.md")
    write(caller, "2026-01-06.md", "- quiet\n")
    said = " ".join(" ".join(caller.lines("prune", now=NEXT)).split())
    wanted = (
        r"0 links: 0 seen in one session only and not for 60 days; 0 proposed to forget\. "
        r"3 entries: 1 closed for more than 90 days; 1 proposed to archive\. "
        r"p-\w+: Archive 1 entry of MEMORY\.md, closed in 2025-11 "
        r"2 daily logs: 2 older than 30 days, 1 too short to gain by it; 1 proposed to compress\. "
        r"p-\w+: Compress 1 log of 2026-01"
    )
    assert re.fullmatch(wanted, said)
    request = json.loads(Path(caller.home.prune_view).read_text())
    assert [item["type"] for item in request["prune_candidates"]] == ["memory_entry", "daily_log"]


@pytest.mark.parametrize("verb", ["prune", "curate"])
def test_a_dry_run_takes_no_lock_so_that_a_home_that_cannot_be_written_can_be_looked_at(
    caller: Caller, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "LOCK_TIMEOUT_S", 0.1)
    write(caller, "2026-01-05.md")
    with Lock(caller.home.lock_path()):
        assert caller.lines(verb, "--dry-run", now=NEXT)
        with pytest.raises(LockedError):
            caller.lines(verb, now=NEXT)


def test_every_reason_is_counted_or_said_in_words() -> None:
    assert sorted(kept.value for kept in Kept) == sorted(
        (*sentences("prune")["counted"], *sentences("prune")["named"])
    )
