"""Faults that are put into a parser on purpose: a fuzzer that finds none of them is no fuzzer.

``escape`` lets a KeyError out of the parser for a rare input, ``damage`` gives a wrong value for some
that are accepted, ``slow`` burns time.
"""

import dataclasses
import time
import zlib
from collections.abc import Callable
from typing import Any

from tests.faults.fuzz.target import Target

When = Callable[[bytes], bool]
KINDS = ("escape", "damage")


class PlantedError(KeyError):
    """What no parser here documents."""


def often(raw: bytes) -> bool:
    """One input in four, whatever it says: for a search that tries hundreds."""
    return zlib.crc32(raw) % 4 == 3


def always(_: bytes) -> bool:
    """Every input: of some parsers few of the inputs that are tried are accepted at all."""
    return True


def step_by_step(raw: bytes) -> bool:
    """One rare byte twice: a search that sees each branch taken keeps the first and doubles it."""
    if b"~" in raw:  # noqa: SIM102 - each comparison is a branch of its own
        if raw.count(b"~") > 1:
            return True
    return False


def with_escape(target: Target, when: When) -> Target:
    """Give the target with a parser that lets an undocumented error out."""

    def read(raw: bytes) -> Any:
        if when(raw):
            raise PlantedError(target.name)
        return target.read(raw)

    return dataclasses.replace(target, read=read)


def with_damage(target: Target, when: When) -> Target:
    """Give the target with a parser that reads some accepted inputs wrongly."""

    def read(raw: bytes) -> Any:
        value = target.read(raw)
        return target.damage(value) if when(raw) else value

    return dataclasses.replace(target, read=read)


def slowed(target: Target, cpu_s: float) -> Target:
    """Give the target with a parser that needs some time for each input."""

    def read(raw: bytes) -> Any:
        until = time.process_time() + cpu_s
        while time.process_time() < until:
            pass
        return target.read(raw)

    return dataclasses.replace(target, read=read)
