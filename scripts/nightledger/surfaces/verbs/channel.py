"""Messages between machines: signed, each taken in once.

They travel over HTTP or a shared directory.

  keygen [--new]                       this machine's public line
  peer list | add NAME | remove NAME   who may send, and what (signed)
  send ACTION --to NAME [--body FILE]  one message and its answer
  serve [--listen ADDRESS] [--port N]  answer over HTTP
  receive                              empty the shared directories, once (cron)

Reads   peers.json by the log, operator.yaml in $NIGHTLEDGER_KEYS (addresses)
Writes  what a message brings about: proposals, decisions, the audit log
Changes no memory: whatever a message asks for waits for the operator's
signature.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from nightledger.codec.canonical import parse_json
from nightledger.codec.records import dump_record, to_plain
from nightledger.domain import errors
from nightledger.domain.message import PeerKey, Peers, Status
from nightledger.domain.words import count_of
from nightledger.doors.transport import is_loopback
from nightledger.files.durable import read_regular
from nightledger.files.home import Home
from nightledger.remote import letters, receiving
from nightledger.remote.letters import empty_boxes
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context, read_input, require_person
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import require_machine
from nightledger.surfaces.trust_change import change_trust
from nightledger.trust import keys
from nightledger.trust.sshsig import parse_public_line

_LINE_WORDS = 3
"""``<home id> ssh-ed25519 AAAA…``, a comment behind it."""
MAX_BODY_BYTES = 1 << 20


def run(options: argparse.Namespace, context: Context) -> int:
    """Do what the command says."""
    return _COMMANDS[options.command](options, context)


def _send(options: argparse.Namespace, context: Context) -> int:
    """Send one message; print its answer, or where it waits.

    Raises:
        UsageError: The command does not say what to send to whom.
    """
    if len(options.words) != 1 or not options.to:
        raise errors.UsageError("say: channel send ACTION --to NAME [--body FILE]")
    outgoing = letters.prepare(context, options.to, options.words[0], _body(options.body))
    delivery = letters.deliver(context, outgoing)
    message, reply = outgoing.message, delivery.reply
    record = {
        "id": message.id,
        "action": message.action,
        "status": reply.status.value if reply else "dead" if delivery.error else "spooled",
        "reason": reply.reason if reply else delivery.error,
        "body": dict(reply.body) if reply else {},
        "attempts": delivery.attempts,
    }
    context.emit(record)
    if delivery.error:
        kept = "hint: it is kept in memory/state/tc-dead-letters.jsonl; mend the cause and send it anew"
        _warn(context, (f"error: {delivery.error}", kept))
        return 1
    if reply is None:
        say(context, f"{message.id} is in the spool; 'nightledger channel receive' takes the answer in.")
        return 0
    say(context, f"{outgoing.peer.name}: {_answer(reply.status, reply.reason)}")
    for name, value in sorted(reply.body.items()):
        if isinstance(value, str):
            say(context, f"{name}:")
            for line in value.split("\n"):
                context.print_lines(screen.text_lines(line, indent="  "))
    return int(reply.status is Status.REJECTED)


def _body(path: str | None) -> dict[str, Any]:
    """Read the body from a file or standard input; never from the command line, which others can see."""
    if path is None:
        return {}
    raw = read_input() if path == "-" else read_regular(path, MAX_BODY_BYTES)
    value = parse_json(raw, path, max_bytes=MAX_BODY_BYTES)
    if not isinstance(value, dict):
        raise errors.UsageError("the body is not a JSON object", hint=json.dumps({"path": "MEMORY.md"}))
    return value


def _answer(status: str, reason: str) -> str:
    return f"{status}: {reason}" if reason else status


def _warn(context: Context, texts: Iterable[str]) -> None:
    for text in texts:
        for row in screen.wrap(screen.shown(text), indent="  ", first=""):
            context.note(row)


def _serve(options: argparse.Namespace, context: Context) -> int:
    """Answer messages over HTTP until it is told to stop.

    Raises:
        UsageError: It would listen beyond this machine, and nobody said that it may.
    """
    require_machine(Home(context.home_path).require())
    if not is_loopback(options.listen) and not options.insecure_plain_http:
        raise errors.UsageError(
            f"{options.listen} is reached from other machines, and plain HTTP can be read on the way",
            hint="listen on 127.0.0.1 behind a tunnel or a proxy with TLS, or add --insecure-plain-http",
        )
    server = receiving.open_server(context, (options.listen, options.port))
    server.serve_until_told(context, context.home_path)
    return 0


def _receive(options: argparse.Namespace, context: Context) -> int:
    """Empty this home's boxes in the spools, once; for cron. Like ``send`` it ends with 1 where a message of ours was rejected."""
    del options
    require_machine(Home(context.home_path).require())
    emptied = empty_boxes(context)
    context.emit({**asdict(emptied), "set_aside": len(emptied.unreadable)})
    for one in emptied.answered:
        say(context, f"took in {one['action']} of {one['peer']} ({one['message']})")
    for one in emptied.replies:
        say(context, f"{one['peer']} answered {one['action']}: {_answer(one['status'], one['reason'])}")
    wrong = [
        *(f"no answer to {one} came before it expired; it is a dead letter now" for one in emptied.dead),
        *emptied.problems,
        *(
            "{name} cannot be taken in and is set aside in cur/: {reason}".format(**one)
            for one in emptied.unreadable
        ),
    ]
    _warn(context, (f"error: {told}" for told in wrong))
    if emptied.problems:
        _warn(context, ["hint: mend what the error names; each round tries again, and nothing is done twice"])
    if emptied.later and not context.quiet:
        context.note(f"{count_of(emptied.later, 'letter waits', 'letters wait')} for the next round")
    rejected = any(one["status"] == Status.REJECTED for one in emptied.replies)
    return 1 if wrong or rejected else 0


