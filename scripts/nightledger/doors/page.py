"""The review page's door: one HTML file and one address for its questions, on this machine's loopback.

Invariant: nothing but this page, opened with this run's token, is answered. The token stands behind ``#`` in the address,
which browsers send to nobody; a question carries it in a header that no form and no other origin can set; ``Host`` and
``Origin`` have to name this very port, so that a name that is pointed here (DNS rebinding) or a hostile page in the same
browser gets nothing. Each answer carries a proof that the page sends to nobody: where another program has this port when
this one is over, a page that is still open knows it, and gives it no passphrase. The page loads nothing, and runs nothing
but the script that stands in it.

What a notice's link opens: a page of what waits, to look at, on the owner's own network.

Invariant: it answers whoever has a link that nobody opened yet, once, with what a review would show. It takes no answer and no
passphrase, so that nobody gets used to give one to a page that came by chat; nothing in it runs.
"""

import argparse
import hmac
import os
import secrets
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from email.message import Message
from html import escape
from http import HTTPStatus
from http.client import HTTP_PORT
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from nightledger.codec.canonical import parse_json
from nightledger.domain.errors import NightledgerError, RefusedError, UnreadableError, UsageError
from nightledger.domain.settings import Notifier
from nightledger.doors.report import policy_of
from nightledger.doors.reviewing import REQUESTS, Look, PageReview, Queue
from nightledger.doors.transport import Response, Server, Service, is_loopback, sentence
from nightledger.files.configuration import load_operator
from nightledger.files.home import shipped_config
from nightledger.jobs.notify import check_link
from nightledger.surfaces import signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import say
from nightledger.surfaces.verbs.review import AGAIN, KEPT, notices

HOST = "127.0.0.1"
THERE = f"ssh -t -L 8765:{HOST}:8765 {{}} {AGAIN} --web --no-open --port 8765"
"""Reviews on a page here what waits on another machine, with its key; ``docs/machines.md``."""
API = "/review"
TOKEN_HEADER = "X-Nightledger-Token"  # noqa: S105 - the header's name
TOKEN_BYTES = 32
MAX_REQUEST_BYTES = 1 << 20
"""Thousands of answers, or the longest wording."""
JSON = "application/json"
IDLE_S = 1800.0
LAST_ANSWER_S = 1.0
"""So long the answer that ends a review has to reach the page."""


def serve_review(options: argparse.Namespace, context: Context) -> int:
    """Serve the page until everything is signed, nobody asked for half an hour, or Ctrl-C.

    Raises:
        UsageError: It was asked for together with what has no page.
        RefusedError: Another machine writes this home, an agent's host is calling, or a client is and the key asks nobody.
    """
    if options.remote or context.json:
        other = "--remote" if options.remote else "--json"
        hint = f"'{AGAIN} {other}' is on the terminal"
        if options.remote:
            hint += f"; on a page: {THERE.format(options.remote)}"
        raise UsageError(f"--web and {other} do not go together", hint=hint)
    context.by_page = True
    door = Door(PageReview(context, options.id))
    with door.review.looking() as now:
        if not now.items:
            say(context, *notices(now.session, []))
            return 0
        gate = now.session.gate
        if options.for_client and not signing.asks(gate):
            raise RefusedError(
                "a program asked for this page, and the operator's key signs without asking",
                hint=f"'{AGAIN} --web' opens it; a passphrase: ssh-keygen -p -f {signing.operator_path(gate)}",
            )
    with Server((HOST, options.port), door.service()) as server:
        port = int(server.server_address[1])
        door.listen_on(port)
        page = f"/#t={door.token}"
        opens = context.interactive() and not options.no_open
        if os.environ.get("SSH_CONNECTION"):
            tunnel = f"ssh -L {port}:{HOST}:{port}"
            context.note(f"from another machine: '{tunnel} THIS-MACHINE' there, then open the address there")
        with _opened(f"http://{HOST}:{port}{page}") if opens else nullcontext():
            server.serve_until_told(context, "the review", page)
    say(context, *door.review.told)
    if door.review.unsigned:
        say(context, f"Not all is signed; {KEPT.format(AGAIN)}.")
    return 1 if door.review.refused else 0


