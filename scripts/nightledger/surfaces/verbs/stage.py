"""Stage what the agent will need, before it asks: one fenced page of quoted notes.

From the calendar's next hours, what search finds for them, what the handoff leaves open,
associations that the operator accepted, what was recalled lately, and what mattered of
earlier times; each line with its source and why it is there, within a budget of tokens.
What, when and how much: config/staging-rules.json. Calendars: operator.yaml beside the keys.

Reads   calendars, memory/, MEMORY.md, audit/
Writes  memory/state/tc-restore-pending.md, .nightledger/; on unchanged input nothing
Changes no memory.
"""

import argparse

from nightledger.surfaces.context import Context


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``stage``."""
    parser.add_argument(
        "--dry-run", action="store_true", help="show the page, and write nothing but the search index"
    )
    parser.add_argument("--quiet", action="store_true", help="say nothing, as hooks call it")


def run(options: argparse.Namespace, context: Context) -> int:
    """Stage, and say what is staged."""
    from contextlib import closing

    from nightledger.files.configuration import home_zone, load_operator, load_settings, load_staging_rules
    from nightledger.files.home import Home
    from nightledger.jobs.stage import Asked, stage
    from nightledger.jobs.stage.shelves import Shelves
    from nightledger.surfaces.session import reading, writing
    from nightledger.surfaces.staging.calendars import look_into
    from nightledger.surfaces.staging.telling import record_of, tell

    home = Home(context.home_path).require()
    rules = load_staging_rules(home)
    zone = home_zone(home, load_settings(home))
    looked = look_into(load_operator(context.keys_dir), context.now, rules.lookahead_hours, zone)
    with reading(context) if options.dry_run else writing(context) as session:
        gate, ledger, moment = session.gate, session.ledger, session.moment
        with closing(Shelves(gate, ledger, moment)) as library:
            asked = Asked(
                rules=rules,
                library=library,
                events=looked.events,
                problems=looked.problems,
                dry_run=options.dry_run,
            )
            staged = stage(gate, ledger, asked, moment)
    context.emit(record_of(staged))
    if not options.quiet:
        tell(context, staged, whole=options.dry_run)
    return 0
