import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import Desk
from tests.homes import make_home
from tests.rows import corpus

from nightledger.domain.exposure import dump_page, parse_page
from nightledger.files.staged import keep_troubles, read_staged, read_troubles

NOW = "2026-03-03T10:30:00Z"


WRONG: list[dict[str, Any]] = json.loads(corpus("files-staged-wrong.json"))


def test_a_page_of_a_place_or_a_file_that_is_none_is_as_nothing_staged(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    text = dump_page(["a kettle (from MEMORY.md:3; its place)"], "2026-03-04T00:00:00Z")
    page = parse_page(text)
    assert page is not None
    Path(home.staged_dir).mkdir(parents=True)
    Path(home.staged_context).write_text(text)
    good: dict[str, Any] = {"shown": ["e-1"], "path": "MEMORY.md", "lines": [3, 3]}
    bad: list[tuple[dict[str, Any], dict[str, list[str]]]] = [({**good, **fields}, {}) for fields in WRONG]
    bad += [(good, {path: ["1", "2"]}) for path in ("", "/etc/passwd", "../beside", "a\0b")]
    for line, files in ((good, {}), *bad):
        known = {"v": 1, "sha256": page.sha256, "lines": [line], "files": files}
        (Path(home.staged_dir) / "lines.json").write_text(json.dumps(known))
        assert (read_staged(home, NOW) is None) == ((line, files) in bad), (line, files)


MORNING = datetime(2026, 3, 1, 8, 55, tzinfo=UTC)
LATER = MORNING + timedelta(minutes=30)
LATE = ("calendar work", "calendar work did not answer within 2 s")
SHUT = ("calendar work", "calendar work cannot be read: its server answered 503")
INDEX = ("the index is damaged", "the index is damaged")


def test_a_trouble_is_new_once_and_keeps_its_first_time_whatever_its_words(desk: Desk) -> None:
    assert keep_troubles(desk.home, [LATE], MORNING) == (LATE[1],)
    assert keep_troubles(desk.home, [SHUT, INDEX], LATER) == (INDEX[1],)
    assert [(one["what"], one["since"]) for one in read_troubles(desk.home)] == [
        (SHUT[1], "2026-03-01T08:55:00Z"),
        (INDEX[1], "2026-03-01T09:25:00Z"),
    ]


@pytest.mark.parametrize(
    "raw", [b"{", b"[]", b'{"v":2,"troubles":[]}', b'{"v":1,"troubles":[{"what":"x"}]}', b'{"v":1}']
)
def test_what_cannot_be_read_counts_as_no_trouble(desk: Desk, raw: bytes) -> None:
    os.makedirs(desk.home.staged_dir, exist_ok=True)
    (Path(desk.home.staged_dir) / "troubles.json").write_bytes(raw)
    assert read_troubles(desk.home) == []
