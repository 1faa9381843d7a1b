"""A headless browser, driven over the W3C WebDriver protocol by its own driver: no package, no network.

Chromium draws pages in any size and scheme and tells what its console said. Firefox's windows have 500 pixels at least: its page
is made narrower in them, through its own chrome; its console is silent.
"""

import base64
import http.client
import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENTER, ESCAPE, TAB, CONTROL = "\ue007", "\ue00c", "\ue004", "\ue009"
PATIENCE_S = 20.0
REBOUND = "rebound.example"
SCHEMES = ("dark", "light")
"""As Firefox numbers them."""
NARROW = """
gBrowser.selectedBrowser.style.maxWidth = `${arguments[0]}px`;
Services.prefs.setIntPref("layout.css.prefers-color-scheme.content-override", arguments[1]);
"""


@dataclass(slots=True, kw_only=True)
class Browser:
    """One session."""

    port: int
    session: str = ""
    is_chromium: bool = True

    def call(self, method: str, path: str, **body: Any) -> Any:
        """Send one command and give its value."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            text = json.dumps(body) if method == "POST" else None
            connection.request(
                method, f"/session{self.session}{path}", text, {"Content-Type": "application/json"}
            )
            with connection.getresponse() as response:
                value = json.loads(response.read())["value"]
                assert response.status == 200, value
                return value

    def open(self, address: str) -> None:
        self.call("POST", "/url", url=address)

    def run(self, script: str, *given: Any) -> Any:
        """Run JavaScript in the page, outside of its policy; give what it returns."""
        return self.call("POST", "/execute/sync", script=script, args=list(given))

    def wait_for(self, script: str) -> Any:
        """Wait until an expression holds, and give it."""
        until = time.monotonic() + PATIENCE_S
        while not (value := self.run(f"return {script}")):
            assert time.monotonic() < until, (script, self.run("return document.body.innerText"))
            time.sleep(0.05)
        return value

    def type(self, keys: str, *, held: str = "") -> None:
        """Hit keys one after another, wherever the focus is."""
        ups_and_downs = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        if held:
            ups_and_downs = [
                {"type": "keyDown", "value": held},
                *ups_and_downs,
                {"type": "keyUp", "value": held},
            ]
        self.call("POST", "/actions", actions=[{"type": "key", "id": "keyboard", "actions": ups_and_downs}])

    def look(self, *, scheme: str, width: int, height: int = 900, media: str = "") -> None:
        """Have the page drawn in a scheme and size, on a screen or for print."""
        if not self.is_chromium:
            self.call("POST", "/window/rect", width=width, height=height)
            self.call("POST", "/moz/context", context="chrome")
            self.run(NARROW, width, SCHEMES.index(scheme))
            self.call("POST", "/moz/context", context="content")
            self.wait_for(f"innerWidth === {width} && matchMedia('(prefers-color-scheme: {scheme})').matches")
            return
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._cdp("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._cdp("Emulation.setEmulatedMedia", {"media": media, "features": features})

    def _cdp(self, command: str, given: dict[str, Any]) -> None:
        self.call("POST", "/goog/cdp/execute", cmd=command, params=given)

    def shoot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def console(self) -> list[str]:
        """Give what the console said since it was last asked; nothing where the browser does not tell."""
        if not self.is_chromium:
            return []
        return [row["message"] for row in self.call("POST", "/se/log", type="browser")]


@contextmanager
def browsing(driver: str, program: str) -> Iterator[Browser]:
    """Run chromedriver or geckodriver, and its browser; ``REBOUND`` is a name that somebody points at this machine."""
    is_chromium = "gecko" not in driver
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [driver, f"--port={port}"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            browser = Browser(port=port, is_chromium=is_chromium)
            _wait_for_driver(browser)
            wanted = _chromium(program) if is_chromium else _firefox(program)
            made = browser.call("POST", "", capabilities={"alwaysMatch": wanted})
            browser.session = f"/{made['sessionId']}"
            try:
                yield browser
            finally:
                browser.call("DELETE", "")
        finally:
            process.terminate()


def _wait_for_driver(browser: Browser) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        with suppress(OSError), socket.create_connection(("127.0.0.1", browser.port), timeout=1):
            return
        time.sleep(0.05)
    raise AssertionError("the driver does not answer")


def _chromium(program: str) -> dict[str, Any]:
    args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    args.append(f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1")
    return {"goog:chromeOptions": {"args": args, "binary": program}, "goog:loggingPrefs": {"browser": "ALL"}}


def _firefox(program: str) -> dict[str, Any]:
    named = {"network.dns.localDomains": REBOUND}
    return {
        "moz:firefoxOptions": {
            "args": ["-headless", "-remote-allow-system-access"],
            "binary": program,
            "prefs": named,
        }
    }
