"""Say how a query is answered: its words and what stands for them, time, what was weighed, why each hit.

What an operator sees is marked [held: ...] where an agent would not see it; with --agent it is
answered as an agent is, and what was withheld is counted by why. For the operator.

Reads   as 'recall QUERY'
Writes  .nightledger/search/, the index
Changes no memory.
"""

import argparse

from nightledger.files.configuration import load_operator
from nightledger.recall.explaining import explain
from nightledger.surfaces import screen
from nightledger.surfaces.agent_host import require_person
from nightledger.surfaces.context import Context
from nightledger.surfaces.home import is_simulated
from nightledger.surfaces.recall.encoders import choose_encoder
from nightledger.surfaces.recall.explained import explained_lines, explained_record
from nightledger.surfaces.recall.options import add_filters
from nightledger.surfaces.recall.query import may_write, read_query
from nightledger.surfaces.session import reading


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``explain``."""
    parser.add_argument("query", metavar="QUERY", help="what 'recall' was asked")
    parser.add_argument("--tags", metavar="A,B", help="only what says one of these tags")
    add_filters(parser)
    parser.add_argument(
        "-n", dest="limit", metavar="N", type=int, default=5, help="hits to show (default: 5)"
    )


def run(options: argparse.Namespace, context: Context) -> int:
    """Search and tell how."""
    require_person("explain", simulated=is_simulated(context.home_path))
    query = read_query(options, options.query)
    with reading(context) as seen:
        may = may_write(seen.gate.home)
        encoder = choose_encoder(load_operator(context.keys_dir))
        explained = explain(seen.gate, seen.ledger, query, seen.moment, may_write=may, encoder=encoder)
        context.emit(explained_record(explained, query))
        context.print_lines(explained_lines(explained, query))
        for note in explained.found.notes:
            for line in screen.wrap(screen.shown(note), indent="  ", first=""):
                context.note(line)
    return 0
