"""Prune, apply and undo over workspaces of others: is every byte back as it was?

Copies each workspace to a trial home, calls every ninth one-line entry of its memory file resolved
(public memories hardly ever do), sets the clock to 91 days after its last log, and prunes until
nothing is left to propose; approves all, applies it, takes all of it back, and compares every file.

Run with ``PYTHONPATH=scripts:. .venv/bin/python -m bench.bench_prune FOLDER [NAME ...]``; FOLDER
holds a workspace a directory. Exit status 1 where a byte differs.
"""

import argparse
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from bench.living import approve_all

from nightledger.domain.decision import Actor, LogHead, Moment
from nightledger.domain.proposal import Kind
from nightledger.domain.states import ChangeState
from nightledger.files.home import Home
from nightledger.gate.applying import apply_one
from nightledger.gate.deciding import Signing, accept, decide, terms_of
from nightledger.gate.founding import PRINCIPAL, Founding, found
from nightledger.gate.opening import Gate, open_gate, read_ledger, sign_head
from nightledger.gate.stored import sign
from nightledger.gate.undoing import plan_undo, undo_choice
from nightledger.gate.writing import write_all
from nightledger.hosts.daylogs import detect_host, find_daylogs, preset
from nightledger.jobs.prune import prune
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import EntryKind, find_entries
from nightledger.trust.keys import KeyRing, load_operator_key, operator_key_path

AFTER = timedelta(days=92)
"""More than 90 days after the last log: entries closed by then may go, and so may every log."""
EVERY = 9
OURS = ("audit", "config/nightledger", "memory/system", "memory/state", ".nightledger")
COPIED = (".md", ".markdown", ".txt", ".json", ".yaml")


@dataclass(slots=True, kw_only=True)
class Figures:
    """What one workspace came to.

    Attributes:
        counts: By what is counted.
        different: Files that are not as they were.
        seconds: Wall time of each step.
    """

    counts: Counter[str] = field(default_factory=Counter)
    different: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)


