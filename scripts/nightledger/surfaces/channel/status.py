"""``channel status``: last contact, what waits, what was never taken in."""

import argparse
from collections.abc import Iterator
from typing import Any

from nightledger.domain.errors import NightledgerError
from nightledger.files.home import Home
from nightledger.files.spool import Spool
from nightledger.surfaces import screen
from nightledger.surfaces.channel.notes import read_contacts, read_dead_letters
from nightledger.surfaces.channel.sending import known_peers
from nightledger.surfaces.channel.spooling import pending, spools
from nightledger.surfaces.context import Context


def status(options: argparse.Namespace, context: Context) -> int:
    """Show every machine with its last contact, letters that wait, and dead letters."""
    del options
    record = look(context)
    context.emit(record)
    for line in _lines(record):
        context.print_lines(screen.wrap(screen.shown(line), indent="  ", first=""))
    return 0


def _lines(record: dict[str, Any]) -> Iterator[str]:
    for peer in record["peers"]:
        heard, answered = peer["heard"] or "never", peer["answered"] or "never"
        yield f"{peer['name']}: heard {heard}, answered us {answered}, {peer['unanswered']} unanswered"
    for box in record["spools"]:
        aside = f", {box['set_aside']} set aside in cur/ that could not be read" if box["set_aside"] else ""
        yield f"spool {box['path']}: {box['error'] or str(box['waiting']) + ' letter(s) wait' + aside}"
    yield f"dead letters: {record['dead_letters']}"
    if record["last_error"]:
        yield f"the last one: {record['last_error']}"


def look(context: Context) -> dict[str, Any]:
    """Give what ``channel status --json`` gives."""
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
        "spools": list(_spools(context, home)),
        "dead_letters": len(dead),
        "last_error": str(dead[-1].get("error", "")) if dead else "",
    }


def _spools(context: Context, home: Home) -> Iterator[dict[str, Any]]:
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
