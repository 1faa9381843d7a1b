"""A witness that is reached by files only: late, in part, beside what nobody can answer."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.remote.witnesses import Machines
from tests.surfaces.console import Console

from nightledger.remote.witness_ways import Slip, dump_slip


@dataclass
class Spool:
    """What both machines see; the commands of each."""

    folder: Path
    machines: Machines
    console: Console

    def file(self, kind: str) -> Path:
        log = hashlib.sha256(self.machines.desk.home.identity.origin.encode()).hexdigest()
        return self.folder / f"{log}.{kind}"

    def ask(self) -> dict[str, Any]:
        self.machines.later(minutes=1)
        (asked,) = json.loads(self.console.run("witness", "ask", "--json").out)["asked"]
        return dict(asked)

    def words(self) -> tuple[str, ...]:
        return ("witness", "cosign", "--dir", str(self.machines.box.directory), "--spool", str(self.folder))

    def answer(self) -> list[int]:
        return [one["status"] for one in json.loads(self.console.run(*self.words(), "--json").out)]


@pytest.fixture
def spool(tmp_path: Path, machines: Machines, console: Console) -> Spool:
    folder = tmp_path / "spool"
    folder.mkdir()
    machines.address(str(folder))
    return Spool(folder=folder, machines=machines, console=console)


def test_a_request_that_waits_is_not_replaced_and_one_that_was_forgotten_is_asked_from_where_it_stands(
    spool: Spool,
) -> None:
    assert spool.ask()["waiting"]
    before = spool.file("request").read_bytes()
    spool.machines.desk.record("heartbeat", day="2026-03-01")
    assert spool.ask()["waiting"]
    assert spool.file("request").read_bytes() == before
    assert spool.answer() == [200]
    asked = spool.ask()  # takes the first answer, asks for the head of now
    assert (asked["cosigned"], asked["waiting"]) == (True, True)
    assert spool.answer() == [200]
    for path in (*spool.folder.iterdir(), Path(spool.machines.desk.home.work_dir, "witnesses.json")):
        path.unlink()
    assert spool.ask()["waiting"]  # all is forgotten here: it begins at 0
    assert spool.answer() == [409]
    assert spool.ask()["waiting"]
    assert spool.answer() == [200]


def test_files_that_arrived_in_part_are_left_until_they_are_whole(spool: Spool) -> None:
    spool.ask()
    whole = spool.file("request").read_bytes()
    for cut in (0, 1, 100, len(whole) - 1):
        spool.file("request").write_bytes(whole[:cut])
        assert spool.answer() == []
    spool.file("request").write_bytes(whole)
    spool.answer()
    complete = spool.file("answer").read_bytes()
    spool.file("answer").write_bytes(complete[:-1])
    assert spool.ask()["waiting"]
    spool.file("answer").write_bytes(complete)
    assert spool.ask()["cosigned"]


def test_a_request_that_cannot_be_answered_stops_none_of_the_others(spool: Spool) -> None:
    spool.ask()
    logs = ["0" * 64, "00" * 31 + "01"]
    for log in logs:
        slip = Slip(kind="ask", at="2026-03-01T06:00:00Z", of="00" * 32, status=0, body=b"x")
        (spool.folder / f"{log}.request").write_bytes(dump_slip(slip))
    (spool.folder / f"{logs[0]}.answer").mkdir()
    (spool.folder / f"{logs[1]}.answer").symlink_to("nowhere")
    ran = spool.console.run(*spool.words())
    told = " ".join(ran.err.split())
    assert (ran.status, spool.ask()["cosigned"]) == (1, True)
    assert told.count("error: the log 0000000000000000… was not answered:") == 2
    assert f"{logs[0]}.answer is not a regular file" in told
    assert f"{logs[1]}.answer is a symlink" in told
