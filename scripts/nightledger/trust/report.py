"""What a check of the audit log found: values only."""

from enum import StrEnum

from msgspec import Struct

from nightledger.trust.checkpoint import Checkpoint
from nightledger.trust.merkle import Tree


class Damage(StrEnum):
    """The kinds of damage; each has its own cause and its own remedy."""

    TORN = "torn"
    """A line has no end, or a write was interrupted and not yet recorded as such."""
    EDITED = "edited"
    """A line is not what was signed, or no entry of its place."""
    TRUNCATED = "truncated"
    """The log is shorter than its own checkpoint says."""
    ROLLBACK = "rollback"
    """Log and checkpoint agree, and a longer log was seen before."""
    FORK = "fork"
    """Log and checkpoint agree, and another history was signed or seen."""
    UNSIGNED = "unsigned"
    """A checkpoint is missing or not signed as it must be, or nobody signed for these lines: the log's key
    under no head of them, or an operator under no decision that says what an apply did."""
    STALE_WITNESS = "stale-witness"
    """The policy asks for witnesses, and they have not cosigned this log for a day; ``verify`` alone tells."""


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that is wrong.

    Attributes:
        damage: Its kind.
        path: The file, as it was opened.
        line: First bad line, from 1; None where the file as a whole is meant.
        message: One sentence: what is wrong.
        alarm: False for what an interrupted run leaves behind: the next run closes and
            records it, and it is never counted.
    """

    damage: Damage
    path: str
    line: int | None
    message: str
    alarm: bool = True


class Report(Struct, frozen=True, kw_only=True):
    """What a check found.

    Attributes:
        size: Number of whole lines.
        root: RFC 6962 root over them, 32 bytes.
        signed_size: Leaves under the checkpoint; 0 where there is none that holds.
        findings: The first bad place first; alarms before the rest.
        unchecked: What could not be checked, one sentence each.
        closed: How many interrupted tails the log records; their lines are not counted.
    """

    size: int
    root: bytes
    signed_size: int
    findings: tuple[Finding, ...]
    unchecked: tuple[str, ...] = ()
    closed: int = 0

    @property
    def alarms(self) -> tuple[Finding, ...]:
        """The findings that are more than an interrupted run."""
        return tuple(finding for finding in self.findings if finding.alarm)

    @property
    def ok(self) -> bool:
        """Whether there is no alarm."""
        return not self.alarms


def contradicts(head: Checkpoint, tree: Tree) -> Damage | None:
    """Say what a genuine head means for the log that is here.

    Returns:
        ROLLBACK where that log was longer, FORK where it was another one, None where this log continues it.
    """
    if head.size > tree.size:
        return Damage.ROLLBACK
    return None if tree.root(head.size) == head.root else Damage.FORK
