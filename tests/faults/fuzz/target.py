"""One parser as a fuzzer sees it: how it is called, how it may refuse, what must hold of what it takes."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

MAX_CPU_S = 2.0
"""Of one input of a few kilobytes, with every branch counted: a thousand times what one needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A parser and its properties.

    Attributes:
        name: In tables and as ``TARGET=name``.
        read: The parser. Whatever it does with all inputs, taken or not, happens here.
        errors: The only classes that it may raise.
        check: Raises AssertionError when a value is not as it must be for the bytes it was read from.
        damage: Gives another value than the one that was read, which ``check`` must notice.
        seeds: Inputs to begin with, most of them accepted.
        max_bytes: The longest input that is made.
        cost: How much dearer an input is than usual.
        max_cpu_s: What one input may take.
    """

    name: str
    read: Callable[[bytes], Any]
    errors: tuple[type[Exception], ...]
    check: Callable[[bytes, Any], None]
    damage: Callable[[Any], Any]
    seeds: Callable[[], Sequence[bytes]]
    max_bytes: int = 4096
    cost: int = 1
    max_cpu_s: float = MAX_CPU_S


class TooSlowError(AssertionError):
    """One input took longer than any may."""


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


def repeated(raw: bytes, size: int) -> bytes:
    """Give head, body and tail of an input, the body for about ``size`` bytes: so often that quadratic time shows."""
    if len(raw) < 3:
        return b""
    start, stop = sorted((raw[0] % len(raw), raw[1] % len(raw)))
    rest = raw[2:]
    body = rest[start:stop] or b"a"
    return rest[:start] + body * (size // len(body)) + rest[stop:]


def _run(target: Target, raw: bytes) -> bool:
    try:
        value = target.read(raw)
    except target.errors:
        return False
    target.check(raw, value)
    return True
