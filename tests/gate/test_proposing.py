from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk, addition, removal

from nightledger.codec.records import dump_record
from nightledger.domain.errors import RefusedError
from nightledger.domain.proposal import Op
from nightledger.gate import stored


def test_what_could_not_be_read_again_is_not_written(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(dump_record(desk.dry_run_proposal(addition("A lesson."))))
    monkeypatch.setattr(stored, "MAX_PROPOSAL_BYTES", size - 1)
    before = desk.events()
    with pytest.raises(RefusedError, match=f"would have {size} bytes"):
        desk.propose(addition("A lesson."))
    assert desk.events() == before
    assert not list(Path(desk.home.proposals_dir).glob("*.json"))
    monkeypatch.setattr(stored, "MAX_PROPOSAL_BYTES", size)
    assert desk.propose(addition("A lesson.")).proposal is not None


def test_the_same_statement_in_other_words_is_proposed_once_and_taken_out_all_the_same(desk: Desk) -> None:
    """A key says what a change puts in, or what it takes out: one of these does not answer the other."""
    desk.proposal(addition("Set the zone."))
    assert desk.propose(replace(addition("Set the zone."), after="- Mind the zone.")).suppressed == 1
    old = removal("- Keep backups for 30 days.")
    assert desk.propose(replace(old, statement_key="set the zone.")).proposal is not None
    other = replace(removal("- Restart the relay after an upgrade."), statement_key="set the zone.")
    assert desk.propose(other).suppressed == 1


def test_what_could_not_be_applied_is_not_shown_and_the_rest_is(desk: Desk) -> None:
    desk.edit(b"# M\n\n## Lessons\n\n- One.\n\nA paragraph\ngoes on\n\n- Two.\n")
    inside = replace(
        removal("goes on"), op=Op.REPLACE, after="```\nnever closed", rank=0.9, statement_key="fence"
    )
    outcome = desk.propose(inside, addition("Three."), replace(removal("- One."), rank=0.1))
    assert outcome.proposal is not None
    assert [(c.n, c.op) for c in outcome.proposal.changes] == [(1, Op.ADD), (2, Op.REMOVE)]
    (unfit,) = outcome.unfit
    assert unfit.draft.statement_key == "fence"
    assert unfit.reason.startswith("MEMORY.md: ")
    desk.approve(outcome.proposal)
    desk.wait(hours=3)
    assert desk.apply()[0].changes == (1, 2)
