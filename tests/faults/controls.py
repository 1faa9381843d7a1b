"""Faults that are put into the program on purpose: a sweep that finds none of them is no sweep.

Each is planted by name into this process. ``controls.py FAULT VERB ...`` is the command line with a fault in it.
"""

import contextlib
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nightledger.domain.decision import EventName
from nightledger.domain.errors import NotDurableError

PACKAGE = "nightledger"


def _nothing(*_arguments: Any) -> None:
    """Put nothing on disk and say that it is there."""


def _in_place(path: str, content: bytes, **_options: Any) -> None:
    """Replace a file by cutting it and writing it anew."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(descriptor, content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _exchange_in_place(
    path: str, content: bytes, *, keep: Callable[[bytes], None] | None = None, **_options: Any
) -> bytes:
    with open(path, "rb") as stream:
        replaced = stream.read()
    _in_place(path, content)
    if keep is not None:
        keep(replaced)
    return replaced


def _deaf(real: Callable[..., None]) -> Callable[..., None]:
    def sync(*arguments: Any) -> None:
        with contextlib.suppress(NotDurableError):
            real(*arguments)

    return sync


def _stubborn(real: Callable[..., None]) -> Callable[..., None]:
    def sync(*arguments: Any) -> None:
        try:
            real(*arguments)
        except NotDurableError:
            real(*arguments)

    return sync


def _one_write(descriptor: int, content: bytes) -> None:
    os.write(descriptor, content)


def _careless(real: Callable[..., None]) -> Callable[..., None]:
    def write(descriptor: int, content: bytes) -> None:
        with contextlib.suppress(OSError):
            real(descriptor, content)

    return write


def _waiting(real: Callable[..., int]) -> Callable[..., int]:
    """Open a file plainly first: a FIFO of that name keeps whoever does waiting."""

    def opened(path: str, *more: str) -> int:
        with contextlib.suppress(OSError):
            os.close(os.open(path, os.O_RDONLY))
        return real(path, *more)

    return opened


class _LateIntent:
    """Holds the intent of an apply back until its end is logged."""

    def __init__(self, real: Callable[..., Any]) -> None:
        self._real = real
        self._held: list[tuple[EventName, dict[str, object]]] = []

    def __call__(self, gate: Any, events: Sequence[tuple[EventName, dict[str, object]]], moment: Any) -> Any:
        if events and events[0][0] is EventName.APPLY_INTENT:
            self._held = list(events)
            return ()
        held, self._held = self._held, []
        return self._real(gate, [*held, *events], moment)


Plant = tuple[str, str, Callable[[Callable[..., Any]], Callable[..., Any]]]
_SYNCS = ("sync_file", "sync_bytes", "sync_directory")
PLANTS: dict[str, tuple[Plant, ...]] = {
    "no fsync": tuple(("files.durable", name, lambda _: _nothing) for name in _SYNCS),
    "no fsync of directories": (("files.durable", "sync_directory", lambda _: _nothing),),
    "truncate in place": (
        ("files.atomic", "replace_file", lambda _: _in_place),
        ("files.atomic", "exchange_file", lambda _: _exchange_in_place),
    ),
    "log after apply": (("gate.writing", "record", _LateIntent),),
    "failed fsync ignored": tuple(("files.durable", name, _deaf) for name in _SYNCS),
    "failed fsync of a directory ignored": (("files.durable", "sync_directory", _deaf),),
    "failed fsync tried again": tuple(("files.durable", name, _stubborn) for name in _SYNCS),
    "failed write ignored": (("files.durable", "write_all", _careless),),
    "open without O_NONBLOCK": (("files.durable", "_open", _waiting),),
    "short write ignored": (("files.durable", "write_all", lambda _: _one_write),),
}


@contextlib.contextmanager
def planted(name: str) -> Iterator[None]:
    """Run this process with one fault in the program, wherever it was imported to; then without it."""
    undo: list[tuple[Any, str, Any]] = []
    for module, function, make in PLANTS[name]:
        real = getattr(importlib.import_module(f"{PACKAGE}.{module}"), function)
        wrong = make(real)
        owners = (
            [sys.modules[f"{PACKAGE}.{module}"]] if module.startswith("gate") else _importers(function, real)
        )
        for owner in owners:
            undo.append((owner, function, real))
            setattr(owner, function, wrong)
    try:
        yield
    finally:
        for owner, function, real in undo:
            setattr(owner, function, real)


def _importers(function: str, real: Callable[..., Any]) -> list[Any]:
    """Give the modules that hold a function under its name; those imported later take it from these."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith(PACKAGE)]
    return [module for module in modules if getattr(module, function, None) is real]


if __name__ == "__main__":
    from nightledger.surfaces.cli import main

    with planted(sys.argv[1]):
        sys.exit(main(sys.argv[2:]))
