"""The commands of ``channel``: our own line, who may send, one message, serving, the boxes, how it stands."""

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from datetime import datetime
from pathlib import Path
from typing import Any

from nightledger.codec.records import dump_record, parse_record, to_plain
from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import NightledgerError, UsageError
from nightledger.domain.message import MAX_LIFETIME_S, RETRY_AFTER_S, PeerKey, Peers, Reply, Status
from nightledger.domain.words import read_moment
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.remote.actions import RULES
from nightledger.remote.boxes import Emptied, empty_boxes, pending, spools
from nightledger.remote.channel_server import ChannelServer
from nightledger.remote.client import is_loopback
from nightledger.remote.notes import read_contacts, read_dead_letters
from nightledger.remote.peering import add_peer, remove_peer
from nightledger.remote.peers import parse_peers
from nightledger.remote.receiving import take_in
from nightledger.remote.sending import Delivery, Outgoing, Pace, deliver, known_peers, prepare
from nightledger.remote.spool import PATIENCE_S, Spool
from nightledger.surfaces import screen
from nightledger.surfaces.agent_host import require_person
from nightledger.surfaces.context import Context
from nightledger.surfaces.hints import say
from nightledger.surfaces.keys.trust_change import change_trust
from nightledger.surfaces.session import require_machine
from nightledger.trust.keys import KeyRing
from nightledger.trust.machine_key import machine_public_key, take_over
from nightledger.trust.sshkey import ED25519, parse_public_line

_LINE_WORDS = 3
"""``<home id> ssh-ed25519 AAAA…``, a comment behind it."""
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


def status(options: argparse.Namespace, context: Context) -> int:
    """Show every machine with its last contact, letters that wait, and dead letters."""
    del options
    record = _status_record(context)
    context.emit(record)
    for line in _status_lines(record):
        context.print_lines(screen.wrap(screen.shown(line), indent="  ", first=""))
    return 0


def _status_lines(record: dict[str, Any]) -> Iterator[str]:
    for peer in record["peers"]:
        heard, answered = peer["heard"] or "never", peer["answered"] or "never"
        yield f"{peer['name']}: heard {heard}, answered us {answered}, {peer['unanswered']} unanswered"
    for box in record["spools"]:
        aside = f", {box['set_aside']} set aside in cur/ that could not be read" if box["set_aside"] else ""
        yield f"spool {box['path']}: {box['error'] or str(box['waiting']) + ' letter(s) wait' + aside}"
    yield f"dead letters: {record['dead_letters']}"
    if record["last_error"]:
        yield f"the last one: {record['last_error']}"


def _status_record(context: Context) -> dict[str, Any]:
    """Give what ``--json`` gives."""
    home = Home(context.home_path).require()
    contacts, sent = read_contacts(home), list(pending(home))
    dead = read_dead_letters(home)
    return {
        "peers": [
            {
                "name": peer.name,
                "home": peer.home,
                "heard": contacts.get(peer.name, {}).get("heard"),
                "answered": contacts.get(peer.name, {}).get("answered"),
                "unanswered": sum(record["peer"] == peer.name for _, record in sent),
            }
            for peer in known_peers(context).peers
        ],
        "spools": list(_spool_records(context, home)),
        "dead_letters": len(dead),
        "last_error": str(dead[-1].get("error", "")) if dead else "",
    }


def _spool_records(context: Context, home: Home) -> Iterator[dict[str, Any]]:
    for path in spools(context):
        waiting, aside, error = 0, 0, ""
        try:
            box = Spool(path, home.identity.id)
            waiting, aside = box.waiting(), box.aside()
        except NightledgerError as failure:
            error = str(failure)
        except OSError as failure:  # whoever shares a spool can break the box in it
            error = f"this home's box in it cannot be read ({failure.strerror})"
        yield {"path": path, "waiting": waiting, "set_aside": aside, "error": error}


