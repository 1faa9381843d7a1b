import json
from pathlib import Path

import pytest
from tests.gate.signers import seed
from tests.surfaces.calling import Caller

from nightledger.codec.constitution import dump_page
from nightledger.domain.errors import UsageError
from nightledger.gate.recalling import shipped_principles


@pytest.mark.parametrize(
    "words", [("check",), ("check", "email"), ("check", "a", "b", "c"), ("review", "email"),
              ("check", "email", "send", "--confidence", "1.5")]
)  # fmt: skip
def test_other_words_are_refused(caller: Caller, words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        caller.run("consent", *words)


def test_what_is_asked_and_the_graph_are_told_in_words(caller: Caller) -> None:
    graph = Path(caller.home.consent_graph)
    graph.write_text(json.dumps({"v": 1, "domains": {"email": {"autonomous": ["send"]}}}))
    assert "not one that was signed" not in caller.text("consent", "check", "email", "read")
    assert "not one that was signed" in caller.text("consent", "check", "email", "send")
    text = caller.text("consent", "review", "--dry-run")
    words = "email: autonomous: archive_*, label, read, search, send requires_approval: delete, forward"
    assert words in text
    assert "not one that was signed" in text
    assert caller.run("consent", "review") == 0
    assert "not one that was signed" not in caller.text("consent", "review", "--dry-run")
    graph.unlink()
    assert "not one that was signed" in caller.text("consent", "check", "email", "read")
    assert "not one that was signed" in caller.text("consent", "review", "--dry-run")


def test_an_amendment_that_changes_nothing_signs_nothing(caller: Caller) -> None:
    seed(caller.desk)
    page, signed = caller.root / "page.md", caller.desk.events()
    page.write_text(dump_page(shipped_principles()))
    assert caller.record("consent", "constitution", "amend", "--from", str(page)) == {"changed": False}
    assert caller.desk.events() == signed
