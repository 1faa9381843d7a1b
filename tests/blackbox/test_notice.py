"""A notice that reaches a person: every template against a server of the test or a program on the search path."""

import http.client
import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import pytest
from tests.blackbox.page import looked_at
from tests.blackbox.world import World, answered_by
from tests.rows import each_row, tables

SECRET = "7000001:AbCdEfGhIjKlMnOpQrStUvWxYz-0123456"  # made up for this test
TEXT = "Restart the relay twice, the second time cold."
PROGRAM = """#!/bin/sh
{{ echo "$@"; cat; }} > "{target}"
exit {status}
"""


class Server:
    """Keeps what it was asked, and answers with `status`."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, Any]] = []
        self.status, self.url = 200, ""

    def answer(self, path: str, key: str, raw: bytes) -> tuple[int, bytes, dict[str, str]]:
        self.asked.append((path, key, json.loads(raw)))
        return self.status, b"", {"Location": f"{self.url}/elsewhere"}


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    with answered_by(running.answer) as running.url:
        yield running


def told_by(world: World, **notifier: str) -> None:
    """Name a notifier, and have something wait."""
    world.keys.joinpath("operator.yaml").write_text(json.dumps({"notify": notifier}))
    if not world.proposals():
        world.propose(TEXT)


def secret_file(world: World, text: str = SECRET, mode: int = 0o600) -> str:
    path = world.root / "secret"
    path.write_text(f"{text}\n")
    path.chmod(mode)
    return str(path)


def program(world: World, name: str, status: int = 0) -> Path:
    """Put a program on the search path, alone; return the file with its arguments and what it was given."""
    folder, target = world.root / "bin", world.root / f"{name}.told"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(PROGRAM.format(target=target, status=status))
    path.chmod(0o755)
    world.environment["PATH"] = f"{folder}:/usr/bin:/bin"
    return target


TABLES = tables("blackbox-notice")
SUMMARY = "1 proposal waits"


def test_a_command_that_no_program_can_be_given_is_an_error_of_the_settings(world: World) -> None:
    world.keys.joinpath("operator.yaml").write_text('notify:\n- /bin/true\n- "a\\0b"\n')
    world.tells("operator.yaml:3: U+0000 is a control character", "night", "--notify-test", status=2)


def test_each_server_gets_counts_the_command_and_its_secret(world: World, server: Server) -> None:
    key, hook = secret_file(world), world.root / "hook"
    hook.write_text(f"{server.url}/services/T0/B0/{SECRET}\n")
    hook.chmod(0o600)
    message = f"a test; {SUMMARY}\nnightledger review"
    ntfy = {"topic": "desk", "title": "Nightledger (shop)", "message": message}
    said = f"Nightledger (shop): {message}"
    for notifier, asked in (
        ({"by": "ntfy", "to": "desk", "url": server.url}, ("/", "", ntfy)),
        (
            {"by": "ntfy", "to": "desk", "url": server.url, "token_file": key, "open": "ssh://ann@desk"},
            ("/", f"Bearer {SECRET}", {**ntfy, "click": "ssh://ann@desk"}),
        ),
        (
            {"by": "telegram", "to": "-7", "url": server.url, "token_file": key},
            (f"/bot{SECRET}/sendMessage", "", {"chat_id": "-7", "text": said}),
        ),
        (
            {"by": "slack", "token_file": str(hook), "open": "ssh://ann@desk"},
            (f"/services/T0/B0/{SECRET}", "", {"text": f"{said}\nssh://ann@desk"}),
        ),
    ):
        told_by(world, title="Nightledger (shop)", **notifier)
        assert f"Handed to {notifier['by']}: a test; {SUMMARY}. Look whether it arrived." in world.ok(
            "night", "--notify-test"
        )
        assert server.asked.pop() == asked


def test_programs_get_the_notice_and_no_memory(world: World) -> None:
    desktop, mail = program(world, "notify-send"), program(world, "sendmail")
    told_by(world, by="desktop")
    assert world.json("night", "--notify-test") == {"by": "desktop", "summary": f"a test; {SUMMARY}"}
    assert desktop.read_text() == f"--app-name=Nightledger Nightledger a test; {SUMMARY}\n"
    told_by(world, by="mail", to="ann@example.org")
    world.ok("night", "--notify-test")
    head = f"-i -t\nTo: ann@example.org\nSubject: Nightledger: a test; {SUMMARY}\nAuto-Submitted: auto-generated\n"
    body = f"Content-Type: text/plain; charset=utf-8\n\na test; {SUMMARY}\n\nNext: nightledger review\n\n"
    assert mail.read_text() == head + body


def test_a_night_tells_once_and_a_test_counts_for_nothing(world: World, server: Server) -> None:
    told_by(world, by="ntfy", to="desk", url=server.url)
    world.ok("night", "--notify-test")
    counts = []
    for hours in (24, 0.5, 24, 24, 24):
        world.wait(hours=hours)
        world.ok("night")
        counts.append(len(server.asked))
    assert counts == [2, 2, 3, 3, 3]
    assert not any(TEXT in json.dumps(body) for _, _, body in server.asked)


@each_row("notifier, status, mode, says", TABLES["failing"])
def test_a_notifier_that_fails_breaks_no_night_and_is_told_without_its_secret(
    world: World, server: Server, notifier: dict[str, str], status: int, mode: int, says: str
) -> None:
    server.status = status
    program(world, "sendmail", status=1)
    mailed = notifier["by"] == "mail"
    secret = {} if mailed else {"token_file": secret_file(world, mode=mode)}
    told_by(world, **{**({} if mailed else {"url": server.url}), **secret, **notifier})
    world.wait(days=2)
    ran = world.run("night")
    assert {run["outcome"] for run in world.json("status")["runs"]} == {"done"}, ran
    assert says in ran.text
    status_ = world.run("status")
    rules = world.write("config/nightledger/staging-rules.json", '{"odd": 1}')  # which hides nothing else
    doctor = world.run("doctor")
    assert "'odd' was unexpected" in doctor.text
    rules.unlink()
    assert "! NOTIFIER the notifier failed on" in status_.out
    assert says in status_.text
    assert "the notifier failed on" in doctor.text
    assert "nightledger night --notify-test" in doctor.text
    said = [ran.text, status_.text, doctor.text, *(p.read_text() for p in world.own_keys.glob("notified*"))]
    assert not any(SECRET in text for text in said)
    assert not [path for path in world.holding(SECRET) if path.suffix == ".jsonl"]
    told_by(world, by="ntfy", to="desk", url=server.url)
    server.status = 200
    assert "Handed to ntfy" in world.ok("night", "--notify-test")
    assert "NOTIFIER" not in world.run("status").out


def test_no_program_of_the_home_is_run_by_path_by_link_or_by_name(world: World) -> None:
    target = program(world, "notify-send")
    (world.root / "bin").rename(world.home / "bin")
    world.environment["PATH"] = f"{world.home}/bin:/usr/bin:/bin"
    told_by(world, by="desktop")
    (world.root / "link").symlink_to(world.home / "bin/notify-send")
    settings = world.keys / "operator.yaml"
    commands = (
        json.dumps({"notify": [str(path)]}) for path in (world.home / "bin/notify-send", world.root / "link")
    )
    for text in (settings.read_text(), *commands):
        settings.write_text(text)
        ran = world.run("night", "--notify-test")
        assert ran.status == 2
        assert "nothing in a home is executed" in ran.err
    assert not target.exists()


def test_without_a_notifier_a_test_says_what_to_write(world: World) -> None:
    ran = world.run("night", "--notify-test")
    assert ran.status == 2
    assert "no notifier is named" in ran.err
    assert "notify: {by: desktop}" in ran.err


def sent(link: str, method: str = "POST") -> tuple[int, str]:
    """Open a link as a person does, or look at it as a chat's preview does; give status and page."""
    parts = urlsplit(link)
    below, _, name = parts.path.rpartition("/")
    form = urlencode({"link": name})
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)) as connection:
        connection.request(*((method, f"{below}/open", form) if method == "POST" else (method, parts.path)))
        answer = connection.getresponse()
        assert "script-src" not in answer.headers["Content-Security-Policy"]
        return answer.status, answer.read().decode()


