import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nightledger.domain.attention import Item, Need
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.settings import Operator
from nightledger.files.home import Home
from nightledger.jobs import notify as module
from nightledger.jobs.notify import NotifyError

NOW = datetime(2026, 3, 1, 3, 30, tzinfo=UTC)
SCRIPT = """
import json, os, sys
with open(sys.argv[1], "a") as stream:
    stream.write(json.dumps({"argv": sys.argv[2:], "stdin": sys.stdin.read(), "env": dict(os.environ)}) + "\\n")
"""


class Phone:
    """A notifier that writes down each call."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        self.script = directory / "phone.py"
        self.script.write_text(SCRIPT)
        self.calls_path = directory / "calls"
        self.operator = Operator(
            notify=(sys.executable, str(self.script), str(self.calls_path), "Nightledger: {summary}")
        )

    def calls(self) -> list[dict[str, object]]:
        if not self.calls_path.exists():
            return []
        return [json.loads(line) for line in self.calls_path.read_text().splitlines()]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "home").mkdir()
    return Home(tmp_path / "home")


@pytest.fixture
def phone(tmp_path: Path) -> Phone:
    return Phone(tmp_path / "phone")


def notify(home: Home, operator: Operator, items: list[Item], *, now: datetime) -> bool:
    return module.notify(home, operator, items, record=f"{home.root}.told", now=now)


def waiting(*keys: str) -> list[Item]:
    return [Item(need=Need.WAITING, key=key, since=NOW - timedelta(days=2)) for key in keys]


def test_what_waits_is_told_in_counts_and_ages(home: Home, phone: Phone) -> None:
    assert notify(home, phone.operator, waiting("p-1", "p-2"), now=NOW)
    (call,) = phone.calls()
    assert call["argv"] == ["Nightledger: 2 proposals wait (oldest 2 days)"]
    assert json.loads(str(call["stdin"]))["waiting"] == 2
    environment = call["env"]
    assert isinstance(environment, dict)
    assert environment["NIGHTLEDGER_WAITING"] == "2"
    assert environment["NIGHTLEDGER_WAITING_OLDEST_H"] == "48"
    assert environment["NIGHTLEDGER_HOME"] == home.root


def test_the_notifier_gets_no_secret_of_the_environment(
    home: Home, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLEDGER_KEYS", "/somewhere")
    monkeypatch.setenv("SOME_TOKEN", "planted")
    notify(home, phone.operator, waiting("p-1"), now=NOW)
    environment = phone.calls()[0]["env"]
    assert isinstance(environment, dict)
    assert not {"NIGHTLEDGER_KEYS", "SOME_TOKEN"} & set(environment)


def test_the_same_state_is_told_once(home: Home, phone: Phone) -> None:
    assert notify(home, phone.operator, waiting("p-1"), now=NOW)
    assert not notify(home, phone.operator, waiting("p-1"), now=NOW + timedelta(days=1))
    assert len(phone.calls()) == 1


@pytest.mark.parametrize("kind", ["large", "link"])
def test_a_record_of_what_was_told_that_cannot_be_read_silences_nothing(
    home: Home, phone: Phone, kind: str
) -> None:
    path = Path(f"{home.root}.told")
    if kind == "large":
        path.write_bytes(b"waiting p-1\n" * (module.MAX_TOLD_BYTES // 12 + 1))
    else:
        path.symlink_to("elsewhere")
    assert notify(home, phone.operator, waiting("p-1"), now=NOW)


def test_nothing_in_a_home_is_executed(home: Home) -> None:
    inside = Path(home.root) / "notify.sh"
    inside.write_text("#!/bin/sh\ntouch ran\n")
    inside.chmod(0o700)
    with pytest.raises(ConfigurationError, match="nothing in a home is executed"):
        notify(home, Operator(notify=(str(inside),)), waiting("p-1"), now=NOW)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("/no/such/program",), "/no/such/program cannot be run: No such file or directory"),
        ((sys.executable, "-c", "raise SystemExit(3)"), "ended with status 3"),
    ],
)
def test_a_notifier_that_fails_is_reported_and_tried_again(
    home: Home, phone: Phone, words: tuple[str, ...], message: str
) -> None:
    with pytest.raises(NotifyError, match=message):
        notify(home, Operator(notify=words), waiting("p-1"), now=NOW)
    assert notify(home, phone.operator, waiting("p-1"), now=NOW)


def test_a_notifier_that_hangs_is_stopped(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TIMEOUT_S", 0.2)
    with pytest.raises(NotifyError, match=r"took longer than 0\.2 s and was stopped"):
        notify(
            home,
            Operator(notify=(sys.executable, "-c", "import time; time.sleep(60)")),
            waiting("p-1"),
            now=NOW,
        )
