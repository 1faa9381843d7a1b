import json
from pathlib import Path

import pytest
from tests.surfaces.calling import Caller, make_caller

from nightledger.domain.errors import FileChangedError, IntegrityError, RefusedError, UsageError
from nightledger.files.lock import Lock


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


def test_what_finds_no_room_in_todays_log_is_blocked_and_not_called_recorded(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nightledger.gate.consenting.BLOCKED_A_DAY", 1)
    caller.run("consent", "check", "email", "sell")
    told = caller.text("consent", "check", "email", "barter")
    assert "blocked The consent graph does not know it; this question does not stand in the log." in told
    assert caller.record("consent", "check", "email", "barter")["recorded"] is False
    assert caller.desk.events() == ["genesis", "consent.blocked"]


def test_what_cannot_be_recorded_is_blocked_all_the_same(
    caller: Caller, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nightledger.surfaces.session.LOCK_TIMEOUT_S", 0.0)
    with Lock(caller.home.lock_path()):
        assert caller.run("consent", "check", "email", "sell") == 1
    assert "it could not be recorded" in capsys.readouterr().err
    assert caller.desk.events() == ["genesis"]


def test_a_log_that_does_not_hold_gives_no_answer(caller: Caller) -> None:
    Path(caller.home.audit_log).write_bytes(b"")
    with pytest.raises(IntegrityError):
        caller.run("consent", "check", "email", "read")


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


def test_a_graph_that_changed_under_the_operators_eyes_is_not_signed(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nightledger.surfaces import signing

    def unlock(*_: object) -> None:
        own_graph(caller, autonomous=["send"])

    monkeypatch.setattr(signing, "unlock", unlock)
    with pytest.raises(FileChangedError, match="nothing was signed"):
        caller.run("consent", "review")
    assert caller.desk.ledger().book.decisions == {}


def test_the_graph_is_shown_in_the_width_that_there_is(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    rows = caller.lines("consent", "review", "--dry-run")
    assert max(len(row) for row in rows if not row.startswith("SHA-256")) <= 60
    assert "email:" in rows
    assert any(row.startswith("  requires_approval: ") for row in rows)
