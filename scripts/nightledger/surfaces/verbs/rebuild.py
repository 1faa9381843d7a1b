"""Fold derived files again from what they derive from; with --check only compare.

Reads   audit/, memory/state/proposals/, the gated files, outcome-records.jsonl; for the
        search index all that it holds
Writes  memory/state/tc-*.json, .nightledger/links/, .nightledger/search/, and in memory/system/
        entries.json, hebbian-links.json, cursors.json; nothing with --check
Changes no memory.
"""

import argparse

from nightledger.domain.errors import EXIT_ALARM
from nightledger.surfaces.context import Context
from nightledger.surfaces.rebuild import find_stale, rebuild_all, rebuild_search
from nightledger.surfaces.session import reading, writing

OPTIONS = {
    "--check": "write nothing; exit with 4 when a file differs, naming it",
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Fold and write, or fold and compare."""
    if options.check:
        with reading(context) as session:
            stale = find_stale(session)
        context.emit({"differs": stale})
        for path in stale:
            context.print(f"{path} is not what it is folded from; 'nightledger rebuild' writes it anew.")
        if not stale and not context.quiet:
            context.print("Every derived file is what it is folded from.")
        return EXIT_ALARM if stale else 0
    with writing(context) as session:
        written = rebuild_all(session)
        chunks = rebuild_search(session)
    context.emit({"written": written, "search": {"chunks": chunks}})
    for path in written:
        context.print(f"{path} was written anew.")
    if not written and not context.quiet:
        context.print("Every derived file was what it is folded from.")
    if not context.quiet:
        context.print(f"The search index was made anew: {chunks:,} chunks.")
    return 0
