"""``channel send | serve | receive``."""

import argparse
import gc
import json
import sys
import time
from collections.abc import Iterator
from copy import copy
from typing import Any

from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import UsageError
from nightledger.domain.message import MAX_LIFETIME_S, RETRY_AFTER_S, Reply, Status
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.files.spool import PATIENCE_S
from nightledger.surfaces import screen
from nightledger.surfaces.channel.client import is_loopback
from nightledger.surfaces.channel.receiving import take_in
from nightledger.surfaces.channel.sending import Delivery, Outgoing, Pace, deliver, prepare
from nightledger.surfaces.channel.server import ChannelServer
from nightledger.surfaces.channel.spooling import Emptied, empty_boxes
from nightledger.surfaces.context import Context
from nightledger.surfaces.hints import say
from nightledger.surfaces.limited_server import binding
from nightledger.surfaces.session import require_machine

MAX_BODY_BYTES = 1 << 20


def send(options: argparse.Namespace, context: Context) -> int:
    """Send one message; give its answer, or say where it waits.

    Raises:
        UsageError: The command does not say what to send to whom.
    """
    if len(options.words) != 1 or not options.to:
        raise UsageError("say: channel send ACTION --to NAME [--body FILE]")
    if not 0 < options.lifetime <= MAX_LIFETIME_S:
        raise UsageError(f"--lifetime is from 1 to {MAX_LIFETIME_S} seconds")
    pace = Pace(pause=time.sleep, retry_after_s=_retries(options.retry), lifetime_s=options.lifetime)
    outgoing = prepare(context, options.to, options.words[0], _body(options.body), lifetime_s=pace.lifetime_s)
    delivery = deliver(context, outgoing, pace)
    _report(context, outgoing, delivery)
    rejected = delivery.reply is not None and delivery.reply.status is Status.REJECTED
    return 1 if delivery.error or rejected else 0


def serve(options: argparse.Namespace, context: Context) -> int:
    """Answer messages over HTTP until it is told to stop.

    Raises:
        UsageError: It would listen beyond this machine, and nobody said that it may.
    """
    require_machine(Home(context.home_path).require())
    if not is_loopback(options.listen) and not options.insecure_plain_http:
        raise UsageError(
            f"{options.listen} is reached from other machines, and plain HTTP can be read on the way",
            hint="listen on 127.0.0.1 behind a tunnel or a proxy with TLS, or add --insecure-plain-http",
        )
    server = open_server(context, (options.listen, options.port))
    server.serve_until_told(context, context.home_path)
    return 0


def open_server(context: Context, address: tuple[str, int]) -> ChannelServer:
    """Bind a server for a home; the caller runs and closes it.

    Raises:
        ConfigurationError: The address is taken or is none of this machine's.
    """
    home_id = Home(context.home_path).require().identity.id

    def health() -> dict[str, Any]:
        now = copy(context)
        now.renew()
        return {"status": "ok", "home": home_id, "at": f"{now.now:%Y-%m-%dT%H:%M:%SZ}"}

    def answer(raw: bytes) -> bytes:
        try:
            return take_in(context, raw).envelope
        finally:
            gc.unfreeze()  # a command freezes what it has read because it ends soon; this one does not

    with binding(*address):
        return ChannelServer(address, answer, health)


def receive(options: argparse.Namespace, context: Context) -> int:
    """Empty this home's boxes in the spools, once; for cron."""
    del options
    require_machine(Home(context.home_path).require())
    emptied = empty_boxes(context)
    context.emit(_record(emptied))
    for line in _lines(emptied):
        _print(context, line)
    for line in _wrong(emptied, waits=not context.quiet):
        _note(context, line)
    return 1 if emptied.dead or emptied.set_aside or emptied.undelivered or emptied.broken else 0


def _lines(emptied: Emptied) -> Iterator[str]:
    for message, action, peer in emptied.answered:
        yield f"took in {action} of {peer} ({message})"
    for peer, action, reply in emptied.replies:
        yield f"{peer} answered {action}: {_answer(reply)}"


