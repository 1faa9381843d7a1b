"""Histories to tamper with, every way to tamper with their log, and what must be said of each.

A history is a home that proposed, signed, applied, undid and slept a night, with its keys. An
attack gives other bytes for some of its files; the judge is the program's own check of the log.
"""

import itertools
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from datetime import timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from tests.gate.homes import HOME_ID, addition, make_desk, open_desk
from tests.second_verifier import disagreement

from nightledger.files.home import Home
from nightledger.gate.opening import sign_head
from nightledger.trust.audit import check_log, verify
from nightledger.trust.keys import KeyRing, create_log_keys, load_log_key
from nightledger.trust.merkle import Tree, leaf_hash
from nightledger.trust.note import Checkpoint, dump_checkpoint, dump_note, sign_note
from nightledger.trust.pin import Pin, read_pin
from nightledger.trust.report import Damage, Finding

LOG = "audit/trusted-channel-audit.jsonl"
CHECKPOINT = "audit/checkpoint"
EDITED = frozenset({Damage.EDITED})
TRUNCATED = frozenset({Damage.TRUNCATED})
TORN = frozenset({Damage.TORN})
UNSIGNED = frozenset({Damage.UNSIGNED})
ROLLBACK = frozenset({Damage.ROLLBACK})
FORK = frozenset({Damage.FORK})

FORGED = (
    b'{"actor":"human","apply":"a-forged","at":"2026-03-02T09:00:00Z","event":"apply.done","seq":0,"v":1}'
)
Bits = Callable[[int], tuple[int, ...]]
Files = Mapping[str, bytes | None]
"""New bytes of files, by path relative to the home; None removes one."""


@dataclass(frozen=True, slots=True)
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


@contextmanager
def tampered(history: History, files: Files) -> Iterator[None]:
    """Put other bytes into a home for as long as the block runs."""

    def put(contents: Files) -> None:
        for name, content in contents.items():
            path = history.root / "home" / name
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)

    paths = {name: history.root / "home" / name for name in files}
    before = {name: path.read_bytes() if path.exists() else None for name, path in paths.items()}
    put(files)
    try:
        yield
    finally:
        put(before)


# ---------------------------------------------------------------- the log
def _of_log(kind: str, what: str, log: bytes, *rest: Any, **more: Any) -> Attack:
    return Attack(kind, what, {LOG: log}, *rest, **more)


def flips(history: History, bits: Bits) -> Iterator[Attack]:
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
        named = line + 1 if line < history.signed or last else None
        for bit in bits(at):
            changed = log[:at] + bytes([byte ^ (1 << bit)]) + log[at + 1 :]
            what = f"bit {bit} of byte {at}, line {line + 1}"
            yield _of_log("flip", what, changed, TRUNCATED if last else EDITED, named)
        line += ends


def cuts(history: History) -> Iterator[Attack]:
    """Cut the log at every byte."""
    log, end = history.log, sum(map(len, history.lines[: history.signed]))
    for at in range(len(log)):
        damage = TORN if at == end - 1 else TRUNCATED
        yield _of_log("cut", f"at byte {at}", log[:at], damage, log[:at].count(b"\n") + 1)


def deleted(history: History) -> Iterator[Attack]:
    """Delete each line."""
    lines = history.lines
    for at in range(len(lines)):
        left = b"".join(lines[:at] + lines[at + 1 :])
        damage = TRUNCATED if at == len(lines) - 1 else EDITED
        yield _of_log("delete a line", f"line {at + 1}", left, damage, at + 1)


def swapped(history: History) -> Iterator[Attack]:
    """Swap each line with each later one."""
    for first, second in itertools.combinations(range(len(history.lines)), 2):
        changed = history.lines
        changed[first], changed[second] = changed[second], changed[first]
        what = f"lines {first + 1} and {second + 1}"
        yield _of_log("swap two lines", what, b"".join(changed), EDITED, first + 1)


def duplicated(history: History) -> Iterator[Attack]:
    """Write each line twice; what stands behind the last one that counts was never ours."""
    lines = history.lines
    for at in range(len(lines)):
        last = at == len(lines) - 1
        log = b"".join(lines[: at + 1] + lines[at:])
        yield _of_log(
            "duplicate a line", f"line {at + 1}", log, TORN if last else EDITED, at + 2, alarm=not last
        )


def numbered(line: bytes, seq: int) -> bytes:
    """Return a forged entry with its place, so that its form is flawless."""
    return line.replace(b'"seq":0', b'"seq":%d' % seq) + b"\n"


def forged(history: History, line: bytes) -> Iterator[Attack]:
    """Put an entry of one's own, of flawless form, in the place of each line, and behind the last one."""
    lines = history.lines
    for at in range(len(lines) + 1):
        last = at == len(lines)
        log = b"".join([*lines[:at], numbered(line, at), *lines[at + 1 :]])
        named = at + 1 if at < history.signed or last else None
        damage = UNSIGNED if last else EDITED
        yield _of_log("forge a line", f"as line {at + 1}", log, damage, named, alarm=not last)


