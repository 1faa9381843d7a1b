"""What waits travels so that it can be reviewed and signed elsewhere, and no secret with it."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from tests.gate.forgetting_desk import ARCHIVE, LOG, archive, compress, forget, pruned
from tests.gate.forging import forge, keep
from tests.gate.homes import MEMORY, Desk, addition, evidence, removal
from tests.remote.peer_work import make_work

from nightledger.domain.proposal import Anchor, Evidence, Hunk
from nightledger.domain.waiting import Waiting
from nightledger.gate.review.composing import compose_by
from nightledger.gate.review.reviewing import Answer, Verb
from nightledger.remote import waiting as travelling
from nightledger.remote.waiting import unpack, waiting_of

KEY = "sk-ant-api03-" + "Zk3Qw8Rt5Yx1Lm7Nv2Bc9Df4Gh6Js0Pa" * 3


def waiting(desk: Desk) -> Waiting:
    return waiting_of(make_work(desk, "proposals"))


def log(desk: Desk, text: str) -> Evidence:
    """Put a daily log there and point to its second line."""
    path = Path(desk.home.path("memory/2026-02-28.md"))
    path.write_text(text)
    line = text.split("\n")[1].encode()
    return replace(evidence("memory/2026-02-28.md", 2), sha256=hashlib.sha256(line).hexdigest())


def test_only_what_waits_travels(desk: Desk) -> None:
    done = desk.proposal(addition("done"))
    desk.approve(done)
    part = desk.proposal(addition("one of two"), addition("two of two"))
    desk.reject_some(part, 1)
    desk.edit(MEMORY.encode() + b"\n- mine\n")
    (item,) = waiting(desk).proposals
    assert item.changes == (2,)


def test_no_proposal_about_a_file_travels_of_which_the_log_claims_what_nobody_signed(desk: Desk) -> None:
    proposal, other = desk.proposal(addition("first")), desk.proposal(addition("second"))
    desk.memory.write_text(f"{MEMORY}\n- Foreign.\n")
    after = keep(desk, desk.text())
    target = {"path": "MEMORY.md", "before": keep(desk, MEMORY), "after": after}
    about = {"decision": "d-" + "f" * 26, "proposal": other.id, "changes": [1]}
    desk.record("decision.recorded", sha256="0" * 64, type="approve", **about)
    forge(desk, {**about, "targets": [target]})
    found = waiting(desk)
    assert found.proposals == ()
    assert proposal.id in found.left_out
    assert found.documents == ()


def test_evidence_of_several_lines_names_them_all(desk: Desk) -> None:
    cited = replace(log(desk, "# 2026-02-28\n- restarted\n- the relay\n"), lines=(2, 3))
    desk.proposal(replace(addition("Rotate keys"), evidence=(cited,)))
    (excerpt,) = waiting(desk).proposals[0].excerpts
    assert (excerpt.place, excerpt.text) == ("memory/2026-02-28.md:2-3", "- restarted\n- the relay")


def test_a_proposal_that_holds_a_secret_stays(desk: Desk) -> None:
    forged = desk.forge(Hunk(anchor=Anchor.SECTION_END, section=("Lessons",), added=f"- the key is {KEY}\n"))
    found = waiting(desk)
    assert (found.proposals, found.left_out) == ((), (forged.id,))


def test_what_has_no_room_is_named_and_comes_later(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    first = desk.proposal(addition("first"))
    second = desk.proposal(addition("second"))
    size = len(Path(desk.home.proposal(first.id)).read_bytes())
    monkeypatch.setattr(travelling, "MAX_TRAVELLING_BYTES", size * 3 // 2 + len(MEMORY) * 2)
    found = waiting(desk)
    assert [item.changes for item in found.proposals] == [(1,)]
    assert found.left_out == (second.id,)


def test_a_file_travels_once_for_all_its_proposals(desk: Desk) -> None:
    desk.proposal(addition("first"))
    desk.proposal(removal("- Keep backups for 30 days."))
    found = waiting(desk)
    assert len(found.proposals) == 2
    assert len(found.documents) == 1


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
