"""``channel receive`` as a case of the sweeps: one letter in the spool, an answer, one proposal."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.sweep_cases import Case
from tests.gate.homes import open_desk
from tests.remote.machines import make_pair

from nightledger.codec.records import parse_reply
from nightledger.domain.message import REPLY_TYPE, Status
from nightledger.remote.machine_key import machine_public_key
from nightledger.remote.spool import MESSAGE_SUFFIX, REPLY_SUFFIX, Spool
from nightledger.trust.dsse import parse_envelope, verify_envelope

WORK = "work"
"""Where a case is run, beside where it was made: a spool is named by its whole path."""
BODY = {"text": "- Ask before restarting the relay.", "reason": "a transfer was cut"}


def _make(root: Path) -> str:
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


def _told(root: Path, said: str) -> Iterator[str]:
    """Check that what was said to be taken in is in the log and answered."""
    if "took in" in said and (_recorded(root) != 1 or not _answers(root)):
        yield "a message was said to be taken in, and is not"


def _done(root: Path, made: str = "") -> Iterator[str]:
    del made
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


RECEIVE = Case(
    name="receive",
    make=_make,
    words=lambda _: ("channel", "receive"),
    told=_told,
    again={0: ""},
    done=_done,
)
