"""A headless Chromium, driven over the W3C WebDriver protocol by its own chromedriver: no package, no network."""

import base64
import http.client
import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENTER, ESCAPE, TAB, CONTROL = "\ue007", "\ue00c", "\ue004", "\ue009"
PATIENCE_S = 20.0


@dataclass(slots=True, kw_only=True)
class Browser:
    """One session."""

    port: int
    session: str = ""

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
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._cdp("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._cdp("Emulation.setEmulatedMedia", {"media": media, "features": features})

    def _cdp(self, command: str, given: dict[str, Any]) -> None:
        self.call("POST", "/goog/cdp/execute", cmd=command, params=given)

    def shoot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def console(self) -> list[str]:
        """Give what the console said since it was last asked."""
        return [row["message"] for row in self.call("POST", "/se/log", type="browser")]


@contextmanager
def browsing(chromedriver: str, chromium: str, *words: str) -> Iterator[Browser]:
    """Run both programs."""
    words_of_driver = [chromedriver, "--port=0"]
    with subprocess.Popen(
        words_of_driver, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as driver:
        try:
            said = next(line for line in driver.stdout or () if "started successfully on port" in line)
            browser = Browser(port=int(said.rstrip(".\n").rpartition(" ")[2]))
            args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", *words]
            options = {"goog:chromeOptions": {"args": args, "binary": chromium}}
            wanted = {**options, "goog:loggingPrefs": {"browser": "ALL"}}
            made = browser.call("POST", "", capabilities={"alwaysMatch": wanted})
            browser.session = f"/{made['sessionId']}"
            try:
                yield browser
            finally:
                browser.call("DELETE", "")
        finally:
            driver.terminate()
