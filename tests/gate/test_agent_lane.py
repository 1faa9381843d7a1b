import hashlib

import pytest

from nightledger.domain.proposal import Origin
from nightledger.gate.agent_lane import agent_evidence

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
