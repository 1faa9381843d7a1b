"""Put all looks of ``doctor`` together; nothing is written, no look ends the others."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nightledger.domain.errors import NightledgerError
from nightledger.domain.event import Actor
from nightledger.files.home import Home
from nightledger.gate.opening import Gate, open_gate
from nightledger.surfaces import clock
from nightledger.surfaces.context import Context
from nightledger.surfaces.doctor.around import check_locks, check_machines, check_rivals, check_search
from nightledger.surfaces.doctor.checks import Check, State, bad, looked, note
from nightledger.surfaces.doctor.home import check_clock, check_home, check_log_of, check_memory
from nightledger.surfaces.doctor.keys import Protection, check_keys, protection
from nightledger.surfaces.doctor.program import check_program
from nightledger.surfaces.doctor.schedule import check_nights, check_schedule, check_steps, place_of
from nightledger.surfaces.doctor.staging import check_staging
from nightledger.surfaces.doctor.trust import check_consent, check_trust
from nightledger.surfaces.instructions import Offer, offer
from nightledger.trust.keys import KeyRing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Everything that ``doctor`` shows.

    Attributes:
        home: Absolute path.
        checks: Findings, by area.
        protection: What stands between the operator's key and a program of the same user; None
            where there is no home.
        offer: What could be added to the host's instructions; None where that cannot be told.
    """

    home: str
    checks: tuple[Check, ...]
    protection: Protection | None
    offer: Offer | None

    @property
    def well(self) -> bool:
        """Whether all that is needed is there."""
        return not any(check.state is State.BAD for check in self.checks)


def diagnose(context: Context) -> Diagnosis:
    """Look at everything."""
    home, ring = Home(context.home_path), KeyRing(Path(context.keys_dir))
    checks = looked("program", check_program)
    try:
        _ = home.identity
    except NightledgerError as error:
        checks.append(bad(str(error), error.hint, area="home"))
        return Diagnosis(home=home.root, checks=tuple(checks), protection=None, offer=None)
    now = context.now
    looks: tuple[tuple[str, Callable[[], Iterable[Check]]], ...] = (
        ("home", lambda: check_home(home, context.keys_dir)),
        ("keys", lambda: check_keys(home, ring)),
        ("log", lambda: check_log_of(home, ring, context.moment)),
        ("keys", lambda: check_trust(_gate(context), context.moment)),
        ("consent", lambda: check_consent(_gate(context), context.moment)),
        ("memory", lambda: check_memory(home, ring, now)),
        ("locks", lambda: check_locks(home, context.keys_dir)),
        ("rivals", lambda: check_rivals(home)),
        ("search", lambda: check_search(home)),
        ("staging", lambda: check_staging(home, context.keys_dir, now)),
        ("machines", lambda: check_machines(home, now)),
        ("schedule", lambda: check_schedule(home, place_of(context), os.path.expanduser("~"), now)),
        ("schedule", lambda: check_nights(home, now)),
        ("clock", lambda: check_clock(home, ring, now, clock.boot_clock()[0])),
        ("clock", lambda: check_steps(home, now)),
    )
    for area, look in looks:
        checks += looked(area, look)
    found: list[Offer] = []
    checks += looked("memory", lambda: _offer(home, found))
    return Diagnosis(
        home=home.root,
        checks=tuple(checks),
        protection=protection(home, ring),
        offer=found[0] if found else None,
    )


def _gate(context: Context) -> Gate:
    return open_gate(context.home_path, context.keys_dir, actor=Actor.UNKNOWN)


def _offer(home: Home, found: list[Offer]) -> tuple[Check, ...]:
    found.append(offer(home))
    at = [f"{found[0].path}:{number}" for number in found[0].edits[:5]]
    told = (
        f"{', '.join(at)} {'tell' if at[1:] else 'tells'} the agent to write {home.identity.gated[0]} itself"
    )
    return (note(told, "take that out, else it and the gate contradict each other"),) if at else ()
