"""One descriptor that is open until it is closed: the ``with`` of every class here that keeps a file open.

Invariant: cheap to import; what cron scripts and hooks load is built on it.
"""

import os

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


class OpenFile:
    """A base for what keeps one descriptor; ``with`` closes it."""

    __slots__ = ("_descriptor",)

    def __init__(self, descriptor: int) -> None:
        """Take a descriptor; -1 where nothing is open."""
        self._descriptor = descriptor

    def close(self) -> None:
        """Close the file, and give back the locks on it; nothing happens when it is closed already."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        trace: "TracebackType | None",
    ) -> None:
        self.close()
