"""A page's sidecar that somebody else wrote: what it says of no place is nothing staged."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.homes import make_home

from nightledger.domain.staged_page import dump_page, parse_page
from nightledger.files.staged import read_staged

NOW = "2026-03-03T10:30:00Z"


@pytest.mark.parametrize(
    "fields",
    [{"lines": "ab"}, {"lines": [1]}, {"lines": [1, 2, 3]}, {"lines": [1.5, 2]}, {"path": 7}, {"shown": [7]}],
)
def test_a_place_that_is_none_is_as_nothing_staged(tmp_path: Path, fields: dict[str, Any]) -> None:
    home = make_home(tmp_path)
    text = dump_page(["a kettle (from MEMORY.md:3; its place)"], "2026-03-04T00:00:00Z")
    page = parse_page(text)
    assert page is not None
    good = {"shown": ["e-1"], "path": "MEMORY.md", "lines": [3, 3]}
    Path(home.staged_dir).mkdir(parents=True)
    Path(home.staged_context).write_text(text)
    for line, there in ((good, True), ({**good, **fields}, False)):
        known = {"v": 1, "sha256": page.sha256, "lines": [line], "files": {}}
        (Path(home.staged_dir) / "lines.json").write_text(json.dumps(known))
        assert (read_staged(home, NOW) is not None) == there


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../beside", "a\0b"])
def test_a_page_made_from_what_is_no_file_of_the_home_is_as_nothing_staged(tmp_path: Path, path: str) -> None:
    home = make_home(tmp_path)
    text = dump_page(["a kettle (from MEMORY.md:3; its place)"], "2026-03-04T00:00:00Z")
    page = parse_page(text)
    assert page is not None
    Path(home.staged_dir).mkdir(parents=True)
    Path(home.staged_context).write_text(text)
    line = {"shown": ["e-1"], "path": "MEMORY.md", "lines": [3, 3]}
    known = {"v": 1, "sha256": page.sha256, "lines": [line], "files": {path: ["1", "2"]}}
    (Path(home.staged_dir) / "lines.json").write_text(json.dumps(known))
    assert read_staged(home, NOW) is None
