import json
from pathlib import Path

import pytest
from tests.codec.outcomes import given_record
from tests.recall.asking import put
from tests.starting import loaded_by, loaded_by_argparse
from tests.surfaces.console import Console

from nightledger.codec.records import find_problems

FLAGS = (
    "--task-type", "debug_cron", "--tags", "cron, Time-Zone", "--resolution", "set_zone_explicitly",
    "--outcome", "success", "--source", "memory/daily/2026-02-28.md#cron",
)  # fmt: skip


def test_every_flag_has_its_field(console: Console) -> None:
    put(console.desk, "memory/x.md", "one\ntwo\nthree\n")
    told = {
        "session": "s-1",
        "host": "build-box",
        "origin": "agent",
        "signal": "exit_code",
        "project": "atlas",
    }
    given = {**told, "timestamp": "2026-02-28T04:00:00+01:00", "duration-s": "12.5", "note": "third try"}
    flags = [word for name, value in given.items() for word in (f"--{name}", value)]
    evidence = ("--evidence", "memory/x.md:2-3", "--evidence", "memory/x.md:1")
    record = console.record("log", *FLAGS, *evidence, *flags)
    assert find_problems("outcome", record) == ()
    assert record == json.loads(Path(console.home.outcomes).read_bytes())
    assert [item["lines"] for item in record["evidence"]] == [[2, 3], [1, 1]]
    expected = {**told, "timestamp": "2026-02-28T03:00:00Z", "duration_s": 12.5, "note": "third try"}
    assert expected.items() <= record.items()


def test_too_much_at_once_is_refused_with_a_way_to_split_it(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("context.MAX_INPUT_BYTES", "verbs.check.MAX_FILE_BYTES", "verbs.expunge.MAX_TEXT_BYTES"):
        monkeypatch.setattr(f"nightledger.surfaces.{name}", 100)
    for words in (("log", "--stdin"), ("audit-code", "-"), ("expunge", "--text-from-stdin")):
        told = console.refused(*words, status=2, stdin=json.dumps(given_record()) * 2)
        assert "hint: split it" in told, words


def test_a_start_imports_nothing_that_it_could_do_without(console: Console) -> None:
    loaded = loaded_by("log", "--home", console.home.root, *FLAGS)
    costly = {"dataclasses", "typing", "pathlib", "inspect", "msgspec", "jsonschema", "yaml", "rich", "cryptography"}  # fmt: skip
    assert "nightledger.codec.outcome_line" in loaded
    assert loaded & costly <= loaded_by_argparse()
