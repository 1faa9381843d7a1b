from tests.gate.homes import Desk, addition, removal

from nightledger.domain.proposal import Proposal
from nightledger.gate.review.reviewing import Answer, Verb

OLD = "- Keep backups for 30 days."


def yes(proposal: Proposal, *numbers: int) -> list[Answer]:
    return [Answer(proposal=proposal.id, n=n, verb=Verb.APPROVE) for n in numbers]


def test_over_the_cap_an_addition_is_signed_only_with_removals_of_its_size(desk: Desk) -> None:
    proposal = desk.proposal(addition("Short one.", rank=0.9), removal(OLD))
    desk.set(cap_characters={"generic": 20})
    _, refusals = desk.compose(*yes(proposal, 1))
    assert refusals[0].reason.endswith(
        "its host shows 20 (cap_characters.generic in config/nightledger/nightledger.yaml): approve removals with it"
    )
    decisions, refusals = desk.compose(*yes(proposal, 1, 2))
    assert not refusals
    assert decisions[0].changes == (1, 2)
