"""The commands that the sweeps break off, and what must hold after each of them."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tests.gate.forgetting_desk import (
    ARCHIVE,
    COPY,
    DAY,
    FULL,
    LOG,
    archive,
    compress,
    pruned,
    summary_of,
)
from tests.gate.homes import MEMORY, addition, make_desk, open_desk
from tests.second_verifier import disagreement

from nightledger.demo.shell import Ran, Shell
from nightledger.domain.errors import NightledgerError
from nightledger.domain.states import ChangeState
from nightledger.files.atomic import leftovers
from nightledger.text.forgetting.traces import archive_block

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
LESSONS = ("Set the zone in every timer.", "Ask before restarting the relay.")
AFTER = MEMORY.replace("an upgrade.\n", "an upgrade.\n" + "".join(f"- {text}\n" for text in sorted(LESSONS)))
KEPT = ("audit/trusted-channel-audit.jsonl", "memory/system/outcome-records.jsonl")
"""Files of which no byte that was acknowledged may ever go."""
OUTCOME = (
    "log", "--task-type", "debug_cron", "--tags", "cron,time_zone", "--resolution", "set_zone",
    "--outcome", "success", "--source", "memory/2026-02-28.md",
)  # fmt: skip

Runner = Callable[..., Ran]
"""Runs a verb on the home below a directory: ``run(root, *words)``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A command that is broken off.

    Attributes:
        name: For messages and the report.
        make: Makes, in an empty directory, the home that it runs on, and gives what must be said.
        words: Gives the command, from what ``make`` gave.
        memory: Bytes that MEMORY.md may hold after a crash; the last is what a whole run leaves.
        told: Names what the user was told that is not so, before anything is run again.
        again: Exit statuses of the same command, run again, each with some words that it then says.
        done: Names what is wrong after the second run.
        files: What other files may hold after a crash, nothing where one is missing; the last is what a whole
            run leaves.
    """

    name: str
    make: Callable[[Path], str]
    words: Callable[[str], tuple[str, ...]]
    memory: tuple[str, ...] = (MEMORY,)
    told: Callable[[Path, str], Iterator[str]]
    again: Mapping[int, str]
    done: Callable[[Path, str], Iterator[str]]
    files: Mapping[str, tuple[bytes, ...]] = field(default_factory=dict)


def run_here(root: Path, *words: str) -> Ran:
    """Run a verb in this process."""
    return Shell(home=root / "home", keys=root / "keys").run(*words, now=NOW)


def problems(
    case: Case, made: str, root: Path, said: bytes, kept: Mapping[str, bytes], run: Runner
) -> list[str]:
    """Look at what a crash left, run the command again, and name everything that is not as it must be.

    Args:
        case: The command.
        made: What ``case.make`` gave.
        root: What the crash left; changed by the second run.
        said: What the user had been told.
        kept: Bytes that stood in append-only files before.
        run: Runs a verb there.
    """
    found = [
        f"{name} lost bytes" for name, content in kept.items() if not _starts(root / "home" / name, content)
    ]
    if (root / "home" / "MEMORY.md").read_bytes() not in [text.encode() for text in case.memory]:
        found.append("MEMORY.md is torn")
    found += [f"{name} is torn" for name, may in case.files.items() if _held(root, name) not in may]
    found += case.told(root, said.decode())
    found += _verified("before", root, run, torn=True)
    again = run(root, *case.words(made))
    if again.status not in case.again or case.again[again.status] not in again.out + again.err:
        found.append(f"run again: {again.status} {again.out}{again.err}")
    found += _verified("after", root, run, torn=False)
    if (root / "home" / "MEMORY.md").read_text() != case.memory[-1]:
        found.append("MEMORY.md is not as the command leaves it")
    found += [
        f"{name} is not as the command leaves it"
        for name, may in case.files.items()
        if _held(root, name) != may[-1] or ((root / "home" / name).exists() and not may[-1])
    ]
    if leftovers(str(root / "home")):
        run(root, "apply", made)  # a run that had nothing to do leaves them to one that opens the gate
        found += [f"left over: {name}" for name in leftovers(str(root / "home"))]
    try:
        found += case.done(root, made)
    except NightledgerError as error:
        found.append(str(error))
    return found


def kept_bytes(root: Path) -> dict[str, bytes]:
    """Give what stands in the append-only files of a home."""
    return {name: (root / "home" / name).read_bytes() for name in KEPT if (root / "home" / name).exists()}


def _held(root: Path, name: str) -> bytes:
    path = root / "home" / name
    return path.read_bytes() if path.exists() else b""


def _starts(path: Path, content: bytes) -> bool:
    return path.exists() and path.read_bytes().startswith(content)


def _verified(when: str, root: Path, run: Runner, *, torn: bool) -> Iterator[str]:
    ran = run(root, "verify", "--json")
    yield from disagreement(root, ran.status)
    if ran.status:
        yield f"verify {when} the second run: {ran.status} {ran.out}{ran.err}"
        return
    record = json.loads(ran.out)
    if record["findings"] and not torn:
        yield f"verify finds still: {record['findings']}"


# ---------------------------------------------------------------- log
def outcome_ids(root: Path) -> list[str]:
    """Give the ids of the outcomes that can be read."""
    ids = []
    path = root / "home" / KEPT[1]
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            ids.append(str(json.loads(line)["id"]))
        except ValueError:
            continue  # a line that a crash tore
    return ids


def _kept(root: Path, said: str) -> Iterator[str]:
    ids = outcome_ids(root)
    lost = [name for name in said.split() if name not in ids]
    if lost:
        yield f"acknowledged and lost: {lost}"


def _logged(root: Path, _made: str) -> Iterator[str]:
    if not outcome_ids(root):
        yield "the record is not there"


def _make_log(root: Path) -> str:
    make_desk(root)
    return ""


def _make_log_more(root: Path) -> str:
    """Give a home with records, the last of which an earlier crash tore."""
    make_desk(root)
    assert run_here(root, *OUTCOME, "--session", "first").status == 0
    path = root / "home" / KEPT[1]
    path.write_bytes(path.read_bytes() + b'{"id":"o-torn","out')
    return ""


# ---------------------------------------------------------------- apply, undo
def _make_apply(root: Path) -> str:
    desk = make_desk(root)
    proposal = desk.proposal(*map(addition, LESSONS))
    desk.approve(proposal)
    return proposal.id


def _make_undo(root: Path) -> str:
    made = _make_apply(root)
    ran = run_here(root, "apply")
    assert ran.status == 0, ran.err
    return made


def holds(words: str, memory: str) -> Callable[[Path, str], Iterator[str]]:
    """Check that MEMORY.md holds what was told in some words."""

    def told(root: Path, said: str) -> Iterator[str]:
        if words in said and (root / "home" / "MEMORY.md").read_text() != memory:
            yield f"{words!r} was said and is not so"

    return told


def _states(want: ChangeState, *, applies: int) -> Callable[[Path, str], Iterator[str]]:
    def done(root: Path, made: str) -> Iterator[str]:
        desk = open_desk(root)
        book = desk.ledger().book
        status = book.proposals[made]
        states = {status.state_of(n) for n in status.changes} - {ChangeState.REJECTED}
        if states != {want}:
            yield f"the changes are {states}"
        ends = [apply.outcome for apply in book.applies.values() if apply.outcome != "aborted"]
        if ends != ["done"] * applies:
            yield f"applies ended {ends}"
        if any(event.fields.get("reason") == "unsigned" for event in desk.ledger().log.events):
            yield "what was signed was called unsigned"

    return done


# ---------------------------------------------------------------- archive, compress
ARCHIVED = MEMORY.replace("- Keep backups for 30 days.\n\n", "")


def _make_archive(root: Path) -> str:
    desk = make_desk(root)
    proposal = pruned(desk, *archive(desk, "backups"))
    desk.approve(proposal)
    return proposal.id


def _make_archive_back(root: Path) -> str:
    made = _make_archive(root)
    ran = run_here(root, "apply")
    assert ran.status == 0, ran.err
    return made


def _make_part(root: Path) -> str:
    """Give a home where part of what was signed is left to be applied: what it does is told by its bytes alone."""
    desk = make_desk(root)
    proposal = pruned(desk, *archive(desk, "backups", "relay"), compress(desk, LOG))
    desk.approve(proposal)
    desk.reject_some(proposal, next(c.n for c in proposal.changes if "relay" in c.before))
    return proposal.id


def _make_compress(root: Path) -> str:
    desk = make_desk(root)
    proposal = pruned(desk, compress(desk, LOG))
    desk.approve(proposal)
    return proposal.id


def _make_give_back(root: Path) -> str:
    made = _make_compress(root)
    ran = run_here(root, "apply")
    assert ran.status == 0, ran.err
    return made


def _full_text(root: Path, _said: str) -> Iterator[str]:
    """Check that the full text can be read at every moment, in one of its places at least."""
    if FULL not in (_held(root, LOG), _held(root, COPY)):
        yield "the full text of the log is nowhere"


SUMMARY = summary_of(LOG, FULL, COPY).encode()
BLOCK = archive_block(
    "- Keep backups for 30 days.\n",
    section=("MEMORY.md", "Decisions"),
    entry="e-q2wrsn4yjf3tbxgfdzpkarymxh",
    target="MEMORY.md",
    day=DAY,
    reason="Resolved on 2025-11-02.",
).encode()

CASES = (
    Case(
        name="log, the first record",
        make=_make_log,
        words=lambda _: OUTCOME,
        told=_kept,
        again={0: "o-"},
        done=_logged,
    ),
    Case(
        name="log, behind a torn line",
        make=_make_log_more,
        words=lambda _: OUTCOME,
        told=_kept,
        again={0: "o-"},
        done=_logged,
    ),
    Case(
        name="apply",
        make=_make_apply,
        words=lambda _: ("apply",),
        memory=(MEMORY, AFTER),
        told=holds("Applied change", AFTER),
        again={0: ""},
        done=_states(ChangeState.APPLIED, applies=1),
    ),
    Case(
        name="undo",
        make=_make_undo,
        words=lambda made: ("undo", made),
        memory=(AFTER, MEMORY),
        told=holds("Took back", MEMORY),
        again={0: "Took back", 2: "nothing to undo"},
        done=_states(ChangeState.UNDONE, applies=2),
    ),
    Case(
        name="archive",
        make=_make_archive,
        words=lambda _: ("apply",),
        memory=(MEMORY, ARCHIVED),
        told=holds("Applied change", ARCHIVED),
        again={0: ""},
        done=_states(ChangeState.APPLIED, applies=1),
        files={ARCHIVE: (b"", BLOCK)},
    ),
    Case(
        name="archive, taken back",
        make=_make_archive_back,
        words=lambda made: ("undo", made),
        memory=(ARCHIVED, MEMORY),
        told=holds("Took back", MEMORY),
        again={0: "Took back", 2: "nothing to undo"},
        done=_states(ChangeState.UNDONE, applies=2),
        files={ARCHIVE: (BLOCK, b"")},
    ),
    Case(
        name="archive and compress, a part",
        make=_make_part,
        words=lambda _: ("apply",),
        memory=(MEMORY, ARCHIVED),
        told=_full_text,
        again={0: ""},
        done=_states(ChangeState.APPLIED, applies=1),
        files={ARCHIVE: (b"", BLOCK), LOG: (FULL, SUMMARY), COPY: (b"", FULL)},
    ),
    Case(
        name="compress",
        make=_make_compress,
        words=lambda _: ("apply",),
        told=_full_text,
        again={0: ""},
        done=_states(ChangeState.APPLIED, applies=1),
        files={LOG: (FULL, SUMMARY), COPY: (b"", FULL)},
    ),
    Case(
        name="compress, taken back",
        make=_make_give_back,
        words=lambda made: ("undo", made),
        told=_full_text,
        again={0: "Took back", 2: "nothing to undo"},
        done=_states(ChangeState.UNDONE, applies=2),
        files={LOG: (SUMMARY, FULL), COPY: (FULL, b"")},
    ),
)


def make_case(case: Case, root: Path) -> str:
    """Make the home of a case in ``root``, which is made."""
    root.mkdir(parents=True)
    return case.make(root)


def copy_case(source: Path, target: Path) -> Path:
    """Give a home of its own."""
    shutil.copytree(source, target, symlinks=True)
    return target


def remove(root: Path) -> None:
    """Remove a home."""
    shutil.rmtree(root)
