"""The hook on a whole home: real gate, real log, real index; one planted sentence on every path to the agent."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import Desk

from nightledger.files.search_index import index_path
from nightledger.files.search_reader import open_reader
from nightledger.gate.naming import find_standing
from nightledger.gate.removals import forget
from nightledger.recall.indexing import refresh
from nightledger.recall.relevant import KINDS, kinds_to_say
from nightledger.surfaces.hook.prompting import prompted

RULES = '{"v": 1, "prompt_hook": {"relevance": 0.1, "tokens": 2000, "lines": 10}}'
RELAY = "should the relay be restarted after the upgrade?"


@pytest.fixture
def desk(desk: Desk) -> Desk:
    Path(desk.home.staging_rules).write_text(RULES)
    return desk


def bring_up_to_date(desk: Desk) -> None:
    refresh(desk.gate, desk.ledger(), desk.moment).store.close()


def ask(desk: Desk, prompt: str, session: str = "s", **payload: Any) -> str:
    return prompted(
        desk.home, "codex", {"prompt": prompt, "session_id": session, **payload}, "2026-03-01T06:00:00Z"
    )


def kinds(desk: Desk) -> tuple[str, ...]:
    reader = open_reader(index_path(desk.home))
    try:
        return kinds_to_say(desk.home, reader)
    finally:
        reader.close()


def test_nothing_is_said_between_a_decision_and_the_next_look(desk: Desk) -> None:
    bring_up_to_date(desk)
    assert "Restart the relay" in ask(desk, RELAY)
    standing = find_standing(desk.home, desk.ledger().book).entries.values()
    placed = next(one for one in standing if "relay" in one.entry.text)
    made = forget(desk.gate, desk.ledger(), placed, desk.moment, period="2026-03-01").proposal
    assert made is not None
    desk.approve(made)
    assert "relay" in desk.text()
    assert kinds(desk) == ()
    assert ask(desk, RELAY, session="t") == ""
    bring_up_to_date(desk)
    assert ask(desk, RELAY, session="u") == ""
    assert "backups" in ask(desk, "how long are backups kept?", session="u")


def test_a_log_that_cannot_be_told_from_the_judged_one_silences_all(desk: Desk) -> None:
    bring_up_to_date(desk)
    log = Path(desk.home.audit_log)
    whole = log.read_bytes()
    line = json.loads(whole.splitlines()[-1])
    beyond = json.dumps({**line, "seq": line["seq"] + 2, "event": "heartbeat"}).encode() + b"\n"
    for broken in (
        b"",
        whole[:-1],
        whole[:-2] + b"\n",
        b"[]\n",
        b"{}\n",
        whole + beyond,
        b"[" * 70_000 + b"\n",
        b"\n",
    ):
        log.write_bytes(broken)
        assert kinds(desk) == ()
    log.write_bytes(whole)
    assert kinds(desk) == KINDS
    many = b"".join(
        json.dumps({**line, "seq": line["seq"] + n, "event": "heartbeat", "pad": "x" * 3000}).encode() + b"\n"
        for n in range(1, 40)
    )
    log.write_bytes(whole + many)
    assert kinds(desk) == ()
    log.unlink()
    assert kinds(desk) == ()
