"""What waits travels so that it can be reviewed and signed elsewhere, and no secret with it."""

from tests.gate.forgetting_desk import ARCHIVE, LOG, archive, compress, forget, pruned
from tests.gate.homes import Desk
from tests.remote.peer_work import make_work

from nightledger.domain.message import Waiting
from nightledger.gate.deciding import compose
from nightledger.gate.reviewing import Answer, Verb
from nightledger.remote.handlers import waiting_of
from nightledger.remote.review import unpack


def waiting(desk: Desk) -> Waiting:
    return waiting_of(make_work(desk, "proposals"))


def test_a_month_of_raw_notes_stays_where_it_is_and_an_archival_travels_with_its_archive(desk: Desk) -> None:
    compressed = pruned(desk, compress(desk, LOG))
    archived = pruned(desk, *archive(desk, "backups"))
    link = pruned(desk, forget())
    found = waiting(desk)
    assert found.left_out == (compressed.id,)
    assert [document.path for document in found.documents] == ["MEMORY.md", ARCHIVE]
    review = unpack(found, desk.home.identity.id)
    assert {item.stored.proposal.id for item in review.items} == {archived.id, link.id}
    assert not any(item.unplaced for item in review.items)
    answers = [Answer(proposal=i.stored.proposal.id, n=1, verb=Verb.APPROVE) for i in review.items]
    decisions, refusals = compose(review.terms, review.items, answers, review.documents, desk.signing())
    assert not refusals
    for decision in decisions:
        desk.accept(decision)
    desk.wait(hours=3)
    assert [attempt.changes for attempt in desk.apply()] == [(1,), (1,)]
