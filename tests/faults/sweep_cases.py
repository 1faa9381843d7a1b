"""The commands that the sweeps break off, and what must hold after each of them."""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.gate.forgetting_desk import ARCHIVE, COPY, DAY, FULL, LOG, archive, compress, pruned, summary_of
from tests.gate.homes import MEMORY, addition, make_desk, open_desk
from tests.remote.machines import make_pair
from tests.second_verifier import disagreement

from nightledger.codec.records import parse_reply
from nightledger.demo.shell import Ran, Shell
from nightledger.domain.errors import NightledgerError
from nightledger.domain.message import REPLY_TYPE, Status
from nightledger.domain.states import ChangeState
from nightledger.files.atomic import leftovers
from nightledger.remote.letters import MESSAGE_SUFFIX, REPLY_SUFFIX, Spool
from nightledger.remote.receiving import machine_public_key
from nightledger.text.forgetting import archive_block
from nightledger.trust.dsse import parse_envelope, verify_envelope

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
LESSONS = ("Set the zone in every timer.", "Ask before restarting the relay.")
AFTER = MEMORY.replace("an upgrade.\n", "an upgrade.\n" + "".join(f"- {text}\n" for text in sorted(LESSONS)))
DISPOSABLE = f"home{os.sep}.nightledger{os.sep}"
"""What nobody needs may fail without a word: the run goes on."""
KEPT = ("audit/trusted-channel-audit.jsonl", "memory/system/outcome-records.jsonl")
"""Files of which no byte that was acknowledged may ever go."""
OUTCOME = (
    "log", "--task-type", "debug_cron", "--tags", "cron,time_zone", "--resolution", "set_zone",
    "--outcome", "success", "--source", "memory/2026-02-28.md",
)  # fmt: skip

Runner = Callable[..., Ran]
"""Runs a verb on the home below a directory: ``run(root, *words)``."""


@dataclass(frozen=True, slots=True)
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
    _: KW_ONLY
    memory: tuple[str, ...] = (MEMORY,)
    told: Callable[[Path, str], Iterator[str]]
    again: Mapping[int, str] = field(default_factory=lambda: {0: ""})
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


def _applied(make: Callable[[Path], str]) -> Callable[[Path], str]:
    """Give what makes a home in which the command was carried out: to be taken back."""

    def made(root: Path) -> str:
        name = make(root)
        ran = run_here(root, "apply")
        assert ran.status == 0, ran.err
        return name

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


def _make_part(root: Path) -> str:
    """Give a home where part of what was signed is left to be applied: what it does is told by its bytes alone."""
    desk = make_desk(root)
    proposal = pruned(desk, *archive(desk, "backups", "relay"), compress(desk, LOG))
    desk.approve(proposal)
    desk.reject(proposal, next(c.n for c in proposal.changes if "relay" in c.before))
    return proposal.id


def _make_compress(root: Path) -> str:
    desk = make_desk(root)
    proposal = pruned(desk, compress(desk, LOG))
    desk.approve(proposal)
    return proposal.id


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

# ---------------------------------------------------------------- receive
WORK = "work"
"""Where a case is run, beside where it was made: a spool is named by its whole path."""
BODY = {"text": "- Ask before restarting the relay.", "reason": "a transfer was cut"}


def _make_receive(root: Path) -> str:
    """Give the home of the agent's machine, with a letter of the operator's in its box."""
    machines = root.parent / f"{root.name}-machines"
    machines.mkdir()
    with pytest.MonkeyPatch.context() as environment:
        pair = make_pair(machines, environment)
        message = pair.message("propose_behavioral_change", body=BODY, exp=pair.ops.now + 86_400)
        envelope = pair.sealed(message)
    for name in ("home", "keys"):
        os.rename(machines / "agent" / name, root / name)
    (root / "spool").mkdir()
    Spool(str(root / "spool"), pair.agent.home_id).put(f"{message.id}{MESSAGE_SUFFIX}", envelope)
    (root / "spool" / pair.ops.home_id / "new").mkdir(parents=True)
    operator = root / "keys" / "operator.yaml"
    operator.write_text(f"peers:\n  ops:\n    spool: {root.parent / WORK / 'spool'}\n")
    operator.chmod(0o600)
    return message.id


