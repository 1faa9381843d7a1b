"""Stage what the agent will need, before it asks: one fenced page of notes.

From the calendar's next hours, what search finds for them, what the handoff
leaves open, associations that the operator accepted, what was recalled lately,
and what mattered of earlier times; each line with its source and why it is
there, within a budget of tokens. What was signed is quoted; of all else the
page names the place. What, when and how much: config/staging-rules.json, and
what of it config/nightledger/staging-rules.json of the home changes. Calendars:
operator.yaml beside the keys.

Reads   calendars, memory/, MEMORY.md, audit/
Writes  memory/state/tc-restore-pending.md, .nightledger/; on unchanged input
        nothing, and it does not search. Of an alarm the page is taken away
Changes no memory.
"""

import argparse

from nightledger.domain.words import count_of
from nightledger.surfaces.context import Context
from nightledger.surfaces.hook.running import MAX_CONTEXT_BYTES

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from nightledger.domain.exposure import Page
    from nightledger.files.home import Home

LIMIT_SAID = f"hosts take {MAX_CONTEXT_BYTES:,} bytes whole"


def run(options: argparse.Namespace, context: Context) -> int:
    """Stage, and say what is staged."""
    from nightledger.domain.errors import IntegrityError
    from nightledger.files.home import Home
    from nightledger.gate.kept_page import find_kept

    home = Home(context.home_path).require()
    record = None if options.dry_run else find_kept(home, context.keys_dir, context.now.timestamp())
    begun: Sequence[str] = ()
    try:
        if record is None:
            record, begun = _stage(options, context, home)
    except IntegrityError:
        if not options.dry_run:
            from nightledger.files.staged import drop_staged

            drop_staged(home)  # a host that does not have it staged anew is given no page, either
        raise
    context.emit(record)
    if begun or options.dry_run or not context.quiet:
        _tell(context, record, whole=options.dry_run, begun=begun)
    return 0


def _stage(
    options: argparse.Namespace, context: Context, home: "Home"
) -> "tuple[Mapping[str, Any], Sequence[str]]":
    """Ask calendars and stage anew; give what ``--json`` prints, and troubles that the run before did not meet."""
    from nightledger.gate.kept_page import find_kept
    from nightledger.surfaces.outside import Looked, prepare, stage_home

    prepared = prepare(home, context.keys_dir, context.now)
    if prepared[1] == Looked() and not options.dry_run:
        record = find_kept(home, context.keys_dir, context.now.timestamp(), calendars=True)
        if record is not None:
            return record, ()
    from nightledger.files.staged import keep_troubles
    from nightledger.jobs.stage import record_of
    from nightledger.surfaces.session import reading, writing

    with reading(context) if options.dry_run else writing(context) as session:
        staged = stage_home(session.gate, session.ledger, session.moment, prepared, dry_run=options.dry_run)
        begun = () if options.dry_run else keep_troubles(home, staged.troubles, context.now)
    return record_of(staged), begun


def _tell(context: Context, staged: "Mapping[str, Any]", *, whole: bool, begun: "Sequence[str]") -> None:
    """Say what was staged; under cron only what could not be done and could be before.

    Args:
        context: The command's surroundings.
        staged: What was done, as ``--json`` has it.
        whole: Print the page itself.
        begun: Troubles that the run before this one did not meet.
    """
    from nightledger.surfaces import screen

    for line in staged["text"].rstrip("\n").split("\n") if whole else ():
        context.print("\n".join(screen.wrap(screen.shown(line), first="", indent="  ")) if line else "")
    if context.quiet and not whole:
        for trouble in begun:
            told = f"Staging: {trouble}. It is said again in 'status' only, while it lasts."
            context.print(screen.shown(told))
        return
    for text in _summary(staged, whole=whole):
        context.print_lines(screen.wrap(screen.shown(text), first="", indent="  "))


def _summary(staged: "Mapping[str, Any]", *, whole: bool) -> "Iterator[str]":
    from nightledger.surfaces import screen

    state = "written" if staged["changed"] else "as it was"
    done = "" if whole else f"; memory/state/tc-restore-pending.md is {state}"
    tokens = f"{staged['tokens']} of {staged['budget_tokens']} tokens"
    yield f"Staged: {count_of(len(staged['lines']), 'line')}, {tokens}{done}."
    for how in ("left_out", "held"):
        if told := screen.counted(staged[how]):
            yield f"{how.replace('_', ' ').capitalize()}: {told}."
    yield from staged["notes"]


def not_given(page: "Page") -> int:
    """Return how many last lines of a page the hooks leave out, because a host takes no more text whole."""
    from nightledger.files.staged import first_lines

    return len(page.lines) - first_lines(page.lines, page.good_until, MAX_CONTEXT_BYTES)
