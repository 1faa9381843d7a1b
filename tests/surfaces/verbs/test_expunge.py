"""A leaked text is removed from every file of ours, and what cannot be reached is named."""

import json
from pathlib import Path

import pytest
from tests.codec.outcomes import given_record
from tests.gate.homes import addition
from tests.recall.asking import put
from tests.surfaces.console import Console

LEAK = "Q7-vault-combination-4411"
"""Invented; no scanner knows its form."""
RULE = "- Restart the relay after an upgrade."
TYPED = ("expunge", "--text-from-stdin")


def test_characters_that_json_escapes_are_found(console: Console) -> None:
    leak = 'say "sesame\\öffne" twice'
    console.desk.proposal(addition(leak))
    console.out("log", "--stdin", stdin=json.dumps(given_record(note=leak)))
    console.out(*TYPED, stdin=leak)
    for file in Path(console.home.root).rglob("*"):
        assert not file.is_file() or b"sesame" not in file.read_bytes(), file


@pytest.mark.parametrize("text", ["", "\n", "short", " a\n b\n"])
def test_a_text_that_stands_everywhere_is_refused(console: Console, text: str) -> None:
    assert "too many places" in console.refused(*TYPED, status=2, stdin=text)


def test_a_line_that_became_another_since_it_was_read_is_shown_before_a_gated_file_loses_it(
    console: Console,
) -> None:
    put(console.desk, "memory/2026-02-28.md", f"# Day\n{RULE}\n")
    rows = console.out("expunge", "--line", "memory/2026-02-28.md:2", "--dry-run").splitlines()
    at = rows.index("MEMORY.md:9: a signed edit is to put [expunged] there")
    assert rows[at + 1] == "    [expunged]"
    assert f"what goes: {RULE}" in rows


def test_an_expunge_whose_gated_lines_changed_after_they_were_shown_is_not_signed(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = console.desk
    desk.applied(addition(f"The code is {LEAK}."))

    def rival(*_: object) -> None:
        desk.memory.write_text(desk.text().replace("The code is", "Never tell the code"))
        desk.guard()
        desk.settle(keep=[change.n for change in desk.drift().changes])

    monkeypatch.setattr("nightledger.surfaces.verbs.expunge._require_consent", rival)
    assert "not what was shown any more; nothing was signed" in console.refused(*TYPED, stdin=LEAK)
    assert LEAK in desk.text()
