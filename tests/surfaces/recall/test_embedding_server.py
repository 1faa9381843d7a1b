"""A server of embeddings, in good order and bad."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.rows import each_row

from nightledger.domain.settings import MeaningSource, Operator
from nightledger.recall.meaning import EncoderError
from nightledger.surfaces.recall import embedding_server
from nightledger.surfaces.recall.embedding_server import EmbeddingServer
from nightledger.surfaces.recall.search_home import choose_encoder


def honest(asked: dict[str, Any]) -> bytes:
    rows = [{"index": at, "embedding": [float(len(text)), 1.0]} for at, text in enumerate(asked["input"])]
    return json.dumps({"data": list(reversed(rows))}).encode()


@dataclass(slots=True)
class Server:
    """What a server answers, and what it was asked."""

    answer: Callable[[dict[str, Any]], bytes] = honest
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    asked: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)


@contextmanager
def serving(server: Server) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.asked.append((self.path, dict(self.headers), body))
            time.sleep(server.wait_s)
            content = server.answer(body)
            self.send_response(server.status)
            for name, value in server.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            with suppress(OSError):  # who asked may be gone
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:  # type: ignore[explicit-override]  # Python 3.11 has no typing.override
            pass

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = False  # closing waits for the last answer
    thread = threading.Thread(target=listener.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.server_port}/v1/embeddings"
    finally:
        listener.shutdown()
        thread.join()
        listener.server_close()


def source(url: str, **fields: Any) -> MeaningSource:
    return MeaningSource(url=url, model="small", **fields)


def refusal(server: Server, **fields: Any) -> str:
    with serving(server) as url, pytest.raises(EncoderError) as caught:
        EmbeddingServer(source(url, **fields)).encode(["one", "three"])
    return str(caught.value)


def test_texts_are_sent_together_and_answers_put_in_their_order() -> None:
    server = Server()
    with serving(server) as url:
        vectors = EmbeddingServer(source(url)).encode(["one", "three"])
    assert [vector.tolist() for vector in vectors] == [[3.0, 1.0], [5.0, 1.0]]
    (path, headers, body) = server.asked[0]
    assert path == "/v1/embeddings"
    assert body == {"model": "small", "input": ["one", "three"], "encoding_format": "float"}
    assert "Authorization" not in headers


def test_a_key_comes_from_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("swordfish\nnot this line\n")
    key.chmod(0o600)
    server = Server()
    with serving(server) as url:
        EmbeddingServer(source(url, key_file=str(key))).encode(["one"])
    assert server.asked[0][1]["Authorization"] == "Bearer swordfish"


def test_a_key_that_others_may_read_is_not_used(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("swordfish\n")
    key.chmod(0o644)
    server = Server()
    assert "others may read or write its key file" in refusal(server, key_file=str(key))
    assert server.asked == []


def test_a_key_that_is_missing_is_told(tmp_path: Path) -> None:
    assert "the key file is missing" in refusal(Server(), key_file=str(tmp_path / "none"))


@each_row(
    "answer",
    [
        b"",
        b"not json",
        b"[]",
        b"{}",
        b'{"data": 5}',
        b'{"data": [5, 6]}',
        b'{"data": [{"embedding": "x"}]}',
        b'{"data": [{"embedding": [1]}]}',
        b'{"data": [{"embedding": [1]}, {"embedding": [1, 2]}]}',
        b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}',
        b'{"data": [{"embedding": [1]}, {"embedding": [2]}, {"index": 0, "embedding": [3]}]}',
        b'{"data": [{"index": "0", "embedding": [1]}, {"index": "1", "embedding": [1]}]}',
        b'{"data": [{"embedding": [NaN]}, {"embedding": [1]}]}',
        b'{"data": [{"embedding": [1e999]}, {"embedding": [1]}]}',
        b'{"data": [{"embedding": [1e300]}, {"embedding": [1]}]}',
        b'{"data": [{"embedding": []}, {"embedding": []}]}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_list_of_embeddings_is_refused(answer: bytes) -> None:
    assert "embedding" in refusal(Server(answer=lambda _: answer))


def test_no_redirect_is_followed() -> None:
    other = Server()
    with serving(other) as elsewhere:
        assert (
            refusal(Server(status=307, headers={"Location": elsewhere}))
            == "the embedding server answered 307"
        )
    assert other.asked == []


def test_a_server_that_hangs_costs_one_wait_and_is_not_asked_again() -> None:
    server = Server(wait_s=1.0)
    with serving(server) as url:
        encoder = EmbeddingServer(source(url), patience_s=0.1)
        for _ in range(3):
            with pytest.raises(EncoderError, match=r"did not answer within 0\.1 s"):
                encoder.encode(["one"])
    assert len(server.asked) == 1


def test_a_server_that_is_not_there_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(EncoderError, match="does not answer"):
        EmbeddingServer(source(f"http://127.0.0.1:{port}/v1/embeddings")).encode(["one"])


def test_texts_leave_this_machine_unencrypted_only_where_the_operator_said_so() -> None:
    with pytest.raises(EncoderError, match="beyond this machine") as caught:
        EmbeddingServer(source("http://embeddings.invalid/v1/embeddings")).encode(["one"])
    assert "insecure_plain_http" in caught.value.hint


def test_a_secret_address_is_never_asked_in_the_clear() -> None:
    server = Server()
    with serving(server) as url, pytest.raises(EncoderError, match="does not answer"):
        EmbeddingServer(source(url.replace("http://", "https://"))).encode(["one"])
    assert server.asked == []


def test_words_alone_count_unless_the_operator_asks_for_more() -> None:
    assert choose_encoder(Operator()) is None
    server = MeaningSource(url="http://127.0.0.1:1/v1/embeddings", model="small")
    assert isinstance(choose_encoder(Operator(meaning=server)), EmbeddingServer)


def test_without_numpy_nothing_is_sent_and_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_server, "find_spec", lambda _name: None)
    monkeypatch.setattr(EmbeddingServer, "_ask", lambda *_: pytest.fail("a text was sent"))
    with pytest.raises(EncoderError, match="embeddings need numpy, which is not installed") as caught:
        EmbeddingServer(MeaningSource(url="http://127.0.0.1:9", model="m")).encode(["a"])
    assert "-m pip install 'numpy>=2'" in caught.value.hint
