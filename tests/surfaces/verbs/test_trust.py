import json
from pathlib import Path

import pytest
from tests.codec.outcomes import given_record
from tests.gate.homes import addition
from tests.gate.signers import seed
from tests.recall.asking import put
from tests.surfaces.console import Console

from nightledger.codec.constitution import dump_page
from nightledger.domain.errors import FileChangedError
from nightledger.gate.opening import sign_head
from nightledger.gate.recalling import shipped_principles
from nightledger.surfaces import trust_change
from nightledger.surfaces.context import Context
from nightledger.trust.policy import parse_policy


def test_an_entry_is_named_by_the_beginning_of_an_id(console: Console) -> None:
    console.desk.proposal(addition("Check the lamp."))
    assert "fits 1 ids" in console.refused("verify", "--prove", "", status=2)
    console.desk.applied(addition("Check the fuse first."))
    sign_head(console.desk.gate, console.desk.moment)
    book = console.desk.ledger().book
    for name in (*book.decisions, *book.proposals):
        assert console.out("verify", "--prove", name[:6]) == console.out("verify", "--prove", name)
    assert "fits 4 ids" in console.refused("verify", "--prove", "", status=2)


def test_a_policy_keeps_this_home_s_logs_whatever_the_file_says(console: Console) -> None:
    def logs() -> object:
        return parse_policy(Path(console.home.policy).read_bytes(), where="policy").logs

    before, lines = logs(), console.desk.root / "lines"
    lines.write_text("quorum none\n")
    console.out("witness", "trust", str(lines))
    assert logs() == before
    lines.write_text("nonsense\n")
    assert "is no word of a policy" in console.refused("witness", "trust", str(lines))


UNSIGNED = "not one that was signed"


def test_what_is_asked_and_the_graph_are_told_in_words(console: Console) -> None:
    graph, review = Path(console.home.consent_graph), ("consent", "review", "--dry-run")
    graph.write_text(json.dumps({"v": 1, "domains": {"email": {"autonomous": ["send"]}}}))
    assert UNSIGNED not in console.text("consent", "check", "email", "read")
    assert UNSIGNED in console.text("consent", "check", "email", "send")
    text = console.text(*review)
    words = "email: autonomous: archive_*, label, read, search, send requires_approval: delete, forward"
    assert words in text
    assert UNSIGNED in text
    console.out("consent", "review")
    assert UNSIGNED not in console.text(*review)
    graph.unlink()
    assert UNSIGNED in console.text("consent", "check", "email", "read")
    assert UNSIGNED in console.text(*review)


def test_an_amendment_that_changes_nothing_signs_nothing(console: Console) -> None:
    seed(console.desk)
    page, signed = console.desk.root / "page.md", console.desk.events()
    page.write_text(dump_page(shipped_principles()))
    assert console.record("consent", "constitution", "amend", "--from", str(page)) == {"changed": False}
    assert console.desk.events() == signed


RESET = ("key", "reset", "--no-passphrase", "--passphrase-forgotten")


def test_of_a_key_that_could_not_sign_a_rotation_says_no_good(console: Console) -> None:
    console.out(*RESET)
    (kept,) = console.keys.glob("operator.before-*Z")
    console.out("key", "confirm", "--sign-with", str(kept))
    told = console.text("key", "rotate", "--no-passphrase", "--sign-with", str(kept))
    assert "could not." in told
    assert "stays good" not in told
    assert "stays good" in console.text("key", "rotate", "--no-passphrase")


def test_nothing_is_signed_over_trust_files_that_changed_meanwhile(console: Console) -> None:
    counts = iter((b"one", b"two"))
    at = console.desk.moment.at.isoformat()
    context = Context(verb="key", home=console.home.root, now_text=at, json=False)
    with pytest.raises(FileChangedError, match="changed meanwhile; nothing was signed"):
        trust_change.change_trust(context, lambda _: {"peers": next(counts)})
    assert console.desk.ledger().book.decisions == {}


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