def _taken(root: Path, said: str) -> Iterator[str]:
    """Check that what was said to be taken in is in the log and answered."""
    if "took in" in said and (_recorded(root) != 1 or not _answers(root)):
        yield "a message was said to be taken in, and is not"


def _received(root: Path, _made: str = "") -> Iterator[str]:
    if _recorded(root) != 1:
        yield f"the message is {_recorded(root)} times in the log"
    desk = open_desk(root)
    if len(desk.ledger().book.proposals) != 1:
        yield f"it made {len(desk.ledger().book.proposals)} proposals"
    if list((root / "spool" / desk.home.identity.id / "new").iterdir()):
        yield "the letter is still there"
    answers = _answers(root)
    if len(answers) != 1:
        yield f"there are {len(answers)} answers"
    key = machine_public_key(desk.ring, desk.home.identity.id)
    for path in answers:
        envelope = parse_envelope(path.read_bytes(), path.name, max_bytes=1 << 20)
        verify_envelope(envelope, REPLY_TYPE, [key])
        if parse_reply(envelope.payload, path.name).status is not Status.QUEUED:
            yield "it was not answered as queued"


def _recorded(root: Path) -> int:
    events = open_desk(root).ledger().log.events
    return sum(event.event == "message.received" for event in events)


def _answers(root: Path) -> list[Path]:
    return sorted((root / "spool").glob(f"*/new/*{REPLY_SUFFIX}"))


AGAIN = {0: "Took back", 2: "nothing to undo"}
APPLIED, UNDONE = _states(ChangeState.APPLIED, applies=1), _states(ChangeState.UNDONE, applies=2)


def _apply(_made: str) -> tuple[str, ...]:
    return ("apply",)


def _undo(made: str) -> tuple[str, ...]:
    return ("undo", made)


CASES = (
    Case("log, the first record", _make_log, lambda _: OUTCOME, told=_kept, again={0: "o-"}, done=_logged),
    Case("log, behind a torn line", _make_log_more, lambda _: OUTCOME, told=_kept, again={0: "o-"}, done=_logged),
    Case("apply", _make_apply, _apply, memory=(MEMORY, AFTER), told=holds("Applied change", AFTER), done=APPLIED),
    Case("undo", _applied(_make_apply), _undo, memory=(AFTER, MEMORY), told=holds("Took back", MEMORY), again=AGAIN, done=UNDONE),
    Case(
        "archive", _make_archive, _apply, memory=(MEMORY, ARCHIVED), told=holds("Applied change", ARCHIVED), done=APPLIED,
        files={ARCHIVE: (b"", BLOCK)},
    ),
    Case(
        "archive, taken back", _applied(_make_archive), _undo, memory=(ARCHIVED, MEMORY), told=holds("Took back", MEMORY),
        again=AGAIN, done=UNDONE, files={ARCHIVE: (BLOCK, b"")},
    ),
    Case(
        "archive and compress, a part", _make_part, _apply, memory=(MEMORY, ARCHIVED), told=_full_text, done=APPLIED,
        files={ARCHIVE: (b"", BLOCK), LOG: (FULL, SUMMARY), COPY: (b"", FULL)},
    ),
    Case(
        "compress", _make_compress, _apply, told=_full_text, done=APPLIED, files={LOG: (FULL, SUMMARY), COPY: (b"", FULL)}
    ),
    Case(
        "compress, taken back", _applied(_make_compress), _undo, told=_full_text, again=AGAIN, done=UNDONE,
        files={LOG: (SUMMARY, FULL), COPY: (FULL, b"")},
    ),
    Case("receive", _make_receive, lambda _: ("channel", "receive"), told=_taken, done=_received),
)  # fmt: skip
"""The commands; the last is ``channel receive``: one letter in the spool, an answer, one proposal."""


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


def wrong_about(ran: Ran, met: str) -> Iterator[str]:
    """Name what is wrong with how a run ended that met an error at the path ``met``."""
    if ran.status == 0 and not met.startswith(DISPOSABLE):
        yield f"it ends with 0 although {met} failed"
    if ran.status not in (0, 1):
        yield f"it ends with {ran.status}: {ran.err}"
    told = " ".join(ran.err.split())  # a long path leaves "error:" on a line of its own
    if ran.status and not (told.count("error: ") == 1 and told.count("hint: ") == 1):
        yield f"it does not say what to do: {ran.err}"
    if "Traceback" in ran.err + ran.out:
        yield "it shows a traceback"