class Door:
    """Who may ask, and what is served.

    Attributes:
        token: What every question has to carry; of this run alone.
        proof: What every answer carries; of this run alone.
        review: What answers.
    """

    def __init__(self, review: PageReview) -> None:
        """Make a token.

        Args:
            review: What answers.
        """
        self.token, self.proof = (secrets.token_urlsafe(TOKEN_BYTES) for _ in range(2))
        self.review = review
        self._html = shipped_config("page/review.html")
        self._host = ""
        self._turn = threading.Lock()
        self._asked_at = time.monotonic()

    def listen_on(self, port: int) -> None:
        """Learn the port, which every question has to name."""
        self._host = f"{HOST}:{port}"

    def service(self) -> Service:
        """Return what the server serves."""
        return Service(
            name="review page",
            path=API,
            max_bytes=MAX_REQUEST_BYTES,
            answer=self._answer,
            look=self._look,
            admit=self._refusal,
            headers=MappingProxyType(headers_of(self._html, "connect-src 'self'")),
            is_over=self._is_over,
        )

    def _look(self, path: str) -> Response | None:
        if path != "/":
            return None
        return Response(status=HTTPStatus.OK, content=self._html, kind="text/html; charset=utf-8")

    def _refusal(self, method: str, headers: Message) -> Response | None:
        """Refuse whoever is not this page; what is missing is told in one word, for a page of ours always has it."""
        host, *more = headers.get_all("Host", [""])
        if more or host != self._host:
            return sentence(HTTPStatus.FORBIDDEN, "this is another host")
        if method == "GET":
            return None
        origins, sites = headers.get_all("Origin", []), headers.get_all("Sec-Fetch-Site", [])
        if set(origins) - {f"http://{host}"} or set(sites) - {"same-origin"}:
            return sentence(HTTPStatus.FORBIDDEN, "this is another origin")
        if headers.get_all("Content-Type", []) != [JSON]:
            return sentence(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"a question is {JSON}")
        token, *more = headers.get_all(TOKEN_HEADER, [""])
        if more or not hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            return sentence(HTTPStatus.FORBIDDEN, "this is not this run's token")
        return None

    def _answer(self, raw: bytes) -> Response:
        """Answer one question; what an operator should know is an answer, too."""
        try:
            request = msgspec.convert(parse_json(raw, "the question"), type=REQUESTS)
        except (NightledgerError, msgspec.ValidationError):
            return sentence(HTTPStatus.BAD_REQUEST, "this is no question that the page has")
        with self._turn:
            self._asked_at = time.monotonic()
            answer = self.review.answer(request)
            self._asked_at = time.monotonic()
        content = msgspec.json.encode({**answer, "proof": self.proof})
        return Response(status=HTTPStatus.OK, content=content, kind=JSON)

    def _is_over(self) -> bool:
        if self._turn.locked():
            return False
        idle = time.monotonic() - self._asked_at
        return idle > (LAST_ANSWER_S if self.review.is_done else IDLE_S)


def headers_of(html: bytes, *more: str) -> dict[str, str]:
    """Return the headers of every answer: the page runs and draws what stands in it, and is framed and kept by nobody.

    Args:
        html: The page.
        more: Further directives of its policy.
    """
    return {
        "Content-Security-Policy": policy_of(html, *more, "frame-ancestors 'none'"),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }


