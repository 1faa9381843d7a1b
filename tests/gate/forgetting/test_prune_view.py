from dataclasses import replace

from tests.gate.forgetting_desk import LOG, archive, compress, forget, prune
from tests.gate.homes import Desk, addition

from nightledger.domain.proposal import Change, Proposal
from nightledger.gate.forgetting.prune_view import prune_view


def waiting(desk: Desk) -> list[tuple[Proposal, Change]]:
    made = [
        prune(desk, draft).proposal for draft in (*archive(desk, "backups"), compress(desk, LOG), forget())
    ]
    return [(proposal, change) for proposal in made if proposal for change in proposal.changes]


def test_each_kind_stands_in_its_published_fields(desk: Desk) -> None:
    archived, compressed, deleted = waiting(desk)
    common = {"n": 1}
    assert prune_view([archived, compressed, deleted], frozenset()) == {
        "v": 1,
        "prune_candidates": [
            {
                **common,
                "proposal": archived[0].id,
                "reason": "Resolved on 2025-11-02.",
                "type": "memory_entry",
                "section": "MEMORY.md > Decisions",
                "entry_id": archived[1].entry,
                "proposed_action": "archive",
            },
            {
                **common,
                "proposal": compressed[0].id,
                "reason": "It is older than 30 days.",
                "type": "daily_log",
                "path": LOG,
                "proposed_action": "compress",
            },
            {
                **common,
                "proposal": deleted[0].id,
                "reason": "Seen once, 60 days ago.",
                "type": "hebbian_link",
                "key": "cron + timezone",
                "proposed_action": "delete",
            },
        ],
    }


def test_what_the_home_tells_as_a_secret_is_masked(desk: Desk) -> None:
    (proposal, change), *_ = waiting(desk)
    told = "Nebelhorn" + "4711"
    told_by = replace(change, section=f"Box {told}", reason=f"The box opens with {told}.")
    shown = str(prune_view([(proposal, told_by)], frozenset({told})))
    assert told not in shown
    assert shown.count("masked: 13 bytes") == 2


def test_changes_of_text_stand_in_the_other_view(desk: Desk) -> None:
    proposal = desk.proposal(addition("Set the zone."))
    assert prune_view([(proposal, proposal.changes[0])], frozenset()) == {"v": 1, "prune_candidates": []}
