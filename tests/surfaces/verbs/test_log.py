import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.codec.outcomes import full_record, given_record
from tests.homes import make_home
from tests.rows import from_corpus
from tests.starting import loaded_by_argparse

from nightledger.codec.records import find_problems
from nightledger.codec.rows import read_outcome_rows
from nightledger.demo.shell import Ran
from nightledger.files.home import Home
from nightledger.surfaces.cli import main

CHECKOUT = Path(__file__).resolve().parents[3]
FLAGS = {
    "--task-type": "debug_cron",
    "--tags": "cron, Time-Zone",
    "--resolution": "set_zone_explicitly",
    "--outcome": "success",
    "--source": "memory/daily/2026-02-28.md#cron",
}


class Logger:
    """Runs ``log`` on a simulated home at a fixed time."""

    def __init__(
        self, home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.home, self.capsys, self.monkeypatch = home, capsys, monkeypatch

    def run(self, *words: str, stdin: bytes = b"") -> Ran:
        self.monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            status = main(["log", "--home", self.home.root, "--now", "2026-03-01T12:00:00Z", *words])
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        captured = self.capsys.readouterr()
        return Ran(words=words, status=status, out=captured.out, err=captured.err)

    def flags(self, *more: str, **changes: str | None) -> Ran:
        flags = {**FLAGS, **{f"--{name.replace('_', '-')}": value for name, value in changes.items()}}
        return self.run(
            *[word for flag, value in flags.items() if value is not None for word in (flag, value)], *more
        )

    def stored(self) -> bytes:
        path = Path(self.home.outcomes)
        return path.read_bytes() if path.exists() else b""


@pytest.fixture
def logger(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Logger:
    return Logger(make_home(tmp_path / "home", machine=os.uname().nodename), capsys, monkeypatch)


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def test_every_flag_has_its_field(logger: Logger) -> None:
    Path(logger.home.path("memory/x.md")).write_text("one\ntwo\nthree\n")
    told = {
        "session": "s-1",
        "host": "build-box",
        "origin": "agent",
        "signal": "exit_code",
        "project": "atlas",
    }
    note, at = "third try", "2026-02-28T04:00:00+01:00"
    evidence = ("--evidence", "memory/x.md:2-3", "--evidence", "memory/x.md:1")
    result = logger.flags(*evidence, "--json", **told, timestamp=at, duration_s="12.5", note=note)
    record = json.loads(result.out)
    assert find_problems("outcome", record) == ()
    assert record == json.loads(logger.stored())
    assert [item["lines"] for item in record["evidence"]] == [[2, 3], [1, 1]]
    expected = {**told, "timestamp": "2026-02-28T03:00:00Z", "duration_s": 12.5, "note": note}
    assert expected.items() <= record.items()


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"outcome": "ok"}, "outcome: 'ok' is not one of success, partial, failure"),
        ({"resolution": "I set it."}, "write i_set_it"),
        ({"tags": "cron,,zone"}, "context_tags: item 2 is empty"),
        ({"tags": ",".join(["x"] * 10_000)}, "context_tags: has 10000 items"),
        ({"timestamp": "2026-02-28T03:00:00"}, "has no zone"),
        ({"timestamp": "2030-01-01T00:00:00Z"}, "is in the future"),
        ({"source": "/etc/passwd"}, "source_file: '/etc/passwd' is absolute"),
        ({"duration_s": "-3"}, "duration_s: -3"),
    ],
)
def test_a_bad_value_is_refused_and_nothing_written(
    logger: Logger, changes: dict[str, str], error: str
) -> None:
    result = logger.flags(**changes)
    assert result.status == 1
    assert error in result.err
    assert "hint: nothing was written" in result.err
    assert logger.stored() == b""


@from_corpus("surfaces-verbs-log")
def test_a_flag_that_makes_no_sense_is_a_usage_error(logger: Logger, words: list[str], error: str) -> None:
    result = logger.flags(*words)
    assert result.status == 2
    assert error in result.err
    assert "hint: for example" in result.err


def test_many_outcomes_come_in_on_standard_input(logger: Logger) -> None:
    result = logger.run("--stdin", stdin=lines(given_record(), full_record()))
    rows = read_outcome_rows(logger.stored()).rows
    assert result.status == 0
    assert result.out.split() == [row.id for row in rows]
    assert len(rows) == 2


def test_too_much_at_once_is_refused_with_a_way_to_split_it(
    logger: Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nightledger.surfaces.context.MAX_INPUT_BYTES", 100)
    result = logger.run("--stdin", stdin=lines(given_record()))
    assert result.status == 2
    assert "hint: split it" in result.err


def test_a_cold_start_imports_nothing_that_it_could_do_without(logger: Logger) -> None:
    flags = [word for pair in FLAGS.items() for word in pair]
    program = str(CHECKOUT / "scripts" / "outcome_logger.py")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", program, "--home", logger.home.root, *flags],
        capture_output=True,
        text=True,
        check=False,
        env={
            key: value for key, value in os.environ.items() if not key.startswith(("PYTHONPATH", "COVERAGE"))
        },
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    costly = {"dataclasses", "typing", "pathlib", "inspect", "msgspec", "jsonschema", "yaml", "rich", "cryptography"}  # fmt: skip
    assert done.returncode == 0
    assert "nightledger.codec.outcome_line" in imported
    assert imported & costly <= loaded_by_argparse()
