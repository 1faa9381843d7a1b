import json
import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, addition, make_desk, removal
from tests.surfaces.console import Console

from nightledger.gate.opening import Gate
from nightledger.surfaces.verbs import apply


def test_with_nothing_signed_it_is_silent_for_cron_and_says_so_to_people(console: Console) -> None:
    assert console.out("apply") == ""
    assert console.out("apply", typed=[]) == "Nothing is signed that is not applied.\n"
    assert console.record("apply") == []


def test_early_it_changes_nothing_and_says_so_to_who_asked(console: Console) -> None:
    proposal = console.desk.proposal(addition("One."))
    console.out("approve", proposal.id)
    assert console.out("apply") == ""
    ran = console.run("apply", proposal.id)
    assert ran.status == 1
    assert ran.out == f"{proposal.id} is cooling: 2 h 0 min to go. Nothing was changed.\n"
    console.desk.wait(hours=1, minutes=59, seconds=1)
    assert "1 min to go" in console.run("apply", proposal.id).out
    assert console.desk.text() == MEMORY


def test_what_has_cooled_is_applied_and_the_rest_stays_queued(console: Console) -> None:
    desk = console.desk
    first, gone = desk.proposal(addition("One.")), desk.proposal(removal("- Keep backups for 30 days."))
    desk.approve(first, gone)
    desk.wait(hours=1, minutes=55)
    late = desk.proposal(addition("Late."))
    desk.approve(late)
    desk.memory.write_text(MEMORY.replace("30 days", "40 days"))
    desk.wait(minutes=10)
    ran = console.run("apply")
    assert ran.status == 1
    assert f"Applied change 1 of {first.id}; 'nightledger undo {first.id}' takes it back." in ran.out
    assert f"Change 1 of {gone.id} has no place any more: its lines are no longer" in ran.out
    assert "Late." not in ran.out
    assert desk.states(late) == ["approved"]
    desk.wait(hours=2)
    record = console.record("apply", late.id)
    assert (record[0]["applied"], record[0]["wait_s"], record[0]["raced"]) == ([1], 0, False)
    assert console.run("apply", late.id).status == 1
    assert console.run("apply", late.id).out == "Nothing is signed that is not applied.\n"


def test_only_the_one_that_was_asked_for(console: Console) -> None:
    first, second = (console.desk.proposal(addition(f"Lesson {n}.")) for n in range(2))
    console.desk.approve(first, second)
    console.desk.wait(hours=3)
    console.out("apply", second.id)
    assert console.desk.states(first) == ["approved"]
    assert console.desk.states(second) == ["applied"]


def test_a_refusal_is_told_with_its_reasons(console: Console) -> None:
    proposal = console.desk.proposal(addition("One."))
    console.desk.approve(proposal)
    own = {"v": 1, "domains": {"self_modification": {"blocked": ["consolidate_daily_to_memory"]}}}
    Path(console.desk.home.consent_graph).write_text(json.dumps(own))
    console.desk.wait(hours=3)
    ran = console.run("apply")
    assert ran.status == 1
    assert ran.out == f"{proposal.id} was not applied: the consent graph blocks consolidate_daily_to_memory\n"


def test_a_gated_file_that_cannot_be_read_holds_up_no_change_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    desk = make_desk(tmp_path, gated=("MEMORY.md", "USER.md"))
    broken = desk.proposal(replace(addition("Tea."), target="USER.md"))
    whole = desk.proposal(addition("One."))
    desk.approve(broken, whole)
    desk.wait(hours=3)
    Path(desk.home.path("USER.md")).mkdir()
    ran = Console(desk=desk).run("apply")
    assert ran.status == 1
    assert f"{broken.id} was not applied: " in ran.out
    assert "USER.md is a directory" in ran.out
    assert [desk.states(one) for one in (broken, whole)] == [["approved"], ["applied"]]


def test_a_race_is_told(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    from nightledger.gate.apply import writing

    console.desk.approve(console.desk.proposal(addition("One.")))
    console.desk.wait(hours=3)
    real = writing.exchange

    def late(gate: Gate, write: writing.Write) -> str:
        console.desk.memory.write_text("rival\n")
        return real(gate, write)

    monkeypatch.setattr(writing, "exchange", late)
    assert "Another program wrote the file at the same moment; its bytes are kept" in console.out("apply")


def test_the_mark_spares_a_full_look_and_never_hides_anything(console: Console) -> None:
    desk = console.desk
    desk.wait(minutes=15)
    console.out("apply")
    mark = Path(desk.home.root, apply.MARK)
    assert json.loads(mark.read_text())["after"] is None
    proposal = desk.proposal(addition("One."))
    console.out("approve", proposal.id)
    console.out("apply")
    after = json.loads(mark.read_text())["after"]
    assert after == desk.moment.at.timestamp() + 7200
    mark_bytes = mark.read_bytes()
    desk.wait(minutes=30)
    console.out("apply")
    assert mark.read_bytes() == mark_bytes
    desk.wait(hours=1, minutes=30)
    assert "Applied change 1" in console.out("apply")


@pytest.mark.parametrize("age_s", [0, 3600, -86_400])
@pytest.mark.parametrize("after", [None, 9e12])
def test_a_mark_that_somebody_else_wrote_holds_nothing_up_for_longer_than_an_hour(
    console: Console, after: float | None, age_s: int
) -> None:
    desk = console.desk
    proposal = desk.proposal(addition("One."))
    console.out("approve", proposal.id)
    desk.wait(hours=3, minutes=0 if age_s == 0 else 30)
    size = Path(desk.home.audit_log).stat().st_size
    mark = {"size": size, "after": after, "at": desk.moment.at.timestamp() - age_s}
    Path(desk.home.root, apply.MARK).write_text(json.dumps(mark))
    assert "Applied change 1" in console.out("apply")


@pytest.mark.parametrize("text", ["", "[]", '{"size": 1}', "\0", '{"size": "x", "after": "y"}'])
def test_a_damaged_mark_is_made_anew(console: Console, text: str) -> None:
    proposal = console.desk.proposal(addition("One."))
    console.desk.approve(proposal)
    console.desk.wait(hours=3)
    Path(console.desk.home.root, apply.MARK).write_text(text)
    assert "Applied change 1" in console.out("apply")


def run_apply(console: Console, results: "multiprocessing.Queue[int]") -> None:
    results.put(console.run("apply").status)


def test_two_applies_at_once_apply_once(console: Console) -> None:
    proposal = console.desk.proposal(addition("One."))
    console.desk.approve(proposal)
    console.desk.wait(hours=3)
    fork = multiprocessing.get_context("fork")
    results: multiprocessing.Queue[int] = fork.Queue()
    both = [fork.Process(target=run_apply, args=(console, results)) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert {results.get(), results.get()} <= {0, 75}
    assert console.desk.text().count("- One.\n") == 1
    assert console.desk.events().count("apply.done") == 1


def run_approve(console: Console, proposal: str, results: "multiprocessing.Queue[int]") -> None:
    results.put(console.run("approve", proposal).status)


def test_two_approvals_at_once_sign_once(console: Console) -> None:
    proposal = console.desk.proposal(addition("One."))
    fork = multiprocessing.get_context("fork")
    results: multiprocessing.Queue[int] = fork.Queue()
    both = [fork.Process(target=run_approve, args=(console, proposal.id, results)) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert sorted([results.get(), results.get()]) in ([0, 1], [0, 2])
    assert len(console.desk.ledger().book.decisions) == 1
