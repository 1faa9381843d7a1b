"""A model that a host is pointed at: it keeps what it is asked and answers from a script, on this machine alone.

It speaks as much of three protocols as hosts need: Anthropic's Messages (Claude Code), OpenAI's Responses (Codex) and
OpenAI's chat completions (OpenClaw, Hermes).
"""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME = "scripted"
DONE = "Done."
"""What is said when the script is at its end."""
WINDOW_TOKENS = 200_000


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

    @property
    def is_aside(self) -> bool:
        """Whether a host asks for itself, such as for a title: without any tool."""
        more = any(one.get("type") == "additional_tools" for one in self.messages)
        return not self.body.get("tools") and not more

    def has_called(self, tool: str) -> bool:
        """Tell whether the model has called a tool in this conversation."""
        blocks = [one for message in self.messages for one in _blocks(message)]
        return any(one.get("name") == tool for one in (*self.messages, *blocks))

    def text(self, *roles: str) -> str:
        """Return all that the model reads of some roles, or of all; its instructions count as ``system``."""
        found = [self.body.get("system", ""), self.body.get("instructions", "")]
        parts = found if not roles or "system" in roles else []
        parts += [one for one in self.messages if not roles or one.get("role") in roles]
        return "\n".join(_texts(parts))

    def said(self, *roles: str) -> list[str]:
        """Return what each message of some roles, or of all, says to the model."""
        chosen = [one.get("content") for one in self.messages if not roles or one.get("role") in roles]
        return [
            one
            if isinstance(one, str)
            else "\n".join(part.get("text", "") for part in one or () if isinstance(part, dict))
            for one in chosen
        ]

    def results(self) -> list[str]:
        """Return what each tool answered, in order."""
        found = []
        for message in self.messages:
            found += [
                _flat(one.get("content")) for one in _blocks(message) if one.get("type") == "tool_result"
            ]
            if str(message.get("type")).endswith("_output"):
                found.append(_flat(message.get("output")))
        return found


@dataclass
class Model:
    """One that runs.

    Attributes:
        url: Where it answers; ``/v1`` is not in it.
        script: Gives a turn for what it is asked; else what stands in ``turns`` is said, first to last.
        turns: What is still to be said.
        asked: What it was asked with tools.
        has_list: Whether it says which models it has.
    """

    url: str = ""
    script: Script | None = None
    turns: list[Turn] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    has_list: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def first(self) -> Asked:
        return self.asked[0]

    @property
    def last(self) -> Asked:
        return self.asked[-1]

    def answer(self, asked: Asked) -> tuple[Turn, int]:
        """Keep a request; return what is said to it, and how many there were."""
        with self.lock:
            if asked.is_aside:
                return DONE, len(self.asked)
            self.asked.append(asked)
            turn = self.script(asked) if self.script else self.turns.pop(0) if self.turns else DONE
            return turn, len(self.asked)


@contextmanager
def answering(script: Sequence[Turn] | Script = (), *, has_list: bool = False) -> Iterator[Model]:
    """Start one; it ends with the block.

    Args:
        script: Its turns in order, or what gives a turn for what it is asked.
        has_list: Whether it says which models it has.
    """
    model = Model(has_list=has_list)
    if callable(script):
        model.script = script
    else:
        model.turns = list(script)
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        model.url = f"http://127.0.0.1:{server.server_address[1]}"
        vars(server).update(model=model)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:  # type: ignore[explicit-override]  # Python 3.11 has no typing.override
        pass

    def do_HEAD(self) -> None:
        self._send(200, "text/plain", "")

    def do_GET(self) -> None:
        one = {"id": NAME, "object": "model", "owned_by": "tests", "context_length": WINDOW_TOKENS}
        if vars(self.server)["model"].has_list:
            self._send(200, "application/json", json.dumps({"object": "list", "data": [one]}))
        else:
            self._send(404, "application/json", "{}")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            self._send(200, "application/json", '{"input_tokens": 1}')
            return
        if not path.endswith(("/messages", "/responses", "/chat/completions")):
            self._send(404, "application/json", "{}")
            return
        asked = Asked(body=json.loads(raw))
        turn, number = vars(self.server)["model"].answer(asked)
        if path.endswith("/completions") and not asked.body.get("stream"):
            self._send(200, "application/json", json.dumps(_whole(turn)))
        elif path.endswith("/completions"):
            chunks = "".join(f"data: {json.dumps(one)}\n\n" for one in _chunks(turn))
            self._send(200, "text/event-stream", f"{chunks}data: [DONE]\n\n")
        else:
            events = _anthropic(turn, number) if path.endswith("/messages") else _responses(turn, number)
            lines = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
            self._send(200, "text/event-stream", "".join(lines))

    def _send(self, status: int, kind: str, content: str) -> None:
        raw = content.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def _anthropic(turn: Turn, number: int) -> Iterator[dict[str, Any]]:
    message: dict[str, Any] = {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "fake", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    yield {"type": "message_start", "message": message}
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": turn}
    if isinstance(turn, Call):
        block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": turn.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(turn.given)}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    ended = {"stop_reason": "tool_use" if isinstance(turn, Call) else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _responses(turn: Turn, number: int) -> Iterator[dict[str, Any]]:
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


_USED = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def _message(turn: Turn) -> dict[str, Any]:
    if isinstance(turn, str):
        return {"role": "assistant", "content": turn}
    function = {"name": turn.tool, "arguments": json.dumps(turn.given)}
    call = {"index": 0, "id": f"call_{turn.tool}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _chunks(turn: Turn) -> Iterator[dict[str, Any]]:
    yield _reply("chat.completion.chunk", {"index": 0, "delta": _message(turn), "finish_reason": None})
    yield _reply("chat.completion.chunk", {"index": 0, "delta": {}, "finish_reason": _end(turn)}) | {
        "usage": _USED
    }


def _whole(turn: Turn) -> dict[str, Any]:
    choice = {"index": 0, "message": _message(turn), "finish_reason": _end(turn)}
    return _reply("chat.completion", choice) | {"usage": _USED}


def _end(turn: Turn) -> str:
    return "stop" if isinstance(turn, str) else "tool_calls"


def _reply(kind: str, choice: dict[str, Any]) -> dict[str, Any]:
    return {"id": "c-1", "object": kind, "created": 0, "model": NAME, "choices": [choice]}


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _flat(value: Any) -> str:
    return value if isinstance(value, str) else "\n".join(_texts(value))
