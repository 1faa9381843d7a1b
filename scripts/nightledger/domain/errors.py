"""The one errors file: expected failures, each with its exit status and next step.

Invariant: whatever else escapes a command is a bug (exit status 70). Every error
carries facts as attributes and ends in what to do next, as ``hint``.
"""

EXIT_REFUSED = 1
EXIT_USAGE = 2
EXIT_WAITING = 3
EXIT_ALARM = 4
EXIT_BUG = 70
EXIT_LOCKED = 75


class NightledgerError(Exception):
    """An expected failure; ``str()`` says what and where, ``hint`` the next step.

    Attributes:
        exit_status: What the command line exits with.
        hint: The next step, one line; empty when there is none.
    """

    exit_status = EXIT_REFUSED
    hint = ""

    def __init__(self, message: str, *, hint: str = "") -> None:
        """Keep the message and, where it is more exact than the class's, the hint."""
        super().__init__(message)
        if hint:
            self.hint = hint


class UsageError(NightledgerError):
    """The command was called wrongly; nothing was read or written."""

    exit_status = EXIT_USAGE


class ConfigurationError(NightledgerError):
    """A setting, a missing home or a missing dependency stops the command."""

    exit_status = EXIT_USAGE


class RefusedError(NightledgerError):
    """The gate or a safety rule says no; every reason is in the message."""


class IntegrityError(NightledgerError):
    """Stored bytes are not what was signed or logged."""

    exit_status = EXIT_ALARM
    hint = "run 'nightledger verify' to see the first bad place"


class AlteredError(IntegrityError):
    """One proposal or decision is not what was logged; it is set aside and stops nothing else."""

    hint = "put it back from a backup; until then it counts for nothing, and everything else goes on"


class LockedError(NightledgerError):
    """Another run holds the lock; nothing was done."""

    exit_status = EXIT_LOCKED
    hint = "another run is at work; try again in a moment"


class RecordError(NightledgerError):
    """A record does not match its schema.

    Attributes:
        where: File and line, or the name of the input.
        problems: Every problem found, each one line.
    """

    def __init__(self, where: str, problems: tuple[str, ...], *, hint: str = "") -> None:
        """Name every problem at once, so that one round mends the record."""
        self.where = where
        self.problems = problems
        super().__init__(f"{where} is not valid:\n  " + "\n  ".join(problems), hint=hint)


class UnreadableError(NightledgerError):
    """A file cannot be read as what it should be: missing, not a file, too large, outside the home."""


class FileChangedError(NightledgerError):
    """A file is not what it was when we read it; it was left as it is."""

    hint = "another program wrote it meanwhile; run it again, it then reads the new bytes"


class NotDurableError(NightledgerError):
    """The system could not confirm that the bytes reached the disk; they are not acknowledged.

    Raised once and never retried: after a failed fsync the kernel may drop the bytes
    and report success the next time (Rebello et al., USENIX ATC 2020).
    """

    hint = "free some room or mend the disk, then run it again; repeated records are folded by id"


class MissingBlobError(NightledgerError):
    """A blob is not in the store: lost, or expired with its undo window."""

    hint = "put that file back from a backup; without one 'nightledger edit' changes the memory file by hand"


class MissingFileError(UnreadableError):
    """There is no file of that name."""


class LinkIndexError(NightledgerError):
    """The link index is damaged; it holds nothing that the outcomes do not say again."""

    hint = "make it again: nightledger link --rebuild"