@pytest.fixture
def linked(world: World, server: Server) -> tuple[World, Callable[[], str], str]:
    """Give a home whose notices carry a link, what a night sends, and the page's address."""
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"

    def notice() -> str:
        world.ok("night", "--notify-test")
        return str(server.asked.pop()[2]["click"])

    told_by(world, by="ntfy", to="desk", url=server.url, open="ssh://ann@desk", link=address)
    return world, notice, address


def test_a_notices_link_opens_once_and_shows_what_waits(linked: tuple[World, Callable[[], str], str]) -> None:
    world, notice, address = linked
    link, other, before = notice(), notice(), world.read()
    assert link.startswith(f"{address}/{world.proposals()[0]['id']}.")
    assert TEXT not in link
    with looked_at(world):
        for _ in range(2):  # a chat's preview opens nothing
            status, page = sent(link, "GET")
            assert (status, TEXT in page) == (200, False)
        status, page = sent(link)
        assert (status, TEXT in page, "<script" in page) == (200, True, False)
        status, page = sent(link)
        assert (status, TEXT in page, "was opened before" in page) == (403, False, True)
        assert sent(other)[0] == 200
    with looked_at(world):
        assert sent(link)[0] == 403, "who serves anew has forgotten it"
    assert world.read() == before
    assert [one["state"] for one in world.proposals()] == ["pending"]


