"""What waits travels so that it can be reviewed and signed elsewhere, and no secret with it."""

import hashlib
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.forgetting_desk import ARCHIVE, LOG, archive, compress, forget, pruned
from tests.gate.homes import MEMORY, Desk, addition, evidence
from tests.remote.peer_work import make_work

from nightledger.domain.message import Waiting
from nightledger.domain.proposal import Evidence
from nightledger.gate.review.composing import compose_by
from nightledger.gate.review.reviewing import Answer, Verb
from nightledger.remote import waiting as travelling
from nightledger.remote.waiting import unpack, waiting_of


def waiting(desk: Desk) -> Waiting:
    return waiting_of(make_work(desk, "proposals"))


def log(desk: Desk, text: str) -> Evidence:
    """Put a daily log there and point to its second line."""
    path = Path(desk.home.path("memory/2026-02-28.md"))
    path.write_text(text)
    line = text.split("\n")[1].encode()
    return replace(evidence("memory/2026-02-28.md", 2), sha256=hashlib.sha256(line).hexdigest())


def test_what_has_no_room_is_named_and_comes_later(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    first = desk.proposal(addition("first"))
    second = desk.proposal(addition("second"))
    size = len(Path(desk.home.proposal(first.id)).read_bytes())
    monkeypatch.setattr(travelling, "MAX_TRAVELLING_BYTES", size * 3 // 2 + len(MEMORY) * 2)
    found = waiting(desk)
    assert [item.changes for item in found.proposals] == [(1,)]
    assert found.left_out == (second.id,)


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
    decisions, refusals = compose_by(review.terms, review.items, answers, review.documents, desk.signing())
    assert not refusals
    for decision in decisions:
        desk.accept(decision)
    desk.wait(hours=3)
    assert [attempt.changes for attempt in desk.apply()] == [(1,), (1,)]
