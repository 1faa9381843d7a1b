"""Forget one entry of memory: it is taken out, and not learned again.

ID is an entry's id or the beginning of it, or its place as 'recall' prints it
(MEMORY.md:15). The removal is proposed and signed in one go where your key is at
hand; else it waits for 'nightledger review'. It cools like any other change and
can be undone for a week. From the signature on, what says the same in other
words is held back, whatever new evidence it has, until the forgetting is undone.

What must not stay anywhere, a leaked secret for example, is for 'nightledger
expunge'.

Reads   the gated files, audit/
Writes  memory/state/proposals/, audit/decisions/, the audit log
Changes no memory: 'nightledger apply' does, when the cooling period is over.
"""

import argparse

from nightledger.domain.errors import FileChangedError, RefusedError
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Proposal
from nightledger.files.configuration import home_zone
from nightledger.gate.gated import read_gated
from nightledger.gate.naming import NO_MARK, Placed, find_standing, read_marks, text_sha256
from nightledger.gate.removals import forget
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import Session, reading, writing
from nightledger.surfaces.signing import key_at_hand, require_signed, sign_proposals
from nightledger.surfaces.verbs.pin import SHORT_ID, choose_id, entry_lines, entry_record
from nightledger.text.changes.sections import around, text_of_spans
from nightledger.text.markdown.document import parse_markdown


def run(options: argparse.Namespace, context: Context) -> int:
    """Show an entry, propose that it goes, and have it signed.

    Raises:
        UsageError: No such entry, or it waits to be forgotten already.
        RefusedError: It is pinned, the operator said no, or it has no place of its own.
    """
    with reading(context, person=True) as seen:
        standing = find_standing(seen.gate.home, seen.ledger.book).entries
        placed = standing[choose_id(context, seen, standing, options.id)]
        context.print_lines(entry_lines(seen, [placed]))
        section = _section(seen, placed)
        under = screen.shown(" > ".join(placed.entry.section) or "no heading")
        context.print_lines(screen.wrap(f"under {under}", first="    "))
        if read_marks(seen.gate, seen.ledger).get(placed.entry.id, NO_MARK).pinned:
            name = placed.entry.id[:SHORT_ID]
            raise RefusedError(f"{name} is pinned", hint=f"'nightledger pin --off {name}' first")
    record: dict[str, object] = {"entry": entry_record(placed), "proposal": None, "decision": None}
    if options.dry_run:
        context.emit(record)
        context.print("Nothing was proposed (--dry-run).")
        return 0
    if context.interactive() and screen.ask("Forget it for good? [y/N]").lower() != "y":
        raise RefusedError("nothing was proposed")
    proposal = _propose(context, placed, section)
    record["proposal"] = proposal.id
    if not key_at_hand(seen, context):
        context.emit(record)
        say(context, f"Proposed as {proposal.id}; it waits for your signature: 'nightledger review'.")
        return 0
    settled = sign_proposals(context, [proposal])
    require_signed(settled)
    (decision,) = settled.decisions
    context.emit(
        {**record, "decision": decision.id, "not_before": f"{decision.not_before:%Y-%m-%dT%H:%M:%SZ}"}
    )
    say(
        context,
        f"Signed. It cools until {decision.not_before:%Y-%m-%d %H:%M} UTC, then 'nightledger apply' takes it out; "
        f"'nightledger undo {proposal.id}' brings it back within the undo window.",
    )
    return 0


def _section(session: Session, placed: Placed) -> str:
    """Give the text of the section in which an entry stands."""
    text = read_gated(session.gate.home, placed.path).decode("utf-8", "surrogateescape")
    document = parse_markdown(text)
    return text_of_spans(document, around(document, placed.entry.first_line - 1, placed.entry.last_line))


def _propose(context: Context, shown: Placed, section: str) -> Proposal:
    with writing(context, person=True) as session:
        gate = session.gate
        standing = find_standing(gate.home, session.ledger.book).entries
        placed = standing.get(shown.entry.id)
        same = placed is not None and text_sha256(placed) == text_sha256(shown)
        if placed is None or not same or _section(session, placed) != section:
            raise FileChangedError(
                "the entry was changed meanwhile, or what it stands under; nothing was proposed",
                hint="run it again",
            )
        period = log_day(session.moment.at, home_zone(gate.home, gate.settings)).isoformat()
        outcome = forget(gate, session.ledger, placed, session.moment, period=period)
    if outcome.proposal is None:
        why = outcome.unfit[0].reason if outcome.unfit else "the scanners hold it back"
        raise RefusedError(
            f"it cannot be proposed: {why}", hint="'nightledger edit' changes the file by hand"
        )
    return outcome.proposal