def keygen(options: argparse.Namespace, context: Context) -> int:
    """Print the line by which other machines know this one; make or change the key where asked."""
    home = Home(context.home_path).require()
    require_machine(home)
    if options.next or options.use_next:
        require_person(context.verb, simulated=home.identity.simulated)
    ring = KeyRing(Path(context.keys_dir))
    if options.use_next:
        key = take_over(ring, home.identity.id)
    else:
        key = machine_public_key(ring, home.identity.id, coming=options.next)
    line = f"{home.identity.id} {key.kind} {key.line.split()[1]}"
    context.emit({"line": line, "fingerprint": key.fingerprint})
    context.print(line)
    context.note(
        f"{key.fingerprint}; on the other machine: nightledger channel peer add NAME --line '…' --actions …"
    )
    return 0


def peer(options: argparse.Namespace, context: Context) -> int:
    """List, add or remove machines; what changes is signed.

    Raises:
        UsageError: The words do not say what to do.
    """
    what, name = _peer_words(options)
    if what == "list":
        return _list_peers(context)
    if what == "add":
        home, key = _parse_key_line(options.line)
        new = PeerKey(
            key=key, valid_after=_key_time(options.valid_after), valid_before=_key_time(options.valid_before)
        )
        actions = _peer_actions(options.actions)
        _change_peers(
            context, lambda peers: add_peer(peers, name, home, new, actions), f"add the machine {name}"
        )
    else:
        gone = "" if options.line is None else _parse_key_line(options.line)[1]
        _change_peers(context, lambda peers: remove_peer(peers, name, gone), f"remove the machine {name}")
    context.emit({"peers": to_plain(known_peers(context))["peers"]})
    say(context, f"Signed. 'nightledger channel peer list' shows what {name} may ask for now.")
    return 0


def _peer_words(options: argparse.Namespace) -> tuple[str, str]:
    words = [*options.words, "", "", ""]
    what, name = words[0] or "list", words[1]
    if what not in ("list", "add", "remove") or (what != "list") != bool(name) or words[2]:
        raise UsageError("say: channel peer list, channel peer add NAME, or channel peer remove NAME")
    return what, name


def _list_peers(context: Context) -> int:
    peers = known_peers(context)
    context.emit(to_plain(peers)["peers"])
    for line, indent in _peer_lines(peers):
        context.print_lines(screen.wrap(screen.shown(line), indent=f"{indent}  ", first=indent))
    return 0


def _peer_lines(peers: Peers) -> Iterator[tuple[str, str]]:
    """Give each machine's lines, with what they begin with."""
    for found in peers.peers:
        yield f"{found.name}  home {found.home}", ""
        yield f"may ask for: {', '.join(found.actions) or 'nothing'}", "    "
        for key in found.keys:
            times = "".join(
                f", {word} {at:%Y-%m-%d %H:%M} UTC"
                for word, at in (("from", key.valid_after), ("until", key.valid_before))
                if at is not None
            )
            yield f"key {parse_public_line(key.key).fingerprint}{times}", "    "
    if not peers.peers:
        yield "No machine may send messages to this home.", ""


def _change_peers(context: Context, change: Callable[[Peers], Peers], reason: str) -> None:
    def edit(files: Mapping[str, bytes]) -> dict[str, bytes]:
        content = dump_record(change(parse_peers(files["peers"])))
        parse_record(Peers, content, where="peers.json")
        return {"peers": content}

    change_trust(context, edit, reason=reason)


def _parse_key_line(line: str | None) -> tuple[str, str]:
    words = (line or "").split()
    if len(words) < _LINE_WORDS:
        raise UsageError(
            "--line wants the line that 'nightledger channel keygen' prints on the other machine"
        )
    key = parse_public_line(" ".join(words[1:_LINE_WORDS]))
    if key.kind != ED25519:
        raise UsageError("a machine's key is Ed25519")
    return words[0], key.line


def _peer_actions(text: str | None) -> tuple[str, ...]:
    named = tuple(word.strip() for word in (text or "").split(",") if word.strip())
    unknown = sorted(set(named) - RULES.keys())
    if unknown:
        raise UsageError(f"there is no action {unknown[0]!r}", hint=f"known: {', '.join(sorted(RULES))}")
    return named


def _key_time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return read_moment(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a time", hint="write it as 2026-03-01T07:30:00Z") from error
