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
from nightledger.surfaces.doctor_home import cron_lines, installed_units
from nightledger.surfaces.hook.installing import has_skill, standings
from nightledger.surfaces.listing import left_at, waiting_in
from nightledger.surfaces.screen import say, sentences
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
    _tell(context, record, removed, done=options.yes)
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


def _tell(context: Context, record: dict[str, Any], removed: tuple[str, ...], *, done: bool) -> None:
    gated, signed = ", ".join(record["gated"]), count_of(record["signed"], "approval is", "approvals are")
    waiting = count_of(record["waiting"], "change")
    unscheduled = not (record["cron"] or record["units"])
    say(
        context,
        f"{context.home_path} is left."
        if done
        else f"Leaving {context.home_path} would change none of your files.",
        f"These stay as they are: {gated}, all daily logs, and the whole record of what was signed.",
        f"{'Removed' if done else 'Would remove'}, disposable: {', '.join(removed)}." if removed else "",
        f"{signed} signed and not applied, until 'nightledger apply' runs." if record["signed"] else "",
        f"Without an answer, and none is needed: {waiting}." if record["waiting"] else "",
        "No schedule of ours was found; what else calls it, you know best." if unscheduled else "",
    )
    for name, title in sentences("leave").items():
        if record[name]:
            say(context, title)
            context.print_lines(row for one in record[name] for row in screen.text_lines(one, indent="  "))
    if not done:
        say(context, "Nothing was changed. To do it: nightledger leave --yes")
