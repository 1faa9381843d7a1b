"""A model that says what a test wrote down for it, spoken as OpenAI's chat completions, on loopback.

It keeps every request, so that a test reads what a host really sends to the model.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME = "scripted"
WINDOW_TOKENS = 200_000


@dataclass(frozen=True)
class Call:
    """One tool that the model asks for.

    Attributes:
        tool: Its name at the host.
        words: What it is called with.
    """

    tool: str
    words: Mapping[str, Any]


@dataclass
class Model:
    """One that runs.

    Attributes:
        url: Where it answers; ends in ``/v1``.
        turns: What is said next, first to last: a text, or a tool's call. Afterwards ``done``.
        asked: Every request that it was asked with tools, as the host sent it.
        aside: Every other request: titles, reviews, summaries.
    """

    url: str = ""
    turns: list[str | Call] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    aside: list[dict[str, Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_turn(self, request: dict[str, Any]) -> str | Call:
        """Keep a request, and give what is said to it."""
        with self.lock:
            if not request.get("tools"):
                self.aside.append(request)
                return "done"
            self.asked.append(request)
            return self.turns.pop(0) if self.turns else "done"


def text_of(request: Mapping[str, Any]) -> str:
    """Give all that a request tells the model, part after part."""
    return "\n".join(said(request))


def said(request: Mapping[str, Any], *roles: str) -> list[str]:
    """Give the texts of a request's messages, of some roles or of all."""
    return [_text(one.get("content")) for one in request["messages"] if not roles or one["role"] in roles]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or () if isinstance(part, dict))


@contextmanager
def running() -> Iterator[Model]:
    """Start one on a port of its own, and end it."""
    model = Model()

    class _Bound(_Answer):
        asks = model

    with ThreadingHTTPServer(("127.0.0.1", 0), _Bound) as server:
        model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()


class _Answer(BaseHTTPRequestHandler):
    asks: Model

    def do_GET(self) -> None:
        one = {"id": NAME, "object": "model", "owned_by": "tests", "context_length": WINDOW_TOKENS}
        self._send("application/json", json.dumps({"object": "list", "data": [one]}).encode())

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "messages" not in request:
            self.send_error(404)
            return
        turn = self.asks.next_turn(request)
        if request.get("stream"):
            self._send("text/event-stream", b"".join(map(_event, _chunks(turn))) + b"data: [DONE]\n\n")
        else:
            self._send("application/json", json.dumps(_whole(turn)).encode())

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:  # type: ignore[explicit-override]  # Python 3.11 has no typing.override
        pass


_USED = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def _message(turn: str | Call) -> dict[str, Any]:
    if isinstance(turn, str):
        return {"role": "assistant", "content": turn}
    function = {"name": turn.tool, "arguments": json.dumps(turn.words)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"index": 0, "id": f"call_{turn.tool}", "type": "function", "function": function}],
    }


def _chunks(turn: str | Call) -> Iterator[dict[str, Any]]:
    end = "stop" if isinstance(turn, str) else "tool_calls"
    yield _reply("chat.completion.chunk", {"index": 0, "delta": _message(turn), "finish_reason": None})
    yield _reply("chat.completion.chunk", {"index": 0, "delta": {}, "finish_reason": end}) | {"usage": _USED}


def _whole(turn: str | Call) -> dict[str, Any]:
    end = "stop" if isinstance(turn, str) else "tool_calls"
    choice = {"index": 0, "message": _message(turn), "finish_reason": end}
    return _reply("chat.completion", choice) | {"usage": _USED}


def _reply(kind: str, choice: dict[str, Any]) -> dict[str, Any]:
    return {"id": "c-1", "object": kind, "created": 0, "model": NAME, "choices": [choice]}


def _event(chunk: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"
