"""The review page in a real browser: by keyboard alone, in dark and light, wide and narrow; and beside a hostile page.

``CHROMEDRIVER`` and ``CHROMIUM`` name the programs, ``GECKODRIVER`` and ``FIREFOX`` those of a second browser, ``SHOTS`` a folder for
screenshots, ``AXE`` the file ``axe.min.js`` of the package axe-core, with which contrast, names and order are checked.
"""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.page import Page, looked_at, opened
from tests.blackbox.world import World, found, serving
from tests.doors.browser import CONTROL, ENTER, ESCAPE, REBOUND, TAB, Browser, browsing
from tests.interop.agent_home import free_port
from tests.linking import lines, outcome
from tests.rows import corpus

pytestmark = pytest.mark.interop
DRIVER, CHROMIUM, AXE = (os.environ.get(name, "") for name in ("CHROMEDRIVER", "CHROMIUM", "AXE"))
GECKO, FIREFOX = (os.environ.get(name, "") for name in ("GECKODRIVER", "FIREFOX"))
PASSPHRASE = "correct horse"
MEMORY = corpus("doors-review_page-memory.txt")
LAMPS = "".join(f"- Looked at lamp {n} in the long corridor\n" for n in range(40))
SIZES = {"wide": (1280, 900), "narrow": (390, 844)}


@pytest.fixture(params=["chromium", "firefox"])
def programs(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Give a driver and its browser."""
    driver, browser = (GECKO, FIREFOX) if request.param == "firefox" else (DRIVER, CHROMIUM)
    names = "GECKODRIVER and FIREFOX" if request.param == "firefox" else "CHROMEDRIVER and CHROMIUM"
    if not (driver and browser):
        pytest.skip(f"{names} name no browser: make test-doors {names.replace(' and ', '=path ')}=path")
    return driver, browser


@pytest.fixture
def five(tmp_path: Path) -> World:
    """Give a home with five changes that wait, two of them by somebody's hand, and a key with a passphrase."""
    world = found(tmp_path / "world", memory=MEMORY, words=("--host", "openclaw"))
    text = (
        "Lesson: the staging certificate expires every 90 days; renew it on day 80, since the relay does not."
    )
    world.log_day("2026-02-27", text, "tried the old key")
    world.propose("Renew the staging certificate on day 80.", "--source", "memory/2026-02-27.md:3")
    world.wait(hours=2)
    words = ("--entry", "Keep backups for 30 days.")
    world.propose(
        "Keep backups for 90 days, since the audit asks for a quarter.", *words, section="Decisions"
    )
    world.wait(hours=20)
    world.removal(
        "Deploys go out on Tuesdays, never on Fridays.", section="Decisions", reason="it deploys on merge now"
    )
    odd = "- Boat: <script>alert(1)</script> \u202etxt.exe <img src=x onerror=alert(2)>\n"
    world.write("MEMORY.md", MEMORY.replace("upgrade.\n", "upgrade.\n- Ask Dana first.\n") + odd)
    world.wait(minutes=30)
    key = str(world.own_keys / "operator")
    command = ("ssh-keygen", "-q", "-p", "-f", key, "-P", "", "-N", PASSPHRASE)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return world


@contextmanager
def both(world: World, programs: tuple[str, str]) -> Iterator[tuple[Browser, Page]]:
    with opened(world) as page, browsing(*programs) as browser:
        yield browser, page


def shoot(browser: Browser, name: str) -> None:
    """Draw it in both schemes and sizes, into the folder of ``SHOTS``; no row may be wider than the screen."""
    for scheme in ("light", "dark"):
        for size, (width, height) in SIZES.items():
            browser.look(scheme=scheme, width=width, height=height)
            assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), (name, size)
            if folder := os.environ.get("SHOTS"):
                Path(folder).mkdir(parents=True, exist_ok=True)
                time.sleep(0.2)
                firefox = "" if browser.is_chromium else "firefox-"
                browser.shoot(Path(folder) / f"{firefox}{name}-{scheme}-{size}.png")
            if AXE:
                assert not faults(browser), (name, scheme, size, faults(browser))
    browser.look(scheme="light", width=1280)


def faults(browser: Browser) -> list[str]:
    """Give what axe finds."""
    script = f"{Path(AXE).read_text(encoding='utf-8')}\nreturn axe.run().then((r) => r.violations)"
    found: list[dict[str, Any]] = browser.run(script)
    return [f"{one['id']}: {one['nodes'][0]['html']}: {one['nodes'][0]['failureSummary']}" for one in found]


IDLE = "!document.body.hasAttribute('aria-busy')"


def answered(browser: Browser, number: int, of: int = 5) -> None:
    """Wait until so many are answered, and the next is shown."""
    browser.wait_for(f"{IDLE} && document.getElementById('counts').innerText.endsWith('{of - number} left')")


