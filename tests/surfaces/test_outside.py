"""What the operator named in ``operator.yaml``: calendars and a server of embeddings, in good order and bad."""

import base64
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.rows import each_row, from_corpus

from nightledger.codec.settings import parse_operator
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.settings import CalendarAddress, MeaningSource, Notifier, Operator
from nightledger.jobs.notify import NotifyError
from nightledger.recall.meaning import EncoderError
from nightledger.surfaces.outside import EmbeddingServer, Looked, look_into, post_notice

NOW = datetime(2026, 3, 3, 8, 0, tzinfo=UTC)
EVENT = "BEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260303T090000Z\r\nDTEND:20260303T100000Z\r\nSUMMARY:Berths & <b>cranes</b>\r\nEND:VEVENT\r\n"
CALENDAR = f"BEGIN:VCALENDAR\r\n{EVENT}END:VCALENDAR\r\n".encode()
TITLE = "Berths & <b>cranes</b>"


@dataclass(slots=True)
class Server:
    """What a server answers, and what it was asked: method, path, headers and body."""

    body: bytes | Callable[[bytes], bytes] = CALENDAR
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    drip_s: float = 0.0
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)


@contextmanager
def serving(server: Server) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            server.asked.append((self.command, self.path, dict(self.headers), sent))
            body = server.body if isinstance(server.body, bytes) else server.body(sent)
            self.send_response(server.status)
            for name, value in {**server.headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            with suppress(OSError):  # who asked may be gone
                self.end_headers()
                for byte in body if server.drip_s else ():
                    self.wfile.write(bytes([byte]))
                    time.sleep(server.drip_s)
                self.wfile.write(b"" if server.drip_s else body)

        do_GET = do_POST = do_REPORT = _answer  # noqa: N815 - as http.server names them

        def log_message(self, *_: Any) -> None:  # type: ignore[explicit-override]  # typing.override is newer than 3.11
            pass

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = True
    threading.Thread(target=listener.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.server_address[1]}"
    finally:
        listener.shutdown()
        listener.server_close()


def secret(path: Path, mode: int = 0o600, text: str = "tide\nnot this line\n") -> str:
    path.write_text(text)
    path.chmod(mode)
    return str(path)


# ---------------------------------------------------------------- notices


def test_a_notice_waits_for_no_server_that_drips_or_has_moved_and_its_secret_goes_nowhere_else(
    tmp_path: Path,
) -> None:
    server = Server(body=b"{}" * 200, drip_s=0.05)
    notifier = Notifier(by="slack", token_file=str(tmp_path / "hook"))
    asked = (notifier, "{token}", dict[str, str](), b'{"text": "1 job failed"}', 0.3)
    with serving(server) as url:
        secret(tmp_path / "hook", text=f"{url}/services/T0/tide\n")
        begun = time.monotonic()
        with pytest.raises(NotifyError, match=r"^slack did not answer within 0\.3 s$"):
            post_notice(*asked)
        assert time.monotonic() - begun < 5
        server.drip_s, server.status, server.headers = 0.0, 302, {"Location": f"{url}/elsewhere"}
        assert post_notice(*asked) == 302
    assert [path for _, path, _, _ in server.asked] == ["/services/T0/tide"] * 2
    secret(tmp_path / "hook")
    with pytest.raises(NotifyError) as caught:
        post_notice(*asked)
    assert "tide" not in str(caught.value)


# ---------------------------------------------------------------- calendars


def look(hours: int = 4, **calendars: CalendarAddress) -> Looked:
    return look_into(Operator(calendars=calendars), NOW, hours, ZoneInfo("UTC"))


def titles(looked: Looked) -> list[str]:
    return [one.title for one in looked.events]


def test_an_address_is_asked_with_its_query_alone_and_a_collection_for_the_next_hours_only(
    tmp_path: Path,
) -> None:
    server, escaped = Server(), CALENDAR.decode().replace("&", "&amp;").replace("<", "&lt;")
    collection = Server(status=207, body=(
        '<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:cal="urn:ietf:params:xml:ns:caldav"><d:response>'
        f"<d:propstat><d:prop><cal:calendar-data>{escaped}</cal:calendar-data></d:prop></d:propstat></d:response></d:multistatus>"
    ).encode())  # fmt: skip
    password = secret(tmp_path / "password")
    with serving(server) as url, serving(collection) as dav:
        own = CalendarAddress(caldav=f"{dav}/dav/work/", user="ann", password_file=password)
        for calendar in (CalendarAddress(url=f"{url}/private/basic.ics?key=1"), own):
            looked = look(work=calendar)
            assert (titles(looked), looked.problems) == ([TITLE], ())
    ((method, path, headers, _),) = server.asked
    assert (method, path, "Authorization" in headers) == ("GET", "/private/basic.ics?key=1", False)
    ((method, path, headers, asked),) = collection.asked
    assert (method, path, headers["Depth"]) == ("REPORT", "/dav/work/", "1")
    assert headers["Authorization"] == f"Basic {base64.b64encode(b'ann:tide').decode()}"
    assert b'<c:time-range start="20260302T080000Z" end="20260304T120000Z"/>' in asked


@from_corpus("surfaces-outside")
def test_one_that_answers_otherwise_is_named_without_its_address(
    answer: dict[str, Any], problem: str
) -> None:
    with serving(server := Server(**answer)) as url:
        dav, plain = CalendarAddress(caldav=f"{url}/"), CalendarAddress(url=f"{url}/secret-key.ics")
        looked = look(work=dav if server.status == 207 else plain)
    assert looked == Looked(problems=(("work", problem),))
    assert len(server.asked) == 1


def test_a_server_that_hangs_or_drips_costs_two_seconds_for_all_and_the_others_are_read(
    tmp_path: Path,
) -> None:
    (tmp_path / "work.ics").write_bytes(CALENDAR)
    file = CalendarAddress(file=str(tmp_path / "work.ics"))
    with socket.socket() as silent, serving(Server(drip_s=0.3)) as dripping:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        hanging = CalendarAddress(url=f"http://127.0.0.1:{silent.getsockname()[1]}/x.ics")
        began = time.monotonic()
        drips = CalendarAddress(url=f"{dripping}/x.ics")
        looked = look(file=file, hangs=hanging, hangs_too=hanging, drips=drips)
        took = time.monotonic() - began
    assert titles(looked) == [TITLE]
    assert [name for name, _ in looked.problems] == ["drips", "hangs", "hangs_too"]
    assert took < 4


def test_files_that_cannot_be_read_are_named_by_the_calendar_only(tmp_path: Path) -> None:
    gone = CalendarAddress(file=str(tmp_path / "secret-name.ics"))
    looked = look(gone=gone, folder=CalendarAddress(file=str(tmp_path)))
    assert "secret-name" not in repr(looked)
    assert dict(looked.problems)["gone"] == "cannot be read: the file is missing"
    assert dict(looked.problems)["folder"].startswith("cannot be read: the file is a directory")


@each_row("scheme", ["http", "https"])
def test_a_secret_address_is_asked_in_the_clear_on_this_machine_only(scheme: str) -> None:
    server = Server()
    with serving(server) as url:
        away = "http://calendar.invalid/x.ics" if scheme == "http" else url.replace("http:", "https:")
        ((_, problem),) = look(work=CalendarAddress(url=away)).problems
    assert ("use https" if scheme == "http" else "does not answer (") in problem
    assert server.asked == []


@from_corpus("surfaces-outside")
def test_a_calendar_that_cannot_be_meant_is_refused(text: str, told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_operator(text.encode(), where="operator.yaml")
    assert told in str(caught.value)


# ---------------------------------------------------------------- embeddings


def embeddings(sent: bytes) -> bytes:
    texts = json.loads(sent)["input"]
    rows = [{"index": at, "embedding": [float(len(text)), 1.0]} for at, text in enumerate(texts)]
    return json.dumps({"data": list(reversed(rows))}).encode()


def encoder(url: str, patience_s: float = 10.0, **fields: Any) -> EmbeddingServer:
    source = MeaningSource(url=f"{url}/v1/embeddings", model="small", **fields)
    return EmbeddingServer(source, patience_s=patience_s)


def refusal(server: Server, **fields: Any) -> str:
    with serving(server) as url, pytest.raises(EncoderError) as caught:
        encoder(url, **fields).encode(["one", "three"])
    return str(caught.value)


def test_texts_are_sent_together_with_the_key_and_answers_put_in_their_order(tmp_path: Path) -> None:
    server = Server(body=embeddings)
    with serving(server) as url:
        vectors = encoder(url, key_file=secret(tmp_path / "key")).encode(["one", "three"])
    assert [[*vector] for vector in vectors] == [[3.0, 1.0], [5.0, 1.0]]
    ((_, path, headers, body),) = server.asked
    assert (path, headers["Authorization"]) == ("/v1/embeddings", "Bearer tide")
    assert json.loads(body) == {"model": "small", "input": ["one", "three"], "encoding_format": "float"}


def test_a_key_or_a_password_that_others_may_read_is_not_sent(tmp_path: Path) -> None:
    server, open_to_all = Server(body=embeddings), secret(tmp_path / "key", 0o644)
    assert "others may read or write its key file" in refusal(server, key_file=open_to_all)
    with serving(server) as url:
        calendar = CalendarAddress(url=url, user="ann", password_file=open_to_all)
        ((_, problem),) = look(work=calendar).problems
    assert "chmod 600" in problem
    assert server.asked == []


@from_corpus("surfaces-outside")
def test_what_is_no_list_of_embeddings_is_refused(answer: bytes) -> None:
    assert "embedding" in refusal(Server(body=answer))


@each_row("url", ["http://[::1/v1", "https://[zz]/v1", "http://127.0.0.1:99999/v1"])
def test_an_address_that_is_none_is_told(url: str) -> None:
    with pytest.raises(EncoderError):
        encoder(url).encode(["one"])


def test_no_redirect_is_followed() -> None:
    other = Server(body=embeddings)
    with serving(other) as elsewhere:
        said = refusal(Server(status=307, headers={"Location": elsewhere}))
    assert (said, other.asked) == ("the embedding server answered 307", [])


def test_a_server_that_hangs_costs_one_wait_and_is_not_asked_again() -> None:
    server = Server(drip_s=1.0)
    with serving(server) as url:
        slow = encoder(url, patience_s=0.1)
        for _ in range(3):
            with pytest.raises(EncoderError, match=r"did not answer within 0\.1 s"):
                slow.encode(["one"])
    assert len(server.asked) == 1
