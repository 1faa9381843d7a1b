import json
import socket
from pathlib import Path

import pytest
from tests.homes import make_home
from tests.linking import line, outcome

from nightledger.codec.canonical import canonical
from nightledger.files.home import Home
from nightledger.surfaces.cli import main


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = make_home(tmp_path / "home")
    identity = json.loads(Path(made.identity_file).read_bytes())
    identity["machine"] = socket.gethostname()
    Path(made.identity_file).write_bytes(canonical(identity) + b"\n")
    return made


def test_bad_lines_are_named_by_file_and_line(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    Path(home.outcomes).write_bytes(b"{}\n" * 30 + line(outcome(1)) + b"half")
    assert main(["link", "--home", home.root]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("memory/system/outcome-records.jsonl:1 is no outcome: ")
    assert said[20] == "10 more lines of memory/system/outcome-records.jsonl without an outcome"
    assert said[21].endswith("is unfinished; it is read once the logger has closed it")
