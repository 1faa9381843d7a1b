"""What ``recall`` answers a query, or with a frame of mind: searched or filled, printed, and what of it is recorded.

Invariant: what is called from an agent's host is answered as an agent is, and what it was shown is
in the ledger before it is printed.
"""

from collections import Counter
from collections.abc import Iterator
from os import environ
from typing import Any

from msgspec.structs import replace

from nightledger.domain.errors import NightledgerError, RefusedError
from nightledger.domain.exposure import Exposure, Place, session_name
from nightledger.domain.frames import Frame, Scored
from nightledger.domain.search import Found, Query
from nightledger.domain.settings import Operator
from nightledger.files.configuration import load_operator
from nightledger.files.home import Home
from nightledger.files.hook_state import append_exposure
from nightledger.gate.memory.recalling import Recollection, recollect
from nightledger.gate.opening import require_settings
from nightledger.recall.meaning import Encoder
from nightledger.recall.searching import as_told, explain, search
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.hits import explained_lines, explained_record, found_record, hit_lines
from nightledger.surfaces.home import calling_host, is_simulated, require_machine, require_person
from nightledger.surfaces.session import reading
from nightledger.text.scanners.scan import mask_secrets

FOLDED = 3
"""How many times the hits that are shown are looked at: some say the same. Our choice."""


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
    context.emit(found_record(found, query))
    context.print_lines(hit_lines(found))
    if not found.hits:
        context.print("Nothing in this home answers that.")


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


def choose_encoder(operator: Operator) -> Encoder | None:
    """Give what makes embeddings; None where words alone count."""
    source = operator.meaning
    if source is None:
        return None
    from nightledger.surfaces.outside import EmbeddingServer

    return EmbeddingServer(source)


MAX_NAMED = 200
"""Left-out entries that ``--json`` names; all of them are counted."""
_MEASURES = ("similarity", "confidence", "recency", "centrality", "reinforcement")


def show_frame(context: Context, frame: Frame, query: str) -> int:
    """Fill a frame and print it; nothing is written."""
    with reading(context) as seen:
        require_settings(seen.gate)
        found = recollect(seen.gate, seen.ledger, frame, query, seen.moment)
    rules, dropped = seen.gate.settings.frames[frame.value], found.chosen.dropped
    withheld = {name: getattr(found, name) for name in screen.sentences("frames")["withheld"]}
    record = {
        "frame": frame.name,
        "query": query,
        "places": rules.places,
        "tokens": found.chosen.tokens,
        "budget_tokens": rules.tokens,
        "shown": [_frame_record(found, scored) for scored in found.chosen.shown],
        "dropped": [
            {"id": scored.candidate.id, "why": why.value, "score": round(scored.score, 4)}
            for scored, why in dropped[:MAX_NAMED]
        ],
        "dropped_in_all": len(dropped),
        "outside": found.chosen.outside,
        "withheld": withheld,
    }
    context.emit(record)
    context.print_lines(_frame_lines(found, record))
    return 0


def _frame_lines(found: Recollection, record: dict[str, Any]) -> Iterator[str]:
    yield from screen.wrap(
        f"{record['frame']}: {len(record['shown'])} of {record['places']} places, "
        f"{record['tokens']} of {record['budget_tokens']} tokens",
        indent="  ",
        first="",
    )
    for one in record["shown"]:
        tags = f" [{', '.join(one['tags'])}]" if one["tags"] else ""
        section = f", {' > '.join(one['section'][1:] or one['section'])}" if one["section"] else ""
        where = f"{one['path']}{section} ({one['id']}){tags}" if one["path"] else f"{one['id']}{tags}"
        yield from screen.wrap(f"{one['score']:.2f}  {screen.shown(where)}", indent=" " * 6, first="")
        for line in one["text"].splitlines():
            yield from screen.wrap(screen.shown(line), indent=" " * 8, first=" " * 6)
    words = screen.sentences("frames")
    why = Counter(why.value for _, why in found.chosen.dropped)
    left = [f"{why[name]} {text}" for name, text in words["dropped"].items() if why[name]]
    left += [f"{record['outside']} without a tag of self/"] if record["outside"] else []
    withheld = [f"{count} {words['withheld'][name]}" for name, count in record["withheld"].items() if count]
    for word, told in (("Left out", left), ("Withheld", withheld)):
        if told:
            yield from screen.wrap(f"{word}: {'; '.join(told)}.", indent="  ", first="")


def _frame_record(found: Recollection, scored: Scored) -> dict[str, Any]:
    candidate = scored.candidate
    placed = found.places.get(candidate.id)
    return {
        "id": candidate.id,
        "kind": "principle" if candidate.principle else "entry",
        "path": placed.path if placed else None,
        "section": [mask_secrets(title) for title in placed.entry.section] if placed else [],
        "tags": list(candidate.tags),
        "score": round(scored.score, 4),
        "measures": {name: round(getattr(candidate, name), 4) for name in _MEASURES},
        "tokens": candidate.tokens,
        "text": mask_secrets(candidate.text),
    }
