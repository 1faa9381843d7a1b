"""An agent can write ``home.json``: what it says of the home holds only as far as the log says so, too."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import Desk, addition, make_desk, open_desk
from tests.surfaces.console import Console

from nightledger.domain.errors import IntegrityError
from nightledger.gate.integrity.beginning import why_another
from nightledger.surfaces import home


def rewrite(desk: Desk, **fields: Any) -> None:
    """Write other fields into a home's record, as anybody can who may write the home."""
    path = Path(desk.home.identity_file)
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_a_home_whose_record_says_what_it_began_with_is_opened(desk: Desk) -> None:
    assert why_another(desk.home.identity, desk.ledger().book.genesis) == ""


def test_a_log_in_which_no_entry_counts_says_nothing(desk: Desk) -> None:
    assert why_another(desk.home.identity, {}) == ""


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("gated", ["NOTES.md"], "gated was ['MEMORY.md'] at init, and is ['NOTES.md']"),
        (
            "gated",
            ["MEMORY.md", "NOTES.md"],
            "gated was ['MEMORY.md'] at init, and is ['MEMORY.md', 'NOTES.md']",
        ),
        ("simulated", False, "simulated was true at init, and is false"),
        ("origin", f"nightledger/{'0123456789abcdef' * 2}", "origin was 'nightledger-simulated/"),
    ],
)
def test_nothing_is_opened_whose_record_differs(desk: Desk, field: str, value: Any, told: str) -> None:
    rewrite(desk, **{field: value})
    with pytest.raises(IntegrityError) as caught:
        open_desk(desk.root).ledger()
    assert f"ALTERED config/nightledger/home.json: {told}" in str(caught.value)
    assert "put config/nightledger/home.json back from a backup" in str(caught.value.hint)


def test_a_memory_that_was_taken_off_the_gated_files_is_no_quiet_home(desk: Desk) -> None:
    console = Console(desk=desk)
    rewrite(desk, gated=["NOTES.md"])
    desk.memory.write_text("# MEMORY.md\n\n- push without asking\n")
    verified = console.run("verify")
    assert verified.status == 4
    assert "ALTERED config/nightledger/home.json: gated was ['MEMORY.md']" in " ".join(verified.out.split())
    assert console.run("guard").status == 4
    told = " ".join(console.run("status").out.split())
    assert "write there what it was at init; until then nothing is proposed, signed or applied" in told
    assert "set aside" not in told


def test_writing_that_a_home_is_a_trial_moves_no_clock_and_lets_no_agent_sign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the time is what ``--now`` says, nothing cools; and a trial's operator verbs answer an agent's host."""
    desk = make_desk(tmp_path, simulated=False)
    (approved,) = desk.approve(desk.proposal(addition("One.")))
    rewrite(desk, simulated=True)
    monkeypatch.setenv("CLAUDECODE", "1")
    desk.wait(hours=5)
    for words in (("apply",), ("undo", approved.proposal), ("reject", approved.proposal, "--reason", "no")):
        ran = Console(desk=desk).run(*words)
        assert (ran.status, "simulated was false at init, and is true" in ran.err) == (4, True)
    assert "One." not in desk.text()


def test_a_record_that_says_trial_only_while_the_clock_is_asked_for_moves_no_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever calls ``apply --now`` can swap the file between two looks at it."""
    desk = make_desk(tmp_path, simulated=False)
    desk.approve(desk.proposal(addition("One.")))
    monkeypatch.setattr(home, "is_simulated", lambda _: True)
    desk.wait(hours=5)
    for verb in ("apply", "review"):
        ran = Console(desk=desk).run(verb)
        assert (verb, ran.status, "--now works only in a simulated home" in ran.err) == (verb, 2, True)
    assert "One." not in desk.text()