@contextmanager
def _opened(address: str) -> Iterator[None]:
    """Open the page where there is a screen for a browser, by a file that nobody else can read.

    The words of a command, and so an address among them, can be read by every user of the machine.
    """
    if not (sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        yield
        return
    with tempfile.TemporaryDirectory(prefix="nightledger-page-") as directory:
        path = os.path.join(directory, "open.html")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">')
        threading.Thread(target=webbrowser.open, args=(f"file://{path}",), daemon=True).start()
        yield


OPEN = "/open"
"""Where the page's button leads: a chat that looks at links ahead (GET) opens none."""
MAX_OPENING_BYTES = 1024
HERE = "<!-- what waits -->"
HTML = "text/html; charset=utf-8"


def serve_links(options: argparse.Namespace, context: Context) -> int:
    """Serve what links of notices open, until Ctrl-C.

    Raises:
        UsageError: ``operator.yaml`` names no ``link``, or one that has to be served by another server; or it was asked
            for together with what it does not do.
        RefusedError: Another machine writes this home, or an agent's host is calling.
    """
    if options.id or options.web or options.remote or options.for_client or context.json:
        raise UsageError("--look goes together with --port alone", hint="it serves all that waits here")
    notifier = load_operator(context.keys_dir).notify
    link = notifier.link if isinstance(notifier, Notifier) else ""
    address = _listens_at(link, options.port)
    seen, plain = Looking(context), link.startswith("http://")
    with Server(address, seen.service(urlsplit(link).path if plain else "")) as server:
        if plain and (told := _warning(urlsplit(link).hostname or "", str(server.server_address[0]))):
            context.note(told)
        server.serve_until_told(context, "links of notices")
    return 0


def _listens_at(link: str, port: int) -> tuple[str, int]:
    """Return host and port: those of the link itself, or behind a server with a certificate the loopback's."""
    if not link:
        hint = "write it into notify in operator.yaml, such as link: 'http://192.168.1.20:8770'"
        raise UsageError("no link is set", hint=hint)
    try:
        parts = urlsplit(link)
        own = parts.port or HTTP_PORT
    except ValueError as error:
        raise UsageError(f"{link} is no address", hint="a port is a number up to 65535") from error
    if parts.scheme == "http":
        return parts.hostname or HOST, port or own
    if not port:
        hint = "a server with a certificate stands before this one: --port says where it asks"
        raise UsageError(f"{link} needs a certificate, and there is none here", hint=hint)
    return HOST, port


def _warning(named: str, bound: str) -> str:
    """Return what is to be known of plain HTTP at an address; empty where the link names this machine alone."""
    if is_loopback(bound):
        return "" if is_loopback(named) else f"{named} is {bound} here, which no other device reaches"
    return "this is plain http: whoever is on that network can read along what you look at"


class Looking:
    """Who may look, and what is seen."""

    def __init__(self, context: Context) -> None:
        """Look at the home once.

        Args:
            context: The command's surroundings.
        """
        self._context, self._review = context, PageReview(context, None)
        self._html, self._turn = shipped_config("page/look.html"), threading.Lock()
        with self._review.looking() as now:
            gate = now.session.gate
        self._keys = str(gate.ring.home_dir(gate.home.identity.id))

    def service(self, below: str = "") -> Service:
        """Return what the server serves.

        Args:
            below: The path that links have before their own; a server that stands before this one takes it away.
        """
        headers = headers_of(self._html, "form-action 'self'")
        return Service(
            name="links",
            path=below + OPEN,
            max_bytes=MAX_OPENING_BYTES,
            answer=self._open,
            look=self._ask,
            headers=MappingProxyType(headers),
        )

    def _page(self, html: str, status: int = HTTPStatus.OK) -> Response:
        content = self._html.decode().replace(HERE, html).encode("utf-8", "replace")
        return Response(status=status, content=content, kind=HTML)

    def _ask(self, path: str) -> Response:
        """Ask whether to open a link, without looking at it: each path gets the same page."""
        return self._page(
            f'<form method="post" action="open"><p>This link opens once, to look at what waits.</p>'
            f'<button name="link" value="{escape(path.rpartition("/")[2])}">Open</button></form>'
        )

    def _open(self, raw: bytes) -> Response:
        (link,) = parse_qs(raw.decode("utf-8", "replace")).get("link", [""])[:1]
        with self._turn:
            self._context.renew()
            try:
                check_link(self._keys, link, self._context.now)
                told = self._review.answer(Queue())
                if "error" in told:
                    return self._page(f"<p>{escape(told['error'])}. Next: {escape(told['hint'])}</p>")
                evidence = [self._review.answer(_look_at(item)).get("evidence", ()) for item in told["items"]]
                first = check_link(self._keys, link, self._context.now, opens=True)
            except RefusedError as error:
                again = f"The next notice has another one; here: '{AGAIN}'."
                return self._page(f"<p>{escape(str(error))}. {escape(again)}</p>", HTTPStatus.FORBIDDEN)
            except OSError as error:
                raise UnreadableError(f"links cannot be opened ({error})") from error
        return self._page("\n".join(_parts(told, evidence, first)))


def _look_at(item: Mapping[str, Any]) -> Look:
    return Look(id=item["id"], n=item["n"], seen=item["seen"])


def _parts(queue: Mapping[str, Any], evidence: Iterable[Any], first: str) -> Iterator[str]:
    """Yield the page's parts, what the link was made for first."""
    yield f"<p>{escape(queue['home'])}</p>"
    yield from (f"<p>{escape(one)}</p>" for one in queue["notices"])
    yield f"<p>Nothing is signed here: <code>{AGAIN}</code>, where your key is.</p>"
    waiting = sorted(zip(queue["items"], evidence, strict=True), key=lambda one: one[0]["id"] != first)
    for item, cited in waiting:
        facts = (f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in item["facts"])
        diff = "\n".join(
            f"<{_mark(sign)}>{escape(sign + text)}</{_mark(sign)}>" for sign, text in item["diff"]
        )
        yield f"<section><h2>{escape(item['head'])}</h2><p>{escape(item['title'])} ({escape(item['short'])})</p>"
        yield f"<dl>{''.join(facts)}</dl><pre>{diff}</pre>"
        yield from (f"<p>{escape(one)}</p>" for one in (*item["fates"], item["unplaced"]) if one)
        for place, lines in cited:
            told = "\n".join(lines)
            yield f'<p>{escape(place)}</p><pre class="cited">{escape(told)}</pre>'
        yield "</section>"


def _mark(sign: str) -> str:
    return {"+": "ins", "-": "del"}.get(sign, "span")
