"""What is derived of a session: by exit statuses and the user's words alone, and nothing where neither tells."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from tests.rows import from_corpus

from nightledger.domain.deriving import Derived, Deriver
from nightledger.domain.proposal import Origin
from nightledger.domain.transcript import Speaker, Turn, read_command
from nightledger.jobs.transcripts import rules

NINE = datetime(2026, 2, 28, 9, tzinfo=UTC)


def turns_of(*steps: tuple[str, Any]) -> list[Turn]:
    """Return turns: ``(run, status)`` runs a command, ``edit:`` a file, ``look:`` at one (what is given out repeats it), ``marked:`` runs with status 0 and a mark of an error, ``user:`` and ``says:`` say something, ``tool:`` calls one."""
    turns: list[Turn] = []
    for n, (step, value) in enumerate(steps, 1):
        kind, _, rest = step.partition(":")
        at = NINE + timedelta(minutes=n)
        turn = partial(Turn, at=at, session="s", line=n, cwd="/work/relay", id=f"m{n}")
        if kind in ("user", "group", "says"):
            speaker = Speaker.ASSISTANT if kind == "says" else Speaker.USER
            turns.append(
                turn(speaker=speaker, text=rest, origin=Origin("group" if kind == "group" else "owner"))
            )
            continue
        looked = {"tool": "file_editor", "path": rest, "command": "view"}
        called: dict[str, dict[str, Any]] = {
            "edit": {"tool": "Edit", "path": rest},
            "tool": {"tool": rest},
            "look": looked,
            "marked": {"tool": "Bash", "command": rest},
        }
        given: dict[str, dict[str, Any]] = {"look": looked, "marked": {"exit_status": 0}}
        status = given.get(kind, {})
        status |= {} if kind in called else {"exit_status": value}
        turns.append(
            turn(speaker=Speaker.CALL, call=f"c{n}", **called.get(kind, {"tool": "Bash", "command": step}))
        )
        is_error = value if kind in called else bool(value)
        turns.append(turn(speaker=Speaker.TOOL, call=f"c{n}", is_error=is_error, **status))
    return turns


def derive(*steps: tuple[str, Any]) -> tuple[list[Derived], int]:
    deriver, found = Deriver(rules()), list[Derived]()
    for turn in turns_of(*steps):
        found += deriver.read(
            turn, turn.text.split("\n") if turn.speaker is Speaker.USER else [], f"line {turn.line}".encode()
        )
    return [*found, *deriver.end()], deriver.unknown


EDIT = ("edit:/work/relay/src/relay.py", False)
PASSES = ("pytest -q", 0)


@from_corpus("domain-deriving", tuples=True)
def test_only_what_is_explicit_has_an_end(
    case: str, steps: tuple[tuple[str, Any], ...], expected: tuple[tuple[str, ...], ...]
) -> None:
    found, unknown = derive(*steps)
    assert tuple((one.result, one.signal, one.task_type, one.resolution) for one in found) == expected, case
    assert unknown == (not expected), "a task of which nothing is told is counted"


def test_what_a_task_was_about_are_names_from_the_table_the_kind_of_file_and_the_project() -> None:
    ((one,), _) = derive(EDIT, PASSES)
    assert one.tags == ("pytest", "python", "relay", "test")
    assert (one.origin, one.line, one.key) == (Origin.AGENT, 2, "outcome c2 test_pytest ")


@from_corpus("domain-deriving")
def test_what_nothing_names_has_an_end_and_no_name(paths: list[str]) -> None:
    found, unknown = derive(*((f"edit:/work/relay/{path}", False) for path in paths), PASSES)
    assert ([(one.result, one.resolution) for one in found], unknown) == ([("success", "")], 0)


def test_who_corrects_is_who_tells_it() -> None:
    ((one,), _) = derive(EDIT, ("user:It doesn't work.", None))
    assert (one.origin, one.line) == (Origin.OWNER, 2)


@from_corpus("domain-deriving")
def test_a_status_is_believed_of_the_one_command_that_it_can_be_of(
    case: str, text: str, names: list[str], *, is_alone: bool
) -> None:
    acts, alone, _ = read_command(text, rules())
    assert ([act.name for act in acts], alone) == (names, is_alone), case


@pytest.mark.parametrize("verdict", ["wrong", "right", "refused", "approved", "undone"])
def test_each_wording_catches_and_spares_its_examples_and_spares_those_of_every_other_language(
    verdict: str,
) -> None:
    wordings = rules().verdicts[verdict]
    assert {wording.language for wording in wordings} == {"en", "de", "fr", "es", "pt", "zh", "ja"}
    for wording in wordings:
        assert [line for line in wording.yes if not rules().is_said(verdict, [line])] == []
        assert [line for line in wording.no if rules().is_said(verdict, [line])] == []
