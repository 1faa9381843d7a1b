"""Kill a process at a chosen step among those that change the disk."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.forked import status_of

from nightledger.files import atomic, line_log

DEAD = 9
PRIMITIVES: tuple[tuple[Any, str], ...] = (
    (atomic, "write_all"),
    (atomic, "sync_file"),
    (atomic, "sync_directory"),
    (atomic, "_exchange"),
    (line_log, "write_all"),
    (line_log, "sync_bytes"),
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


def deaths(base: Path, scratch: Path, work: Callable[[Path], object], every: int = 1) -> Iterator[Path]:
    """Do work on copies of a directory, killed at one step later in each, until it ends; give each copy."""
    step, dead = 0, True
    while dead:
        step += every
        copy = shutil.copytree(base, scratch / f"died{step}")

        def armed(step: int = step, copy: Path = copy) -> None:
            Killer(step).arm()
            work(copy)

        dead = status_of(armed) == DEAD
        yield copy
        shutil.rmtree(copy)
    assert step > 10
