"""Histories to tamper with, every way to tamper with their log, and what must be said of each.

A history is a home that proposed, signed, applied, undid and slept a night, with its keys. An
attack gives other bytes for some of its files; the judge is the program's own check of the log.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace
from tests.gate.homes import HOME_ID, addition, make_desk, open_desk
from tests.second_verifier import disagreement

from nightledger.files.home import Home
from nightledger.gate.opening import sign_head
from nightledger.trust.keys import KeyRing
from nightledger.trust.pin import Pin, read_pin
from nightledger.trust.reading import check_log, verify
from nightledger.trust.report import Damage, Finding

LOG = "audit/trusted-channel-audit.jsonl"
CHECKPOINT = "audit/checkpoint"
EDITED = frozenset({Damage.EDITED})
TRUNCATED = frozenset({Damage.TRUNCATED})
TORN = frozenset({Damage.TORN})
UNSIGNED = frozenset({Damage.UNSIGNED})
ROLLBACK = frozenset({Damage.ROLLBACK})
FORK = frozenset({Damage.FORK})

Files = Mapping[str, bytes | None]
"""New bytes of files, by path relative to the home; None removes one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One way to tamper.

    Attributes:
        kind: Names the way; the report counts by it.
        what: Where, for messages.
        files: What is changed.
        classes: The damage that must be named first; any of these is right.
        line: The line that must be named, from 1; None where another one or none is right, too.
        alarm: Whether it must be an alarm; what nobody signed for is named, and counts for nothing.
    """

    kind: str
    what: str
    files: Files
    classes: frozenset[Damage]
    line: int | None = None
    alarm: bool = True


@dataclass(slots=True)
class History:
    """A home with its keys, and its log as it should be.

    Attributes:
        root: Directory of ``home`` and ``keys``.
        signed: How many lines its checkpoint covers.
    """

    root: Path
    signed: int

    @property
    def home(self) -> Home:
        return Home(str(self.root / "home"))

    @property
    def pin(self) -> Pin:
        return read_pin(KeyRing(self.root / "keys"), HOME_ID)

    @property
    def log(self) -> bytes:
        return (self.root / "home" / LOG).read_bytes()

    @property
    def lines(self) -> list[bytes]:
        return self.log.splitlines(keepends=True)

    def read(self, name: str) -> bytes:
        return (self.root / "home" / name).read_bytes()

    def audit_files(self) -> dict[str, bytes]:
        """Give log, checkpoint and checkpoints kept: all that a rollback replaces."""
        home = self.root / "home"
        paths = [home / LOG, home / CHECKPOINT, *sorted((home / "audit" / "checkpoints").glob("[0-9]*"))]
        return {str(path.relative_to(home)): path.read_bytes() for path in paths if path.exists()}

    def kept_heads(self) -> list[str]:
        """Give the checkpoints kept."""
        return [name for name in self.audit_files() if name.startswith("audit/checkpoints/")]

    def copy(self, root: Path) -> "History":
        """Give a copy to tamper with."""
        shutil.copytree(self.root, root, symlinks=True)
        return History(root, self.signed)


# ---------------------------------------------------------------- making histories
def make_history(root: Path) -> tuple[History, History]:
    """Make a home that lived for two days, and the same home as it stood a day earlier.

    Returns:
        The home, signed up to its last two entries, and the copy; both with their keys.
    """
    (root / "now").mkdir(parents=True)
    desk = make_desk(root / "now")
    kept = desk.applied(addition("Set the zone in every timer."))
    desk.reject(desk.proposal(addition("Ask before restarting the relay.")))
    sign_head(desk.gate, desk.moment, keep=True)
    older = History(root / "now", desk.ledger().log.size).copy(root / "older")
    desk.wait(days=1)
    desk.undo(kept)
    desk.applied(addition("Drain the queue before an upgrade.", path="memory/2026-03-01.md"))
    desk.record("heartbeat", day="2026-03-01", inputs=[])
    sign_head(desk.gate, desk.moment, keep=True)
    signed = desk.ledger().log.size
    desk.record("proposal.closed", proposal=kept.id, changes=[], reason="withdrawn")
    desk.record("proposal.closed", proposal=kept.id, changes=[], reason="superseded")
    return History(root / "now", signed), older


def fork(older: History, root: Path, *, entries: int) -> History:
    """Let a copy live on otherwise, with the same keys, until it has so many entries; signed."""
    other = older.copy(root)
    desk = open_desk(root)
    desk.moment = replace(desk.moment, at=desk.moment.at + timedelta(days=1))
    proposal = desk.proposal(addition("Never drain a queue."))
    while desk.ledger().log.size < entries:
        desk.record("proposal.closed", proposal=proposal.id, changes=[], reason="withdrawn")
    sign_head(desk.gate, desk.moment, keep=True)
    other.signed = desk.ledger().log.size
    return other


# ---------------------------------------------------------------- judging
def judge(home: Home, pin: Pin | None) -> tuple[Finding, ...]:
    """Give what the check says, the worst first; both of its ways must agree."""
    report = verify(home, pin)
    assert check_log(home, pin).report.findings == report.findings
    return report.findings


Judge = Callable[[Home, Pin | None], tuple[Finding, ...]]


def wrong(
    history: History, pin: Pin | None, attack: Attack, judge: Judge = judge, *, second: bool = False
) -> str:
    """Say what is wrong with how an attack is told; empty where it is told as it must be.

    Args:
        history: What is tampered with.
        pin: What was pinned of it.
        attack: How.
        judge: The program's own check.
        second: Whether the independent verifier is asked, too.
    """
    scoped = second and not _is_of_ml_dsa(history, attack)
    with tampered(history, attack.files):
        found = judge(history.home, pin)
        told = disagreement(history.root, 4 if attack.alarm else 0) if scoped else ()
    if told:
        return f"{attack.kind}, {attack.what}: {told[0]}"
    if not found:
        return f"{attack.kind}, {attack.what}: nothing was noticed"
    first = found[0]
    if first.alarm != attack.alarm or first.damage not in attack.classes:
        return f"{attack.kind}, {attack.what}: told as {first}"
    near = first.damage is Damage.EDITED and (first.line or 0) <= (
        attack.line or 0
    )  # behind the newest good head
    if attack.line is not None and first.line != attack.line and not near:
        return f"{attack.kind}, {attack.what}: line {first.line} was named and not {attack.line}"
    return ""


def _is_of_ml_dsa(history: History, attack: Attack) -> bool:
    """Tell whether only the ML-DSA line of a checkpoint differs, the last one: the independent verifier has no ML-DSA."""
    note = attack.files.get(CHECKPOINT) or b""
    rest = history.read(CHECKPOINT).splitlines()[:-1]
    return attack.files.keys() == {CHECKPOINT} and note.splitlines()[:-1] == rest


class tampered:  # noqa: N801 - a context manager, named as contextlib's are
    """Put other bytes into a home for as long as the block runs."""

    def __init__(self, history: History, files: Files) -> None:
        self._home, self._files = history.root / "home", files
        self._before: dict[str, bytes | None] = {}

    def __enter__(self) -> None:
        for name in self._files:
            path = self._home / name
            self._before[name] = path.read_bytes() if path.exists() else None
        self._put(self._files)

    def __exit__(self, *_: object) -> None:
        self._put(self._before)

    def _put(self, files: Files) -> None:
        for name, content in files.items():
            path = self._home / name
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)


# ---------------------------------------------------------------- bytes
def flips(history: History, bits: Callable[[int], tuple[int, ...]]) -> Iterator[Attack]:
    """Flip bits of every byte of the log.

    Args:
        history: Whose log.
        bits: For each byte's place, which bits, from 0.
    """
    log, line, count = history.log, 0, len(history.lines)
    for at, byte in enumerate(log):
        ends = byte == ord("\n")
        last = ends and line == count - 1
        # An entry that nobody signed for is known by the acknowledged head alone: it tells from where on.
        exact = line < history.signed
        for bit in bits(at):
            changed = log[:at] + bytes([byte ^ (1 << bit)]) + log[at + 1 :]
            yield Attack(
                kind="flip",
                what=f"bit {bit} of byte {at}, line {line + 1}",
                files={LOG: changed},
                classes=TRUNCATED if last else EDITED,
                line=line + 1 if exact or last else None,
            )
        line += ends


def cuts(history: History) -> Iterator[Attack]:
    """Cut the log at every byte."""
    log, end = history.log, sum(map(len, history.lines[: history.signed]))
    for at in range(len(log)):
        line = log[:at].count(b"\n") + 1
        yield Attack(
            kind="cut",
            what=f"at byte {at}",
            files={LOG: log[:at]},
            classes=TORN if at == end - 1 else TRUNCATED,
            line=line,
        )


# ---------------------------------------------------------------- lines
def deleted(history: History) -> Iterator[Attack]:
    """Delete each line."""
    lines = history.lines
    for at in range(len(lines)):
        yield Attack(
            kind="delete a line",
            what=f"line {at + 1}",
            files={LOG: b"".join(lines[:at] + lines[at + 1 :])},
            classes=TRUNCATED if at == len(lines) - 1 else EDITED,
            line=at + 1,
        )


def swapped(history: History) -> Iterator[Attack]:
    """Swap each line with each later one."""
    lines = history.lines
    for first in range(len(lines)):
        for second in range(first + 1, len(lines)):
            changed = list(lines)
            changed[first], changed[second] = lines[second], lines[first]
            yield Attack(
                kind="swap two lines",
                what=f"lines {first + 1} and {second + 1}",
                files={LOG: b"".join(changed)},
                classes=EDITED,
                line=first + 1,
            )


def duplicated(history: History) -> Iterator[Attack]:
    """Write each line twice; what stands behind the last one that counts was never ours."""
    lines = history.lines
    for at in range(len(lines)):
        last = at == len(lines) - 1
        yield Attack(
            kind="duplicate a line",
            what=f"line {at + 1}",
            files={LOG: b"".join(lines[: at + 1] + lines[at:])},
            classes=TORN if last else EDITED,
            line=at + 2,
            alarm=not last,
        )


def forged(history: History, line: bytes) -> Iterator[Attack]:
    """Put an entry of one's own in the place of each line, and behind the last one."""
    lines = history.lines
    for at in range(len(lines)):
        yield Attack(
            kind="forge a line",
            what=f"in the place of line {at + 1}",
            files={LOG: b"".join([*lines[:at], numbered(line, at), *lines[at + 1 :]])},
            classes=EDITED,
            line=at + 1 if at < history.signed else None,
        )
    yield Attack(
        kind="forge a line",
        what="behind the last one",
        files={LOG: b"".join([*lines, numbered(line, len(lines))])},
        classes=UNSIGNED,
        line=len(lines) + 1,
        alarm=False,
    )


