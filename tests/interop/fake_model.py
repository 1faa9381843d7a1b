"""A model that a host is pointed at: it keeps what it is asked and answers from a script, on this machine alone.

It speaks as much of two protocols as Claude Code (Anthropic's Messages) and Codex (OpenAI's Responses) need.
"""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DONE = "Done."
"""What is said when the script is at its end."""


@dataclass(frozen=True)
class Call:
    """The model calls a tool.

    Attributes:
        tool: Its name.
        given: Its input; a text for Codex' free-form tools.
        namespace: What Codex keeps it under; empty for nothing.
    """

    tool: str
    given: dict[str, Any] | str
    namespace: str = ""


Turn = str | Call
Script = Callable[["Asked"], Turn]


@dataclass(frozen=True)
class Asked:
    """One request of a host.

    Attributes:
        body: As it was sent.
    """

    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        found = self.body.get("messages", self.body.get("input"))
        return found if isinstance(found, list) else []

    @property
    def turns(self) -> int:
        """How often the model has answered in this conversation."""
        return sum(one.get("role") == "assistant" or "call_id" in one for one in self.messages)

    def has_called(self, tool: str) -> bool:
        """Tell whether the model has called a tool in this conversation."""
        blocks = [one for message in self.messages for one in _blocks(message)]
        return any(one.get("name") == tool for one in (*self.messages, *blocks))

    def text(self, *roles: str) -> str:
        """Give all that the model reads of some roles, or of all; its instructions count as ``system``."""
        found = [self.body.get("system", ""), self.body.get("instructions", "")]
        parts = found if not roles or "system" in roles else []
        parts += [one for one in self.messages if not roles or one.get("role") in roles]
        return "\n".join(_texts(parts))

    def results(self) -> list[str]:
        """Give what each tool answered, in order."""
        found = []
        for message in self.messages:
            found += [
                _flat(one.get("content")) for one in _blocks(message) if one.get("type") == "tool_result"
            ]
            if str(message.get("type")).endswith("_output"):
                found.append(_flat(message.get("output")))
        return found


@dataclass
class FakeModel:
    """What runs, and what it was asked."""

    url: str
    asked: list[Asked] = field(default_factory=list)

    @property
    def last(self) -> Asked:
        return self.asked[-1]

    @property
    def first(self) -> Asked:
        return self.asked[0]


@contextmanager
def answering(script: Sequence[Turn] | Script) -> Iterator[FakeModel]:
    """Start one; it ends with the block.

    Args:
        script: Its turns in order, or what gives a turn for what it is asked.
    """
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        model = FakeModel(url=f"http://127.0.0.1:{server.server_address[1]}")
        vars(server).update(model=model, script=_script(script), lock=threading.Lock())
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()


def _script(script: Sequence[Turn] | Script) -> Script:
    if callable(script):
        return script
    turns = iter(script)
    return lambda _: next(turns, DONE)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *_: object) -> None:  # type: ignore[explicit-override]  # noqa: A002 - the base class's name; typing.override is newer than Python 3.11
        del format

    def do_HEAD(self) -> None:
        self._send(200, "text/plain", "")

    def do_GET(self) -> None:
        self._send(404, "application/json", "{}")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            self._send(200, "application/json", '{"input_tokens": 1}')
            return
        if not path.endswith(("/messages", "/responses")):
            self._send(404, "application/json", "{}")
            return
        asked = Asked(body=json.loads(raw))
        given = vars(self.server)
        with given["lock"]:
            model: FakeModel = given["model"]
            if _is_aside(asked):
                turn: Turn = DONE
            else:
                model.asked.append(asked)
                turn = given["script"](asked)
            number = len(model.asked)
        events = _anthropic(turn, number) if path.endswith("/messages") else _openai(turn, number)
        lines = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
        self._send(200, "text/event-stream", "".join(lines))

    def _send(self, status: int, kind: str, content: str) -> None:
        raw = content.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def _is_aside(asked: Asked) -> bool:
    """Tell whether a host asks for itself, such as for a title: without any tool."""
    more = any(one.get("type") == "additional_tools" for one in asked.messages)
    return not asked.body.get("tools") and not more


def _anthropic(turn: Turn, number: int) -> Iterator[dict[str, Any]]:
    message: dict[str, Any] = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "fake",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    yield {"type": "message_start", "message": message}
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": turn}
    if isinstance(turn, Call):
        block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": turn.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(turn.given)}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    reason = "tool_use" if isinstance(turn, Call) else "end_turn"
    ended = {"stop_reason": reason, "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _openai(turn: Turn, number: int) -> Iterator[dict[str, Any]]:
    response = {"id": f"resp_{number}", "output": []}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    yield {"type": "response.created", "response": response}
    yield {"type": "response.output_item.done", "output_index": 0, "item": _item(turn, number)}
    yield {"type": "response.completed", "response": {**response, "usage": usage}}


def _item(turn: Turn, number: int) -> dict[str, Any]:
    if not isinstance(turn, Call):
        content = [{"type": "output_text", "text": turn}]
        return {"type": "message", "role": "assistant", "id": f"msg_{number}", "content": content}
    name = {"call_id": f"call_{number}", "name": turn.tool}
    if turn.namespace:
        name["namespace"] = turn.namespace
    if isinstance(turn.given, str):
        return {"type": "custom_tool_call", **name, "input": turn.given}
    return {"type": "function_call", **name, "arguments": json.dumps(turn.given)}


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)


def _flat(value: Any) -> str:
    return value if isinstance(value, str) else "\n".join(_texts(value))
