"""Attack a small audit log in every place and print a scorecard: what was tried, found, and rightly named.

The first five ways are those that scorecards of audit logs have in common: tamper, truncate, delete from
the middle, reorder, forge. The rest is what a chain of hashes alone would not notice. Exit status 1
when anything was missed, or when an untouched log raised an alarm. Run it with ``make scorecard``.
"""

import itertools
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.faults.tamper import (
    CHECKPOINT,
    EDITED,
    FORK,
    LOG,
    ROLLBACK,
    TRUNCATED,
    UNSIGNED,
    Attack,
    History,
    cuts,
    deleted,
    flips,
    forged,
    fork,
    head_cuts,
    head_flips,
    judge,
    make_history,
    numbered,
    older_pairs,
    replaced,
    swapped,
    wrong,
)

from nightledger.trust.checkpoint import Checkpoint, dump_checkpoint
from nightledger.trust.keys import KeyRing, create_log_keys, load_log_key
from nightledger.trust.merkle import Tree, leaf_hash
from nightledger.trust.note import dump_note, sign_note

FORGED = b'{"actor":"human","at":"2026-03-02T09:00:00Z","event":"apply.done","seq":0,"v":1}'
ON_EACH_BYTE = ("tamper", "truncate", "tamper with the signed head", "cut or remove the signed head")
"""Tried on a copy without the checkpoints kept beside the newest, which only cost time there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What came of one way to attack.

    Attributes:
        name: The way.
        tried: How many attacks.
        found: How many of them were noticed.
        named: How many of those were told by the right name and, where it can be known, line.
        classes: What they are called.
    """

    name: str
    tried: int
    found: int
    named: int
    classes: str


def score(name: str, history: History, attacks: Iterable[Attack]) -> Score:
    """Try the attacks of one way."""
    tried = tuple(attacks)
    pin = history.pin
    told = [wrong(history, pin, attack) for attack in tried]
    missed = sum("nothing was noticed" in one for one in told)
    classes = sorted({damage.value.upper() for attack in tried for damage in attack.classes})
    return Score(
        name=name,
        tried=len(tried),
        found=len(tried) - missed,
        named=told.count(""),
        classes=", ".join(classes),
    )


def ways(now: History, older: History, root: Path, *, every: int) -> Iterator[tuple[str, Iterable[Attack]]]:
    """Give each way with its attacks.

    Args:
        now: What is attacked.
        older: The same a day earlier.
        root: Where another history and another key may be made.
        every: Of the attacks on single bytes, every so manieth is tried.
    """
    lines = len(now.lines)
    yield "tamper", some(flips(now, lambda at: (at * 5 % 8,)), every)
    yield "truncate", some(cuts(now), every)
    yield "delete from the middle", itertools.islice(deleted(now), lines - 1)
    yield "reorder", swapped(now)
    yield "forge", (attack for attack in forged(now, FORGED) if attack.alarm)
    yield "forge, with a head signed by another key", foreign_heads(now, root / "other-keys")
    yield "tamper with the signed head", some(head_flips(now, lambda at: (at % 8,)), every)
    yield "cut or remove the signed head", some(head_cuts(now), every)
    yield "drop the newest entries", last_ones(now)
    yield "put an older log and head back", [replaced(now, older, ROLLBACK, "rollback"), *older_pairs(now)]
    other = fork(older, root / "fork", entries=now.signed)
    longer = fork(older, root / "longer", entries=now.signed + 2)
    yield (
        "another history, signed by the same key",
        [replaced(now, one, FORK, "fork") for one in (other, longer)],
    )


def some(attacks: Iterable[Attack], every: int) -> Iterator[Attack]:
    """Give every so manieth."""
    return itertools.islice(attacks, 0, None, every)


def last_ones(now: History) -> Iterator[Attack]:
    """Drop whole entries from the end, the signed ones and those that were only acknowledged."""
    lines = now.lines
    for kept in range(1, len(lines)):
        log = b"".join(lines[:kept])
        yield Attack(kind="drop", what=f"after {kept}", files={LOG: log}, classes=TRUNCATED, line=kept + 1)


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
        files: Mapping[str, bytes | None] = {LOG: b"".join(changed), CHECKPOINT: note}
        yield Attack(kind="forge", what=f"line {at + 1}", files=files, classes=EDITED | UNSIGNED)


def false_alarms(now: History, older: History) -> int:
    """Count the findings about logs that nobody touched."""
    return sum(len(judge(one.home, one.pin)) for one in (now, older))


def run(*, every: int = 1) -> tuple[tuple[Score, ...], int]:
    """Make a history, attack it in every way, and give the scores and the number of false alarms."""
    with tempfile.TemporaryDirectory(prefix="nightledger-scorecard-") as folder:
        root = Path(folder)
        now, older = make_history(root)
        alarms = false_alarms(now, older)
        bare = now.copy(root / "bare")
        for name in bare.kept_heads():
            (bare.root / "home" / name).unlink()
        scores = [
            score(name, bare if name in ON_EACH_BYTE else now, attacks)
            for name, attacks in ways(now, older, root, every=every)
        ]
    return tuple(scores), alarms


def lines_of(scores: Sequence[Score], alarms: int) -> Iterator[str]:
    """Give the scorecard, line by line."""
    yield f"{'attack':<42}{'tried':>7}{'found':>7}{'named':>7}  as"
    for one in scores:
        mark = "" if one.tried == one.named else "   MISSED" if one.found < one.tried else "   MISNAMED"
        yield f"{one.name:<42}{one.tried:>7}{one.found:>7}{one.named:>7}  {one.classes}{mark}"
    tried, found = (sum(getattr(one, name) for one in scores) for name in ("tried", "found"))
    yield f"{'all':<42}{tried:>7}{found:>7}{sum(one.named for one in scores):>7}"
    yield f"false alarms about logs that nobody touched: {alarms}"
    yield "Not found, and by nobody on this machine: home and keys rolled back together. A head kept elsewhere or a witness tells."


def main() -> int:
    """Print the scorecard."""
    scores, alarms = run()
    for line in lines_of(scores, alarms):
        print(line)
    return 1 if alarms or any(one.named < one.tried for one in scores) else 0


if __name__ == "__main__":
    sys.exit(main())
