"""What was archived, compressed, forgotten, pinned, closed, or expired is no alarm for the second verifier either."""

import json
import shutil
from pathlib import Path

import pytest
from tests.gate.forgetting_desk import (
    ARCHIVE,
    LOG,
    archive,
    compress,
    file,
    forget,
    forgotten,
    put,
)
from tests.gate.forging import counts
from tests.gate.homes import MEMORY, Desk, addition, make_desk, open_desk
from tests.gate.memory.test_pinning import RELAY, pinned
from tests.test_independent_verifier import classes, later_than_all, ours, theirs

from nightledger.domain.proposal import Kind
from nightledger.gate.daily import close_day
from nightledger.gate.forgetting.keeping import remove_expired
from nightledger.gate.opening import sign_head
from nightledger.gate.review.composing import close_choice, make_decision

SECOND = "memory/2026-01-03.md"

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


@pytest.fixture(scope="module")
def let_go(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that let go of all that can go: by the gate, by its operator, and by time."""
    root = tmp_path_factory.mktemp("let-go")
    desk = make_desk(root)
    pinned(desk, RELAY)
    drift_twice(desk)
    forgotten(desk, *archive(desk, "backups"))
    forgotten(desk, compress(desk, LOG))
    taken_back = forgotten(desk, compress(desk, SECOND))
    forgotten(desk, forget())
    desk.reject(desk.proposal(addition("Never mind.")))
    desk.undo(taken_back)
    close_one(desk)
    for _ in range(14):
        desk.wait(days=1)
        close_day(desk.gate, desk.ledger(), desk.moment.at.date().isoformat(), desk.moment)
        remove_expired(desk.gate, desk.ledger(), desk.moment)
    put(desk, LOG, file(desk, LOG).read_bytes() + b"- One more thing.\n")
    put(desk, SECOND, b"Rewritten by its agent.\n")
    put(desk, ARCHIVE, file(desk, ARCHIVE).read_bytes() + b"\n- Mine.\n")
    desk.applied(addition("Name the cable."))
    sign_head(desk.gate, desk.moment)
    return root


def drift_twice(desk: Desk) -> None:
    """Let drift be seen, and be over before it was answered: its items expire."""
    for more in ("- One.\n", "- Two.\n"):
        desk.memory.write_text(f"{MEMORY}\n{more}")
        desk.guard()
    desk.memory.write_text(MEMORY)
    desk.guard()


def close_one(desk: Desk) -> None:
    """Lose the file of a proposal, and let the operator give it up."""
    proposal = desk.proposal(addition("Lost.", path="memory/2026-02-27.md"))
    Path(desk.home.proposal(proposal.id)).unlink()
    status = desk.ledger().book.proposals[proposal.id]
    desk.accept(make_decision(desk.gate, status, close_choice(status, "lost"), desk.signing()))


@pytest.fixture
def desk(let_go: Path, tmp_path: Path) -> Desk:
    shutil.copytree(let_go, tmp_path, dirs_exist_ok=True)
    found = open_desk(tmp_path)
    found.moment = later_than_all(found)
    return found


def test_both_say_that_a_home_which_let_go_holds(desk: Desk) -> None:
    book = desk.ledger().book
    went = [status for status in book.proposals.values() if status.sha256 in book.gone]
    assert {Kind.DRIFT} == {status.kind for status in went}
    assert len(book.copies) == 1
    mine = json.loads(ours(desk, "--json").out)
    assert (mine["ok"], mine["findings"], mine["altered"]) == (True, [], [])
    assert counts(desk)[0] == len(book.applies)
    status, said = theirs(desk)
    assert (status, classes(said)) == (0, set()), said
    assert f"{len(book.applies)} applies, 1 gated files" in said


def test_a_decision_does_not_expire(desk: Desk) -> None:
    """The log's key may say that it did: only an operator has a decision removed."""
    (decision,) = (one for one in desk.ledger().book.applies.values() if one.outcomes is not None)
    path = Path(desk.home.decision(decision.decision))
    path.unlink()
    desk.record("blobs.removed", sha256s=[desk.ledger().book.decisions[decision.decision].sha256])
    sign_head(desk.gate, desk.moment)
    status, said = theirs(desk)
    assert (ours(desk).status, status, classes(said)) == (4, 4, {"ALTERED", "UNSIGNED"})
    assert path.name in said
