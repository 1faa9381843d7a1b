"""The commands of channel: our own line, who may send, one message, serving, the boxes, how it stands; and a review of what waits on another machine.

Invariant: the other machine needs no private key of the operator, and this one asks it for
nothing but bytes: what is shown is worked out from them here, and what is signed is what was shown.
"""

import argparse
import gc
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace

from nightledger.codec.canonical import parse_json
from nightledger.codec.records import MAX_MESSAGE_BYTES, dump_record, load_record, to_plain
from nightledger.domain.decision import NAMESPACE, Decision
from nightledger.domain.errors import RecordError, RefusedError, UsageError
from nightledger.domain.message import PeerKey, Peers, Reply, Status, Waiting
from nightledger.domain.words import count_of
from nightledger.files.durable import read_optional, read_regular
from nightledger.files.home import Home
from nightledger.gate.review.composing import compose
from nightledger.gate.review.reviewing import Answer, Item, Refusal, Verb
from nightledger.gate.stored import Signed, sign
from nightledger.remote import letters
from nightledger.remote import peers as machines
from nightledger.remote.handlers import logged_messages
from nightledger.remote.receiving import RULES, take_in
from nightledger.remote.spool import BoxError, Spool
from nightledger.remote.transport import Response, Server, Service, is_loopback, sentence
from nightledger.remote.waiting import RemoteReview, unpack
from nightledger.surfaces import screen, signing
from nightledger.surfaces.context import Context, require_person
from nightledger.surfaces.listing import item_record
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import Session, reading, require_machine
from nightledger.surfaces.signing import Settled, tell_settled
from nightledger.surfaces.trust_change import change_trust
from nightledger.surfaces.verbs.review import keeping, questions_of, tell_unsigned
from nightledger.trust.keys import KeyRing
from nightledger.trust.signers import parse_allowed_signers
from nightledger.trust.sshsig import ED25519, SignatureError, Signer, parse_public_line

_LINE_WORDS = 3
"""``<home id> ssh-ed25519 AAAA…``, a comment behind it."""
MAX_BODY_BYTES = 1 << 20
HEALTH_PATH = "/tc/health"


def send(options: argparse.Namespace, context: Context) -> int:
    """Send one message; print its answer, or where it waits.

    Raises:
        UsageError: The command does not say what to send to whom.
    """
    if len(options.words) != 1 or not options.to:
        raise UsageError("say: channel send ACTION --to NAME [--body FILE]")
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
    if reply:
        lines = [f"{outgoing.peer.name}: {_answer(reply.status, reply.reason)}"]
        for name, value in sorted(reply.body.items()):
            if isinstance(value, str):
                lines += [f"{name}:", *(f"  {line}" for line in value.split("\n"))]
        machines.tell(context, record, lines)
        return int(reply.status is Status.REJECTED)
    if delivery.error:
        kept = "hint: it is kept in memory/state/tc-dead-letters.jsonl; mend the cause and send it anew"
        machines.tell(context, record, notes=(f"error: {delivery.error}", kept))
        return 1
    machines.tell(context, record)
    say(context, f"{message.id} is in the spool; 'nightledger channel receive' takes the answer in.")
    return 0


def _body(path: str | None) -> dict[str, Any]:
    """Read the body from a file or standard input; never from the command line, which others can see."""
    if path is None:
        return {}
    raw = sys.stdin.buffer.read(MAX_BODY_BYTES + 1) if path == "-" else read_regular(path, MAX_BODY_BYTES)
    value = parse_json(raw, path, max_bytes=MAX_BODY_BYTES)
    if not isinstance(value, dict):
        raise UsageError("the body is not a JSON object", hint=json.dumps({"path": "MEMORY.md"}))
    return value


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


