"""What is wrong with the audit log: the kinds of damage, and the rules that tell it.

Invariant: pure. Everything that was read comes in as values; every finding comes out,
sorted by place. A log is judged against what was signed for it (checkpoint, checkpoints
kept) and against what was seen of it before (the pin); the first tells edits and cuts,
the second tells that log and checkpoint were replaced together.
"""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from nightledger.trust.event import Scan, is_entry, is_void, void_ranges
from nightledger.trust.merkle import Tree, leaf_hash
from nightledger.trust.note import Checkpoint
from nightledger.trust.pin import Pin

_NO_PLACE = 1 << 62
GO_BACK = (
    "if you put an older state back yourself, 'nightledger restore --take-over' has you sign for what is lost; else keep "
    "it for a look and restore the newest backup elsewhere"
)
MOVE_AWAY = "if it is none of yours, move it out of there and keep it: it may be evidence"


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


def find_contradiction(head: Checkpoint, path: str, tree: Tree) -> Finding | None:
    """Return what is wrong where a log does not continue a genuine head that was kept in a file elsewhere."""
    told = f"it is a head of {head.size} entries that this log of {tree.size} does not continue"
    damage = contradicts(head, tree)
    return Finding(damage=damage, path=path, line=None, message=told) if damage else None


class StoredHead(Struct, frozen=True, kw_only=True):
    """A checkpoint file as it was found.

    Attributes:
        path: The file.
        head: What it says, where its form and signatures hold.
        problem: Why it does not hold; empty where it does.
        unchecked: What this platform could not check of it.
    """

    path: str
    head: Checkpoint | None
    problem: str = ""
    unchecked: tuple[str, ...] = ()


class Claims(Struct, frozen=True, kw_only=True):
    """Everything that the log must agree with.

    Attributes:
        log_path: The log, for findings.
        checkpoint: The newest signed head.
        kept: Checkpoints kept, by size.
        pin: What this machine pinned; None where it never saw the home.
    """

    log_path: str
    checkpoint: StoredHead
    kept: tuple[StoredHead, ...]
    pin: Pin | None

    @property
    def signed_size(self) -> int:
        """Leaves that the checkpoint covers; 0 where there is none that holds."""
        return self.checkpoint.head.size if self.checkpoint.head else 0


def find_damage(scan: Scan, claims: Claims) -> tuple[Finding, ...]:
    """Give every finding: alarms first, then by line, files as a whole last."""
    edited = tuple(_edited(scan, claims))
    findings = [
        *edited,
        *_taken_back(scan, claims),
        *_cut(scan, claims),
        *_unsigned(claims),
        *_forked(scan, claims, edited=bool(edited)),
        *_tail(scan, claims),
    ]
    return tuple(
        sorted(set(findings), key=lambda found: (not found.alarm, found.line or _NO_PLACE, found.path))
    )


def acknowledged_size(scan: Scan, claims: Claims) -> int:
    """Give up to where entries count: signed for, or acknowledged by this machine."""
    acknowledged = claims.pin.acknowledged if claims.pin else 0
    return min(scan.tree.size, max(claims.signed_size, acknowledged))


def _edited(scan: Scan, claims: Claims) -> Iterator[Finding]:
    size = acknowledged_size(scan, claims)
    void = void_ranges(scan.closures, size)
    bad = next((index for index in scan.bad if index < size and not is_void(void, index)), None)
    if bad is not None:
        yield _finding(claims, Damage.EDITED, bad, "is not the entry that belongs here")
        return
    tree, head, pin = scan.tree, claims.checkpoint.head, claims.pin
    located = _locate(scan, claims, head) if head else None
    if located:
        yield located
    elif (
        pin
        and pin.acknowledged > claims.signed_size
        and not _agrees(tree, pin.acknowledged, pin.acknowledged_root)
    ):
        first = claims.signed_size
        yield _finding(claims, Damage.EDITED, first, "or one behind it is not what was acknowledged")


def _taken_back(scan: Scan, claims: Claims) -> Iterator[Finding]:
    """Find closed tails that hold signed lines: whoever has the log's key could void history by one entry."""
    signed = [size for size, _ in _other_heads(claims)]
    for closure in void_ranges(scan.closures, acknowledged_size(scan, claims)):
        if any(closure.first < size <= closure.end for size in signed):
            yield _finding(claims, Damage.EDITED, closure.end, "takes back lines that had been signed for")


def _agrees(tree: Tree, size: int, root: bytes) -> bool:
    """Tell whether a head is of this tree; one that is longer is no disagreement."""
    return size > tree.size or tree.root(size) == root


