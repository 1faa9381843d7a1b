"""Fill the slots of a template, so that one story keeps its people and machines.

Invariant: within one ``Cast`` people, machines, sites and folders stay the same;
``{person}`` and ``{person2}`` are two people, and ``{person_role}`` is the role of
``{person}``. Counts, times and amounts are drawn anew for each sentence.
"""

import re
from collections.abc import Callable
from datetime import date, timedelta

from bench.worlds.dice import Dice
from bench.worlds.world import Host, Person, Project, Service, World

_SLOT = re.compile(r"\{([a-z_0-9]+)\}")
_HEX = "0123456789abcdef"


class Cast:
    """The players of one story, drawn when a template first asks for them."""

    def __init__(self, world: World, dice: Dice, day: date, extra: dict[str, str] | None = None) -> None:
        """Prepare for stories of ``day``; ``extra`` gives slots of the caller's own."""
        self._world = world
        self._dice = dice
        self._day = day
        self._values: dict[str, str] = dict(extra or {})
        host = dice.pick(world.hosts)
        people = dice.some(world.people, 2)
        project = dice.pick(world.projects)
        service = dice.pick(world.services)
        self._values |= _of_world(world) | _of_host(host) | _of_people(people[0], people[1])
        self._values |= _of_project(project) | _of_service(service)

    @property
    def players(self) -> frozenset[str]:
        """Names of the slots that have their value already."""
        return frozenset(self._values)

    def fill(self, template: str) -> str:
        """Give the template with every slot filled.

        Raises:
            KeyError: When the template names a slot that nobody knows.
        """
        fleeting: dict[str, str] = {}
        return _SLOT.sub(lambda match: self._value(match.group(1), fleeting), template)

    def _value(self, slot: str, fleeting: dict[str, str]) -> str:
        name = slot.removesuffix("2")
        kept = fleeting if name in _FLEETING else self._values
        if slot not in kept:
            kept[slot] = _DRAWN[name](self._world, self._dice, self._day)
        return kept[slot]


def slots_of(template: str) -> set[str]:
    """Give the names of the slots in a template."""
    return set(_SLOT.findall(template))


def _of_world(world: World) -> dict[str, str]:
    trade = world.trade
    return {
        "owner": world.owner,
        "agent": world.agent,
        "town": world.town,
        "zone": world.zone,
        "trade": trade["name"],
        "goods": trade["goods"],
        "goods_file": trade["goods"].replace(" ", "-"),
        "client": trade["client"],
        "event": trade["event"],
        "domain": world.domain,
        "device_ip": world.device_ip,
    }


def _of_host(host: Host) -> dict[str, str]:
    return {"host": host.name, "host_ip": host.ip, "host_role": host.role, "host_disk": host.disk}


def _of_people(first: Person, second: Person) -> dict[str, str]:
    return {
        "person": first.name,
        "person_role": first.role,
        "person2": second.name,
        "person2_role": second.role,
    }


def _of_project(project: Project) -> dict[str, str]:
    return {
        "project": project.name,
        "project_what": project.purpose,
        "unit_project": project.name.lower(),
    }


def _of_service(service: Service) -> dict[str, str]:
    return {"service": service.name, "unit": service.unit}


def _money(_: World, dice: Dice, __: date) -> str:
    return f"{dice.between(12, 980)}.{dice.between(0, 99):02d}"


_DRAWN: dict[str, Callable[[World, Dice, date], str]] = {
    "site": lambda world, dice, _: dice.pick(world.sites),
    "folder": lambda world, dice, _: dice.pick(world.folders),
    "adjective": lambda world, dice, _: dice.pick(world.adjectives),
    "weekday": lambda _, dice, __: dice.pick(("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")),
    "count": lambda _, dice, __: str(dice.between(13, 480)),
    "small": lambda _, dice, __: str(dice.between(2, 9)),
    "minutes": lambda _, dice, __: str(dice.between(3, 58)),
    "percent": lambda _, dice, __: str(dice.between(18, 96)),
    "load": lambda _, dice, __: f"0.{dice.between(2, 98):02d}",
    "stars": lambda _, dice, __: f"{dice.between(3, 4)}.{dice.between(0, 9)}",
    "number": lambda _, dice, __: f"{dice.between(100, 999)}-{dice.between(1000, 9999)}",
    "hhmm": lambda _, dice, __: f"{dice.between(6, 22):02d}:{dice.between(0, 59):02d}",
    "hash": lambda _, dice, __: dice.letters(_HEX, 7),
    "version": lambda _, dice, __: f"v{dice.between(0, 3)}.{dice.between(0, 14)}.{dice.between(0, 9)}",
    "branch": lambda world, dice, _: f"{dice.pick(('fix', 'feature', 'try'))}/{dice.pick(world.adjectives)}",
    "variable": lambda _, dice, __: f"{dice.pick(('STORE', 'PARCEL', 'LEDGER', 'MAPS'))}_TOKEN",
    "euro": _money,
    "day": lambda _, dice, day: (day - timedelta(days=dice.between(1, 20))).isoformat(),
    "past": lambda _, dice, day: (day - timedelta(days=dice.between(21, 160))).isoformat(),
}
_FLEETING = frozenset(_DRAWN) - {"site", "folder", "adjective", "weekday", "version", "branch", "past"}
KNOWN_SLOTS = frozenset(_DRAWN) | {f"{name}2" for name in _DRAWN}
"""Slots that any cast can fill, beside those of its players and of the caller."""