def open_server(context: Context, address: tuple[str, int]) -> Server:
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
        return Response(status=HTTPStatus.OK, content=json.dumps(told).encode(), kind="application/json")

    def answer(raw: bytes) -> Response:
        try:
            content = take_in(context, raw).envelope
            return Response(status=HTTPStatus.OK, content=content, kind=letters.CONTENT_TYPE)
        except RecordError as error:
            return sentence(HTTPStatus.BAD_REQUEST, str(error))
        except SignatureError as error:
            return sentence(HTTPStatus.FORBIDDEN, str(error))
        finally:
            gc.unfreeze()  # a command freezes what it has read because it ends soon; this one does not

    service = Service(
        name="channel", path=letters.MESSAGE_PATH, max_bytes=MAX_MESSAGE_BYTES, answer=answer, look=look
    )
    return Server(address, service)


def receive(options: argparse.Namespace, context: Context) -> int:
    """Empty this home's boxes in the spools, once; for cron. Like ``send`` it ends with 1 where a message of ours was rejected."""
    del options
    require_machine(Home(context.home_path).require())
    emptied = letters.empty_boxes(context)
    lines = [f"took in {one['action']} of {one['peer']} ({one['message']})" for one in emptied.answered]
    told = "{peer} answered {action}: {answer}"
    lines += [told.format(**one, answer=_answer(one["status"], one["reason"])) for one in emptied.replies]
    expired = "no answer to {} came before it expired; it is a dead letter now"
    wrong = [expired.format(message) for message in emptied.dead]
    wrong += [*emptied.problems]
    aside = "{name} cannot be taken in and is set aside in cur/: {reason}"
    wrong += [aside.format(**one) for one in emptied.unreadable]
    notes = [f"error: {told}" for told in wrong]
    if emptied.problems:
        notes.append("hint: mend what the error names; each round tries again, and nothing is done twice")
    if emptied.later and not context.quiet:
        notes.append(f"{count_of(emptied.later, 'letter waits', 'letters wait')} for the next round")
    record = {**asdict(emptied), "set_aside": len(emptied.unreadable)}
    machines.tell(context, record, lines, notes)
    rejected = any(one["status"] == Status.REJECTED for one in emptied.replies)
    return 1 if wrong or rejected else 0


def status(options: argparse.Namespace, context: Context) -> int:
    """Show every machine with its last contact, letters that wait, and dead letters."""
    del options
    home = Home(context.home_path).require()
    dead = machines.read_dead_letters(home)
    sent = [message.aud for message, _ in letters.pending(home).values()]
    with reading(context) as session:
        peers = machines.read_peers(home, session.ledger, session.moment).peers
        heard = {one["iss"]: one["at"] for one in logged_messages(session.ledger)}
    known = [
        {"name": one.name, "home": one.home, "heard": heard.get(one.home), "unanswered": sent.count(one.home)}
        for one in peers
    ]
    boxes = [_spool_record(path, home.identity.id) for path in letters.spools(context)]
    error = str(dead[-1].get("error", "")) if dead else ""
    asked = "{name}: asked for something {at}; {unanswered} unanswered"
    lines = [asked.format(**one, at=one["heard"] or "never") for one in known]
    for box in boxes:
        told = count_of(box["waiting"], "letter waits", "letters wait")
        told += f", {box['set_aside']} set aside in cur/ that could not be read" if box["set_aside"] else ""
        lines.append(f"spool {box['path']}: {box['error'] or told}")
    lines += [f"dead letters: {len(dead)}", *([f"the last one: {error}"] if error else [])]
    record = {"peers": known, "spools": boxes, "dead_letters": len(dead), "last_error": error}
    machines.tell(context, record, lines)
    return 0


def _spool_record(path: str, home_id: str) -> dict[str, Any]:
    try:
        box = Spool(path, home_id)
        return {"path": path, "waiting": len(box.names()), "set_aside": box.aside(), "error": ""}
    except BoxError as error:
        return {"path": path, "waiting": 0, "set_aside": 0, "error": str(error)}


