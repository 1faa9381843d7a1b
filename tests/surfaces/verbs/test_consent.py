import json
from pathlib import Path

from tests.gate.principled import seed
from tests.surfaces.console import Console

from nightledger.codec.constitution import dump_page
from nightledger.gate.memory.recalling import shipped_principles

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
