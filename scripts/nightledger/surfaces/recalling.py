"""What ``recall`` answers a query, or with a frame of mind: searched or filled, printed, and what of it is recorded.

Invariant: what is called from an agent's host is answered as an agent is, and what it was shown is
in the ledger before it is printed.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import date
from os import environ
from typing import Any

from msgspec.structs import replace

from nightledger.domain.consolidation import Block
from nightledger.domain.errors import NightledgerError, RefusedError
from nightledger.domain.exposure import Place, session_name
from nightledger.domain.frames import Candidate, Frame
from nightledger.domain.proposal import place_of
from nightledger.domain.search import Chunk, Found, Hit, Query, Why
from nightledger.domain.settings import Operator
from nightledger.files.configuration import load_operator
from nightledger.files.home import Home
from nightledger.files.hook_state import append_exposure
from nightledger.gate.opening import require_settings
from nightledger.gate.recalling import Recollection, recollect
from nightledger.recall.meaning import Encoder
from nightledger.recall.searching import as_told, search
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context, calling_host, require_machine
from nightledger.surfaces.session import reading
from nightledger.text.scanners.scan import mask_secrets, told_values

MOST_REASONS = 4
"""Reasons that a hit names; ``--explain`` has all."""
_WORDS = {Why.TERM: "", Why.EXPANSION: "associated: ", Why.MEANING: "", Why.NEIGHBOUR: "", Why.TIME: "time: "}


def one_hit(hit: Hit, *, explained: bool = False) -> Iterator[str]:
    """Return the rows of one hit: score and place, its best lines, why.

    Args:
        hit: The hit.
        explained: Whether to name all reasons, each with its part of the score.
    """
    chunk, wrap = hit.chunk, screen.wrap
    heading = f", {screen.shown(chunk.heading)}" if chunk.heading else ""
    heading = heading if chunk.text else " [unsigned: open it to read it]"
    head = wrap(f"{hit.score:.2f}  {place(hit)}{heading}", indent="      ", first="")
    yield from (screen.painted(row, "1;32") for row in head)
    told = told_values(chunk.text)
    for line in hit.best_text.split("\n"):
        if line.strip():
            yield from wrap(screen.shown(line.strip(), told=told), indent="        ", first="      ")
    why = hit.why if explained else hit.why[:MOST_REASONS]
    parts = [f" {one.score:.2f}" * explained for one in why]
    named = [f"{_WORDS[one.why]}{screen.shown(one.what)}{part}" for one, part in zip(why, parts, strict=True)]
    if named:
        yield from wrap(", ".join(named), indent="      ", first="  why: ")
    if hit.held is not None:
        yield from wrap(f"[held: {screen.shown(hit.held)}]", indent="      ", first="  ")


def place(hit: Hit) -> str:
    """Give where a hit's best lines stand: ``memory/2026-02-28.md:12-13``."""
    return screen.shown(place_of(hit.chunk.path, hit.lines))


def found_record(found: Found, query: Query) -> dict[str, Any]:
    """Give the document of ``recall QUERY --json``.

    Args:
        found: What was found.
        query: What was asked.
    """
    return {
        "query": mask_secrets(query.text[:1000]),
        "tags": list(query.tags),
        "since": _iso(found.since),
        "until": _iso(found.until),
        "only_that_time": found.only,
        "scope": sorted(kind.value for kind in query.scope),
        "showing": query.showing.value,
        "terms": list(found.terms),
        "expanded": [{"word": word, "from": source} for word, source in found.expanded],
        "hits": [hit_record(hit) for hit in found.hits],
        "notes": list(found.notes),
    }


def hit_record(hit: Hit) -> dict[str, Any]:
    """Give one hit as a record."""
    chunk = hit.chunk
    return {
        "path": chunk.path,
        "lines": list(hit.lines),
        "score": hit.score,
        "kind": chunk.kind.value,
        "day": _iso(chunk.day),
        "heading": mask_secrets(chunk.heading),
        "entry": chunk.entry or None,
        "signed": hit.signed,
        "block": _block_record(hit.block, chunk) if hit.block else None,
        "chunk": {"lines": [chunk.first_line, chunk.last_line], "text": _masked(chunk)},
        "why": [{"why": one.why.value, "what": one.what, "score": one.score} for one in hit.why],
        "held": hit.held,
    }


def _block_record(block: Block, chunk: Chunk) -> dict[str, Any]:
    return {
        "alignment_score": block.alignment_score,
        "tags": [mask_secrets(tag) for tag in block.tags],
        "summary": mask_secrets(block.summary, told=told_values(chunk.text)),
    }


def _masked(chunk: Chunk) -> str:
    return mask_secrets(chunk.text, told=told_values(chunk.text))


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


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
        explained: Whether to tell all reasons of a hit, each with its part of the score.
    """
    with reading(context) as seen:
        encoder = choose_encoder(load_operator(context.keys_dir))
        may = may_write(seen.gate.home)
        wide = replace(query, limit=FOLDED * query.limit)
        found = search(seen.gate, seen.ledger, wide, seen.moment, may_write=may, encoder=encoder)
        found = as_told(found, query)
        expose(context, seen.gate.home, found)
        context.emit(found_record(found, query))
        if explained:
            also = (f"{word} (for {source}, for less)" for word, source in found.expanded)
            said = f"Looked for: {', '.join((*found.terms, *also))}"
            context.print_lines(screen.wrap(screen.shown(said), indent="  ", first=""))
        for hit in found.hits:
            context.print_lines(one_hit(hit, explained=explained))
        if not found.hits:
            context.print("Nothing in this home answers that.")
        for note in found.notes:
            for line in screen.wrap(screen.shown(note), indent="  ", first=""):
                context.note(line)
    return 0


def may_write(home: Home) -> bool:
    """Tell whether this machine writes the home; where another does, its index is left as it is."""
    try:
        require_machine(home)
    except RefusedError:
        return False
    return True


def calling_session() -> str:
    """Return the session whose agent is calling, as its host names it; empty where none is told."""
    return session_name(next((environ[name] for name in _SESSIONS if environ.get(name)), ""))


def expose(context: Context, home: Home, found: Found) -> None:
    """Record what an agent is about to be shown; nothing where a person asks for what an agent would see."""
    host = calling_host()
    if not host or not found.hits:
        return
    try:
        append_exposure(
            home,
            at=f"{context.now:%Y-%m-%dT%H:%M:%SZ}",
            shown=[hit.chunk.entry for hit in found.hits],
            host=_HOSTS.get(host, "unknown"),
            event="recall",
            session=calling_session(),
            places=[Place(path=hit.chunk.path, lines=hit.lines) for hit in found.hits],
        )
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
        "shown": [_frame_record(found, one) for one in found.chosen.shown],
        "dropped": [
            {"id": one.id, "why": why.value, "score": round(one.score, 4)} for one, why in dropped[:MAX_NAMED]
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


def _frame_record(found: Recollection, candidate: Candidate) -> dict[str, Any]:
    placed = found.places.get(candidate.id)
    return {
        "id": candidate.id,
        "kind": "principle" if candidate.principle else "entry",
        "path": placed.path if placed else None,
        "section": [mask_secrets(title) for title in placed.entry.section] if placed else [],
        "tags": list(candidate.tags),
        "score": round(candidate.score, 4),
        "measures": {name: round(getattr(candidate, name), 4) for name in _MEASURES},
        "tokens": candidate.tokens,
        "text": mask_secrets(candidate.text),
    }
