"""Letters between machines as files, in the manner of a maildir (cr.yp.to/proto/maildir.html).

``<spool>/<home id>/{tmp,new,cur}/<name>.json``: whoever writes to a home puts a file into its
``new``. Invariant: a letter appears in ``new`` whole or not at all when it is written here; one
that another program copies (rsync, Syncthing, a shared mount) may be seen in part, and is then
left until it is whole. What was dealt with is removed; what never becomes readable is set aside in ``cur``.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from nightledger.domain.errors import ConfigurationError, NightledgerError
from nightledger.files.durable import FILE_MODE, make_dir, sync_directory, sync_file, write_all
from nightledger.files.reading import read_regular

MESSAGE_SUFFIX = ".message.json"
REPLY_SUFFIX = ".reply.json"
PATIENCE_S = 86_400
"""How long a letter that cannot be read may still be on its way: as long as a message is good by default."""
_ASIDE = ".unreadable"
_NAME = re.compile(r"m-[a-z2-7]{26}\.(?:message|reply)\.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A file in ``new``.

    Attributes:
        path: Where it lies.
        name: Its name.
        content: Its bytes; none where it could not be opened.
        unreadable: Why it could not: a link, a directory, too large; "" where it could.
    """

    path: str
    name: str
    content: bytes
    unreadable: str = ""

    @property
    def is_reply(self) -> bool:
        """Whether it answers a message."""
        return self.name.endswith(REPLY_SUFFIX)


class Spool:
    """One home's letter box in a directory that machines share."""

    __slots__ = ("root",)

    def __init__(self, directory: str, home_id: str) -> None:
        """Name the box; nothing is made yet.

        Args:
            directory: What is shared.
            home_id: Whose box.

        Raises:
            ConfigurationError: The directory is missing: a mount that is gone must not look empty.
        """
        if not os.path.isdir(directory):
            raise ConfigurationError(
                f"the spool {directory} is missing",
                hint="mount it, or mend operator.yaml in $NIGHTLEDGER_KEYS",
            )
        self.root = os.path.join(directory, home_id)

    def put(self, name: str, content: bytes) -> str:
        """Put a letter into the box: whole, under its name, on disk when this returns; an older one is replaced.

        Args:
            name: ``<message id>`` with :data:`MESSAGE_SUFFIX` or :data:`REPLY_SUFFIX`.
            content: An envelope.

        Returns:
            Where it lies.
        """
        for folder in ("tmp", "new", "cur"):
            make_dir(os.path.join(self.root, folder))
        temp = os.path.join(self.root, "tmp", f"{name}.{os.getpid()}")
        path = os.path.join(self.root, "new", name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(temp, flags, FILE_MODE)
        try:
            write_all(descriptor, content)
            sync_file(descriptor, temp)
        finally:
            os.close(descriptor)
        os.rename(temp, path)
        sync_directory(os.path.dirname(path))
        return path

    def letters(self, max_bytes: int) -> Iterator[Letter]:
        """Give the letters in the box, the oldest first; those that cannot be opened now, or are too large, with the reason.

        Args:
            max_bytes: The largest letter that is read.
        """
        for name in sorted(self._names("new"), key=self._age):
            path = os.path.join(self.root, "new", name)
            content, unreadable = b"", ""
            try:
                content = read_regular(path, max_bytes)
            except NightledgerError as error:  # whoever syncs it may mend it
                unreadable = str(error)
            if os.path.lexists(path):  # else it is gone again
                yield Letter(path=path, name=name, content=content, unreadable=unreadable)

    def _age(self, name: str) -> int:
        try:
            return os.lstat(os.path.join(self.root, "new", name)).st_mtime_ns
        except OSError:
            return 0  # it is gone again

    def waiting(self) -> int:
        """Count the letters that nobody has dealt with."""
        return len(self._names("new"))

    def aside(self) -> int:
        """Count the letters that were set aside and not yet removed by anybody."""
        try:
            return sum(name.endswith(_ASIDE) for name in os.listdir(os.path.join(self.root, "cur")))
        except FileNotFoundError:
            return 0

    def done(self, letter: Letter) -> None:
        """Take a letter out of the box, after what it asks for is on disk."""
        with suppress(FileNotFoundError):  # another round was first
            os.unlink(letter.path)

    def set_aside(self, letter: Letter, now_s: float) -> bool:
        """Set a letter aside that cannot be read, once it has had time to become whole.

        Its time is the earlier of what its writer says and of when it came here, so that a time ahead of
        ours keeps it no longer. Where both are further ahead than that, nobody can tell how long it waits.

        Args:
            letter: Which.
            now_s: Our clock, seconds since 1970 UTC.

        Returns:
            Whether it was; else it may still be on its way.
        """
        try:
            status = os.lstat(letter.path)
        except FileNotFoundError:
            return False
        if abs(now_s - min(status.st_mtime, status.st_ctime)) < PATIENCE_S:
            return False
        self._move(letter.path, os.path.join(self.root, "cur"), f"{letter.name}{_ASIDE}")
        return True

    def _move(self, path: str, folder: str, name: str) -> None:
        """Move whatever has a name into a folder; what cannot take the place of another gets a number."""
        make_dir(folder)
        n, target = 1, os.path.join(folder, name)
        while os.path.lexists(target) and (os.path.isdir(target) or os.path.isdir(path)):
            n += 1
            target = os.path.join(folder, f"{n}.{name}")
        os.replace(path, target)

    def _names(self, folder: str) -> list[str]:
        """Name the letters: temporary files of other programs have other names, most begin with a dot."""
        try:
            names = os.listdir(os.path.join(self.root, folder))
        except FileNotFoundError:
            return []
        return sorted(name for name in names if _NAME.fullmatch(name))