def keygen(options: argparse.Namespace, context: Context) -> int:
    """Print the line by which other machines know this one; make the key where there is none, or another one where asked."""
    home = Home(context.home_path).require()
    require_machine(home)
    if options.new:
        require_person(context.verb, simulated=home.identity.simulated)
    key = machines.machine_public_key(KeyRing(Path(context.keys_dir)), home.identity.id, new=options.new)
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
    match options.words:
        case [] | ["list"]:
            peers = letters.known_peers(context)
            machines.tell(context, to_plain(peers)["peers"], _peer_lines(peers))
            return 0
        case ["add", name]:
            home, key = _parse_key_line(options.line)
            actions = _peer_actions(options.actions)
            change = partial(machines.add_peer, name=name, home=home, key=PeerKey(key=key), actions=actions)
        case ["remove", name] if options.line is None:
            change = partial(machines.remove_peer, name=name)
        case _:
            raise UsageError("say: channel peer list, channel peer add NAME, or channel peer remove NAME")

    def edit(files: Mapping[str, bytes]) -> dict[str, bytes]:
        content = dump_record(change(machines.parse_peers(files["peers"])))
        machines.parse_peers(content)  # as it will be read
        return {"peers": content}

    change_trust(context, edit, reason=f"{options.words[0]} the machine {name}")
    context.emit({"peers": to_plain(letters.known_peers(context))["peers"]})
    say(context, f"Signed. 'nightledger channel peer list' shows what {name} may ask for now.")
    return 0


def _peer_lines(peers: Peers) -> Iterator[str]:
    for found in peers.peers:
        yield f"{found.name}  home {found.home}"
        yield f"    may ask for: {', '.join(found.actions) or 'nothing'}"
        yield from (f"    key {parse_public_line(key.key).fingerprint}" for key in found.keys)
    if not peers.peers:
        yield "No machine may send messages to this home."


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
    named = tuple(filter(None, map(str.strip, (text or "").split(","))))
    if unknown := sorted(set(named) - RULES.keys()):
        raise UsageError(f"there is no action {unknown[0]!r}", hint=f"known: {', '.join(sorted(RULES))}")
    return named


def review_remote(context: Context, name: str) -> int:
    """Show what waits on another machine; on a terminal ask, sign, and send the decisions.

    Raises:
        UsageError: There is no such machine.
        RefusedError: It does not answer, or its answer does not hold together.
    """
    asks = context.interactive() and not context.json
    with reading(context, person=asks) as session:
        waiting, review = _fetch(context, session, name)
        context.emit([item_record(item) for item in review.items])
        if not asks:
            for at, item in enumerate(review.items, 1):
                context.print_lines(screen.item_lines(item, at, len(review.items)))
            return 0
        again = f"nightledger review --remote {name}"
        questions = questions_of(context, session, [*review.items], lambda item: _evidence(review, item))
        with keeping(questions, again):
            given = questions.ask_all()
            answers = [answer for answer in given if answer.verb is not Verb.LATER]
            signed, refusals = _sign(context, session, waiting, review, answers) if answers else ([], [])
    if questions.given and not given:
        tell_unsigned(questions, again)
    failed = [not _send(context, name, decision, what) for decision, what in signed]
    if given and not any(failed):
        questions.keep({})
    tell_settled(context, Settled(decisions=(), refusals=tuple(refusals)))
    return 1 if refusals or any(failed) else 0


