"""Derived files folded again from what they derive from: the views, the links, the search index.

Invariant: what is folded is what the log, the proposals and the outcomes say; nothing is believed of the old files.
"""

import os
from contextlib import closing

from nightledger.codec.links import MAX_CURSORS_BYTES, VIEW_LINKS, dump_view, parse_link_cursor
from nightledger.domain.errors import EXIT_ALARM
from nightledger.files.configuration import home_zone
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.files.link_index import Rules, folded_links
from nightledger.gate.forgotten import link_rules
from nightledger.gate.views import refresh_views, stale_views
from nightledger.jobs.link import link
from nightledger.recall.indexing import refresh
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import Session, reading, writing


def rebuild(context: Context, *, dry_run: bool) -> int:
    """Fold and write, or fold and compare; give the exit status, 4 where only compared files differ."""
    if dry_run:
        with reading(context) as session:
            stale = find_stale(session)
        context.emit({"differs": stale})
        for path in stale:
            context.print(
                f"{path} is not what it is folded from; 'nightledger doctor --rebuild' writes it anew."
            )
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


MAX_VIEW_BYTES = 1 << 30
"""The view of a million links; a larger file is none of ours."""


def find_stale(session: Session) -> list[str]:
    """Name the derived files that are not what they are folded from, relative to the home; writes nothing."""
    home = session.gate.home
    stale = stale_views(session.gate, session.ledger)
    view = read_optional(home.links, MAX_VIEW_BYTES, within=home.root)
    if view != fold_links(home, claimed=view is not None, rules=_rules_of(session)):
        stale.append(home.relative(home.links))
    return stale


def rebuild_all(session: Session) -> list[str]:
    """Fold everything anew and write what differs; gives the paths written, relative to the home."""
    home = session.gate.home
    written = refresh_views(session.gate, session.ledger)
    before = read_optional(home.links, MAX_VIEW_BYTES, within=home.root)
    if before is None and not os.path.lexists(home.outcomes):
        return written  # nothing was ever logged, and no view is owed
    link(home, _rules_of(session), rebuild=True)
    if read_optional(home.links, MAX_VIEW_BYTES, within=home.root) != before:
        written.append(home.relative(home.links))
    return written


def rebuild_search(session: Session) -> int:
    """Make the search index anew, after everything else that it is made of; gives how many chunks it has.

    What they mean is learned by the next search, where a server of embeddings is named.
    """
    with closing(refresh(session.gate, session.ledger, session.moment, anew=True).store) as store:
        return store.count()


def relink(session: Session) -> None:
    """Fold all links of the home anew at once, when one was deleted or came back: nobody is shown it until the night."""
    session.reread()
    link(session.gate.home, _rules_of(session))


def _rules_of(session: Session) -> Rules:
    gate = session.gate
    return link_rules(gate, session.ledger, home_zone(gate.home, gate.settings))


def fold_links(home: Home, *, claimed: bool, rules: Rules) -> bytes | None:
    """Give the association view as a full fold has it, made aside; the home is only read.

    It is folded from the outcomes up to where the last run read. Where a later run is owed
    all of them, the view of all would differ and nothing would be wrong.

    Args:
        home: Whose.
        claimed: Whether there is a view; without one and without a cursor nothing is owed.
        rules: What counts.
    """
    cursor = parse_link_cursor(read_optional(home.cursors, MAX_CURSORS_BYTES, within=home.root) or b"")
    if cursor is None and not claimed:
        return None
    with folded_links(home, rules, None if cursor is None else cursor.offset) as index:
        return dump_view(index.top_links(VIEW_LINKS)[0])
