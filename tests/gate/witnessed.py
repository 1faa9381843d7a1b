"""Homes whose policy asks for witnesses from their first day, and those witnesses at hand."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace
from tests.gate.homes import HOME_ID, MEMORY, START, Desk, make_founding, open_desk
from tests.trust.witnesses import cosigner, policy_of

from nightledger.files.durable import make_dir
from nightledger.gate.founding import found
from nightledger.gate.opening import sign_head
from nightledger.gate.trusting import read_policy
from nightledger.trust.heads import keep_lines
from nightledger.trust.keys import create_log_keys, load_log_key
from nightledger.trust.note import parse_note, parse_vkey, sign_note
from nightledger.trust.policy import Policy, dump_policy

TRUE = datetime(2026, 3, 1, 6, 0, tzinfo=UTC)
"""What the witnesses' clocks say when the home begins."""


def make_witnessed_desk(root: Path, policy: Policy, *, simulated: bool = True) -> Desk:
    """Make a home under ``root`` with these witnesses and this quorum; its own log is added."""
    founding = make_founding(root, simulated=simulated)
    create_log_keys(founding.ring, HOME_ID)
    origin = f"nightledger{'-simulated' if simulated else ''}/{HOME_ID}"
    logs = tuple(map(parse_vkey, load_log_key(founding.ring, HOME_ID, origin).vkeys))
    make_dir(founding.home.config_dir)
    Path(founding.home.policy).write_bytes(dump_policy(replace(policy, logs=logs)))
    (root / "home" / "MEMORY.md").write_text(MEMORY)
    found(founding, None, START)
    return open_desk(root)


def two_of_three() -> Policy:
    """Two of the witnesses 1, 2 and 3 must cosign."""
    return policy_of(3, 2)


def cosign(desk: Desk, hours: float, *numbers: int) -> None:
    """Sign the head, and let witnesses cosign it when their clocks say so many hours after the start."""
    sign_head(desk.gate, desk.moment)
    note = parse_note(Path(desk.home.checkpoint).read_bytes())
    at = TRUE + timedelta(hours=hours)
    lines = sign_note(note.text, [cosigner(number, at) for number in numbers or (1, 2)]).signatures
    keep_lines(desk.home, read_policy(desk.home, desk.ledger(), desk.moment), note, lines, first=True)
