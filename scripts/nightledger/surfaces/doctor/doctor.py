"""Put all looks of ``doctor`` together, one table: subject and look; nothing is written, no look ends the others."""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from nightledger.domain.errors import NightledgerError
from nightledger.domain.event import Actor
from nightledger.domain.moment import Moment
from nightledger.domain.states import Book
from nightledger.files.home import Home
from nightledger.gate.opening import Gate, Ledger, open_gate, settings_of
from nightledger.remote.witness_asking import check_witnesses
from nightledger.surfaces import clock
from nightledger.surfaces.context import Context
from nightledger.surfaces.doctor import around, keys, program
from nightledger.surfaces.doctor import home as house
from nightledger.surfaces.doctor.checks import Check, State, bad, found, looked
from nightledger.surfaces.verbs.schedule import place_of
from nightledger.surfaces.verbs.verify import Seen, look_beyond
from nightledger.trust.keys import KeyRing
from nightledger.trust.pin import find_pin
from nightledger.trust.reading import VerifiedLog, check_log, require_intact


class Diagnosis(Struct, frozen=True, kw_only=True):
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
    protection: keys.Protection | None
    offer: around.Offer | None

    @property
    def well(self) -> bool:
        """Whether all that is needed is there."""
        return not any(check.state is State.BAD for check in self.checks)


class _Opened:
    """A home that is read once for all looks; what cannot be read is told by each look that needs it."""

    def __init__(self, context: Context) -> None:
        self.home, self.ring = Home(context.home_path), KeyRing(Path(context.keys_dir))
        self.keys_dir, self.context = context.keys_dir, context

    @cached_property
    def moment(self) -> Moment:
        return self.context.moment

    @cached_property
    def gate(self) -> Gate:
        return open_gate(self.home.root, self.keys_dir, actor=Actor.UNKNOWN)

    @cached_property
    def log(self) -> VerifiedLog:
        return check_log(self.home, find_pin(self.ring, self.home.identity.id))

    @cached_property
    def seen(self) -> Seen:
        if not self.log.report.ok:
            return Seen(report=self.log.report, simulated=self.home.identity.simulated)
        return look_beyond(self.gate, self.log, self.moment)

    @property
    def ledger(self) -> Ledger:
        require_intact(self.log)
        return Ledger(log=self.log, book=self.seen.book or Book())


def diagnose(context: Context) -> Diagnosis:
    """Look at everything."""
    one = _Opened(context)
    home, ring, keys_dir = one.home, one.ring, one.keys_dir
    checks = looked("program", program.check_program)
    try:
        _ = home.identity
    except NightledgerError as error:
        checks.append(bad(str(error), error.hint, area="home"))
        return Diagnosis(home=home.root, checks=tuple(checks), protection=None, offer=None)
    at, offers = one.moment, list[around.Offer]()
    looks: tuple[tuple[str, Callable[[], Iterable[Check]]], ...] = (
        ("home", lambda: house.check_home(home, keys_dir)),
        ("keys", lambda: keys.check_keys(home, ring)),
        ("log", lambda: house.check_seen(one.seen)),
        ("keys", lambda: keys.check_signer(home, ring, one.ledger, at) if one.log.report.ok else ()),
        ("witness", lambda: check_witnesses(home, one.ledger, keys_dir, at) if one.log.report.ok else ()),
        ("keys", lambda: keys.check_trust(one.gate, one.ledger, at)),
        ("consent", lambda: keys.check_consent(one.gate, one.ledger, at)),
        ("memory", lambda: house.check_memory(home, settings_of(home, ring).settings, at.at)),
        ("locks", lambda: around.check_locks(home)),
        ("rivals", lambda: around.check_rivals(home)),
        ("search", lambda: around.check_search(home)),
        ("staging", lambda: around.check_staging(home, keys_dir, at.at)),
        ("machines", lambda: around.check_machines(home, at.at)),
        ("schedule", lambda: program.check_schedule(home, place_of(context), os.path.expanduser("~"), at.at)),
        ("schedule", lambda: program.check_nights(home, at.at)),
        (
            "clock",
            lambda: house.check_clock(home, settings_of(home, ring).settings, one.log.newest, at.at, _boot()),
        ),
        ("clock", lambda: program.check_steps(home, at.at)),
        ("memory", lambda: _instructions(home, offers)),
    )
    for area, look in looks:
        checks += looked(area, look)
    return Diagnosis(
        home=home.root,
        checks=tuple(checks),
        protection=keys.protection(home, ring),
        offer=offers[0] if offers else None,
    )


def _boot() -> str:
    return clock.boot_clock()[0]


def _instructions(home: Home, offers: list[around.Offer]) -> Iterator[Check]:
    """Look what the host's instructions lack, and whether they tell the agent to write memory itself."""
    offers.append(around.offer(home))
    if at := [f"{offers[0].path}:{number}" for number in offers[0].edits[:5]]:
        tells = f"{', '.join(at)} {'tell' if at[1:] else 'tells'}"
        yield found("memory.told_to_edit", places=tells, path=home.identity.gated[0])