def _fetch(context: Context, session: Session, name: str) -> tuple[Waiting, RemoteReview]:
    """Ask the machine, or take its newest answer from the spool; tell what came, and make it ready.

    No approval lives longer than this machine's own settings let one live.
    """
    outgoing = letters.prepare(context, name, "proposals", {})
    reply: Reply | None
    if outgoing.address.url:
        reply = letters.deliver(context, outgoing).reply
    else:
        kept = letters.reply_path(Home(context.home_path), name, "proposals")
        raw = read_optional(kept, letters.MAX_REPLY_ENVELOPE_BYTES)
        reply = letters.believe(context, raw, outgoing.peer) if raw else None
    if reply is None:
        raise RefusedError(
            f"{name} has not said what waits",
            hint=f"nightledger channel send proposals --to {name}, then nightledger channel receive",
        )
    if reply.status is not Status.EXECUTED:
        raise RefusedError(f"{name} does not say what waits: {reply.reason}")
    waiting = load_record(Waiting, dict(reply.body), where=f"the answer of {name}")
    review = unpack(waiting, outgoing.peer.home)
    days = min(review.terms.decision_expires_days, session.gate.settings.decision_expires_days)
    proposals = {item.stored.proposal.id for item in review.items}
    at = f"{datetime.fromtimestamp(reply.iat, UTC):%Y-%m-%d %H:%M} UTC"
    changes = count_of(len(review.items), "change waits", "changes wait")
    told = [f"{changes} on {name}, in {count_of(len(proposals), 'proposal')}; it said so at {at}."]
    kept = "are masked here; what is signed of the file is what is shown."
    told += [f"Secrets in {path} {kept}" for path in review.masked]
    if left := len(waiting.left_out):
        told.append(f"{left} more must be answered there: drift, or a text that may not travel.")
    for text in told:
        context.print_lines(screen.wrap(screen.shown(text), indent=screen.INSIDE, first=""))
    context.print()
    return waiting, replace(review, terms=replace(review.terms, decision_expires_days=days))


def _evidence(review: RemoteReview, item: Item) -> list[str]:
    rows = []
    for excerpt in review.excerpts[item.stored.proposal.id]:
        if excerpt.n == item.change.n:
            changed = "" if excerpt.same else ": these lines have changed since, or are gone"
            rows += screen.wrap(screen.shown(f"{excerpt.place}{changed}"), indent="      ", first="  in: ")
            for line in excerpt.text.split("\n"):
                rows += screen.text_lines(line, indent=screen.INSIDE)
    return rows


def _sign(
    context: Context, session: Session, waiting: Waiting, review: RemoteReview, answers: Sequence[Answer]
) -> tuple[list[tuple[Decision, Signed]], list[Refusal]]:
    """Sign with this machine's operator key; its name comes from the signers of the other home."""
    signer = signing.signer_at(signing.operator_path(session.gate), context)
    context.renew()
    session.moment = context.moment  # a person took their time since
    terms = signing.prepare(session, _principal(waiting, signer, session), waiting.log)
    decisions, refusals = compose(review.terms, review.items, answers, review.documents, terms)
    return [(decision, sign(decision, signer)) for decision in decisions], refusals


def _principal(waiting: Waiting, signer: Signer, session: Session) -> str:
    for line in parse_allowed_signers(waiting.allowed_signers, where="its allowed_signers"):
        if line.key == signer.public_key and NAMESPACE in (line.namespaces or (NAMESPACE,)):
            return line.principals[0]
    raise RefusedError(
        f"the key {signing.operator_path(session.gate)} may not sign for that home",
        hint="there: nightledger key add, with this machine's operator.pub",
    )


def _send(context: Context, name: str, decision: Decision, signed: Signed) -> bool:
    """Send a decision, tell what became of it, and return whether it arrived or is on its way."""
    body = {"decision": signed.content.decode(), "signature": signed.signature}
    delivery = letters.deliver(context, letters.prepare(context, name, "decide", body))
    reply, arrived = delivery.reply, delivery.spooled
    if delivery.spooled:
        became = "in the spool; 'nightledger channel receive' takes the answer in"
    elif reply is None:
        became = f"not delivered: {screen.shown(delivery.error)}"
    elif arrived := reply.status is Status.EXECUTED:
        became = f"recorded there; it cools until {decision.not_before:%Y-%m-%d %H:%M} UTC at least"
    else:
        became = f"refused there: {screen.shown(reply.reason)}"
    told = f"{decision.type.value} {decision.proposal}: {became}"
    context.print_lines(screen.wrap(told, indent=screen.INSIDE, first=""))
    return arrived
