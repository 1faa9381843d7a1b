"""The guard as commands call it: where traces are looked for, and how a sighting is told."""

from typing import Any

from nightledger.domain.consent import PROTECTED_FILES
from nightledger.domain.words import dump_moment
from nightledger.gate.guard.guarding import Sighting, guard
from nightledger.surfaces import screen
from nightledger.surfaces.home import host_roots
from nightledger.surfaces.session import Session


def look_after(session: Session) -> tuple[Sighting, ...]:
    """Let the guard look; the caller holds the home's lock."""
    sightings = guard(session.gate, session.ledger, _roots(session), session.moment)
    session.reread()
    return sightings


def _roots(session: Session) -> dict[str, str]:
    """Give where traces of writers are looked for; in a simulated home, whose clock is set, none of hosts."""
    if session.gate.home.identity.simulated:
        return {}
    return host_roots()


def watched(session: Session) -> list[str]:
    """Give every file on which a look depends, relative to the home."""
    home = session.gate.home
    own = (home.relative(home.settings), home.relative(home.audit_log))
    return [*home.identity.gated, *PROTECTED_FILES, *own]


def sighting_record(sighting: Sighting) -> dict[str, Any]:
    """Give a sighting as ``--json`` has it."""
    return {
        **{name: getattr(sighting, name) for name in ("path", "new", "protected", "relocked")},
        **{name: getattr(sighting, name) or None for name in ("proposal", "writer", "problem")},
        "known_earlier": dump_moment(sighting.earlier) if sighting.earlier else None,
    }


def sighting_lines(sighting: Sighting) -> list[str]:
    """Say what was found and what to do."""
    path = screen.shown(sighting.path)
    if sighting.problem:
        return screen.wrap(
            f"{path} cannot be looked after: {screen.shown(sighting.problem)}", indent="  ", first=""
        )
    if sighting.relocked:
        return screen.wrap(f"{path} was not locked any more, and is locked again.", indent="  ", first="")
    if sighting.earlier:
        text = f"{path} went back to what was accepted on {sighting.earlier:%Y-%m-%d %H:%M} UTC."
    else:
        text = f"{path} was changed outside Nightledger (writer: {sighting.writer})."
    todo = "'nightledger review' asks about each section." if sighting.proposal else ""
    return screen.wrap(f"{text} {todo}".rstrip(), indent="  ", first="")
