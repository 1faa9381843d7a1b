"""What a notice's link opens: a page of what waits, to look at, on the owner's own network.

Invariant: it answers whoever has a link that nobody opened yet, once, with what a review would show. It takes no answer and no
passphrase, so that nobody gets used to give one to a page that came by chat; nothing in it runs.
"""

import argparse
import threading
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from http import HTTPStatus
from http.client import HTTP_PORT
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, urlsplit

from nightledger.domain.errors import RefusedError, UnreadableError, UsageError
from nightledger.domain.settings import Notifier
from nightledger.doors.page import HOST, headers_of
from nightledger.doors.reviewing import Look, PageReview, Queue
from nightledger.files.configuration import load_operator
from nightledger.files.home import shipped_config
from nightledger.jobs.notify import check_link
from nightledger.remote.transport import Response, Server, Service, is_loopback
from nightledger.surfaces.context import Context
from nightledger.surfaces.verbs.review import AGAIN

OPEN = "/open"
"""Where the page's button leads: a chat that looks at links ahead (GET) opens none."""
MAX_REQUEST_BYTES = 1024
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
            max_bytes=MAX_REQUEST_BYTES,
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