def _wrong(emptied: Emptied, *, waits: bool) -> Iterator[str]:
    """Tell what did not go well, and, where asked for, what merely waits."""
    for message in emptied.dead:
        yield f"error: no answer to {message} came before it expired; it is a dead letter now"
    yield from _broken(emptied)
    if emptied.set_aside:
        yield f"error: {emptied.set_aside} letter(s) could not be read and are set aside in cur/"
    if waits:
        hours = PATIENCE_S // 3600
        for name, reason in emptied.unreadable:
            yield f"{name} cannot be taken in: {reason}. What stays so for {hours} hours is set aside in cur/"
        if emptied.later:
            yield f"{emptied.later} letter(s) wait for the next round"


def _broken(emptied: Emptied) -> Iterator[str]:
    for name, reason in emptied.undelivered:
        yield f"error: {name} was taken in, and its answer cannot be put into the sender's box: {reason}"
    for path, reason in emptied.broken:
        yield f"error: {path}, this home's own box or a letter in it, cannot be read or changed: {reason}"
    if emptied.undelivered or emptied.broken:
        yield "hint: mend what the error names; each round tries again, and nothing is done twice"


def _answer(reply: Reply) -> str:
    return f"{reply.status.value}: {reply.reason}" if reply.reason else reply.status.value


def _print(context: Context, text: str) -> None:
    """Print a line of prose, with what other machines wrote made visible, broken to the width."""
    context.print_lines(screen.wrap(screen.shown(text), indent="  ", first=""))


def _note(context: Context, text: str) -> None:
    """Print such a line beside the results."""
    for row in screen.wrap(screen.shown(text), indent="  ", first=""):
        context.note(row)


def _record(emptied: Emptied) -> dict[str, Any]:
    return {
        "answered": [
            {"message": message, "action": action, "peer": peer} for message, action, peer in emptied.answered
        ],
        "replies": [
            {"peer": peer, "action": action, "status": reply.status.value, "reason": reply.reason}
            for peer, action, reply in emptied.replies
        ],
        "later": emptied.later,
        "broken": [{"path": path, "reason": reason} for path, reason in emptied.broken],
        "undelivered": [{"name": name, "reason": reason} for name, reason in emptied.undelivered],
        "unreadable": [{"name": name, "reason": reason} for name, reason in emptied.unreadable],
        "set_aside": emptied.set_aside,
        "dead": emptied.dead,
    }


def _report(context: Context, outgoing: Outgoing, delivery: Delivery) -> None:
    message, reply = outgoing.message, delivery.reply
    context.emit(
        {
            "id": message.id,
            "action": message.action,
            "status": reply.status.value if reply else "spooled" if delivery.spooled else "dead",
            "reason": reply.reason if reply else delivery.error,
            "body": dict(reply.body) if reply else {},
            "attempts": delivery.attempts,
        }
    )
    if reply is not None:
        _print(context, f"{outgoing.peer.name}: {_answer(reply)}")
        for name, value in sorted(reply.body.items()):
            if isinstance(value, str):
                _print(context, f"{name}:")
                for line in value.split("\n"):
                    context.print_lines(screen.text_lines(line, indent="  "))
    elif delivery.spooled:
        say(context, f"{message.id} is in the spool; 'nightledger channel receive' takes the answer in.")
    else:
        _note(context, f"error: {delivery.error}")
        _note(
            context, "hint: it is kept in memory/state/tc-dead-letters.jsonl; mend the cause and send it anew"
        )


def _body(path: str | None) -> dict[str, Any]:
    """Read the body from a file or standard input; never from the command line, which others can see."""
    if path is None:
        return {}
    raw = sys.stdin.buffer.read(MAX_BODY_BYTES + 1) if path == "-" else read_regular(path, MAX_BODY_BYTES)
    value = parse_json(raw, path, max_bytes=MAX_BODY_BYTES)
    if not isinstance(value, dict):
        raise UsageError("the body is not a JSON object", hint=json.dumps({"path": "MEMORY.md"}))
    return value


def _retries(text: str | None) -> tuple[float, ...]:
    if text is None:
        return RETRY_AFTER_S
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise UsageError(
            f"--retry {text!r} is not a list of seconds", hint="write it as 1,5,30; empty tries once"
        )
    return tuple(float(part) for part in parts)
