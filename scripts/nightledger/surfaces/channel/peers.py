"""``channel peer list | add | remove`` and ``channel keygen``: who may send, and our own public line."""

import argparse
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from nightledger.codec.records import dump_record, parse_record, to_plain
from nightledger.domain.errors import UsageError
from nightledger.domain.message import PeerKey, Peers
from nightledger.domain.peering import add_peer, remove_peer
from nightledger.domain.words import read_moment
from nightledger.files.home import Home
from nightledger.gate.machines.messages import RULES
from nightledger.gate.machines.peers import parse_peers
from nightledger.surfaces import screen
from nightledger.surfaces.agent_host import require_person
from nightledger.surfaces.channel.sending import known_peers
from nightledger.surfaces.context import Context
from nightledger.surfaces.hints import say
from nightledger.surfaces.keys.trust_change import change_trust
from nightledger.surfaces.session import require_machine
from nightledger.trust.keys import KeyRing
from nightledger.trust.machine_key import machine_public_key, take_over
from nightledger.trust.sshkey import ED25519, parse_public_line

_LINE_WORDS = 3
"""``<home id> ssh-ed25519 AAAA…``, a comment behind it."""


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
    what, name = _words(options)
    if what == "list":
        return _list(context)
    if what == "add":
        home, key = _parse_line(options.line)
        new = PeerKey(
            key=key, valid_after=_time(options.valid_after), valid_before=_time(options.valid_before)
        )
        actions = _actions(options.actions)
        _change(context, lambda peers: add_peer(peers, name, home, new, actions), f"add the machine {name}")
    else:
        gone = "" if options.line is None else _parse_line(options.line)[1]
        _change(context, lambda peers: remove_peer(peers, name, gone), f"remove the machine {name}")
    context.emit({"peers": to_plain(known_peers(context))["peers"]})
    say(context, f"Signed. 'nightledger channel peer list' shows what {name} may ask for now.")
    return 0


def _words(options: argparse.Namespace) -> tuple[str, str]:
    words = [*options.words, "", "", ""]
    what, name = words[0] or "list", words[1]
    if what not in ("list", "add", "remove") or (what != "list") != bool(name) or words[2]:
        raise UsageError("say: channel peer list, channel peer add NAME, or channel peer remove NAME")
    return what, name


def _list(context: Context) -> int:
    peers = known_peers(context)
    context.emit(to_plain(peers)["peers"])
    for line, indent in _lines(peers):
        context.print_lines(screen.wrap(screen.shown(line), indent=f"{indent}  ", first=indent))
    return 0


def _lines(peers: Peers) -> Iterator[tuple[str, str]]:
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


def _change(context: Context, change: Callable[[Peers], Peers], reason: str) -> None:
    def edit(files: Mapping[str, bytes]) -> dict[str, bytes]:
        content = dump_record(change(parse_peers(files["peers"])))
        parse_record(Peers, content, where="peers.json")
        return {"peers": content}

    change_trust(context, edit, reason=reason)


def _parse_line(line: str | None) -> tuple[str, str]:
    words = (line or "").split()
    if len(words) < _LINE_WORDS:
        raise UsageError(
            "--line wants the line that 'nightledger channel keygen' prints on the other machine"
        )
    key = parse_public_line(" ".join(words[1:_LINE_WORDS]))
    if key.kind != ED25519:
        raise UsageError("a machine's key is Ed25519")
    return words[0], key.line


def _actions(text: str | None) -> tuple[str, ...]:
    named = tuple(word.strip() for word in (text or "").split(",") if word.strip())
    unknown = sorted(set(named) - RULES.keys())
    if unknown:
        raise UsageError(f"there is no action {unknown[0]!r}", hint=f"known: {', '.join(sorted(RULES))}")
    return named


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return read_moment(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a time", hint="write it as 2026-03-01T07:30:00Z") from error
