"""A leaked text is removed from every file of ours, and what cannot be reached is named."""

import io
import json
import sys
from pathlib import Path

import pytest
from tests.codec.outcomes import given_record
from tests.gate.homes import addition
from tests.rows import from_corpus
from tests.surfaces.calling import Caller

from nightledger.domain.errors import (
    FileChangedError,
    UsageError,
)

LEAK = "Q7-vault-combination-4411"
"""Invented; no scanner knows its form."""


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "surrogateescape")))
    monkeypatch.setattr(sys, "stdin", stream)


def expunge(caller: Caller, monkeypatch: pytest.MonkeyPatch, *words: str, text: str = LEAK) -> int:
    typed(monkeypatch, text)
    return caller.run("expunge", "--text-from-stdin", *words)


def test_characters_that_json_escapes_are_found(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    leak = 'say "sesame\\öffne" twice'
    caller.desk.proposal(addition(leak))
    typed(monkeypatch, json.dumps(given_record(note=leak)))
    caller.run("log", "--stdin")
    assert expunge(caller, monkeypatch, text=leak) == 0
    for file in Path(caller.home.root).rglob("*"):
        if file.is_file():
            assert b"sesame" not in file.read_bytes(), file


@pytest.mark.parametrize("text", ["", "\n", "short", " a\n b\n"])
def test_a_text_that_stands_everywhere_is_refused(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    with pytest.raises(UsageError, match="too many places"):
        expunge(caller, monkeypatch, text=text)


@from_corpus("surfaces-verbs-expunge", tuples=True)
def test_what_is_no_place_is_refused(caller: Caller, words: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        caller.run("expunge", *words)


RULE = "- Restart the relay after an upgrade."


def test_a_line_that_became_another_since_it_was_read_is_shown_before_a_gated_file_loses_it(
    caller: Caller,
) -> None:
    Path(caller.home.path("memory/2026-02-28.md")).write_text(f"# Day\n{RULE}\n")
    rows = caller.lines("expunge", "--line", "memory/2026-02-28.md:2", "--dry-run")
    at = rows.index("MEMORY.md:9: a signed edit is to put [expunged] there")
    assert rows[at + 1] == "    [expunged]"
    assert f"what goes: {RULE}" in rows


def test_an_expunge_whose_gated_lines_changed_after_they_were_shown_is_not_signed(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller.desk.applied(addition(f"The code is {LEAK}."))

    def rival(*_: object) -> None:
        text = caller.desk.text().replace("The code is", "Never tell the code")
        caller.desk.memory.write_text(text)
        caller.desk.guard()
        caller.desk.settle(keep=[change.n for change in caller.desk.drift().changes])

    monkeypatch.setattr("nightledger.surfaces.verbs.expunge._require_consent", rival)
    with pytest.raises(FileChangedError, match="not what was shown any more; nothing was signed"):
        expunge(caller, monkeypatch)
    assert LEAK in caller.desk.text()
