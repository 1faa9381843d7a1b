"""An agent proposes a change to its memory and gets an id; its operator decides.

Reads   the gated file
Writes  memory/state/proposals/, the audit log
Changes no memory.
"""

import argparse
import sys

from nightledger.domain.decision import Actor
from nightledger.domain.errors import UsageError
from nightledger.domain.proposal import Evidence
from nightledger.domain.words import number_of
from nightledger.files.durable import read_regular
from nightledger.files.home import Home
from nightledger.gate.proposing.agent_lane import Wish, agent_evidence, propose_wish
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import writing

MAX_STDIN_BYTES = 1 << 20
"""Far more than the lane takes; the gate says by how much a text is too long."""


def run(options: argparse.Namespace, context: Context) -> int:
    """Make the proposal."""
    home = Home(context.home_path).require()
    if (options.text is not None) + options.stdin + options.remove != 1:
        raise UsageError("one of --text, --stdin and --remove says what is proposed")
    text = _read_stdin() if options.stdin else options.text or ""
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
        evidence=_evidence(options.source, home),
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


def _read_stdin() -> str:
    raw = sys.stdin.buffer.read(MAX_STDIN_BYTES + 1)
    if len(raw) > MAX_STDIN_BYTES:
        raise UsageError(f"standard input has more than {MAX_STDIN_BYTES} bytes", hint="say it shorter")
    return raw.decode("utf-8", "surrogateescape")


def _evidence(source: str | None, home: Home) -> tuple[Evidence, ...]:
    if source is None:
        return ()
    path, _, number = source.rpartition(":")
    if not path or not (number.isascii() and number.isdigit()):
        raise UsageError(f"--source {source!r} is not PATH:LINE", hint="write it as memory/2026-02-28.md:12")
    content = read_regular(home.path(path), 64_000_000, within=home.root)
    lines = content.split(b"\n")
    at = number_of(number)
    if not 1 <= at <= len(lines):
        raise UsageError(f"{path} has no line {at}", hint=f"it has {len(lines)} lines")
    return (agent_evidence(path, (at, at), content),)
