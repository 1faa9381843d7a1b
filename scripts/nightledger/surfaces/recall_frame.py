"""How ``recall --frame`` shows a frame: what fits, what was left out and why."""

from collections import Counter
from typing import Any

from nightledger.domain.frames import Dropped, Frame, Scored
from nightledger.gate.memory.recalling import Recollection, recollect
from nightledger.gate.opening import Gate, require_settings
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


def show_frame(context: Context, frame: Frame, query: str) -> int:
    """Fill a frame and print it; nothing is written."""
    with reading(context) as seen:
        require_settings(seen.gate)
        found = recollect(seen.gate, seen.ledger, frame, query, seen.moment)
        context.emit(_record(seen.gate, found, query))
        context.print_lines(_lines(seen.gate, found))
    return 0


def _lines(gate: Gate, found: Recollection) -> list[str]:
    rules = gate.settings.frames[found.frame.value]
    shown = found.chosen.shown
    lines = screen.wrap(
        f"{found.frame.name}: {len(shown)} of {rules.places} places, {found.chosen.tokens} of {rules.tokens} tokens",
        indent="  ",
        first="",
    )
    for scored in shown:
        lines += screen.wrap(
            f"{scored.score:.2f}  {screen.shown(_place(found, scored))}", indent="      ", first=""
        )
        for line in scored.candidate.text.splitlines():
            lines += screen.wrap(screen.shown(line), indent="        ", first="      ")
    why = Counter(why for _, why in found.chosen.dropped)
    left = [f"{why[one]} {text}" for one, text in _WHY.items() if why[one]]
    left += [f"{found.chosen.outside} without a tag of self/"] if found.chosen.outside else []
    held = [
        (found.unsigned, "not signed (changed outside the gate)"),
        (found.quarantined, "held by scanners"),
        (found.forgotten, "forgotten"),
    ]
    withheld = [f"{count} {text}" for count, text in held if count]
    if left:
        lines += screen.wrap(f"Left out: {'; '.join(left)}.", indent="  ", first="")
    if withheld:
        lines += screen.wrap(f"Withheld: {'; '.join(withheld)}.", indent="  ", first="")
    return lines


def _place(found: Recollection, scored: Scored) -> str:
    candidate = scored.candidate
    if candidate.principle:
        return f"{candidate.id} [{', '.join(candidate.tags)}]"
    placed = found.places[candidate.id]
    titles = placed.entry.section[1:] or placed.entry.section
    section = f", {' > '.join(titles)}" if titles else ""
    tags = f" [{', '.join(candidate.tags)}]" if candidate.tags else ""
    return f"{placed.path}{section} ({candidate.id}){tags}"


def _record(gate: Gate, found: Recollection, query: str) -> dict[str, Any]:
    rules = gate.settings.frames[found.frame.value]
    dropped = found.chosen.dropped
    return {
        "frame": found.frame.name,
        "query": query,
        "places": rules.places,
        "tokens": found.chosen.tokens,
        "budget_tokens": rules.tokens,
        "shown": [_shown(found, scored) for scored in found.chosen.shown],
        "dropped": [
            {"id": scored.candidate.id, "why": why.value, "score": round(scored.score, 4)}
            for scored, why in dropped[:MAX_NAMED]
        ],
        "dropped_in_all": len(dropped),
        "outside": found.chosen.outside,
        "withheld": {
            "unsigned": found.unsigned,
            "quarantined": found.quarantined,
            "forgotten": found.forgotten,
        },
    }


def _shown(found: Recollection, scored: Scored) -> dict[str, Any]:
    candidate = scored.candidate
    placed = found.places.get(candidate.id)
    measures = ("similarity", "confidence", "recency", "centrality", "reinforcement")
    return {
        "id": candidate.id,
        "kind": "principle" if candidate.principle else "entry",
        "path": placed.path if placed else None,
        "section": [mask_secrets(title) for title in placed.entry.section] if placed else [],
        "tags": list(candidate.tags),
        "score": round(scored.score, 4),
        "measures": {name: round(getattr(candidate, name), 4) for name in measures},
        "tokens": candidate.tokens,
        "text": mask_secrets(candidate.text),
    }
