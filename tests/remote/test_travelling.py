"""What waits travels so that it can be reviewed and signed elsewhere, and no secret with it."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from tests.gate.forgetting_desk import ARCHIVE, LOG, archive, compress, forget, pruned
from tests.gate.forging import forge, keep
from tests.gate.homes import MEMORY, Desk, addition, evidence, removal
from tests.remote.peer_work import make_work

from nightledger.codec.records import load_record
from nightledger.domain.lanes import DRIFT
from nightledger.domain.proposal import Anchor, Evidence, Hunk
from nightledger.domain.waiting import Waiting
from nightledger.gate.review.composing import compose_by
from nightledger.gate.review.reviewing import Answer, Verb
from nightledger.remote import waiting as travelling
from nightledger.remote.waiting import list_waiting, unpack, waiting_of
from nightledger.trust.base64_strict import decode_base64

KEY = "sk-ant-api03-" + "Zk3Qw8Rt5Yx1Lm7Nv2Bc9Df4Gh6Js0Pa" * 3


def waiting(desk: Desk) -> Waiting:
    return waiting_of(make_work(desk, "proposals"))


def log(desk: Desk, text: str) -> Evidence:
    """Put a daily log there and point to its second line."""
    path = Path(desk.home.path("memory/2026-02-28.md"))
    path.write_text(text)
    line = text.split("\n")[1].encode()
    return replace(evidence("memory/2026-02-28.md", 2), sha256=hashlib.sha256(line).hexdigest())


def test_a_proposal_travels_as_the_bytes_that_the_log_names(desk: Desk) -> None:
    proposal = desk.proposal(addition("first"), addition("second"))
    found = waiting(desk)
    (item,) = found.proposals
    assert item.record.encode() == Path(desk.home.proposal(proposal.id)).read_bytes()
    assert item.changes == (1, 2)
    assert item.created_at == desk.moment.at
    ledger = desk.ledger()
    assert (found.log.size, found.log.root) == (ledger.log.size, ledger.log.root_at(ledger.log.size).hex())
    assert found.origin == desk.home.identity.origin
    assert "ssh-ed25519" in found.allowed_signers
    assert found.terms.cooling_after_proposal_s == desk.gate.cooling.after_proposal_s
    (document,) = found.documents
    assert decode_base64(document.content) == MEMORY.encode()
    assert document.sha256 == hashlib.sha256(MEMORY.encode()).hexdigest()


def test_the_answer_is_what_its_schema_says(desk: Desk) -> None:
    desk.proposal(addition("first"))
    body = list_waiting(make_work(desk, "proposals")).body
    assert body is not None
    assert load_record(Waiting, dict(body), where="it") == waiting(desk)


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


def test_secrets_of_the_file_and_of_evidence_are_masked(desk: Desk) -> None:
    desk.memory.write_text(f"{MEMORY}\napi_key: {KEY}\n")
    cited = log(desk, f"# 2026-02-28\n- the key {KEY} works\n")
    desk.proposal(replace(addition("Rotate keys"), evidence=(cited,)))
    found = waiting(desk)
    (document,) = found.documents
    content = decode_base64(document.content) or b""
    assert KEY.encode() not in content
    assert b"masked" in content
    assert hashlib.sha256(content).hexdigest() != document.sha256
    (excerpt,) = found.proposals[0].excerpts
    assert KEY not in excerpt.text
    assert "masked" in excerpt.text
    assert excerpt.same


def test_evidence_that_changed_or_is_gone_says_so(desk: Desk) -> None:
    cited = log(desk, "# 2026-02-28\n- restarted the relay\n")
    desk.proposal(replace(addition("Rotate keys"), evidence=(cited, evidence("memory/gone.md"))))
    log(desk, "# 2026-02-28\n- something else\n")
    changed, gone = waiting(desk).proposals[0].excerpts
    assert (changed.place, changed.same, changed.text) == (
        "memory/2026-02-28.md:2",
        False,
        "- something else",
    )
    assert (gone.place, gone.same, gone.text) == ("memory/gone.md:1", False, "")


def test_evidence_of_several_lines_names_them_all(desk: Desk) -> None:
    cited = replace(log(desk, "# 2026-02-28\n- restarted\n- the relay\n"), lines=(2, 3))
    desk.proposal(replace(addition("Rotate keys"), evidence=(cited,)))
    (excerpt,) = waiting(desk).proposals[0].excerpts
    assert (excerpt.place, excerpt.text) == ("memory/2026-02-28.md:2-3", "- restarted\n- the relay")


def test_a_proposal_that_holds_a_secret_stays(desk: Desk) -> None:
    forged = desk.forge(Hunk(anchor=Anchor.SECTION_END, section=("Lessons",), added=f"- the key is {KEY}\n"))
    found = waiting(desk)
    assert (found.proposals, found.left_out) == ((), (forged.id,))


def test_an_altered_proposal_stays(desk: Desk) -> None:
    proposal = desk.proposal(addition("first"))
    Path(desk.home.proposal(proposal.id)).write_text("{}")
    assert waiting(desk).left_out == (proposal.id,)


def test_drift_is_answered_where_it_is(desk: Desk) -> None:
    proposal = desk.proposal(addition("first"), lane=DRIFT)
    assert waiting(desk).left_out == (proposal.id,)


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
