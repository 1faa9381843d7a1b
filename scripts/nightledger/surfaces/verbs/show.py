"""Show one proposal with its diff, evidence and state.

Reads   memory/state/proposals/, audit/
Changes no memory.
"""

import argparse

from nightledger.domain.errors import RefusedError
from nightledger.domain.states import Book, Gone, ProposalStatus
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.proposing.screening import told_at_home
from nightledger.gate.review.reviewing import worded
from nightledger.gate.stored import find_status, read_proposal, read_shares
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context, calling_host
from nightledger.surfaces.listing import proposal_record
from nightledger.surfaces.session import reading


def run(options: argparse.Namespace, context: Context) -> int:
    """Print it."""
    with reading(context) as session:
        status = find_status(session.ledger.book, options.id)
        _require_kept(session.ledger.book, status)
        proposal = read_proposal(session.gate, status).proposal
        home, now = session.gate.home, session.moment.at
        told = told_at_home(home, [proposal])
        expunged = read_forgotten(session.gate, (), session.ledger.book).expunged
        shares = read_shares(session.gate, session.ledger.book)
        record = proposal_record(session.gate, session.ledger.book, proposal, now, shares, told=told)
        context.emit(record)
        title = screen.shown(proposal.title, told=told)
        sizes = screen.meter(proposal)
        context.print(f"{context.short(proposal.id)}  {record['state']}")
        context.print_lines(screen.wrap(title, indent=screen.INSIDE))
        context.print_lines(screen.wrap(f"Size: {sizes}", indent=screen.INSIDE, first="") if sizes else ())
        for change in map(worded, proposal.changes):
            head = f"#{change.n} {status.state_of(change.n).value}: {screen.headline(change, told=told)}"
            context.print_lines(
                (
                    "",
                    *screen.wrap(head, indent=screen.INSIDE, first=""),
                    *screen.facts(change, told=told, share=shares.of(proposal, change)),
                    *screen.evidence_lines(
                        home,
                        change,
                        told=told,
                        expunged=expunged,
                        whole_logs=False,
                        places=bool(calling_host()),
                    ),
                    *screen.fates(change, told=told),
                    *screen.diff_lines(change.diff, told=told),
                )
            )
        context.print(f"diff sha256: {record['diff_sha256']}")
    return 0


def _require_kept(book: Book, status: ProposalStatus) -> None:
    if book.gone.get(status.sha256) is Gone.EXPUNGED:
        raise RefusedError(
            f"{status.id} was expunged: it held a text that was removed for ever",
            hint="'nightledger history' tells what was applied, and when",
        )
    if status.sha256 in book.gone:
        raise RefusedError(
            f"{status.id}: its text went, for it was never answered, and newer drift took its place",
            hint="'nightledger review' shows what drifted and is not settled",
        )
