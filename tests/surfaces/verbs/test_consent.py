import json
from pathlib import Path

import pytest
from tests.surfaces.calling import Caller

from nightledger.domain.errors import RefusedError, UsageError


def own_graph(caller: Caller, **email: list[str]) -> None:
    Path(caller.home.consent_graph).write_text(json.dumps({"v": 1, "domains": {"email": email}}))


@pytest.mark.parametrize(
    "words", [("check",), ("check", "email"), ("check", "a", "b", "c"), ("review", "email"),
              ("check", "email", "send", "--confidence", "1.5")]
)  # fmt: skip
def test_other_words_are_refused(caller: Caller, words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        caller.run("consent", *words)


def test_review_shows_the_graph_and_signs_what_it_showed(caller: Caller) -> None:
    own_graph(caller, autonomous=["send"])
    assert "its own graph allows more" not in caller.text("consent", "check", "email", "read")
    assert "own graph allows more" in caller.text("consent", "check", "email", "send")
    text = caller.text("consent", "review", "--dry-run")
    assert (
        "email: autonomous: archive_*, label, read, search, send requires_approval: delete, forward" in text
    )
    assert "has not been reviewed" in text
    assert caller.desk.events() == ["genesis"]
    graph = caller.record("consent", "review", "--dry-run")["graph_sha256"]
    with pytest.raises(RefusedError, match="not 00"):
        caller.run("consent", "review", "--graph-sha256", "00")
    record = caller.record("consent", "review", "--graph-sha256", graph)
    assert record["graph_sha256"] == graph
    assert caller.desk.events()[-1] == "decision.recorded"
    assert caller.run("consent", "check", "email", "send") == 0
    assert "has not been reviewed" not in caller.text("consent", "review", "--dry-run")
    assert caller.run("verify") == 0
    assert caller.run("status", "--exit-code") == 0
    assert caller.run("apply") == 0
    Path(caller.home.consent_graph).unlink()
    assert caller.run("consent", "check", "email", "read") == 1
    assert "not the one that was signed" in caller.text("consent", "check", "email", "read")
    assert "so again once you sign" in caller.text("consent", "review", "--dry-run")
    assert caller.run("consent", "review") == 0
    assert caller.run("consent", "check", "email", "read") == 0
