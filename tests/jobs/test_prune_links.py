from tests.jobs.nights import Nights
from tests.jobs.pruning import answer, tally

from nightledger.domain.judge import MOST_DELETIONS
from nightledger.domain.proposal import Op
from nightledger.gate.forgotten import tombstones
from nightledger.jobs.prune import Tally


def delete(nights: Nights, **asked: bool) -> Tally:
    return tally(nights, Op.DELETE_LINK, **asked)


def keys(found: Tally) -> list[str]:
    return [proposal.changes[0].hunk.removed for proposal in found.proposals]


def test_a_weak_link_that_was_not_seen_for_60_days_is_proposed_alone(nights: Nights) -> None:
    nights.tell("-32 + wipe", tags="lamp dust")  # 2025-12-30, 61 days before
    nights.tell("-31 + wipe", tags="lamp glass")
    found = delete(nights)
    (proposal,) = found.proposals
    assert proposal.title == "Forget the link dust + lamp"
    (change,) = proposal.changes
    assert change.reason == "both tags occurred together once, last on 2025-12-30, 61 days ago"
    assert change.before == "dust + lamp: 1 co-occurrence, last seen 2025-12-30"
    assert (found.looked, found.old) == (2, 1)


def test_ten_wait_at_a_time_the_longest_unseen_first(nights: Nights) -> None:
    for n in range(MOST_DELETIONS + 5):
        nights.tell(f"{-200 + n} + wipe", tags=f"lamp{n:02} dust{n:02}")
    first = delete(nights)
    assert (first.proposed, first.no_room) == (MOST_DELETIONS, 5)
    assert keys(first)[0] == "dust00 + lamp00"
    second = delete(nights)
    assert (second.proposed, second.waiting, second.no_room) == (0, MOST_DELETIONS, 5)
    nights.desk.reject(first.proposals[0])
    assert keys(delete(nights)) == ["dust10 + lamp10"]


def test_a_deleted_link_is_gone_until_it_occurs_anew(nights: Nights) -> None:
    nights.tell("-80 + wipe", tags="lamp dust")
    answer(nights, delete(nights))
    assert tombstones(nights.desk.gate, nights.desk.ledger()) == {("dust", "lamp"): 1}
    assert delete(nights).looked == 0
    nights.tell("28 + wipe", tags="lamp dust")
    assert (delete(nights).looked, delete(nights).old) == (1, 0)


def test_a_link_whose_deletion_was_rejected_may_return_with_a_later_day(nights: Nights) -> None:
    nights.tell("-80 + wipe", tags="lamp dust", session="one")
    nights.desk.reject(delete(nights).proposals[0])
    assert (delete(nights).proposed, delete(nights).no_room) == (0, 0)
    nights.tell("-70 - wipe", tags="lamp dust", session="one")
    assert keys(delete(nights)) == ["dust + lamp"]
