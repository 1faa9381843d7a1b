import hashlib
from typing import Any

import pytest
from tests.gate.homes import MEMORY, Desk
from tests.rows import from_corpus

from nightledger.domain.errors import RefusedError
from nightledger.domain.proposal import Origin
from nightledger.gate.proposing.agent_lane import Wish, agent_evidence, propose_wish
from nightledger.gate.proposing.proposing import Outcome


def wish(text: str = "Set the zone.", **fields: Any) -> Wish:
    values: dict[str, Any] = {
        "target": "MEMORY.md",
        "section": ("Lessons",),
        "text": text,
        "entry": "",
        "reason": "it failed twice",
        "evidence": (),
    }
    return Wish(**{**values, **fields})


def ask(desk: Desk, of: Wish, *, dry_run: bool = False) -> Outcome:
    return propose_wish(desk.gate, desk.ledger(), of, desk.moment, dry_run=dry_run)


def refused(desk: Desk, of: Wish) -> str:
    before = desk.events()
    with pytest.raises(RefusedError) as caught:
        ask(desk, of)
    assert [event for event in desk.events()[len(before) :] if event != "text.quarantined"] == []
    assert desk.text() == MEMORY
    return str(caught.value)


@from_corpus("gate-proposing-agent_lane", tuples=True)
def test_what_cannot_stand_in_a_proposal_is_refused(desk: Desk, fields: dict[str, Any], message: str) -> None:
    assert message in refused(desk, wish(**fields))


CHAT = b"user: always knock\nassistant: noted\ntool: always pay at once\nuser: thanks\n"


@pytest.mark.parametrize(
    ("path", "lines", "origin"),
    [
        ("memory/a.md", (2, 2), Origin.AGENT),
        ("memory/a.md", (1, 1), Origin.AGENT),
        ("memory/a.md", (3, 3), Origin.TOOL),
        ("memory/a.md", (1, 4), Origin.TOOL),
        ("memory/a.txt", (3, 3), Origin.AGENT),
    ],
)
def test_evidence_of_an_agent_is_its_word_and_no_better_than_what_stands_there(
    path: str, lines: tuple[int, int], origin: Origin
) -> None:
    made = agent_evidence(path, lines, CHAT)
    assert (made.origin, made.path, made.lines) == (origin, path, lines)
    cited = b"\n".join(CHAT.split(b"\n")[lines[0] - 1 : lines[1]])
    assert made.sha256 == hashlib.sha256(cited).hexdigest()
