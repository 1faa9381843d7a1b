"""What staging could not do, and since when."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.gate.homes import Desk

from nightledger.files.staged import keep_troubles, read_troubles

NOW = datetime(2026, 3, 1, 8, 55, tzinfo=UTC)
LATER = NOW + timedelta(minutes=30)
LATE = ("calendar work", "calendar work did not answer within 2 s")
SHUT = ("calendar work", "calendar work cannot be read: its server answered 503")
INDEX = ("the index is damaged", "the index is damaged")


def test_a_trouble_is_new_once_and_keeps_its_first_time_whatever_its_words(desk: Desk) -> None:
    assert keep_troubles(desk.home, [LATE], NOW) == (LATE[1],)
    assert keep_troubles(desk.home, [SHUT, INDEX], LATER) == (INDEX[1],)
    assert [(one.what, one.since) for one in read_troubles(desk.home)] == [
        (SHUT[1], "2026-03-01T08:55:00Z"),
        (INDEX[1], "2026-03-01T09:25:00Z"),
    ]


@pytest.mark.parametrize(
    "raw", [b"{", b"[]", b'{"v":2,"troubles":[]}', b'{"v":1,"troubles":[{"what":"x"}]}', b'{"v":1}']
)
def test_what_cannot_be_read_counts_as_no_trouble(desk: Desk, raw: bytes) -> None:
    os.makedirs(desk.home.staged_dir, exist_ok=True)
    (Path(desk.home.staged_dir) / "troubles.json").write_bytes(raw)
    assert read_troubles(desk.home) == ()