def test_a_link_that_is_over_altered_or_foreign_opens_nothing(
    linked: tuple[World, Callable[[], str], str],
) -> None:
    world, notice, address = linked
    link = notice()
    name = link.rpartition("/")[2]
    ident, ends, nonce, seal = name.split(".")
    bent = (f"{ident}.{int(ends) + 9}.{nonce}.{seal}", f"{ident}.{ends}.{nonce}x.{seal}")
    wrong = [*bent, f"é.{name}", "", "...", name[:-1]]
    with looked_at(world):
        for one in wrong:
            status, page = sent(f"{address}/{quote(one)}")
            assert (status, "no link of this home" in page, TEXT in page) == (403, True, False), one
    world.wait(hours=24)
    with looked_at(world):
        status, page = sent(link)
        assert (status, "it lasts a day" in page, TEXT in page) == (403, True, False)
        link = notice()
        (world.own_keys / "link-key").unlink()  # another home's links have another key, too
        assert "no link of this home" in sent(link)[1]


def test_a_link_of_a_damaged_home_tells_that_and_stays(linked: tuple[World, Callable[[], str], str]) -> None:
    world, notice, _ = linked
    link = notice()
    with looked_at(world):
        log = world.home / "audit" / "trusted-channel-audit.jsonl"
        kept = log.read_bytes()
        log.write_bytes(kept.replace(b'"seq":1,', b'"seq":2,', 1))
        assert TEXT not in sent(link)[1]
        log.write_bytes(kept)
        assert TEXT in sent(link)[1]


def cut_short(key: Path) -> None:
    key.write_bytes(b"")


def replaced_by_a_fifo(key: Path) -> None:
    key.unlink()
    os.mkfifo(key)


@each_row("spoil", [cut_short, replaced_by_a_fifo])
def test_a_link_that_cannot_be_made_holds_up_no_notice(
    linked: tuple[World, Callable[[], str], str], spoil: Callable[[Path], None]
) -> None:
    world, notice, _ = linked
    link = notice()
    spoil(world.own_keys / "link-key")
    assert notice() == "ssh://ann@desk"
    assert "went without its link" in world.run("status").text
    with looked_at(world):
        assert TEXT not in sent(link)[1]
    (world.own_keys / "link-key").unlink()
    assert notice().startswith("http")
    assert "without its link" not in world.run("status").text


def test_a_link_may_have_a_path_and_opens_nothing_without_the_keys(
    linked: tuple[World, Callable[[], str], str], server: Server
) -> None:
    world, notice, address = linked
    told_by(world, by="ntfy", to="desk", url=server.url, link=f"{address}/shop")
    link = notice()
    with looked_at(world):
        away = world.own_keys.rename(world.keys / "away")
        assert sent(link) == (503, "this machine needs its operator; try again\n")
        away.rename(world.own_keys)
        assert TEXT in sent(link)[1]


def test_plain_http_and_a_name_that_leads_nowhere_are_said(
    linked: tuple[World, Callable[[], str], str],
) -> None:
    world, _, address = linked
    with looked_at(world) as said:
        assert said.startswith("serving")
    told_by(world, by="ntfy", to="desk", link=address.replace("127.0.0.1", "127.1"))
    with looked_at(world) as said:
        assert "127.1 is 127.0.0.1 here, which no other device reaches" in said
    everywhere = address.replace("127.0.0.1", "0.0.0.0")  # noqa: S104 - for a moment, and no link is out
    told_by(world, by="ntfy", to="desk", link=everywhere)
    with looked_at(world) as said:
        assert "whoever is on that network can read along" in said


@each_row("link, words, says", TABLES["unseen"])
def test_what_cannot_be_looked_at_is_said(world: World, link: str, words: tuple[str, ...], says: str) -> None:
    told_by(world, by="ntfy", to="desk", **({"link": link} if link else {}))
    world.tells(says, "review", "--look", *words, status=2)
