"""One parser as a fuzzer sees it: how it is called, how it may refuse, what must hold of what it takes."""

import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from tests.rows import corpus, plain

MAX_CPU_S = 2.0
"""Of one input of a few kilobytes, with every branch counted: a thousand times what one needs."""
Read = Callable[[bytes], Any]
Check = Callable[[bytes, Any], None]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Target:
    """A parser and its properties.

    Attributes:
        name: In tables and as ``TARGET=name``.
        read: The parser. Whatever it does with all inputs, taken or not, happens here.
        check: Raises AssertionError when a value is not as it must be for the bytes it was read from.
        seeds: Inputs to begin with, most of them accepted, or what makes them.
        errors: The only classes that it may raise.
        max_bytes: The longest input that is made.
        cost: How much dearer an input is than usual.
        max_cpu_s: What one input may take.
    """

    name: str
    read: Read
    check: Check
    seeds: Sequence[bytes] | Callable[[], Sequence[bytes]]
    errors: type[Exception] | tuple[type[Exception], ...] = ()
    max_bytes: int = 4096
    cost: int = 1
    max_cpu_s: float = MAX_CPU_S

    def inputs(self) -> Sequence[bytes]:
        """Return the seeds."""
        return self.seeds() if callable(self.seeds) else self.seeds


def seeds(name: str) -> tuple[Any, ...]:
    """Return the inputs of a name in ``corpora/seeds.json``: bytes, or texts."""
    return tuple(_seeds()[name])


@cache
def _seeds() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = json.loads(corpus("seeds.json"), object_hook=plain)
    return found


class NothingError(Exception):
    """A reader's None, or its empty value, as an error of its own."""


class TooSlowError(AssertionError):
    """One input took longer than any may."""


class PlantedError(KeyError):
    """What no parser here documents."""


def given(value: Value | None) -> Value:
    """Return a value; raise NothingError where there is none."""
    if not value:
        raise NothingError
    return value


def alike(read: Read) -> Check:
    """Return the check that the same input is read alike again."""

    def check(raw: bytes, value: Any) -> None:
        assert repr(read(raw)) == repr(value)

    return check


def try_one(target: Target, raw: bytes) -> bool:
    """Run one input; tell whether it was accepted. Whatever is raised is a finding."""
    took = [0.0, 0.0]
    accepted = False
    for n in range(2):  # a pause of the machine does not come twice
        began = time.process_time()
        accepted = _run(target, raw)
        took[n] = time.process_time() - began
        if took[n] <= target.max_cpu_s:
            return accepted
    raise TooSlowError(f"{min(took):.1f} s for {len(raw)} bytes")


def _run(target: Target, raw: bytes) -> bool:
    try:
        value = target.read(raw)
    except target.errors:
        return False
    target.check(raw, value)
    return True


def with_escape(target: Target, when: Callable[[bytes], bool]) -> Target:
    """Return the target with a parser that lets an undocumented error out: a search that misses it is none."""

    def read(raw: bytes) -> Any:
        if when(raw):
            raise PlantedError(target.name)
        return target.read(raw)

    return replace(target, read=read)


def repeated(raw: bytes, size: int) -> bytes:
    """Return head, body and tail of an input, the body for about ``size`` bytes: so often that quadratic time shows."""
    if len(raw) < 3:
        return b""
    start, stop = sorted((raw[0] % len(raw), raw[1] % len(raw)))
    rest = raw[2:]
    body = rest[start:stop] or b"a"
    return rest[:start] + body * (size // len(body)) + rest[stop:]


def repeats(
    name: str, size: int, readers: Sequence[Callable[[str], object]], seeds: Sequence[bytes], **more: Any
) -> Target:
    """Return a target whose inputs say a part of themselves again and again, for about ``size`` bytes."""

    def read(raw: bytes) -> None:
        text = repeated(raw, size).decode("utf-8", "surrogateescape")
        for reader in readers:
            reader(text)

    return Target(name, read, lambda *_: None, seeds, **{"max_bytes": 128, "cost": 20, **more})


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


@cache
def scratch() -> Path:
    """Return a folder for what is read by path; gone with the process."""
    folder = tempfile.TemporaryDirectory(prefix="nightledger-fuzz-")
    _KEPT.append(folder)
    return Path(folder.name)


def written(path: str | Path, raw: bytes) -> str:
    """Write a file anew: what was there may still be mapped."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    Path(path).write_bytes(raw)
    return str(path)
