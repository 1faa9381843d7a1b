"""The commands of ``channel``: our own line, who may send, one message, serving, the boxes, how it stands."""

import argparse
import gc
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from http import HTTPStatus
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from nightledger.codec.records import MAX_MESSAGE_BYTES, dump_record, parse_record, to_plain
from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import NightledgerError, RecordError, UsageError
from nightledger.domain.message import PeerKey, Peers, Status
from nightledger.files.durable import read_regular
from nightledger.files.home import Home
from nightledger.remote.handlers import logged_messages
from nightledger.remote.letters import (
    CONTENT_TYPE,
    MESSAGE_PATH,
    Delivery,
    Emptied,
    Outgoing,
    deliver,
    empty_boxes,
    known_peers,
    pending,
    prepare,
    spools,
)
from nightledger.remote.peers import (
    add_peer,
    machine_public_key,
    parse_peers,
    read_dead_letters,
    read_peers,
    remove_peer,
    tell,
)
from nightledger.remote.receiving import RULES, take_in
from nightledger.remote.spool import PATIENCE_S, Spool
from nightledger.remote.transport import LIMITS, Limits, Response, Server, Service, is_loopback, sentence
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context, require_person
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import reading, require_machine
from nightledger.surfaces.trust_change import change_trust
from nightledger.trust.keys import KeyRing
from nightledger.trust.sshsig import ED25519, SignatureError, parse_public_line

_LINE_WORDS = 3
"""``<home id> ssh-ed25519 AAAA…``, a comment behind it."""
MAX_BODY_BYTES = 1 << 20
HEALTH_PATH = "/tc/health"
JSON = "application/json"


def send(options: argparse.Namespace, context: Context) -> int:
    """Send one message; print its answer, or where it waits.

    Raises:
        UsageError: The command does not say what to send to whom.
    """
    if len(options.words) != 1 or not options.to:
        raise UsageError("say: channel send ACTION --to NAME [--body FILE]")
    body = _body(options.body)
    outgoing = prepare(context, options.to, options.words[0], body)
    delivery = deliver(context, outgoing)
    _report(context, outgoing, delivery)
    rejected = delivery.reply is not None and delivery.reply.status is Status.REJECTED
    return 1 if delivery.error or rejected else 0


def _body(path: str | None) -> dict[str, Any]:
    """Read the body from a file or standard input; never from the command line, which others can see."""
    if path is None:
        return {}
    raw = sys.stdin.buffer.read(MAX_BODY_BYTES + 1) if path == "-" else read_regular(path, MAX_BODY_BYTES)
    value = parse_json(raw, path, max_bytes=MAX_BODY_BYTES)
    if not isinstance(value, dict):
        raise UsageError("the body is not a JSON object", hint=json.dumps({"path": "MEMORY.md"}))
    return value


def _report(context: Context, outgoing: Outgoing, delivery: Delivery) -> None:
    message, reply = outgoing.message, delivery.reply
    record = {
        "id": message.id,
        "action": message.action,
        "status": reply.status.value if reply else "spooled" if delivery.spooled else "dead",
        "reason": reply.reason if reply else delivery.error,
        "body": dict(reply.body) if reply else {},
        "attempts": delivery.attempts,
    }
    if reply is None and delivery.error:
        kept = "hint: it is kept in memory/state/tc-dead-letters.jsonl; mend the cause and send it anew"
        tell(context, record, notes=(f"error: {delivery.error}", kept))
    elif reply is None:
        tell(context, record)
        say(context, f"{message.id} is in the spool; 'nightledger channel receive' takes the answer in.")
    else:
        tell(context, record, [f"{outgoing.peer.name}: {_answer(reply.status.value, reply.reason)}"])
        for name, value in sorted(reply.body.items()):
            if isinstance(value, str):
                context.print_lines(screen.wrap(screen.shown(f"{name}:"), indent="  ", first=""))
                for line in value.split("\n"):
                    context.print_lines(screen.text_lines(line, indent="  "))


def _answer(status: str, reason: str) -> str:
    return f"{status}: {reason}" if reason else status


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


def open_server(context: Context, address: tuple[str, int], limits: Limits = LIMITS) -> Server:
    """Bind a server for a home; the caller runs and closes it.

    Raises:
        ConfigurationError: The address is taken or is none of this machine's.
    """
    home_id = Home(context.home_path).require().identity.id

    def look(path: str) -> Response | None:
        if path != HEALTH_PATH:
            return None
        now = copy(context)
        now.renew()
        told = {"status": "ok", "home": home_id, "at": f"{now.now:%Y-%m-%dT%H:%M:%SZ}"}
        return Response(status=200, content=json.dumps(told).encode(), kind=JSON)

    def answer(raw: bytes) -> Response:
        try:
            return Response(status=200, content=take_in(context, raw).envelope, kind=CONTENT_TYPE)
        except RecordError as error:
            return sentence(HTTPStatus.BAD_REQUEST, str(error))
        except SignatureError as error:
            return sentence(HTTPStatus.FORBIDDEN, str(error))
        finally:
            gc.unfreeze()  # a command freezes what it has read because it ends soon; this one does not

    service = Service(
        name="channel",
        path=MESSAGE_PATH,
        word="message",
        max_bytes=MAX_MESSAGE_BYTES,
        answer=answer,
        look=look,
    )
    return Server(address, service, limits)


