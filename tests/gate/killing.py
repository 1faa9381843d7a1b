"""Kill a process at a chosen step among those that change the disk."""

import os
from collections.abc import Callable
from typing import Any

from tests.forked import status_of

from nightledger.files import append, atomic

DEAD = 9
PRIMITIVES: tuple[tuple[Any, str], ...] = (
    (atomic, "write_all"),
    (atomic, "sync_file"),
    (atomic, "sync_directory"),
    (atomic, "_exchange"),
    (append, "write_all"),
    (append, "sync_bytes"),
    (os, "rename"),
    (os, "link"),
    (os, "unlink"),
)


class Killer:
    """Stands before every call that changes the disk, and kills the process at one of them."""

    def __init__(self, step: int) -> None:
        self.left = step

    def arm(self) -> None:
        for owner, name in PRIMITIVES:
            setattr(owner, name, self._guard(name, getattr(owner, name)))

    def _guard(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                if name == "write_all":  # half a write is what power loss leaves
                    descriptor, content = arguments
                    os.write(descriptor, content[: len(content) // 2])
                os._exit(DEAD)
            return real(*arguments, **options)

        return call


def dies_at(step: int, work: Callable[[], object]) -> bool:
    """Run work in a process of its own that is killed at such a step; tell whether it came to that."""

    def armed() -> None:
        Killer(step).arm()
        work()

    return status_of(armed) == DEAD