def numbered(line: bytes, seq: int) -> bytes:
    """Give a forged entry its place, so that its form is flawless."""
    return line.replace(b'"seq":0', b'"seq":%d' % seq) + b"\n"


# ---------------------------------------------------------------- the head
def head_flips(history: History, bits: Callable[[int], tuple[int, ...]]) -> Iterator[Attack]:
    """Flip bits of every byte of the checkpoint: text, signatures and all."""
    note = history.read(CHECKPOINT)
    for at, byte in enumerate(note):
        for bit in bits(at):
            changed = note[:at] + bytes([byte ^ (1 << bit)]) + note[at + 1 :]
            yield Attack(
                kind="flip in the checkpoint",
                what=f"bit {bit} of byte {at}",
                files={CHECKPOINT: changed},
                classes=UNSIGNED,
            )


def head_cuts(history: History) -> Iterator[Attack]:
    """Cut the checkpoint at every byte, and remove it."""
    note = history.read(CHECKPOINT)
    for at in range(len(note)):
        yield Attack(
            kind="cut of the checkpoint",
            what=f"at byte {at}",
            files={CHECKPOINT: note[:at]},
            classes=UNSIGNED,
        )
    yield Attack(kind="cut of the checkpoint", what="removed", files={CHECKPOINT: None}, classes=UNSIGNED)


def replaced(now: History, before: History, classes: frozenset[Damage], kind: str) -> Attack:
    """Put log, checkpoint and everything beside them back to another history."""
    gone: dict[str, bytes | None] = dict.fromkeys(now.audit_files())
    return Attack(
        kind=kind, what=os.fspath(before.root.name), files={**gone, **before.audit_files()}, classes=classes
    )
