"""What needs the operator: told to the notifier, and kept as ATTENTION.md."""

import json
import sys
from pathlib import Path

import pytest
from tests.gate.homes import addition
from tests.surfaces.calling import Caller, make_caller

from nightledger.domain.attention import Item, Need
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


def test_when_all_is_answered_it_says_so(caller: Caller) -> None:
    proposal = caller.desk.proposal(addition("One."))
    caller.run("night", now=NIGHT)
    caller.desk.reject(proposal)
    caller.run("night", now="2026-03-03T03:30:00Z")
    assert page(caller) == NOTHING


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
