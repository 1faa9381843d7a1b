"""``recall QUERY``: options to a query, the search, what answers printed, and what of it is recorded.

Invariant: what is called from an agent's host is answered as an agent is, and what it was shown is
in the ledger before it is printed.
"""

from argparse import Namespace
from os import environ

from msgspec.structs import replace

from nightledger.domain.errors import NightledgerError, RefusedError, UsageError
from nightledger.domain.exposure import Exposure, Place, session_name
from nightledger.domain.operator import Operator
from nightledger.domain.search.values import Found, Kind, Query, Showing
from nightledger.files.configuration import load_operator
from nightledger.files.home import Home
from nightledger.files.hook_state import append_exposure
from nightledger.recall.meaning import Encoder
from nightledger.recall.searching import explain, search
from nightledger.recall.weighing import as_told
from nightledger.surfaces import screen
from nightledger.surfaces.agent_host import calling_host, require_person
from nightledger.surfaces.context import Context
from nightledger.surfaces.home import is_simulated, require_machine
from nightledger.surfaces.recall.hits import explained_lines, explained_record, found_record, hit_lines
from nightledger.surfaces.recall.options import read_day, read_tags
from nightledger.surfaces.session import reading

FOLDED = 3
"""How many times the hits that are shown are looked at: some say the same. Our choice."""


MAX_HITS = 200
"""Hits of one query: more are no answer but a listing. Our choice."""
_HOSTS = {"Claude Code": "claude_code", "Codex": "codex", "OpenClaw": "openclaw", "Hermes": "hermes"}
"""Hosts as records name them."""
_SESSIONS = ("CODEX_THREAD_ID", "HERMES_SESSION_ID", "CLAUDE_CODE_SESSION_ID")


def show_found(context: Context, query: Query, *, explained: bool = False) -> int:
    """Search and print; what is written is the index, and for an agent the ledger of what it was shown.

    Args:
        context: The command's surroundings.
        query: What for.
        explained: Whether to tell how it was answered, which is for the operator.
    """
    if explained:
        require_person("recall --explain", simulated=is_simulated(context.home_path))
    with reading(context) as seen:
        encoder = choose_encoder(load_operator(context.keys_dir))
        may = may_write(seen.gate.home)
        if explained:
            how = explain(seen.gate, seen.ledger, query, seen.moment, may_write=may, encoder=encoder)
            found = how.found
            context.emit(explained_record(how, query))
            context.print_lines(explained_lines(how, query))
        else:
            wide = replace(query, limit=FOLDED * query.limit)
            found = search(seen.gate, seen.ledger, wide, seen.moment, may_write=may, encoder=encoder)
            found = as_told(found, query)
            expose(context, seen.gate.home, found)
            _show(context, found, query)
        for note in found.notes:
            for line in screen.wrap(screen.shown(note), indent="  ", first=""):
                context.note(line)
    return 0


def _show(context: Context, found: Found, query: Query) -> None:
    agent = bool(calling_host())
    context.emit(found_record(found, query, to_agent=agent))
    context.print_lines(hit_lines(found))
    if not found.hits:
        context.print("Nothing in this home answers that.")
    if found.withheld and not agent:
        told = "; ".join(f"{count} {why}" for why, count in found.withheld.items())
        context.print_lines(screen.wrap(f"Left out: {told}.", indent="  ", first=""))


def read_query(options: Namespace, text: str) -> Query:
    """Give the query that options ask for.

    Raises:
        UsageError: An option says nothing that could be looked for.
    """
    if not 1 <= options.limit <= MAX_HITS:
        raise UsageError(f"-n {options.limit}: 1 to {MAX_HITS} hits can be shown", hint="give -n 10")
    if not text.strip():
        raise UsageError("the query is empty", hint="nightledger recall 'backup retention'")
    agent = options.agent or bool(calling_host())
    return Query(
        text=text,
        tags=read_tags(options.tags) if options.tags is not None else (),
        since=read_day(options.since, "--since"),
        until=read_day(options.until, "--until"),
        scope=_scope(options.scope),
        limit=options.limit,
        showing=Showing.AGENT if agent else Showing.OPERATOR,
        any_time=options.any_time,
    )


def may_write(home: Home) -> bool:
    """Tell whether this machine writes the home; where another does, its index is left as it is."""
    try:
        require_machine(home)
    except RefusedError:
        return False
    return True


def expose(context: Context, home: Home, found: Found) -> None:
    """Record what an agent is about to be shown; nothing where a person asks for what an agent would see."""
    host = calling_host()
    if not host or not found.hits:
        return
    session = next((environ[name] for name in _SESSIONS if environ.get(name)), "")
    exposure = Exposure(
        at=f"{context.now:%Y-%m-%dT%H:%M:%SZ}",
        shown=[hit.chunk.entry for hit in found.hits],
        host=_HOSTS.get(host, "unknown"),
        event="recall",
        session=session_name(session),
        places=[Place(path=hit.chunk.path, lines=hit.lines) for hit in found.hits],
    )
    try:
        append_exposure(home, exposure)
    except (NightledgerError, OSError) as error:
        context.note(f"what was shown could not be recorded: {error}")


def _scope(text: str | None) -> frozenset[Kind]:
    words = [word.strip() for word in text.split(",")] if text is not None else []
    known = [kind.value for kind in Kind]
    unknown = [word for word in words if word not in known]
    if unknown:
        raise UsageError(f"--scope: {unknown[0]!r} is no kind", hint=f"kinds are {', '.join(known)}")
    return frozenset(map(Kind, words))


def choose_encoder(operator: Operator) -> Encoder | None:
    """Give what makes embeddings; None where words alone count."""
    source = operator.meaning
    if source is None:
        return None
    from nightledger.surfaces.recall.embedding_server import EmbeddingServer

    return EmbeddingServer(source)
