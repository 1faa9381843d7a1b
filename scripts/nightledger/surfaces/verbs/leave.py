"""Stop using Nightledger and keep your files; without --yes only say how.

Reads   the home, the crontab (crontab -l)
Writes  a last entry and a signed head of the audit log; removes .nightledger/
        and views
Changes no memory, and moves nothing: using the home again takes it up again.
"""

import argparse
import math
import os
from typing import Any

from nightledger.domain.words import count_of
from nightledger.files.atomic import remove_leftovers
from nightledger.gate.founding import disposable, log_leaving, own_directories, remove_disposable
from nightledger.gate.gated import watched
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context, host_roots
from nightledger.surfaces.doctor.home import cron_lines, installed_units
from nightledger.surfaces.hook.installing import has_skill, standings
from nightledger.surfaces.listing import left_at, waiting_in
from nightledger.surfaces.session import Session, reading, writing
from nightledger.surfaces.verbs.schedule import place_of


def run(options: argparse.Namespace, context: Context) -> int:
    """Leave, or say what leaving would do."""
    if options.yes:
        with writing(context, keep_head=True, person=True) as session:
            before = left_at(session.ledger.log.newest)
            log_leaving(session.gate, session.ledger, session.moment)
            session.reread()
            record = _record(context, session)
            home, keys_dir = session.gate.home, str(session.gate.ring.home_dir(session.gate.home.identity.id))
            remove_leftovers(home, keys_dir, before=math.inf)
        removed = remove_disposable(session.gate.home)
    else:
        with reading(context) as session:
            before = left_at(session.ledger.log.newest)
            record = _record(context, session)
            removed = disposable(session.gate.home)
    record["left"] = options.yes or before is not None
    record["removed" if options.yes else "would_remove"] = list(removed)
    context.emit(record)
    context.print_lines(_lines(context, record, removed, done=options.yes, again=before is not None))
    return 0


def _record(context: Context, session: Session) -> dict[str, Any]:
    home, book, place = session.gate.home, session.ledger.book, place_of(context)
    units = installed_units(place, os.path.expanduser("~"))
    return {
        "gated": list(watched(home, book)),
        "deletable": [*own_directories(home), str(session.gate.ring.home_dir(home.identity.id))],
        "cron": list(cron_lines(place)),
        "units": [path for paths in units.values() for path in paths],
        "hooks": [
            f"nightledger hosts remove {one.host.replace('_', '-')} --yes"
            for one in standings(home, host_roots())
            if one.installed or has_skill(home, one.host, one.root)
        ],
        "waiting": waiting_in(book)["changes"],
        "signed": len(book.approvals_to_apply()),
        "log_size": session.ledger.log.size,
    }


def _lines(
    context: Context, record: dict[str, Any], removed: tuple[str, ...], *, done: bool, again: bool
) -> list[str]:
    gated = ", ".join(record["gated"])
    head = f"{context.home_path} was left already." if again else f"{context.home_path} is left."
    texts = [
        head if done else f"Leaving {context.home_path} would change none of your files.",
        f"These stay as they are: {gated}, all daily logs, and the whole record of what was signed.",
    ]
    if removed:
        texts.append(f"{'Removed' if done else 'Would remove'}, disposable: {', '.join(removed)}.")
    if record["signed"]:
        texts.append(
            f"{count_of(record['signed'], 'approval is', 'approvals are')} signed and not applied, until 'nightledger apply' runs."
        )
    if record["waiting"]:
        texts.append(f"Without an answer, and none is needed: {count_of(record['waiting'], 'change')}.")
    lines = [row for text in texts for row in screen.wrap(screen.shown(text), indent="  ", first="")]
    lines += _listed("Take these lines out with 'crontab -e', or the jobs go on:", record["cron"])
    lines += _listed("Stop and delete these, or the jobs go on:", record["units"])
    lines += _listed("These take the hooks out of your agent's host:", record["hooks"])
    if not record["cron"] and not record["units"]:
        lines += screen.wrap("No schedule of ours was found; what else calls it, you know best.", indent="  ")
    lines += _listed(
        "If you want no trace, delete by hand (audit holds what undo needs):", record["deletable"]
    )
    if not done:
        lines += screen.wrap("Nothing was changed. To do it: nightledger leave --yes")
    return lines


def _listed(title: str, names: list[str]) -> list[str]:
    if not names:
        return []
    return [*screen.wrap(title), *(row for name in names for row in screen.text_lines(name, indent="  "))]
