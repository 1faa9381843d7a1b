"""Stage what the agent will need, before it asks: one fenced page of notes.

From the calendar's next hours, what search finds for them, what the handoff leaves open,
associations that the operator accepted, what was recalled lately, and what mattered of
earlier times; each line with its source and why it is there, within a budget of tokens. What was
signed is quoted; of all else the page names the place.
What, when and how much: config/staging-rules.json, and what of it config/nightledger/staging-rules.json
of the home changes. Calendars: operator.yaml beside the keys.

Reads   calendars, memory/, MEMORY.md, audit/
Writes  memory/state/tc-restore-pending.md, .nightledger/; on unchanged input nothing, and it does not search. Of an alarm the
        page is taken away
Changes no memory.
"""

import argparse

from nightledger.surfaces.context import Context

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from nightledger.files.home import Home

IN_A_HURRY_S = 1.0
"""For calendars when a hook calls: a session's start waits for it, and gives all of it three seconds."""


OPTIONS = {
    "--dry-run": "show the page, and write nothing but the search index",
    "--quiet": "say nothing, as hooks call it",
}


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
    silent = options.quiet or (context.quiet and not (begun or options.dry_run))
    if not (silent or context.json):
        from nightledger.surfaces.staging.telling import tell

        tell(context, record, whole=options.dry_run, begun=begun)
    return 0


def _stage(
    options: argparse.Namespace, context: Context, home: "Home"
) -> "tuple[Mapping[str, Any], Sequence[str]]":
    """Ask calendars and stage anew; give what ``--json`` prints, and troubles that the run before did not meet."""
    from nightledger.gate.kept_page import find_kept
    from nightledger.surfaces.staging.running import PATIENCE_S, Looked, prepare, stage_home

    patience_s = IN_A_HURRY_S if options.quiet else PATIENCE_S
    prepared = prepare(home, context.keys_dir, context.now, patience_s=patience_s)
    if prepared[1] == Looked() and not options.dry_run:
        record = find_kept(home, context.keys_dir, context.now.timestamp(), calendars=True)
        if record is not None:
            return record, ()
    from nightledger.files.staging_troubles import keep_troubles
    from nightledger.jobs.stage.keeping import record_of
    from nightledger.surfaces.session import reading, writing

    with reading(context) if options.dry_run else writing(context) as session:
        staged = stage_home(session.gate, session.ledger, session.moment, prepared, dry_run=options.dry_run)
        # a hook has less patience, and nobody reads what it says
        kept = not (options.dry_run or options.quiet)
        begun = keep_troubles(home, staged.troubles, context.now) if kept else ()
    return record_of(staged), begun
