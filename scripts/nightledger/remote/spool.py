"""Letters between machines as files, in the manner of a maildir (cr.yp.to/proto/maildir.html).

``<spool>/<home id>/{new,cur}/<name>.json``: whoever writes to a home puts a file into its
``new``. Invariant: a letter appears in ``new`` whole or not at all when it is written here; what
another program copies has to come under another name first, as rsync and Syncthing do. What was dealt with is removed; what
cannot be taken in is set aside in ``cur``. Whoever shares a spool can break a box in it: that is a :class:`BoxError`.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from nightledger.domain.errors import ConfigurationError, NightledgerError, RecordError
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir, read_regular

MESSAGE_SUFFIX = ".message.json"
REPLY_SUFFIX = ".reply.json"
_ASIDE = ".unreadable"
_NAME = re.compile(r"m-[a-z2-7]{26}\.(?:message|reply)\.json")


class BoxError(ConfigurationError):
    """A box of a spool cannot be read or changed."""


@contextmanager
def _box(path: str) -> Iterator[None]:
    try:
        yield
    except (NightledgerError, OSError) as error:
        hint = getattr(error, "hint", "") or "mend it"
        why = error.strerror if isinstance(error, OSError) else error
        raise BoxError(f"the box {path} cannot be used: {why}", hint=hint) from error


class Spool:
    """One home's letter box in a directory that machines share."""

    __slots__ = ("root",)

    def __init__(self, directory: str, home_id: str) -> None:
        """Name the box; nothing is made yet.

        Args:
            directory: What is shared.
            home_id: Whose box.

        Raises:
            BoxError: The directory is missing: a mount that is gone must not look empty.
        """
        if not os.path.isdir(directory):
            raise BoxError(
                f"the spool {directory} is missing",
                hint="mount it, or mend operator.yaml in $NIGHTLEDGER_KEYS",
            )
        self.root = os.path.join(directory, home_id)

    def path(self, name: str) -> str:
        """Return where a letter lies that nobody has dealt with."""
        return os.path.join(self.root, "new", name)

    def put(self, name: str, content: bytes) -> str:
        """Put a letter into the box: whole, under its name, on disk when this returns; an older one is replaced.

        Args:
            name: ``<message id>`` with :data:`MESSAGE_SUFFIX` or :data:`REPLY_SUFFIX`.
            content: An envelope.

        Returns:
            Where it lies.

        Raises:
            BoxError: The box is broken.
        """
        with _box(self.root):
            for folder in ("new", "cur"):
                make_dir(os.path.join(self.root, folder))
            replace_file(self.path(name), content, disposable=True)
        return self.path(name)

    def names(self) -> list[str]:
        """Return the names of the letters that nobody has dealt with, the oldest first.

        Temporary files, ours and those of other programs, have other names, most begin with a dot.

        Raises:
            BoxError: The box is broken.
        """
        return sorted(sorted(filter(_NAME.fullmatch, self._in("new"))), key=self._age)

    def _in(self, folder: str) -> list[str]:
        with _box(self.root), suppress(FileNotFoundError):
            return os.listdir(os.path.join(self.root, folder))
        return []

    def _age(self, name: str) -> int:
        try:
            return os.lstat(self.path(name)).st_mtime_ns
        except OSError:
            return 0  # it is gone again

    def read(self, name: str, max_bytes: int) -> bytes | None:
        """Return what a letter holds; None where it is gone again.

        Args:
            name: One of :meth:`names`.
            max_bytes: The largest letter that is read.

        Raises:
            RecordError: It cannot be opened, or is too large; whoever syncs it may mend it.
        """
        try:
            return read_regular(self.path(name), max_bytes)
        except NightledgerError as error:
            if os.path.lexists(self.path(name)):
                raise RecordError(name, (str(error),)) from error
            return None

    def aside(self) -> int:
        """Count the letters that were set aside and not yet removed by anybody."""
        return sum(name.endswith(_ASIDE) for name in self._in("cur"))

    def done(self, name: str) -> None:
        """Take a letter out of the box, after what it asks for is on disk."""
        with _box(self.root), suppress(FileNotFoundError):  # another round was first
            os.unlink(self.path(name))

    def set_aside(self, name: str) -> None:
        """Set a letter aside that cannot be taken in."""
        folder = os.path.join(self.root, "cur")
        with _box(self.root), suppress(FileNotFoundError):
            make_dir(folder)
            os.replace(self.path(name), os.path.join(folder, f"{name}{_ASIDE}"))
