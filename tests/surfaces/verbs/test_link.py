import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.homes import make_home
from tests.linking import line, lines, outcome

from nightledger.codec.canonical import canonical
from nightledger.files.home import Home
from nightledger.surfaces.cli import main

CHECKOUT = Path(__file__).resolve().parents[3]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = make_home(tmp_path / "home")
    identity = json.loads(Path(made.identity_file).read_bytes())
    identity["machine"] = socket.gethostname()
    Path(made.identity_file).write_bytes(canonical(identity) + b"\n")
    return made


def test_a_run_says_what_was_read_and_why_all_of_it(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    Path(home.outcomes).write_bytes(lines([outcome(1), outcome(2), outcome(1)]))
    assert main(["link", "--home", home.root]) == 0
    assert capsys.readouterr().out == (
        "All outcomes were read: there is no index yet.\n2 new outcomes (1 repeated), 2 in all; 1 links.\n"
    )
    assert main(["link", "--home", home.root]) == 0
    assert capsys.readouterr().out == "0 new outcomes, 2 in all; 1 links.\n"


def test_bad_lines_are_named_by_file_and_line(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    Path(home.outcomes).write_bytes(b"{}\n" * 30 + line(outcome(1)) + b"half")
    assert main(["link", "--home", home.root]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("memory/system/outcome-records.jsonl:1 is no outcome: ")
    assert said[20] == "10 more lines of memory/system/outcome-records.jsonl are no outcomes"
    assert said[21].endswith("is unfinished; it is read once the logger has closed it")


def test_a_view_that_waits_is_not_counted(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    Path(home.outcomes).write_bytes(line(outcome(1)))
    assert main(["link", "--home", home.root, "--index-only"]) == 0
    assert capsys.readouterr().out.endswith("1 new outcomes, 1 in all.\n")
    assert not Path(home.links).exists()


def test_dry_run_writes_nothing_and_rebuild_reads_all(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    Path(home.outcomes).write_bytes(line(outcome(1)))
    assert main(["link", "--home", home.root, "--dry-run"]) == 0
    assert not Path(home.cursors).exists()
    main(["link", "--home", home.root])
    capsys.readouterr()
    assert main(["link", "--home", home.root, "--rebuild"]) == 0
    assert capsys.readouterr().out.startswith("All outcomes were read: it was asked for.\n1 new")


def test_the_script_is_the_verb(home: Home) -> None:
    Path(home.outcomes).write_bytes(line(outcome(1)))
    done = subprocess.run(
        [sys.executable, CHECKOUT / "scripts" / "hebbian_linker.py", "--home", home.root],
        env={"PATH": os.environ["PATH"], "HOME": home.root},
        capture_output=True,
        check=True,
        text=True,
    )
    assert "1 new outcomes, 1 in all; 1 links." in done.stdout
    assert done.stderr == ""
