"""Who and what a simulated home is about: its people, machines and projects.

Invariant: one world never says two things of one machine or person; addresses are
private (RFC 1918), sites end in ``.example`` (RFC 2606).
"""

from dataclasses import dataclass
from typing import Any

from bench.worlds.dice import Dice


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A machine: name, address, role and where its files are."""

    name: str
    ip: str
    role: str
    disk: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody the owner deals with."""

    name: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A piece of work: name and what it is."""

    name: str
    purpose: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A scheduled program: its name in prose and its unit."""

    name: str
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """All of it.

    Attributes:
        owner: First name.
        agent: Name of the agent.
        town: Where they are.
        zone: IANA zone of the town.
        trade: What the owner does: name, goods, client, event.
        domain: The owner's own site.
        device_ip: Address of the label printer, no host's.
        hosts: Machines.
        people: People, each with one role.
        projects: Projects.
        services: Scheduled programs.
        sites: Sites of others.
        folders: Folders in use.
        adjectives: Words that go before a folder.
    """

    owner: str
    agent: str
    town: str
    zone: str
    trade: dict[str, str]
    domain: str
    device_ip: str
    hosts: tuple[Host, ...]
    people: tuple[Person, ...]
    projects: tuple[Project, ...]
    services: tuple[Service, ...]
    sites: tuple[str, ...]
    folders: tuple[str, ...]
    adjectives: tuple[str, ...]


def make_world(dice: Dice, words: dict[str, Any]) -> World:
    """Draw a world from the word lists."""
    owner = dice.pick(words["owners"])
    town = dice.pick(words["towns"])
    trade = dice.pick(words["trades"])
    network = f"10.{dice.between(0, 250)}.{dice.between(0, 250)}"
    addresses = dice.some(range(10, 240), 5)
    return World(
        owner=owner,
        agent=dice.pick(words["agents"]),
        town=town["name"],
        zone=town["zone"],
        trade=trade,
        domain=f"{owner.lower()}-{trade['name'].split()[-1]}.example",
        device_ip=f"{network}.{addresses[4]}",
        hosts=_hosts(dice, words, [f"{network}.{last}" for last in addresses[:4]]),
        people=_people(dice, words, owner),
        projects=tuple(
            Project(name=name, purpose=purpose)
            for name, purpose in zip(
                dice.some(words["projects"], 4), dice.some(words["project_purposes"], 4), strict=True
            )
        ),
        services=tuple(Service(**service) for service in dice.some(words["services"], 7)),
        sites=_sites(dice, words),
        folders=tuple(dice.some(words["folders"], 5)),
        adjectives=tuple(words["adjectives"]),
    )


def _hosts(dice: Dice, words: dict[str, Any], addresses: list[str]) -> tuple[Host, ...]:
    names = dice.some(words["hosts"], len(addresses))
    roles = dice.some(words["host_roles"], len(addresses))
    mounts = ("/srv", "/data", "/mnt", "/home/files")
    return tuple(
        Host(name=name, ip=ip, role=role, disk=f"{dice.pick(mounts)}/{name}")
        for name, ip, role in zip(names, addresses, roles, strict=True)
    )


def _people(dice: Dice, words: dict[str, Any], owner: str) -> tuple[Person, ...]:
    names = [name for name in words["people"] if name != owner]
    roles = words["person_roles"]
    pairs = zip(dice.some(names, 8), dice.some(roles, 8), strict=True)
    return tuple(Person(name=name, role=role) for name, role in pairs)


def _sites(dice: Dice, words: dict[str, Any]) -> tuple[str, ...]:
    kinds = dice.some(words["site_kinds"], 6)
    return tuple(
        f"{word}-{kind}.example" for word, kind in zip(dice.some(words["site_words"], 6), kinds, strict=True)
    )
