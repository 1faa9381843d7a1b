"""What is added to a prompt: of an index that says what stands in it, and on a whole home with real gate, log and index."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import Desk
from tests.surfaces.hook.indexed import ENTRIES, OPEN, index, make_indexed

from nightledger.domain.exposure import dump_page
from nightledger.files.home import Home
from nightledger.files.hook_state import read_state
from nightledger.files.search_index import index_path
from nightledger.files.search_reader import open_reader
from nightledger.files.staged import write_staged
from nightledger.gate.naming import find_standing
from nightledger.gate.removals import forget
from nightledger.recall.indexing import refresh
from nightledger.recall.relevant import KINDS, kinds_to_say
from nightledger.surfaces.hook.prompting import prompted
from nightledger.surfaces.hook.running import started

NOW = "2026-03-01T06:00:00Z"
RULES = '{"v": 1, "prompt_hook": {"relevance": 0.1, "tokens": 2000, "lines": 10}}'
RELAY = "should the relay be restarted after the upgrade?"
SENSOR = "which unit does the greenhouse sensor report for its thresholds?"
IDS = list(ENTRIES)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_indexed(tmp_path / "home")


def ask(home: Home, prompt: str, session: str = "s", **payload: Any) -> str:
    return prompted(home, "claude_code", {"prompt": prompt, "session_id": session, **payload}, NOW)


def test_what_was_shown_in_a_session_is_not_shown_again_in_it(home: Home) -> None:
    for session in ("s", "another"):
        assert "Fahrenheit" in ask(home, SENSOR, session)
        assert ask(home, SENSOR, session) == ""


def test_an_open_item_is_named_and_recorded_by_its_place(home: Home) -> None:
    text = ask(home, "did we ask the plumber about the greenhouse pump?")
    assert "- an open item of the handoff (unsigned) (memory/state/session-handoff.md:4)" in text
    assert "plumber" not in text
    record = json.loads(Path(home.exposures).read_text())
    assert record["places"] == [{"path": "memory/state/session-handoff.md", "lines": [4, 4]}]
    assert record["shown"] == []
    assert OPEN.endswith("pump")


def test_a_file_that_changed_since_it_was_indexed_is_not_shown(home: Home) -> None:
    path = Path(home.memory_md)
    path.write_text(path.read_text() + "- Appended by somebody.\n")
    assert ask(home, SENSOR) == ""
    index(home)
    assert "Fahrenheit" in ask(home, SENSOR)
    os.utime(path, ns=(1, 1))
    assert ask(home, SENSOR, session="t") == ""
    path.unlink()
    assert ask(home, SENSOR, session="u") == ""


def test_of_prompts_only_words_are_kept_that_stand_in_memory(home: Home) -> None:
    ask(home, "Bernadette wonders: greenhouse sensor, Marta, tungsten, zanzibar")
    assert read_state(home, "s").prompts == ("greenhouse marta sensor",)


def test_what_the_start_of_the_session_showed_is_not_shown_again_at_its_prompts(home: Home) -> None:
    handoff = home.relative(home.handoff)
    page = dump_page(["One (from a; b)", "Two (from a; b)"], "2026-03-02T00:00:00Z")
    lines = [((IDS[0],), "MEMORY.md", "MEMORY.md:3"), ((), handoff, f"{handoff}:4")]
    write_staged(home, page, lines)
    plumber = "what should the plumber do about the greenhouse pump?"
    assert "Fahrenheit" in ask(home, SENSOR, session="another")
    assert "handoff.md:4" in ask(home, plumber, session="another")
    started(home, "claude_code", {"session_id": "s"}, datetime(2026, 3, 1, 6, tzinfo=UTC), anew=False)
    assert "Fahrenheit" not in ask(home, SENSOR)
    assert "handoff.md:4" not in ask(home, plumber)


# ---------------------------------------------------------------- a whole home


@pytest.fixture
def desk(desk: Desk) -> Desk:
    Path(desk.home.staging_rules).write_text(RULES)
    return desk


def bring_up_to_date(desk: Desk) -> None:
    refresh(desk.gate, desk.ledger(), desk.moment).store.close()


def kinds(desk: Desk) -> tuple[str, ...]:
    reader = open_reader(index_path(desk.home))
    try:
        return kinds_to_say(desk.home, reader)
    finally:
        reader.close()


def test_nothing_is_said_between_a_decision_and_the_next_look(desk: Desk) -> None:
    bring_up_to_date(desk)
    assert "Restart the relay" in ask(desk.home, RELAY)
    standing = find_standing(desk.home, desk.ledger().book).entries.values()
    placed = next(one for one in standing if "relay" in one.entry.text)
    made = forget(desk.gate, desk.ledger(), placed, desk.moment, period="2026-03-01").proposal
    assert made is not None
    desk.approve(made)
    assert "relay" in desk.text()
    assert kinds(desk) == ()
    assert ask(desk.home, RELAY, session="t") == ""
    bring_up_to_date(desk)
    assert ask(desk.home, RELAY, session="u") == ""
    assert "backups" in ask(desk.home, "how long are backups kept?", session="u")


def test_a_log_that_cannot_be_told_from_the_judged_one_silences_all(desk: Desk) -> None:
    bring_up_to_date(desk)
    log = Path(desk.home.audit_log)
    whole = log.read_bytes()
    line = {**json.loads(whole.splitlines()[-1]), "event": "heartbeat"}

    def more(*steps: int, **fields: str) -> bytes:
        return b"".join(
            json.dumps({**line, "seq": line["seq"] + step, **fields}).encode() + b"\n" for step in steps
        )

    for broken in (
        b"", whole[:-1], whole[:-2] + b"\n", b"[]\n", b"{}\n", whole + more(2), b"[" * 70_000 + b"\n", b"\n",
        whole + more(*range(1, 40), pad="x" * 3000),
    ):  # fmt: skip
        log.write_bytes(broken)
        assert kinds(desk) == ()
    log.write_bytes(whole)
    assert kinds(desk) == KINDS
    log.unlink()
    assert kinds(desk) == ()
