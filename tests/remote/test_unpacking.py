"""What came from another machine is shown and signed as it is worked out here."""

import json
from dataclasses import replace

import pytest
from tests.gate.homes import MEMORY, Desk, addition
from tests.remote.peer_work import make_work

from nightledger.domain.decision import Decision
from nightledger.domain.errors import RefusedError
from nightledger.domain.waiting import Waiting
from nightledger.gate.review.composing import compose_by
from nightledger.gate.review.reviewing import Answer, Verb
from nightledger.remote.waiting import RemoteReview, unpack, waiting_of
from nightledger.trust.wire import encode_base64

KEY = "sk-ant-api03-" + "Zk3Qw8Rt5Yx1Lm7Nv2Bc9Df4Gh6Js0Pa" * 3


def waiting(desk: Desk) -> Waiting:
    return waiting_of(make_work(desk, "proposals"))


def review(desk: Desk) -> RemoteReview:
    return unpack(waiting(desk), desk.home.identity.id)


def decide(desk: Desk, found: RemoteReview, verb: Verb = Verb.APPROVE) -> list[Decision]:
    """Answer every change alike."""
    answers = [Answer(proposal=item.stored.proposal.id, n=item.change.n, verb=verb) for item in found.items]
    decisions, refusals = compose_by(found.terms, found.items, answers, found.documents, desk.signing())
    assert not refusals
    return decisions


def test_what_is_signed_elsewhere_is_what_would_be_signed_here(desk: Desk) -> None:
    proposal = desk.proposal(addition("first"), addition("second"))
    (there,) = decide(desk, review(desk))
    (here,), _ = desk.compose_all(proposal)
    assert replace(there, id="", nonce="", log=here.log) == replace(here, id="", nonce="")
    desk.accept(there)
    assert desk.states(proposal) == ["approved", "approved"]


def test_several_proposals_chain_over_a_file(desk: Desk) -> None:
    desk.proposal(addition("first"))
    desk.proposal(addition("second"))
    one, two = decide(desk, review(desk))
    assert one.targets[0].result == two.targets[0].base


def test_a_masked_file_is_named_and_its_changes_apply(desk: Desk) -> None:
    desk.memory.write_text(f"{MEMORY}\napi_key: {KEY}\n")
    proposal = desk.proposal(addition("first"))
    found = review(desk)
    assert found.masked == ("MEMORY.md",)
    (decision,) = decide(desk, found)
    desk.accept(decision)
    desk.wait(hours=3)
    (attempt,) = desk.apply(proposal)
    assert attempt.changes == (1,)
    assert KEY in desk.text()
    assert "- first" in desk.text()


def changed(desk: Desk, **fields: object) -> Waiting:
    found = waiting(desk)
    return replace(found, proposals=(replace(found.proposals[0], **fields),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("op", "also", "told"),
    [
        ("delete_link", [], "a link's deletion names a link"),
        ("compress", [], "MEMORY.md is not a daily log"),
        ("add", [{"target": "MEMORY.md"}], "MEMORY.md is no part of such a change"),
    ],
)
def test_a_change_that_says_another_thing_than_its_hunks_write_is_not_shown(
    op: str, also: list[dict[str, str]], told: str, desk: Desk
) -> None:
    """Of a link's deletion its name alone would be shown, of a compression its summary: no text of the hunk."""
    desk.proposal(addition("push without asking"))
    record = json.loads(waiting(desk).proposals[0].record)
    change = record["changes"][0]
    change |= {"op": op, "also": [part | {"hunk": change["hunk"]} for part in also]}
    with pytest.raises(RefusedError, match=told):
        unpack(changed(desk, record=json.dumps(record)), desk.home.identity.id)


def test_a_change_without_its_place_in_what_came_cannot_be_signed(desk: Desk) -> None:
    from tests.gate.homes import removal

    desk.proposal(removal("- Keep backups for 30 days."))
    found = waiting(desk)
    document = replace(found.documents[0], content=encode_base64(b"# another file\n"))
    (item,) = unpack(replace(found, documents=(document,)), desk.home.identity.id).items
    assert item.unplaced


def test_what_a_change_is_called_follows_from_its_hunk(desk: Desk) -> None:
    desk.proposal(addition("push without asking"))
    record = json.loads(waiting(desk).proposals[0].record)
    record["changes"][0] |= {"op": "remove", "section": "Never", "before": "- old", "after": "- be kind"}
    (item,) = unpack(changed(desk, record=json.dumps(record)), desk.home.identity.id).items
    shown = (item.change.op.value, item.change.section, item.change.before, item.change.after)
    assert shown == ("add", "MEMORY.md > Lessons", "", "- push without asking\n")
