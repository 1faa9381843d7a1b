"""Ask a home what it knows, as an operator or as an agent."""

from pathlib import Path
from typing import Any

from tests.gate.homes import Desk

from nightledger.domain.search import Found, Hit, Query, Showing
from nightledger.recall.searching import search


def put(desk: Desk, path: str, text: str | bytes) -> Path:
    """Write a file of the home as its agent would."""
    place = Path(desk.home.path(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return place


def ask(desk: Desk, text: str, *, agent: bool = False, **fields: Any) -> Found:
    """Search."""
    showing = Showing.AGENT if agent else Showing.OPERATOR
    return search(desk.gate, desk.ledger(), Query(text=text, showing=showing, **fields), desk.moment)


def hits(desk: Desk, text: str, **fields: Any) -> tuple[Hit, ...]:
    """Search, and give the hits."""
    return ask(desk, text, **fields).hits


def places(desk: Desk, text: str, **fields: Any) -> list[str]:
    """Search, and give where the best lines stand."""
    return [f"{hit.chunk.path}:{hit.lines[0]}" for hit in hits(desk, text, **fields)]


def told(desk: Desk, text: str, **fields: Any) -> str:
    """Search as an agent, and give all that it is shown."""
    found = ask(desk, text, agent=True, limit=50, **fields)
    return "\n".join(f"{hit.chunk.heading}\n{hit.chunk.text}" for hit in found.hits)
