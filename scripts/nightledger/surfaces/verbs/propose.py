"""An agent proposes a change to its memory and gets an id; its operator decides.

Reads   the gated file
Writes  memory/state/proposals/, the audit log
Changes no memory.
"""

import argparse

from nightledger.domain.decision import Actor
from nightledger.domain.errors import UsageError
from nightledger.files.home import Home
from nightledger.gate.agent_lane import Wish, agent_evidence, propose_wish
from nightledger.surfaces.context import Context, read_input, read_lines
from nightledger.surfaces.session import writing


def run(options: argparse.Namespace, context: Context) -> int:
    """Make the proposal."""
    home = Home(context.home_path).require()
    if (options.text is not None) + options.stdin + options.remove != 1:
        raise UsageError("one of --text, --stdin and --remove says what is proposed")
    text = read_input().decode("utf-8", "surrogateescape") if options.stdin else options.text or ""
    if options.remove and not options.entry:
        raise UsageError("--remove needs --entry", hint="give the entry's whole text")
    if not options.remove and not text.strip():
        raise UsageError("the entry is empty", hint="give it with --text, or on standard input with --stdin")
    wish = Wish(
        target=options.target or home.identity.gated[0],
        section=tuple(part.strip() for part in options.section.split(" > ")),
        text=text,
        entry=options.entry,
        reason=options.reason,
        evidence=(agent_evidence(*read_lines(home, options.source, "--source")),) if options.source else (),
    )
    with writing(context, actor=Actor.AGENT) as session:
        outcome = propose_wish(session.gate, session.ledger, wish, session.moment, dry_run=options.dry_run)
    held = sorted({rule for item in outcome.held for rule in item.rules})
    made = outcome.proposal.id if outcome.proposal else None
    context.emit({"id": made, "held": held, "dry_run": options.dry_run})
    if made:
        context.print(context.short(made))
        then = "Nothing was written (--dry-run)." if options.dry_run else "Your operator will see it."
    else:
        then = f"Held back by the scanners ({', '.join(held)}); your operator will see that."
    context.print(then)
    return 0
