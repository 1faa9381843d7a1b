"""Run the jobs that are due.

Due by period in the home's zone, never by when they last ran.

Called every 30 minutes; when nothing is due it looks at one small file and
ends. Else it begins with what 'verify' does, and tells of an alarm whatever
else cannot be done. Missed periods are made up for, at most seven a call, the
oldest first; none runs twice, none is skipped. A job that fails is written to
the run ledger and stays due, and the others run.

With --notify-test nothing is run: the notifier of operator.yaml tells you at once
what needs you, as a test.

Reads   memory/system/runs.jsonl, what 'verify' reads, and what the jobs read
Writes  memory/system/runs.jsonl (appended), memory/state/ATTENTION.md,
        .nightledger/next-due, and what the jobs write
Changes no memory: jobs propose.
"""

import argparse
import os

from nightledger.domain.errors import MissingFileError, UnreadableError
from nightledger.files.durable import read_start
from nightledger.surfaces.context import Context, is_believed

MARK = os.path.join(".nightledger", "next-due")
"""Disposable: when it was written and when something is due next, in seconds since 1970."""
MAX_MARK_BYTES = 64
MAX_AHEAD_S = 26 * 3600
"""The longest local day has 25 hours, so something is due sooner; a mark that says otherwise is wrong."""


def run(options: argparse.Namespace, context: Context) -> int:
    """Run what is due; 1 when a job failed, 4 on an alarm of ``verify``, 75 when another run is at work."""
    # a person gets the whole look
    looks = context.json or options.dry_run or options.retry or options.notify_test
    if context.quiet and not looks and _nothing_yet(context):
        return 0
    from nightledger.surfaces.cli import import_msgspec

    import_msgspec()
    from nightledger.surfaces import night_run, telling

    if options.notify_test:
        return telling.try_notifier(context)
    if options.dry_run:
        return night_run.list_due(context)
    return night_run.run_night(context, retry=options.retry)


def _nothing_yet(context: Context) -> bool:
    """Tell whether the mark says that nothing is due, and nothing speaks against it."""
    mark = os.path.join(context.home_path, MARK)
    try:
        written_at, next_at = map(int, read_start(mark, MAX_MARK_BYTES).split())
    except (UnreadableError, MissingFileError, OSError, ValueError):
        return False
    # A clock that was set back makes the mark worthless; settings that were changed count within an hour.
    coming = context.now.timestamp() < next_at <= written_at + MAX_AHEAD_S
    return coming and is_believed(written_at, context.now)
