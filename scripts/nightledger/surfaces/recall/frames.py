"""How ``recall --frame`` shows a frame: what fits, what was left out and why."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from nightledger.domain.frames import Dropped, Frame, Scored
from nightledger.gate.memory.recalling import Recollection, recollect
from nightledger.gate.opening import require_settings
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import reading
from nightledger.text.scanners.scan import mask_secrets

MAX_NAMED = 200
"""Left-out entries that ``--json`` names; all of them are counted."""
_WHY = {
    Dropped.OVER_CAP: "principles over their cap",
    Dropped.OVER_BUDGET: "over the budget",
    Dropped.BELOW_PLACES: "below the places",
}
_WITHHELD = {
    "unsigned": "not signed (changed outside Nightledger)",
    "quarantined": "held by scanners",
    "forgotten": "forgotten",
}
_MEASURES = ("similarity", "confidence", "recency", "centrality", "reinforcement")


def show_frame(context: Context, frame: Frame, query: str) -> int:
    """Fill a frame and print it; nothing is written."""
    with reading(context) as seen:
        require_settings(seen.gate)
        found = recollect(seen.gate, seen.ledger, frame, query, seen.moment)
    rules, dropped = seen.gate.settings.frames[frame.value], found.chosen.dropped
    withheld = {name: getattr(found, name) for name in _WITHHELD}
    record = {
        "frame": frame.name,
        "query": query,
        "places": rules.places,
        "tokens": found.chosen.tokens,
        "budget_tokens": rules.tokens,
        "shown": [_record(found, scored) for scored in found.chosen.shown],
        "dropped": [
            {"id": scored.candidate.id, "why": why.value, "score": round(scored.score, 4)}
            for scored, why in dropped[:MAX_NAMED]
        ],
        "dropped_in_all": len(dropped),
        "outside": found.chosen.outside,
        "withheld": withheld,
    }
    context.emit(record)
    context.print_lines(_lines(found, record))
    return 0


def _lines(found: Recollection, record: dict[str, Any]) -> Iterator[str]:
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
    why = Counter(why for _, why in found.chosen.dropped)
    left = [f"{why[one]} {text}" for one, text in _WHY.items() if why[one]]
    left += [f"{record['outside']} without a tag of self/"] if record["outside"] else []
    withheld = [f"{count} {_WITHHELD[name]}" for name, count in record["withheld"].items() if count]
    for word, told in (("Left out", left), ("Withheld", withheld)):
        if told:
            yield from screen.wrap(f"{word}: {'; '.join(told)}.", indent="  ", first="")


def _record(found: Recollection, scored: Scored) -> dict[str, Any]:
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
