"""A witness that is reached by files only: late, in part, out of order."""

import hashlib
import json
from pathlib import Path

import pytest
from tests.remote.witnesses import NAME, Machines
from tests.surfaces.console import Console

from nightledger.gate.integrity.witnessing import read_policy
from nightledger.gate.opening import sign_head
from nightledger.remote.witness_ways import (
    Asked,
    LogView,
    Slip,
    SpoolChannel,
    answer_spool,
    ask_witness,
    dump_slip,
    read_slip,
)
from nightledger.trust.note import parse_note


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    made = tmp_path / "spool"
    made.mkdir()
    return made


def view(machines: Machines) -> LogView:
    desk = machines.desk
    sign_head(desk.gate, desk.moment)
    ledger = desk.ledger()
    note = parse_note(Path(desk.home.checkpoint).read_bytes())
    return LogView(note=note, tree=ledger.log.tree, policy=read_policy(desk.home, ledger, desk.moment))


def log_of(machines: Machines) -> str:
    return hashlib.sha256(machines.desk.home.identity.origin.encode()).hexdigest()


def ask(machines: Machines, spool: Path, known: int = 0) -> Asked:
    channel = SpoolChannel(
        directory=str(spool),
        origin_sha256=log_of(machines),
        now=machines.desk.moment.at,
        taken=machines.taken,
    )
    return ask_witness(NAME, channel, view(machines), known)


def answer(machines: Machines, spool: Path) -> list[int]:
    return [getattr(one, "status", 503) for _, one in answer_spool(str(spool), machines.box, machines.at)]


def answered_log(machines: Machines, spool: Path) -> bool:
    slip = read_slip(str(spool / f"{log_of(machines)}.answer"), "answer")
    return slip is not None and slip.status == 200


def test_a_request_that_waits_is_not_replaced(machines: Machines, spool: Path) -> None:
    ask(machines, spool)
    before = (spool / f"{log_of(machines)}.request").read_bytes()
    machines.later(hours=1)
    machines.desk.record("heartbeat", day="2026-03-01")
    assert ask(machines, spool).waiting
    assert (spool / f"{log_of(machines)}.request").read_bytes() == before
    answer(machines, spool)
    asked = ask(machines, spool)
    assert (asked.size, asked.waiting, len(asked.cosigned)) == (1, True, 1)
    assert answer(machines, spool) == [200]
    assert ask(machines, spool, 1).size == 2


def test_a_witness_that_knows_another_size_is_asked_from_there(machines: Machines, spool: Path) -> None:
    ask(machines, spool)
    answer(machines, spool)
    machines.desk.record("heartbeat", day="2026-03-01")
    assert ask(machines, spool).waiting  # takes the first answer, asks for the second head
    answer(machines, spool)
    machines.desk.record("heartbeat", day="2026-03-02")
    ask(machines, spool)
    assert answer(machines, spool) == [200]
    for path in spool.iterdir():
        path.unlink()
    assert ask(machines, spool).waiting  # all is forgotten here: it begins at 0
    assert answer(machines, spool) == [409]
    assert ask(machines, spool).waiting
    assert answer(machines, spool) == [200]


def test_files_that_arrived_in_part_are_left_until_they_are_whole(machines: Machines, spool: Path) -> None:
    ask(machines, spool)
    request = spool / f"{log_of(machines)}.request"
    whole = request.read_bytes()
    for cut in (0, 1, 100, len(whole) - 1):
        request.write_bytes(whole[:cut])
        assert answer(machines, spool) == []
    request.write_bytes(whole)
    answer(machines, spool)
    answered = spool / f"{log_of(machines)}.answer"
    complete = answered.read_bytes()
    answered.write_bytes(complete[:-1])
    assert ask(machines, spool).waiting
    answered.write_bytes(complete)
    assert ask(machines, spool).size == 1


def test_a_request_that_cannot_be_answered_stops_none_of_the_others(
    machines: Machines, spool: Path, console: Console
) -> None:
    ask(machines, spool)
    logs = ["0" * 64, "00" * 31 + "01"]
    for log in logs:
        slip = Slip(kind="ask", at="2026-03-01T06:00:00Z", of="00" * 32, status=0, body=b"x")
        (spool / f"{log}.request").write_bytes(dump_slip(slip))
    (spool / f"{logs[0]}.answer").mkdir()
    (spool / f"{logs[1]}.answer").symlink_to("nowhere")
    words = ("witness", "cosign", "--dir", str(machines.box.directory), "--spool", str(spool))
    ran = console.run(*words)
    told = " ".join(ran.err.split())
    assert (ran.status, answered_log(machines, spool)) == (1, True)
    assert told.count("error: the log 0000000000000000… was not answered:") == 2
    assert f"{logs[0]}.answer is not a regular file" in told
    assert f"{logs[1]}.answer is a symlink" in told
    again = json.loads(console.run(*words, "--json").out)
    assert [(one["log"], one["status"], bool(one["problem"])) for one in again] == [
        (log, 503, True) for log in logs
    ]