def _locate(scan: Scan, claims: Claims, head: Checkpoint) -> Finding | None:
    """Name the edited line, between two heads.

    None where every line that is there is, as far as can be told, the one that was signed.
    """
    tree = scan.tree
    if head.size <= tree.size and tree.root(head.size) == head.root:
        return None
    good, bad = 0, head.size if head.size <= tree.size else 0
    for size, root in sorted(_other_heads(claims)):
        if not _agrees(tree, size, root):
            bad = size
            break
        good = min(size, tree.size)
    if not bad:
        return None
    return _finding(
        claims, Damage.EDITED, good, f"or one of those up to {bad} is not the line that was signed"
    )


def _cut(scan: Scan, claims: Claims) -> Iterator[Finding]:
    size = scan.tree.size
    if claims.signed_size > size:
        if _lost_only_its_end(scan, claims):
            yield _finding(
                claims, Damage.TORN, size, "has lost its line end; its bytes are as they were signed"
            )
            return
        missing = claims.signed_size - size
        yield _finding(
            claims, Damage.TRUNCATED, size, f"and {missing - 1} behind it are missing; they were signed"
        )
        return
    seen = max((size for size, _ in _other_heads(claims)), default=0)
    if seen > size:
        gone = f"is missing: a log of {seen} entries was signed or seen before; {GO_BACK}"
        yield _finding(claims, Damage.ROLLBACK, size, gone)
    elif claims.pin and claims.pin.acknowledged > size:
        yield _finding(claims, Damage.TRUNCATED, size, f"is missing; it was acknowledged; {GO_BACK}")


def _other_heads(claims: Claims) -> Iterator[tuple[int, bytes]]:
    """Give size and root of every head that was kept or seen."""
    for stored in claims.kept:
        if stored.head:
            yield stored.head.size, stored.head.root
    for seen in claims.pin.heads if claims.pin else ():
        yield seen.size, seen.root


def _lost_only_its_end(scan: Scan, claims: Claims) -> bool:
    head = claims.checkpoint.head
    size = scan.tree.size
    if head is None or head.size != size + 1 or not is_entry(scan.unfinished, size):
        return False
    return scan.tree.range(size).extend([leaf_hash(scan.unfinished)]).root() == head.root


def _unsigned(claims: Claims) -> Iterator[Finding]:
    for stored in (claims.checkpoint, *claims.kept):
        if stored.problem:
            yield Finding(damage=Damage.UNSIGNED, path=stored.path, line=None, message=stored.problem)


def _forked(scan: Scan, claims: Claims, *, edited: bool) -> Iterator[Finding]:
    """Find other histories; where the log is not even what its checkpoint says, that is told instead."""
    if edited or claims.checkpoint.head is None:
        return
    tree = scan.tree
    if claims.pin and tree.size and tree.levels[0][0] != claims.pin.genesis:
        yield _finding(
            claims, Damage.FORK, 0, "is not the first line that this machine pinned: it is another log"
        )
    for stored in claims.kept:
        head = stored.head
        if head and not _agrees(tree, head.size, head.root):
            yield Finding(
                damage=Damage.FORK,
                path=stored.path,
                line=None,
                message=f"another history of {head.size} entries was signed by this log's key",
            )
    for seen in claims.pin.heads if claims.pin else ():
        if not _agrees(tree, seen.size, seen.root):
            message = f"or one before it differs from the history seen on {seen.at:%Y-%m-%d}"
            yield _finding(claims, Damage.FORK, seen.size - 1, message)


def _tail(scan: Scan, claims: Claims) -> Iterator[Finding]:
    """Tell of what an interrupted run, or somebody else, left behind; the next run records it."""
    size, known = scan.tree.size, acknowledged_size(scan, claims)
    torn = next((index for index in scan.bad if index >= known), None)
    if torn is not None:
        yield _finding(
            claims, Damage.TORN, torn, "was not written to its end; it is not counted", alarm=False
        )
    elif size > known:
        message = (
            f"and {size - known - 1} behind it were never acknowledged or signed for; they are not counted"
        )
        yield _finding(claims, Damage.UNSIGNED, known, message, alarm=False)
    if scan.unfinished and size >= claims.signed_size:
        yield _finding(claims, Damage.TORN, size, "has no end; it is not counted", alarm=False)


def _finding(claims: Claims, damage: Damage, index: int, message: str, *, alarm: bool = True) -> Finding:
    line = index + 1
    return Finding(
        damage=damage, path=claims.log_path, line=line, message=f"line {line} {message}", alarm=alarm
    )