# ---------------------------------------------------------------- the head
def head_flips(history: History, bits: Bits) -> Iterator[Attack]:
    """Flip bits of every byte of the checkpoint: text, signatures and all."""
    note = history.read(CHECKPOINT)
    for at, byte in enumerate(note):
        for bit in bits(at):
            changed = note[:at] + bytes([byte ^ (1 << bit)]) + note[at + 1 :]
            yield Attack("flip in the checkpoint", f"bit {bit} of byte {at}", {CHECKPOINT: changed}, UNSIGNED)


def head_cuts(history: History) -> Iterator[Attack]:
    """Cut the checkpoint at every byte, and remove it."""
    note = history.read(CHECKPOINT)
    for at in (*range(len(note)), None):
        left = None if at is None else note[:at]
        yield Attack("cut of the checkpoint", f"at byte {at}", {CHECKPOINT: left}, UNSIGNED)


def replaced(now: History, before: History, classes: frozenset[Damage], kind: str) -> Attack:
    """Put log, checkpoint and everything beside them back to another history."""
    gone: dict[str, bytes | None] = dict.fromkeys(now.audit_files())
    return Attack(kind, before.root.name, {**gone, **before.audit_files()}, classes)


def older_pairs(now: History) -> Iterator[Attack]:
    """Put log and head back to each state that the home itself still holds: the pairs that an attacker finds there."""
    for name in now.kept_heads():
        size = int(name.rpartition("/")[2])
        if size < now.signed:
            files = {LOG: b"".join(now.lines[:size]), CHECKPOINT: now.read(name)}
            yield Attack("older pair", name, files, ROLLBACK)


def kept_flips(now: History) -> Iterator[Attack]:
    """Flip a bit of every byte that the checkpoints kept beside the newest say."""
    for name in now.kept_heads():
        text, signatures = now.read(name).split(b"\n\n", 1)
        for at in range(len(text)):
            changed = text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :] + b"\n\n" + signatures
            yield Attack("checkpoint kept", f"{name}, byte {at}", {name: changed}, UNSIGNED)


def foreign_heads(now: History, keys: Path) -> Iterator[Attack]:
    """Forge an entry and sign a flawless head over the result, with a key of one's own."""
    ring, home = KeyRing(keys), now.home.identity
    create_log_keys(ring, home.id)
    key = load_log_key(ring, home.id, home.origin)
    lines = now.lines
    for at in range(len(lines)):
        changed = [*lines[:at], numbered(FORGED, at), *lines[at + 1 :]]
        tree = Tree()
        tree.extend([leaf_hash(line.removesuffix(b"\n")) for line in changed])
        head = Checkpoint(origin=home.origin, size=tree.size, root=tree.root())
        note = dump_note(sign_note(dump_checkpoint(head), key.signers(now.pin.heads[-1].at)))
        files = {LOG: b"".join(changed), CHECKPOINT: note}
        yield Attack("forge", f"line {at + 1}", files, EDITED | UNSIGNED)


# ---------------------------------------------------------------- all of it
def one_bit(at: int) -> tuple[int, ...]:
    """Return each of the eight bits in turn."""
    return (at * 5 % 8,)


def ways(
    now: History, older: History, root: Path, *, every: int = 1, bits: Bits = one_bit
) -> Iterator[tuple[str, History, Iterable[Attack]]]:
    """Return each way to tamper with its attacks, and on which history they are tried.

    Args:
        now: What is attacked.
        older: The same a day earlier.
        root: Where other histories and another key may be made.
        every: Of the attacks on single bytes, every so manieth is tried.
        bits: For each byte's place, which bits are flipped.
    """

    def some(attacks: Iterable[Attack]) -> Iterator[Attack]:
        return itertools.islice(attacks, 0, None, every)

    bare = now.copy(root / "bare")  # where each byte is tried, kept checkpoints only cost time
    for name in bare.kept_heads():
        (bare.root / "home" / name).unlink()
    yield "tamper", bare, some(flips(bare, bits))
    yield "truncate", bare, some(cuts(bare))
    yield "delete", now, deleted(now)
    yield "reorder", now, swapped(now)
    yield "repeat", now, duplicated(now)
    yield "forge", now, forged(now, FORGED)
    yield "forge, with a head signed by another key", now, foreign_heads(now, root / "other-keys")
    yield "tamper with the signed head", bare, some(head_flips(bare, one_bit))
    yield "cut or remove the signed head", bare, some(head_cuts(bare))
    yield "tamper with heads that are kept", now, some(kept_flips(now))
    back = replaced(now, older, ROLLBACK, "rollback")
    pair = replace_fields(back, files={name: back.files[name] for name in (LOG, CHECKPOINT)})
    yield "put an older log and head back", now, [back, pair, *older_pairs(now)]
    forks = [fork(older, root / f"fork-{more}", entries=now.signed + more) for more in (0, 3)]
    yield "another history, signed by the same key", now, [replaced(now, one, FORK, "fork") for one in forks]