def test_five_are_signed_by_keyboard_alone_in_under_a_minute_from_opening(
    five: World, programs: tuple[str, str]
) -> None:
    began = time.monotonic()
    with both(five, programs) as (browser, page):
        browser.open(page.address)
        for number in range(5):
            answered(browser, number)
            browser.type("y")
        browser.wait_for("document.activeElement.id === 'passphrase'")
        browser.type(PASSPHRASE + ENTER)
        browser.wait_for("!document.getElementById('end').hidden")
        took_s = time.monotonic() - began
        assert "Signed 3 changes" in browser.run("return document.body.innerText")
        assert browser.console() == []
        assert page.end()[0] == 0
    print(f"five signed {took_s:.1f} s after the command was started, browser and all")
    assert took_s < 60
    made = [event for event in five.events() if event["event"] == "decision.recorded"]
    assert len(made) == 4, "one for each proposal, and one for the drift of a file"


def test_every_change_is_readable_and_nothing_of_a_file_is_markup(
    five: World, programs: tuple[str, str]
) -> None:
    with both(five, programs) as (browser, page):
        browser.open(page.address)
        answered(browser, 0)
        assert browser.run("return location.hash + location.search") == "", "the token is off the address"
        browser.wait_for("document.querySelector('blockquote')")
        shoot(browser, "1-drift")
        browser.type("j")
        assert browser.run("return document.querySelectorAll('img, iframe, #body script').length") == 0
        browser.type("j")
        browser.wait_for("document.querySelector('figcaption')?.textContent.startsWith('memory/2026-02-27')")
        shoot(browser, "2-lesson")
        browser.type("e")
        browser.wait_for("document.activeElement.tagName === 'TEXTAREA'")
        shoot(browser, "3-edit")
        browser.type(" Set an alarm.")
        browser.type(ENTER, held=CONTROL)
        browser.wait_for("document.getElementById('body').innerText.includes('Set an alarm.')")
        browser.type("n")
        browser.wait_for("document.activeElement.id === 'field'")
        shoot(browser, "4-reason")
        browser.type("not before the move" + ENTER)
        answered(browser, 1)
        assert browser.console() == []


def test_the_last_step_is_readable_and_a_wrong_passphrase_costs_nothing(
    five: World, programs: tuple[str, str]
) -> None:
    with both(five, programs) as (browser, page):
        for one in page.items():
            page.answer(one, "approve")
        browser.open(page.address)
        answered(browser, 5)
        browser.type("g")
        browser.wait_for("document.activeElement.id === 'passphrase'")
        shoot(browser, "5-sign")
        browser.type("wrong" + ENTER)
        browser.wait_for(f"document.querySelector('#told .warn') && {IDLE}")
        assert "check the passphrase" in browser.run("return document.getElementById('hint').innerText")
        shoot(browser, "6-wrong-passphrase")
        browser.type(ESCAPE)
        browser.wait_for("!document.getElementById('room').hidden")
        browser.type("g")
        browser.type(PASSPHRASE + ENTER)
        browser.wait_for("!document.getElementById('end').hidden")
        shoot(browser, "7-signed")
        assert browser.console() == []


def test_tab_goes_through_the_page_in_its_order_and_the_focus_is_seen(
    five: World, programs: tuple[str, str]
) -> None:
    with both(five, programs) as (browser, page):
        browser.open(page.address)
        answered(browser, 0)
        browser.run("document.getElementById('skip').focus()")
        order = []
        for _ in range(8):
            browser.type(TAB)
            order.append(
                browser.run("return document.activeElement.innerText.replace(/\\s+/g, ' ').slice(0, 12)")
            )
            assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid", (
                order
            )
        assert [name[:1] for name in order] == ["1", "2", "3", "4", "5", "y", "n", "s"]


def test_forty_are_as_wide_as_the_screen(tmp_path: Path, programs: tuple[str, str]) -> None:
    parts = "".join(f"## Part {n}\n\n- Crane {n}.\n{LAMPS[:400]}\n" for n in range(40))
    world = found(tmp_path / "world", memory=f"# MEMORY.md\n\n{parts}")
    world.write("MEMORY.md", f"# MEMORY.md\n\n{parts.replace('Crane', '起重机' + 'x' * 200)}")
    with both(world, programs) as (browser, page):
        browser.open(page.address)
        browser.wait_for("document.querySelectorAll('#list button').length === 40")
        shoot(browser, "10-forty")
        assert browser.console() == []


def test_several_are_answered_at_once_and_each_of_them_is_seen(
    tmp_path: Path, programs: tuple[str, str]
) -> None:
    world = found(tmp_path / "world", memory=MEMORY)
    for day in ("03", "04"):
        world.write(f"memory/2025-12-{day}.md", f"# Day\n\n## Greenhouse\n\n- Basil on the {day}th\n{LAMPS}")
    for text in ("Water the basil.", "Turn the basil."):
        world.propose(text, "--source", "memory/2025-12-03.md:5")
    world.ok("prune")
    with both(world, programs) as (browser, page):
        browser.open(page.address)
        answered(browser, 0, of=4)
        browser.wait_for("document.querySelector('blockquote')")
        shoot(browser, "10-several")
        browser.type("h")
        answered(browser, 2, of=4)
        browser.type("a")
        browser.wait_for("document.querySelectorAll('.diff').length === 2")
        shoot(browser, "11-all")
        browser.type("y")
        answered(browser, 4, of=4)
        assert "sign 2, reject 2" in browser.wait_for("document.getElementById('sheet').innerText")
        assert browser.console() == []


