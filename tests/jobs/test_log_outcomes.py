import hashlib
import os
from pathlib import Path
from typing import Any

import pytest
from tests.codec.outcomes import NOW, SHA256, full_record, given_record
from tests.homes import make_home

from nightledger.codec.rows import read_outcome_rows
from nightledger.domain.errors import RecordError
from nightledger.files.home import Home
from nightledger.jobs.log_outcomes import log_outcomes


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path)


def stored(home: Home) -> bytes:
    path = Path(home.outcomes)
    return path.read_bytes() if path.exists() else b""


def test_what_is_logged_can_be_read_back(home: Home) -> None:
    logged = log_outcomes(home, [("", full_record()), ("", given_record(outcome="failure"))], now=NOW)
    read = read_outcome_rows(stored(home))
    assert [row.id for row in read.rows] == [record["id"] for record in logged.records]
    assert read.problems == ()
    assert logged.torn_bytes == 0


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([1, 1], b"# Day"),
        ([2, 3], b"- cron failed\r\n- zone set"),
        ([1, 3], b"# Day\n- cron failed\r\n- zone set"),
    ],
)
def test_evidence_without_a_hash_is_hashed_as_the_file_is_now(
    home: Home, lines: list[int], expected: bytes
) -> None:
    Path(home.path("memory/2026-02-28.md")).write_bytes(b"# Day\n- cron failed\r\n- zone set\n")
    evidence = [{"path": "memory/2026-02-28.md", "lines": lines}]
    (record,) = log_outcomes(home, [("", given_record(evidence=evidence))], now=NOW).records
    assert record["evidence"][0]["sha256"] == hashlib.sha256(expected).hexdigest()


def test_evidence_with_a_hash_is_taken_at_its_word(home: Home) -> None:
    (record,) = log_outcomes(home, [("", full_record())], now=NOW).records
    assert record["evidence"][0]["sha256"] == SHA256


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"path": "memory/none.md", "lines": [1, 1]}, "none.md is missing"),
        ({"path": "memory", "lines": [1, 1]}, "is a directory"),
        ({"path": "../outside.md", "lines": [1, 1]}, "not a path inside the home"),
        ({"path": "memory/link.md", "lines": [1, 1]}, "is a link to /etc/hostname"),
        ({"path": "memory/fifo", "lines": [1, 1]}, "is a FIFO"),
        ({"path": "memory/a.md", "lines": [1, 3]}, "memory/a.md has 2 lines, not 1 to 3"),
        ({"path": "memory/a.md", "lines": [0, 1]}, "memory/a.md has 2 lines, not 0 to 1"),
        ({"path": "memory/a.md", "lines": "1-2"}, "path must be text and lines [first, last]"),
        ({"path": 5, "lines": [1, 2]}, "path must be text and lines [first, last]"),
        ({"path": "memory/a.md"}, "must be an object of path, lines and sha256"),
        ("memory/a.md:1", "must be an object of path, lines and sha256"),
    ],
)
def test_evidence_that_cannot_be_hashed_refuses_the_record(home: Home, item: Any, problem: str) -> None:
    Path(home.path("memory/a.md")).write_text("one\ntwo\n")
    Path(home.path("memory/link.md")).symlink_to("/etc/hostname")
    os.mkfifo(home.path("memory/fifo"))
    with pytest.raises(RecordError) as caught:
        log_outcomes(home, [("line 1", given_record(evidence=[item]))], now=NOW)
    assert caught.value.problems[0].startswith("line 1: evidence: ")
    assert problem in caught.value.problems[0]
    assert stored(home) == b""