def main(words: Sequence[str] | None = None) -> int:
    """Print the figures of each workspace."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("folder", type=Path)
    options.add_argument("names", nargs="*", help="workspaces in it (default: all that have logs)")
    chosen = options.parse_args(words)
    names = chosen.names or sorted(
        path.name for path in chosen.folder.iterdir() if (path / "memory").is_dir()
    )
    wrong = 0
    for n, name in enumerate(names, 1):
        with tempfile.TemporaryDirectory(prefix="nightledger-prune-") as trial:
            figures = run_trial(chosen.folder / name, Path(trial))
        wrong += bool(figures.different)
        _print(n, figures)
    return 1 if wrong else 0


def run_trial(workspace: Path, trial: Path) -> Figures:
    """Prune, apply and undo over a copy of one workspace."""
    home = Home(trial / "home")
    _copy(workspace, Path(home.root))
    gate, moment = _found(home, trial / "keys")
    figures = Figures()
    before = _snapshot(home)
    started = time.monotonic()
    moment = _prune_all(gate, Moment(at=moment.at + AFTER), figures)
    figures.seconds["prune, sign and apply"] = time.monotonic() - started
    pruned = _snapshot(home)
    changed = [
        path for path in before if before[path] != pruned.get(path) and path not in home.identity.gated
    ]
    figures.counts["bytes of compressed logs"] = sum(len(before[path]) for path in changed)
    figures.counts["bytes of their summaries"] = sum(len(pruned[path]) for path in changed)
    started = time.monotonic()
    figures.counts["changes taken back"] = _undo_all(gate, moment)
    figures.seconds["undo"] = time.monotonic() - started
    now = _snapshot(home)
    figures.different = sorted(
        path for path in before.keys() | now.keys() if before.get(path) != now.get(path)
    )
    figures.counts["files compared"] = len(before)
    return figures


def _copy(workspace: Path, root: Path) -> None:
    """Copy the plain files of a workspace, and call some entries of its memory resolved."""
    for folder, directories, names in os.walk(workspace):
        directories[:] = [
            name for name in directories if name not in (".git", ".nightledger", "node_modules")
        ]
        for name in names:
            source = Path(folder) / name
            if name.endswith(COPIED) and source.is_file() and not source.is_symlink():
                target = root / source.relative_to(workspace)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
    memory = root / "MEMORY.md"
    if memory.exists():
        memory.write_bytes(_close_some(memory.read_bytes(), _days(Home(root))[-1]))


def _close_some(content: bytes, last: date) -> bytes:
    text = content.decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    items = [entry for entry in find_entries(parse_markdown(text)) if entry.kind is EntryKind.ITEM]
    for n, entry in enumerate(item for item in items if item.first_line == item.last_line):
        if n % EVERY == 0:
            line = lines[entry.first_line - 1]
            bare = line.rstrip("\r")
            lines[entry.first_line - 1] = f"{bare} STATUS: Resolved ({last}){line[len(bare) :]}"
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def _days(home: Home) -> list[date]:
    return [log.day for log in find_daylogs(home, preset(detect_host(home.root)).daily)]


def _found(home: Home, keys: Path) -> tuple[Gate, Moment]:
    host = detect_host(home.root)
    moment = Moment(at=datetime.combine(max(_days(home)), datetime.min.time(), UTC))
    founding = Founding(
        home=home,
        ring=KeyRing(keys),
        home_id=secrets.token_hex(16),
        machine=os.uname().nodename,
        zone="UTC",
        host=host,
        gated=preset(host).gated,
        simulated=True,
        adopt=True,
        track=False,
    )
    found(founding, None, moment)
    return open_gate(home.root, str(keys), actor=Actor.HUMAN), moment


def _prune_all(gate: Gate, moment: Moment, figures: Figures) -> Moment:
    """Prune, sign and apply until nothing is proposed any more; give when that was."""
    while True:
        done = prune(gate, read_ledger(gate), moment.at.date(), moment)
        counts = Counter({f"{tally.op.value} proposed": tally.proposed for tally in done.tallies})
        figures.counts += counts
        if not counts.total():
            break
        approve_all(gate, moment)
        moment = Moment(at=moment.at + timedelta(hours=3))
        for decision in read_ledger(gate).book.approvals_to_apply():
            attempt = apply_one(gate, read_ledger(gate), decision, moment)
            figures.counts["changes applied"] += len(attempt.changes)
    for tally in done.tallies:
        figures.counts += Counter(
            {f"{tally.op.value} left alone, {word}": n for word, n in tally.kept.items()}
        )
        figures.counts += Counter({f"{tally.op.value} not taken by the gate": len(tally.unfit)})
    return moment


def _undo_all(gate: Gate, moment: Moment) -> int:
    """Take back everything that was applied; give how many changes that were."""
    undone = 0
    signer = load_operator_key(operator_key_path(gate.ring, gate.home.identity.id))
    for name, status in read_ledger(gate).book.proposals.items():
        applied = [n for n in status.changes if status.state_of(n) is ChangeState.APPLIED]
        if status.kind is not Kind.PRUNE or not applied:
            continue
        ledger = read_ledger(gate)
        planned = plan_undo(gate, ledger, ledger.book.proposals[name], (), moment)
        if planned.problem:
            print(f"  cannot be undone: {planned.problem}", file=sys.stderr)
            continue
        decision = decide(terms_of(gate), undo_choice(planned), _signing(gate, moment), planned.status)
        accept(gate, read_ledger(gate), sign(decision, signer), moment)
        write_all(gate, decision, decision.changes, planned.writes, moment)
        undone += len(applied)
    return undone


def _signing(gate: Gate, moment: Moment) -> Signing:
    sign_head(gate, moment, keep=True)
    log = read_ledger(gate).log
    return Signing(
        principal=PRINCIPAL,
        machine=os.uname().nodename,
        head=LogHead(size=log.size, root=log.root_at(log.size).hex()),
        moment=moment,
        fresh_nonce=lambda: secrets.token_hex(16),
    )


def _snapshot(home: Home) -> dict[str, bytes]:
    """Give every file that is not one of our records."""
    found = {}
    for path in Path(home.root).rglob("*"):
        name = path.relative_to(home.root).as_posix()
        if path.is_file() and path.name != ".gitignore" and not name.startswith(OURS):
            found[name] = path.read_bytes()
    return found


def _print(n: int, figures: Figures) -> None:
    print(f"workspace {n}")
    for what, count in sorted(figures.counts.items()):
        print(f"  {count:>12,}  {what}")
    for step, seconds in figures.seconds.items():
        print(f"  {seconds:>12.1f}  seconds: {step}")
    same = figures.counts["files compared"] - len(figures.different)
    print(f"  {same} of {figures.counts['files compared']} files are byte for byte as they were")


if __name__ == "__main__":
    sys.exit(main())
