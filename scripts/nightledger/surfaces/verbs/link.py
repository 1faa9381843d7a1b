"""Associate tags that occur together with what resolved them.

Reads   memory/system/outcome-records.jsonl (new bytes only), cursors.json, the
        audit log
Writes  memory/system/hebbian-links.json, cursors.json, .nightledger/links/
Changes no memory.
"""

import argparse

from msgspec.structs import asdict

from nightledger.domain.words import count_of
from nightledger.files.configuration import home_zone, load_settings
from nightledger.files.home import Home
from nightledger.gate.forgotten import read_link_rules
from nightledger.jobs.link import LinkReport, link
from nightledger.surfaces.context import Context, actor_of
from nightledger.surfaces.session import require_machine


def run(options: argparse.Namespace, context: Context) -> int:
    """Read what is new among the outcomes; print what came of it."""
    del options
    home = Home(context.home_path).require()
    require_machine(home)
    zone = home_zone(home, load_settings(home))
    _report(context, home, link(home, read_link_rules(home, context.keys_dir, actor_of(context), zone)))
    return 0


def _report(context: Context, home: Home, report: LinkReport) -> None:
    context.emit(asdict(report))
    log = home.relative(home.outcomes)
    for number, problem in report.problems:
        context.note(f"{log}:{number} is no outcome: {problem}")
    if (more := report.bad_lines - len(report.problems)) > 0:
        context.note(f"{count_of(more, 'more line')} of {log} without an outcome")
    if report.torn_bytes:
        context.note(f"the last line of {log} is unfinished; it is read once the logger has closed it")
    if report.reason:
        context.print(f"All outcomes were read: {report.reason}.")
    links = count_of(report.links, "link")
    context.print(f"{report.added} new outcomes, {report.outcomes} in all; {links}.")
