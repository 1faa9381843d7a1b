import json
from pathlib import Path

import pytest
from tests.surfaces.calling import Caller, make_caller

from nightledger.domain.errors import RefusedError, UsageError


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    return make_caller(tmp_path, monkeypatch, capsys)


def own_graph(caller: Caller, **email: list[str]) -> None:
    Path(caller.home.consent_graph).write_text(json.dumps({"v": 1, "domains": {"email": email}}))


@pytest.mark.parametrize(
    ("domain", "action", "word", "status"),
    [
        ("email", "read", "autonomous", 0),
        ("email", "send", "requires_approval", 1),
        ("self_modification", "forget", "trusted_channel_required", 1),
        ("self_modification", "modify_soul_md", "blocked", 1),
    ],
)
def test_check_prints_the_answer_and_exits_with_0_for_autonomous_only(
    caller: Caller, domain: str, action: str, word: str, status: int
) -> None:
    assert caller.lines("consent", "check", domain, action) == [word]
    assert caller.run("consent", "check", domain, action) == status
    record = caller.record("consent", "check", domain, action)
    assert (record["tier"], record["why"], record["decay_days"]) == (word, "listed", 30)
    assert caller.desk.events() == ["genesis"]


def test_an_unknown_action_is_blocked_and_recorded_once(caller: Caller) -> None:
    assert caller.run("consent", "check", "email", "sell") == 1
    record = caller.record("consent", "check", "email", "sell")
    assert (record["tier"], record["why"], record["recorded"]) == ("blocked", "unknown", True)
    assert caller.desk.events() == ["genesis", "consent.blocked"]
    assert caller.desk.ledger().log.events[-1].actor.value == "agent"
    assert "the log says that it was asked for" in caller.text("consent", "check", "email", "sell")


def test_what_was_autonomous_says_why_it_is_so_no_more(caller: Caller) -> None:
    caller.desk.wait(days=33)
    assert caller.run("consent", "check", "email", "read") == 1
    text = caller.text("consent", "check", "email", "read")
    assert text.startswith("requires_approval It was autonomous; no review was signed for 33 days.")
    record = caller.record("consent", "check", "email", "read")
    assert (record["why"], record["mode"], record["since_review_s"]) == ("decayed", "forced", 33 * 86_400)
    assert caller.run("consent", "review") == 0
    assert caller.run("consent", "check", "email", "read") == 0


def test_confidence_is_told_and_the_status_stays(caller: Caller) -> None:
    assert "Visible: go on, and tell" in caller.text(
        "consent", "check", "email", "send", "--confidence", ".9"
    )
    assert caller.run("consent", "check", "email", "send", "--confidence", "1") == 1


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
