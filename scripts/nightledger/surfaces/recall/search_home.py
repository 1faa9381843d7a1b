"""``recall QUERY``: search the home and print what answers."""

from dataclasses import replace

from nightledger.domain.search.values import Query
from nightledger.files.configuration import load_operator
from nightledger.recall.choosing import as_told
from nightledger.recall.searching import search
from nightledger.surfaces import screen
from nightledger.surfaces.agent_host import calling_host
from nightledger.surfaces.context import Context
from nightledger.surfaces.recall.encoders import choose_encoder
from nightledger.surfaces.recall.hits import found_record, hit_lines
from nightledger.surfaces.recall.query import expose, may_write
from nightledger.surfaces.session import reading

FOLDED = 3
"""How many times the hits that are shown are looked at: some say the same. Our choice."""


def show_found(context: Context, query: Query) -> int:
    """Search and print; what is written is the index, and for an agent the ledger of what it was shown."""
    with reading(context) as seen:
        encoder = choose_encoder(load_operator(context.keys_dir))
        may = may_write(seen.gate.home)
        wide = replace(query, limit=FOLDED * query.limit)
        found = search(seen.gate, seen.ledger, wide, seen.moment, may_write=may, encoder=encoder)
        found = as_told(found, query)
        expose(context, seen.gate.home, found)
        agent = bool(calling_host())
        context.emit(found_record(found, query, to_agent=agent))
        context.print_lines(hit_lines(found))
        if not found.hits:
            context.print("Nothing in this home answers that.")
        if found.withheld and not agent:
            told = "; ".join(f"{count} {why}" for why, count in found.withheld.items())
            context.print_lines(screen.wrap(f"Left out: {told}.", indent="  ", first=""))
        for note in found.notes:
            for line in screen.wrap(screen.shown(note), indent="  ", first=""):
                context.note(line)
    return 0