def _keygen(options: argparse.Namespace, context: Context) -> int:
    """Print the line by which other machines know this one; make the key where there is none, or another one where asked."""
    home = Home(context.home_path).require()
    require_machine(home)
    if options.new:
        require_person(context.verb, simulated=home.identity.simulated)
    ring = keys.KeyRing(Path(context.keys_dir))
    key = receiving.machine_public_key(ring, home.identity.id, new=options.new)
    line = f"{home.identity.id} {key.kind} {key.line.split()[1]}"
    context.emit({"line": line, "fingerprint": key.fingerprint})
    context.print(line)
    context.note(
        f"{key.fingerprint}; on the other machine: nightledger channel peer add NAME --line '…' --actions …"
    )
    return 0


def _peer(options: argparse.Namespace, context: Context) -> int:
    """List, add or remove machines; what changes is signed.

    Raises:
        UsageError: The words do not say what to do.
    """
    match options.words:
        case [] | ["list"]:
            _list(context, letters.known_peers(context))
            return 0
        case ["add", name]:
            home, key = _parse_key_line(options.line)
            actions = tuple(filter(None, map(str.strip, (options.actions or "").split(","))))
            change = partial(receiving.add_peer, name=name, home=home, key=PeerKey(key=key), actions=actions)
        case ["remove", name] if options.line is None:
            change = partial(receiving.without_peer, name=name)
        case _:
            raise errors.UsageError(
                "say: channel peer list, channel peer add NAME, or channel peer remove NAME"
            )

    def edit(files: Mapping[str, bytes]) -> dict[str, bytes]:
        content = dump_record(change(receiving.parse_peers(files["peers"])))
        try:
            receiving.parse_peers(content)  # as it will be read: Ed25519 keys, known actions
        except errors.RecordError as error:
            known = ", ".join(sorted(receiving.RULES))
            hint = f"a machine has the line of its 'channel keygen', and may ask for {known}"
            raise errors.UsageError(f"that is no machine: {error}", hint=hint) from error
        return {"peers": content}

    change_trust(context, edit, reason=f"{options.words[0]} the machine {name}")
    context.emit({"peers": to_plain(letters.known_peers(context))["peers"]})
    say(context, f"Signed. 'nightledger channel peer list' shows what {name} may ask for now.")
    return 0


def _list(context: Context, peers: Peers) -> None:
    context.emit(to_plain(peers)["peers"])
    for found in peers.peers:
        rows = [f"key {parse_public_line(key.key).fingerprint}" for key in found.keys]
        rows.insert(0, f"may ask for: {', '.join(found.actions) or 'nothing'}")
        say(context, f"{found.name}  home {found.home}")
        say(context, *rows, first="    ", indent="      ")
    if not peers.peers:
        say(context, "No machine may send messages to this home.")


def _parse_key_line(line: str | None) -> tuple[str, str]:
    words = (line or "").split()
    if len(words) < _LINE_WORDS:
        raise errors.UsageError(
            "--line wants the line that 'nightledger channel keygen' prints on the other machine"
        )
    return words[0], parse_public_line(" ".join(words[1:_LINE_WORDS])).line


_COMMANDS: Mapping[str, Callable[[argparse.Namespace, Context], int]] = {
    "keygen": _keygen,
    "peer": _peer,
    "receive": _receive,
    "send": _send,
    "serve": _serve,
}
