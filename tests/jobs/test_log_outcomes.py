import hashlib
import os
from pathlib import Path
from typing import Any

import pytest
from tests.codec.outcomes import NOW, given_record
from tests.homes import make_home
from tests.rows import from_corpus

from nightledger.domain.errors import RecordError
from nightledger.files.home import Home
from nightledger.jobs.log_outcomes import log_outcomes


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path)


def stored(home: Home) -> bytes:
    path = Path(home.outcomes)
    return path.read_bytes() if path.exists() else b""


@from_corpus("jobs-log_outcomes")
def test_evidence_without_a_hash_is_hashed_as_the_file_is_now(
    home: Home, lines: list[int], expected: bytes
) -> None:
    Path(home.path("memory/2026-02-28.md")).write_bytes(b"# Day\n- cron failed\r\n- zone set\n")
    evidence = [{"path": "memory/2026-02-28.md", "lines": lines}]
    (record,), _ = log_outcomes(home, [("", given_record(evidence=evidence))], now=NOW)
    assert record["evidence"][0]["sha256"] == hashlib.sha256(expected).hexdigest()


@from_corpus("jobs-log_outcomes")
def test_evidence_that_cannot_be_hashed_refuses_the_record(home: Home, item: Any, problem: str) -> None:
    Path(home.path("memory/a.md")).write_text("one\ntwo\n")
    Path(home.path("memory/link.md")).symlink_to("/etc/hostname")
    os.mkfifo(home.path("memory/fifo"))
    with pytest.raises(RecordError) as caught:
        log_outcomes(home, [("line 1", given_record(evidence=[item]))], now=NOW)
    assert caught.value.problems[0].startswith("line 1: evidence: ")
    assert problem in caught.value.problems[0]
    assert "nothing was written" in caught.value.hint
    assert stored(home) == b""


def test_every_problem_of_every_record_is_named_at_once(home: Home) -> None:
    gone = given_record(evidence=[{"path": "memory/gone.md", "lines": [1, 1]}])
    with pytest.raises(RecordError) as caught:
        log_outcomes(home, [("line 1", gone), ("line 2", given_record(outcome="fine"))], now=NOW)
    assert [problem[:7] for problem in caught.value.problems] == ["line 1:", "line 2:"]
