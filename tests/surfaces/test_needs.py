"""What needs the operator: told to the notifier, and kept as ATTENTION.md."""

import json
import os
import sys
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, addition
from tests.gate.signers import let_sign, new_key
from tests.remote.test_dead_letters import bury
from tests.surfaces.calling import Caller, make_caller

from nightledger.domain.attention import Item, Need
from nightledger.gate.review.editing import propose_edit
from nightledger.surfaces.context import Context
from nightledger.surfaces.needs import find_alarms, find_needs

NIGHT = "2026-03-02T03:30:00Z"
NOTHING = "# What needs the operator\n\nNothing.\n"


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    return make_caller(tmp_path, monkeypatch, capsys)


def page(caller: Caller) -> str:
    return Path(caller.home.attention).read_text()


def needs(caller: Caller, now: str = NIGHT) -> list[Item]:
    return find_needs(context_of(now, caller))


def context_of(now: str, caller: Caller) -> Context:
    return Context(verb="night", home=caller.home.root, now_text=now, json=False)


def test_a_night_ends_with_the_page(caller: Caller) -> None:
    caller.desk.proposal(addition("One."))
    assert caller.run("night", now=NIGHT) == 0
    assert page(caller) == (
        "# What needs the operator\n\n"
        "- 1 proposal waits, the oldest since 2026-03-01 06:00 UTC: `nightledger review`\n"
    )


def test_while_nothing_changes_not_a_byte_of_it_is_written(caller: Caller) -> None:
    caller.desk.proposal(addition("One."))
    caller.run("night", now=NIGHT)
    before = os.stat(caller.home.attention)
    assert caller.run("night", now="2026-03-03T03:30:00Z") == 0
    after = os.stat(caller.home.attention)
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_when_all_is_answered_it_says_so(caller: Caller) -> None:
    proposal = caller.desk.proposal(addition("One."))
    caller.run("night", now=NIGHT)
    caller.desk.reject(proposal)
    caller.run("night", now="2026-03-03T03:30:00Z")
    assert page(caller) == NOTHING


def test_it_names_what_was_altered_what_drifted_and_what_fails(caller: Caller) -> None:
    altered = caller.desk.proposal(addition("One."))
    Path(caller.home.proposal(altered.id)).write_bytes(b"{}")
    caller.desk.memory.write_text(MEMORY + "- by hand\n")
    Path(caller.home.outcomes).symlink_to("/etc/hosts")
    assert caller.run("night", now=NIGHT) == 4
    assert page(caller) == (
        "# What needs the operator\n\n"
        f"- 1 integrity alarm (ALTERED memory/state/proposals/{altered.id}.json): `nightledger verify`\n"
        "- 1 file changed outside the gate (MEMORY.md): `nightledger review`\n"
        "- 4 jobs failed (close_day 2026-03-01, consolidate 2026-03-01, curate 2026-03-01 and 1 more): `nightledger status`\n"
    )


def test_what_is_missing_counts_as_changed_now_and_no_time_is_ahead(caller: Caller) -> None:
    altered = caller.desk.proposal(addition("One."))
    Path(caller.home.proposal(altered.id)).unlink()
    caller.desk.memory.write_text("new\n")
    caller.run("night", now=NIGHT)
    found = [*find_alarms(context_of(NIGHT, caller)), *needs(caller)]
    assert [item.need for item in found] == [Need.ALTERED, Need.DRIFT, Need.DRIFT]
    assert {item.since.isoformat() for item in found} == {"2026-03-02T03:30:00+00:00"}


def test_a_missed_period_is_told_until_it_is_made_up(caller: Caller) -> None:
    late = "2026-03-04T03:30:00Z"
    assert [item.key for item in needs(caller, late)] == ["2026-03-01", "2026-03-02"]
    caller.run("night", now=late)
    assert needs(caller, late) == []
    assert page(caller) == NOTHING


def test_an_own_edit_that_is_not_signed_waits_for_nobody(caller: Caller) -> None:
    desk = caller.desk
    caller.run("night", now=NIGHT)
    propose_edit(desk.gate, desk.ledger(), "MEMORY.md", b"new\n", desk.moment)
    assert needs(caller) == []


def test_the_notifier_hears_of_drift_once_a_day_and_of_a_missed_period_that_was_made_up(
    caller: Caller,
) -> None:
    told = caller.root / "told"
    script = f"import sys; open({str(told)!r}, 'a').write(sys.argv[1] + chr(10))"
    operator = caller.root / "keys" / "operator.yaml"
    operator.write_text(json.dumps({"notify": [sys.executable, "-c", script, "{summary}"]}))
    operator.chmod(0o600)
    caller.desk.memory.write_text("new\n")
    caller.run("night", now="2026-03-03T03:30:00Z")
    caller.run("night", now="2026-03-03T04:30:00Z")
    assert told.read_text() == "1 file changed outside the gate, 1 period was missed (1 day)\n"
    caller.run("night", now="2026-03-04T03:30:00Z")
    assert told.read_text().splitlines()[1:] == ["1 file changed outside the gate"]


def test_a_trust_file_that_differs_is_told(caller: Caller) -> None:
    decision = let_sign(caller.desk, new_key(caller.root, "ana"), "ana")
    Path(caller.home.policy).write_text("# by an agent\n")
    Path(caller.home.decision(decision.id)).unlink()
    found = needs(caller, caller.desk.moment.at.isoformat())
    assert [(item.need, item.key) for item in found] == [
        (Need.TRUST, "config/nightledger/policy"),
        (Need.TRUST, f"audit/decisions/{decision.id}.json"),
    ]


def test_dead_letters_and_a_broken_consent_graph_are_told(caller: Caller) -> None:
    bury(caller.home, "2026-03-01T08:00:00Z")
    Path(caller.home.consent_graph).write_text("{")
    found = needs(caller, caller.desk.moment.at.isoformat())
    assert [(item.need, item.key) for item in found] == [
        (Need.CONSENT, "config/nightledger/consent-graph.json"),
        (Need.LETTER, "2026-03-01T06:00:00Z 1"),
    ]
