import pytest
from tests.gate.homes import Desk, addition, make_desk
from tests.surfaces.console import Console

from nightledger.domain.errors import RefusedError
from nightledger.surfaces import cli
from nightledger.surfaces.agent_host import MARKS, require_person


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in MARKS:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CLAUDECODE", "1"),
        ("CODEX_SANDBOX", "seatbelt"),
        ("CODEX_SANDBOX_NETWORK_DISABLED", "1"),
        ("CODEX_THREAD_ID", "019a2f4c"),
        ("OPENCLAW_SHELL", "exec"),
        ("HERMES_AGENT", "true"),
        ("HERMES_SESSION_ID", "20260302_073000_ab12cd"),
        ("AI_AGENT", "another-host"),
    ],
)
def test_an_agents_host_is_refused_by_its_mark(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    require_person("approve", simulated=False)
    monkeypatch.setenv(name, value)
    with pytest.raises(RefusedError, match=f"'nightledger approve' is for the operator.*{name}"):
        require_person("approve", simulated=False)
    require_person("approve", simulated=True)


def test_a_shell_that_its_owner_opened_is_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCLAW_SHELL", "tui-local")
    require_person("approve", simulated=False)
    monkeypatch.setenv("OPENCLAW_SHELL", "tui")
    with pytest.raises(RefusedError, match="OPENCLAW_SHELL"):
        require_person("approve", simulated=False)


@pytest.mark.parametrize("verb", ["approve", "reject", "apply", "undo", "edit"])
def test_the_operators_verbs_refuse_and_the_agents_do_not(
    tmp_path: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    verb: str,
) -> None:
    desk = ordinary(tmp_path, monkeypatch)
    proposal = desk.proposal(addition("One."))
    monkeypatch.setenv("CLAUDECODE", "1")
    words = {"reject": ["--reason", "x"], "edit": ["--from", "/dev/null"]}.get(verb, [])
    subject = [] if verb == "edit" else [proposal.id]
    assert cli.main([verb, *subject, *words, "--home", desk.home.root]) == 1
    assert "is for the operator" in capsys.readouterr().err
    assert desk.states(proposal) == ["pending"]
    assert cli.main(["apply", "--home", desk.home.root]) == 0
    assert cli.main(["proposals", "--home", desk.home.root]) == 0


def ordinary(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> Desk:
    from pathlib import Path

    root = Path(str(tmp_path))
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(root / "keys"))
    return make_desk(root, simulated=False)


def test_a_review_by_an_agent_shows_and_does_not_ask(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = ordinary(tmp_path, monkeypatch)
    monkeypatch.setenv("OPENCLAW_SHELL", "exec")
    assert cli.main(["review", "--home", desk.home.root]) == 0
    assert capsys.readouterr().out == "Nothing waits for you.\n"


def test_in_a_simulated_home_anyone_may(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    proposal = console.desk.proposal(addition("One."))
    console.out("approve", proposal.id)
    assert console.desk.states(proposal) == ["approved"]


@pytest.mark.parametrize(
    "words", [("leave", "--yes"), ("channel", "keygen", "--next"), ("channel", "keygen", "--use-next")]
)
def test_what_ends_a_home_or_a_machines_key_is_for_the_operator_too(
    tmp_path: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
) -> None:
    desk = ordinary(tmp_path, monkeypatch)
    monkeypatch.setenv("CLAUDECODE", "1")
    assert cli.main([*words, "--home", desk.home.root]) == 1
    assert "is for the operator" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("leave",), ("channel", "keygen"), ("key", "list")])
def test_what_changes_nothing_is_for_everybody(
    tmp_path: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    desk = ordinary(tmp_path, monkeypatch)
    monkeypatch.setenv("CLAUDECODE", "1")
    assert cli.main([*words, "--home", desk.home.root]) == 0
