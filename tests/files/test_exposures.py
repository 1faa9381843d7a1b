import json
from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.codec.schema import find_problems, read_schema
from nightledger.domain.errors import ConfigurationError, UnreadableError
from nightledger.domain.exposure import EVENTS, Exposure, Place
from nightledger.files.exposures import append_exposure, dump_exposure
from nightledger.gate.memory.remembering import fold_uses

ENTRY = "e-" + "a" * 26


def exposure(at: str = "2026-03-01T06:00:00Z") -> Exposure:
    places = [Place(path="MEMORY.md", lines=(3, 4))]
    return Exposure(
        at=at, shown=["cron + path", ENTRY], host="codex", event="prompt", session="s", places=places
    )


def test_a_line_is_what_its_schema_says() -> None:
    schema = read_schema("exposure")
    record = json.loads(dump_exposure(exposure()))
    assert find_problems("exposure", record) == ()
    assert set(schema["properties"]) == set(Exposure.__slots__) == set(schema["required"])
    assert set(schema["properties"]["places"]["items"]["properties"]) == set(Place.__slots__)
    assert tuple(schema["properties"]["event"]["enum"]) == EVENTS


def test_what_is_appended_is_what_retention_reads(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    append_exposure(home, exposure())
    append_exposure(home, exposure("2026-03-01T07:30:00Z"))
    uses = fold_uses(home, {})
    assert uses.bad_lines == 0
    assert uses.of[ENTRY].shown == uses.of["cron + path"].shown == 2
    assert len(uses.hours) == 2


def test_a_ledger_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    Path(home.exposures).mkdir()
    with pytest.raises(UnreadableError):
        append_exposure(home, exposure())
    Path(home.exposures).rmdir()
    Path(home.system_dir).rename(tmp_path / "away")
    with pytest.raises(ConfigurationError):
        append_exposure(home, exposure())
