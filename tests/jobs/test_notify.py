import json
import os
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nightledger.domain.attention import Item, Need
from nightledger.files.home import Home
from nightledger.jobs import notify as module
from nightledger.jobs.notify import NotifyError, Outlet, why_failed

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
        self.words = (sys.executable, str(self.script), str(self.calls_path), "Nightledger: {summary}")

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


def outlet(home: Home, words: tuple[str, ...]) -> Outlet:
    return Outlet(home=home, notifier=words, record=f"{home.root}.told", post=lambda *_: 500)


def notify(home: Home, words: tuple[str, ...], items: list[Item], *, now: datetime) -> bool:
    return module.notify(outlet(home, words), items, now)


def waiting(*keys: str) -> list[Item]:
    return [Item(need=Need.WAITING, key=key, since=NOW - timedelta(days=2)) for key in keys]


def test_what_waits_is_told_in_counts_and_ages(home: Home, phone: Phone) -> None:
    assert notify(home, phone.words, waiting("p-1", "p-2"), now=NOW)
    (call,) = phone.calls()
    assert call["argv"] == ["Nightledger: 2 proposals wait (oldest 2 days)"]
    assert json.loads(str(call["stdin"]))["waiting"] == 2
    environment = call["env"]
    assert isinstance(environment, dict)
    assert environment["NIGHTLEDGER_WAITING"] == "2"
    assert environment["NIGHTLEDGER_WAITING_OLDEST_H"] == "48"
    assert environment["NIGHTLEDGER_HOME"] == home.root


def test_the_notifier_gets_no_secret_of_the_environment_and_no_shell_sees_the_words(
    home: Home, phone: Phone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLEDGER_KEYS", "/somewhere")
    monkeypatch.setenv("SOME_TOKEN", "planted")
    word = f"$(touch {tmp_path / 'ran'}); `id`"
    notify(home, (*phone.words, word), waiting("p-1"), now=NOW)
    (call,) = phone.calls()
    assert isinstance(call["env"], dict)
    assert not {"NIGHTLEDGER_KEYS", "SOME_TOKEN"} & set(call["env"])
    assert call["argv"] == ["Nightledger: 1 proposal waits (2 days)", word]
    assert not (tmp_path / "ran").exists()


def test_a_notifier_that_cron_calls_finds_the_desktop_s_bus(
    home: Home, phone: Phone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = tmp_path / str(os.geteuid()) / "bus"
    bus.parent.mkdir()
    bus.touch()
    monkeypatch.setattr(module, "RUNTIME", str(tmp_path))
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    notify(home, phone.words, waiting("p-1"), now=NOW)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/named/by/the/session")
    notify(home, phone.words, waiting("p-2"), now=NOW)
    seen = [call["env"] for call in phone.calls()]
    assert [env["DBUS_SESSION_BUS_ADDRESS"] for env in seen if isinstance(env, dict)] == [
        f"unix:path={bus}",
        "unix:path=/named/by/the/session",
    ]


def test_what_is_new_is_told_with_all_that_waits_and_what_stands_once_more_after_a_day(
    home: Home, phone: Phone
) -> None:
    failed = [Item(need=Need.FAILED, key="link 2026-02-28", since=NOW)]
    told = [
        (hours, notify(home, phone.words, items, now=NOW + timedelta(hours=hours)))
        for hours, items in (
            (0, waiting("p-1")),
            (1, waiting("p-1")),
            (23.9, waiting("p-1")),
            (24, waiting("p-1")),
            (49, waiting("p-1", "p-2")),
            (60, waiting("p-1", "p-2")),
            (74, waiting("p-1", "p-2")),
            (99, waiting("p-1", "p-2")),
            (300, waiting("p-1", "p-2")),
            (301, [*waiting("p-1"), *failed]),
            (302, []),
            (303, failed),
        )
    ]
    assert [hours for hours, ran in told if ran] == [0, 23.9, 49, 74, 301, 303]
    assert phone.calls()[2]["argv"] == ["Nightledger: 2 proposals wait (oldest 4 days)"]


@pytest.mark.parametrize("kind", ["large", "link"])
def test_a_record_of_what_was_told_that_cannot_be_read_silences_nothing(
    home: Home, phone: Phone, kind: str
) -> None:
    path = Path(f"{home.root}.told")
    if kind == "large":
        path.write_bytes(b"waiting p-1\n" * (module.MAX_TOLD_BYTES // 12 + 1))
    else:
        path.symlink_to("elsewhere")
    assert notify(home, phone.words, waiting("p-1"), now=NOW)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("/no/such/program",), "/no/such/program cannot be run: No such file or directory"),
        ((sys.executable, "-c", "raise SystemExit(3)"), "ended with status 3"),
        ((sys.executable, "-c", "import time; time.sleep(60)"), r"took longer than 0\.5 s and was stopped"),
    ],
)
def test_a_notifier_that_fails_is_reported_and_tried_again(
    home: Home, phone: Phone, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(module, "TIMEOUT_S", 0.5)
        with pytest.raises(NotifyError, match=message):
            notify(home, words, waiting("p-1"), now=NOW)
    failed = why_failed(f"{home.root}.told")
    assert failed is not None
    assert failed[0] == NOW
    assert re.search(message, failed[1])
    with monkeypatch.context() as patch:
        patch.setattr(module, "_send", lambda *_: sys.exit())  # stopped: nobody was told
        with pytest.raises(SystemExit):
            notify(home, phone.words, waiting("p-1"), now=NOW)
    assert why_failed(f"{home.root}.told") == failed
    assert notify(home, phone.words, waiting("p-1"), now=NOW)
    assert why_failed(f"{home.root}.told") is None
