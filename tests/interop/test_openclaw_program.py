"""Our hook folder inside a real OpenClaw gateway, told by what reaches its model. README.md says how to run it."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.interop import openclaw_gateway
from tests.interop.agent_home import ENTRY, MARK, TASK
from tests.interop.model import Asked
from tests.interop.openclaw_gateway import OpenClaw, session_of

STAGED = "memory/state/tc-restore-pending.md"
PROGRAMS = os.environ.get("OPENCLAW", "")
pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(not PROGRAMS, reason="OPENCLAW is not set: make test-hosts OPENCLAW=dir"),
]


@pytest.fixture(scope="module")
def claw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenClaw]:
    with openclaw_gateway.installed(Path(PROGRAMS), tmp_path_factory.mktemp("openclaw")) as one:
        yield one


def test_openclaw_finds_the_hook_folder_and_calls_it_ready(claw: OpenClaw) -> None:
    name = claw.hook.name
    (listed,) = [one for one in claw.json("hooks", "list")["hooks"] if one["name"] == name]
    assert (listed["source"], listed["events"]) == ("openclaw-managed", ["agent:bootstrap"])
    assert listed["loadable"] is True
    assert name in str(claw.json("hooks", "check"))
    assert "Ready" in claw.run("hooks", "info", name)


def test_what_is_staged_reaches_the_model_whole_and_fenced(claw: OpenClaw) -> None:
    request = claw.say("good morning", "agent:main:whole")
    (system,) = request.said("system")
    assert claw.home.page.strip() in system
    assert "session-handoff.md:5 (unsigned; the handoff leaves 1 open)" in system
    assert TASK not in system
    assert ENTRY in system
    assert not any(MARK in one for one in request.said("user", "assistant", "tool"))


def test_a_session_has_its_page_at_each_message_and_the_ledger_has_it_once(claw: OpenClaw) -> None:
    requests = [claw.say(message, "agent:main:twice") for message in ("good morning", "and after that")]
    assert [one.text().count(MARK) for one in requests] == [1, 1]
    (session,) = {session_of(one) for one in requests}
    recorded = [one for one in claw.home.exposures() if one["session"] == session]
    assert [(one["host"], one["event"]) for one in recorded] == [("openclaw", "session_start")]
    assert [place["path"] for place in recorded[0]["places"]] == ["memory/state/session-handoff.md"]


@pytest.mark.parametrize(
    "session",
    [f"agent:main:{name}" for name in ("telegram:group:7", "discord:channel:9", "subagent:x", "cron:night")],
)
def test_who_is_not_shown_memory_by_openclaw_is_not_shown_it_by_us(claw: OpenClaw, session: str) -> None:
    request = claw.say("what is new?", session)
    assert ENTRY not in request.text()
    assert MARK not in request.text()
    assert session_of(request) not in {one["session"] for one in claw.home.exposures()}


def files_of(request: Asked) -> set[str]:
    """Give the names of the workspace's files that a request shows."""
    return set(re.findall(r"^## \S*/workspace/(\S+)$", request.text(), re.MULTILINE))


@pytest.mark.parametrize(("left", "whole"), [(5_000, True), (100, False)])
def test_of_a_full_prompt_the_page_is_whole_or_left_out(claw: OpenClaw, left: int, whole: bool) -> None:  # noqa: FBT001 - a case
    workspace, names = claw.home.root, ("AGENTS.md", "SOUL.md", "IDENTITY.md")
    shown = files_of(claw.say("what is there?", f"agent:main:before-{left}"))
    before = {name: (workspace / name).read_bytes() for name in names}
    others = sum(len((workspace / name).read_text()) for name in shown - {*names, STAGED})
    for name, length in zip(names, (20_000, 20_000, 20_000 - others - left), strict=True):
        (workspace / name).write_text("x" * length)
    try:
        request = claw.say("is there room?", f"agent:main:room-{left}")
    finally:
        for name, raw in before.items():
            (workspace / name).write_bytes(raw)
    taken = {name: request.text().count("x" * 100) for name in names}
    assert files_of(request) - {STAGED} == shown - {STAGED}, "the room was reckoned for these files"
    assert (claw.home.page.strip() in request.text()) is whole, (others, shown, taken)
    assert (MARK in request.text()) is whole
    assert (session_of(request) in {one["session"] for one in claw.home.exposures()}) is whole


def test_a_hook_that_was_taken_away_shows_nothing_from_then_on(claw: OpenClaw) -> None:
    name = claw.hook.name
    claw.home.run("hosts", "remove", "openclaw", "--yes")
    try:
        assert not list((claw.state / "hooks").iterdir())
        request = claw.say("good morning", "agent:main:removed")
        assert name not in [one["name"] for one in claw.json("hooks", "list")["hooks"]]
        assert "valid" in claw.run("config", "validate")
    finally:
        claw.home.run("hosts", "install", "openclaw", "--yes")
    assert MARK not in request.text()
    assert ENTRY in request.text()
    assert session_of(request) not in {one["session"] for one in claw.home.exposures()}


def test_a_home_that_is_gone_does_not_disturb_the_gateway(claw: OpenClaw) -> None:
    with claw.home.away():
        request = claw.say("good morning", "agent:main:gone")
    assert MARK not in request.text()
    assert ENTRY in request.text()


def test_doctor_names_settings_that_openclaw_has(claw: OpenClaw) -> None:
    dreaming = "plugins.entries.memory-core.config.dreaming.enabled"
    memory_hook = "hooks.internal.entries.session-memory.enabled"
    claw.run("config", "set", memory_hook, "true")
    told = claw.home.doctor()
    assert "okhostopenclaw,asitsfilessay" in told
    assert f"{dreaming}:false" in told
    assert f"{memory_hook}:false" in told
    assert "Updated" not in claw.run("config", "set", f"{dreaming}x", "false", check=False)
    claw.run("config", "set", dreaming, "false")
    claw.run("config", "set", memory_hook, "false")
    told = claw.home.doctor()
    assert dreaming not in told
    assert memory_hook not in told