def receive(options: argparse.Namespace, context: Context) -> int:
    """Empty this home's boxes in the spools, once; for cron. Like ``send`` it ends with 1 where a message of ours was rejected."""
    del options
    require_machine(Home(context.home_path).require())
    emptied = empty_boxes(context)
    lines = [f"took in {one['action']} of {one['peer']} ({one['message']})" for one in emptied.answered]
    lines += [
        f"{one['peer']} answered {one['action']}: {_answer(one['status'], one['reason'])}"
        for one in emptied.replies
    ]
    tell(context, asdict(emptied), lines, _wrong(emptied, waits=not context.quiet))
    rejected = any(one["status"] == Status.REJECTED for one in emptied.replies)
    return 1 if emptied.dead or emptied.set_aside or emptied.problems or rejected else 0


def _wrong(emptied: Emptied, *, waits: bool) -> Iterator[str]:
    """Tell what did not go well, and, where asked for, what merely waits."""
    for message in emptied.dead:
        yield f"error: no answer to {message} came before it expired; it is a dead letter now"
    yield from (f"error: {problem}" for problem in emptied.problems)
    if emptied.problems:
        yield "hint: mend what the error names; each round tries again, and nothing is done twice"
    if emptied.set_aside:
        yield f"error: {emptied.set_aside} letter(s) could not be read and are set aside in cur/"
    if waits:
        kept = f"What stays so for {PATIENCE_S // 3600} hours is set aside in cur/"
        yield from (
            f"{one['name']} cannot be taken in: {one['reason']}. {kept}" for one in emptied.unreadable
        )
        if emptied.later:
            yield f"{emptied.later} letter(s) wait for the next round"


def status(options: argparse.Namespace, context: Context) -> int:
    """Show every machine with its last contact, letters that wait, and dead letters."""
    del options
    home = Home(context.home_path).require()
    dead = read_dead_letters(home)
    sent = [message.aud for message, _ in pending(home).values()]
    with reading(context) as session:
        peers = read_peers(home, session.ledger, session.moment).peers
        heard = {one["iss"]: one["at"] for one in logged_messages(session.ledger)}
    record: dict[str, Any] = {
        "peers": [
            {
                "name": peer.name,
                "home": peer.home,
                "heard": heard.get(peer.home),
                "unanswered": sent.count(peer.home),
            }
            for peer in peers
        ],
        "spools": [_spool_record(path, home.identity.id) for path in spools(context)],
        "dead_letters": len(dead),
        "last_error": str(dead[-1].get("error", "")) if dead else "",
    }
    tell(context, record, _status_lines(record))
    return 0


def _status_lines(record: dict[str, Any]) -> Iterator[str]:
    for one in record["peers"]:
        yield f"{one['name']}: asked for something {one['heard'] or 'never'}; {one['unanswered']} unanswered"
    for box in record["spools"]:
        aside = f", {box['set_aside']} set aside in cur/ that could not be read" if box["set_aside"] else ""
        yield f"spool {box['path']}: {box['error'] or str(box['waiting']) + ' letter(s) wait' + aside}"
    yield f"dead letters: {record['dead_letters']}"
    if record["last_error"]:
        yield f"the last one: {record['last_error']}"


def _spool_record(path: str, home_id: str) -> dict[str, Any]:
    waiting, aside, error = 0, 0, ""
    try:
        box = Spool(path, home_id)
        waiting, aside = len(box.names()), box.aside()
    except (NightledgerError, OSError) as failure:  # whoever shares a spool can break the box in it
        error = f"this home's box in it cannot be read ({failure})"
    return {"path": path, "waiting": waiting, "set_aside": aside, "error": error}


def keygen(options: argparse.Namespace, context: Context) -> int:
    """Print the line by which other machines know this one; make the key where there is none, or another one where asked."""
    home = Home(context.home_path).require()
    require_machine(home)
    if options.new:
        require_person(context.verb, simulated=home.identity.simulated)
    key = machine_public_key(KeyRing(Path(context.keys_dir)), home.identity.id, new=options.new)
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
    what, name = (*options.words, "", "")[:2]
    known = what in ("add", "remove") if name else what in ("", "list")
    if not known or len(options.words) > 2:  # noqa: PLR2004 - a word and a name
        raise UsageError("say: channel peer list, channel peer add NAME, or channel peer remove NAME")
    if what in ("", "list"):
        peers = known_peers(context)
        tell(context, to_plain(peers)["peers"], _peer_lines(peers))
        return 0
    if what == "add":
        home, key = _parse_key_line(options.line)
        actions = _peer_actions(options.actions)
        _change_peers(
            context,
            lambda peers: add_peer(peers, name, home, PeerKey(key=key), actions),
            f"add the machine {name}",
        )
    else:
        gone = "" if options.line is None else _parse_key_line(options.line)[1]
        _change_peers(context, lambda peers: remove_peer(peers, name, gone), f"remove the machine {name}")
    context.emit({"peers": to_plain(known_peers(context))["peers"]})
    say(context, f"Signed. 'nightledger channel peer list' shows what {name} may ask for now.")
    return 0


def _peer_lines(peers: Peers) -> Iterator[str]:
    for found in peers.peers:
        yield f"{found.name}  home {found.home}"
        yield f"    may ask for: {', '.join(found.actions) or 'nothing'}"
        for key in found.keys:
            yield f"    key {parse_public_line(key.key).fingerprint}"
    if not peers.peers:
        yield "No machine may send messages to this home."


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