@contextmanager
def site(content: bytes, port: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Answer whatever is asked with the same; give the port, and what was asked."""
    got: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            got.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode())
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815 - the base class's name

        def log_message(self, *_: Any) -> None:  # type: ignore[explicit-override]  # typing.override is newer
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    with serving(server):
        yield server.server_address[1], got


def test_a_page_left_open_gives_no_passphrase_to_a_program_that_took_its_port(
    five: World, programs: tuple[str, str]
) -> None:
    with browsing(*programs) as browser:
        with opened(five) as page:
            page.answer(page.items()[0], "approve")
            browser.open(page.address)
            answered(browser, 1)
            browser.type("g")
            browser.wait_for("document.activeElement.id === 'passphrase'")
        said = {
            "items": [],
            **dict.fromkeys(("note", "home", "counts", "now"), ""),
            "notices": [],
            "proof": "x" * 43,
        }
        with site(json.dumps(said).encode(), page.port) as (_, got):
            browser.type(PASSPHRASE + ENTER)
            browser.wait_for("!document.getElementById('end').hidden")
            assert "another program answers in its place" in browser.run("return document.body.innerText")
            browser.type("y" + ENTER)
        assert got == ['{"do":"queue"}']


HOSTILE = corpus("doors-review_page-hostile.txt")


def test_a_hostile_page_in_the_same_browser_gets_nothing(five: World, programs: tuple[str, str]) -> None:
    with both(five, programs) as (browser, page):
        text = HOSTILE.format(
            page=f"http://127.0.0.1:{page.port}/", token=page.token
        ).encode()  # it even knows the token
        with site(text) as (port, _):
            browser.open(f"http://127.0.0.1:{port}/")
            done = browser.wait_for("document.title.startsWith('[') && document.title")
            got = {name: (kind, text) for name, kind, text in json.loads(done)}
            assert got == {
                "plain": ("error", ""), "no-cors": ("error", ""), "json": ("error", ""), "token": ("error", ""),
                "read": ("error", ""),
            }  # fmt: skip
            framed = browser.run(
                "try { return document.getElementById('framed').contentDocument.body.innerText } catch { return null }"
            )
            assert not framed, "it is not drawn in a frame"
            browser.open(f"http://{REBOUND}:{page.port}/")
            assert "this is another host" in browser.run("return document.body.innerText")
        assert all(one["answer"] is None for one in page.items())


OVERLAPS = corpus("doors-review_page-overlaps.txt")


def test_the_report_is_readable_too(five: World, programs: tuple[str, str]) -> None:
    """With 1,000 associations, some of which occur often, and all that the report draws."""
    pairs = [(f"topic_{n % 37}", f"tool_{n % 41}") for n in range(1000)]
    records = (
        outcome((n, k), pair, session=f"{n} {k}") for n, pair in enumerate(pairs) for k in range(n % 4)
    )
    five.write("memory/system/outcome-records.jsonl", lines(records))
    five.ok("link")
    five.run("report", "--to", str(five.root / "report.html"))
    with browsing(*programs) as browser:
        browser.open(f"file://{five.root}/report.html")
        assert browser.run("return document.querySelectorAll('svg').length") == 7
        shoot(browser, "8-report")
        browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
        shoot(browser, "9-report-tables")
        for width in (390, 1280):
            browser.look(scheme="light", width=width)
            assert browser.run(OVERLAPS) == []
        browser.look(scheme="light", width=800, media="print")
        assert (
            not browser.is_chromium
            or browser.run("return getComputedStyle(document.querySelector('summary')).display") == "none"
        )
        assert browser.console() == []


def test_what_a_notices_link_opens_is_readable_and_takes_no_answer(
    five: World, programs: tuple[str, str]
) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    mail = five.root / "sendmail"
    mail.write_text(f"#!/bin/sh\ncat > '{five.root}/mail'\n")
    mail.chmod(0o755)
    notify = {"by": "mail", "to": "ann@example.org", "link": address}
    five.keys.joinpath("operator.yaml").write_text(json.dumps({"notify": notify}))
    five.environment["PATH"] = f"{five.root}:/usr/bin:/bin"
    five.ok("night", "--notify-test")
    link = (five.root / "mail").read_text().split()[-1]
    with looked_at(five), browsing(*programs) as browser:
        browser.open(link)
        shoot(browser, "10-link")
        browser.run("document.querySelector('button').focus()")
        browser.type(ENTER)
        browser.wait_for("document.querySelectorAll('section').length === 5")
        shoot(browser, "11-linked")
        assert browser.run("return document.querySelectorAll('input, textarea, button, a, img').length") == 0
        assert "\\u{202e}txt.exe <img src=x onerror=alert(2)>" in browser.run(
            "return document.body.innerText"
        )
        assert browser.console() == []
        browser.open(link)
        browser.run("document.querySelector('button').click()")
        browser.wait_for("document.body.innerText.includes('was opened before')")
