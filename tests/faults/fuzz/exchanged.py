"""What machines and witnesses hand to each other and a home keeps: reviews that travelled, answers, letters, cosigned heads."""

import hashlib
import json
from dataclasses import replace
from functools import cache
from typing import Any

from tests.faults.fuzz.records import DEEP, dumped
from tests.faults.fuzz.stored import scratch
from tests.faults.fuzz.target import Target
from tests.gate.homes import HOME_ID, START, Desk, addition, make_desk, removal
from tests.gate.peer_work import make_work

from nightledger.codec.records import load_record, to_plain
from nightledger.codec.strict_json import parse_json
from nightledger.domain.decision import Decision
from nightledger.domain.errors import RecordError, RefusedError
from nightledger.domain.waiting import Waiting
from nightledger.gate.machines.remote import RemoteReview, unpack
from nightledger.gate.machines.travelling import waiting_of
from nightledger.gate.review.composing import Refusal, Signing, compose_by
from nightledger.gate.review.reviewing import Answer, Verb
from nightledger.surfaces import screen
from nightledger.text.changes.whole import text_sha256
from nightledger.trust.base64_strict import decode_base64, encode_base64


@cache
def desk() -> Desk:
    """Give a home of which proposals wait; only seeds are made of it."""
    (root := scratch() / "exchanged").mkdir()
    desk = make_desk(root)
    desk.proposal(addition("first"), removal("- Keep backups for 30 days."))
    desk.proposal(addition("second"))
    return desk


# what waits on another machine, as it came from there

Reviewed = tuple[RemoteReview, tuple[str, ...], list[Decision], list[Refusal]]


def _travelled(raw: bytes) -> Any:
    """Give what came; behind NULs stand what replaces the first proposal's text and the first file's."""
    first, *more = raw.split(b"\0", 2)
    told = parse_json(first, "it")
    if not isinstance(told, dict) or not more:
        return told
    replaced = (("proposals", "record", _text(more[0])), ("documents", "content", encode_base64(more[-1])))
    for name, key, text in replaced[: len(more)]:
        items = told.get(name)
        if isinstance(items, list) and items and isinstance(items[0], dict):
            told = {**told, name: [{**items[0], key: text}, *items[1:]]}
    return told


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _review(raw: bytes) -> Reviewed:
    """Do what a review of another machine does when all that can be is approved, up to the signature."""
    waiting = load_record(Waiting, _travelled(raw), where="it")
    review = unpack(waiting, HOME_ID)
    count = len(review.items)
    shown = tuple(
        line for at, item in enumerate(review.items, 1) for line in screen.item_lines(item, at, count)
    )
    answers = [
        Answer(proposal=item.stored.proposal.id, n=item.change.n, verb=Verb.APPROVE)
        for item in review.items
        if not item.unplaced
    ]
    signing = Signing(
        principal="operator", machine="here", head=waiting.log, moment=START, fresh_nonce=lambda: "0" * 32
    )
    return review, shown, *compose_by(review.terms, review.items, answers, review.documents, signing)


def _check_reviewed(raw: bytes, read: Reviewed) -> None:
    review, shown, decisions, refusals = read
    told = _travelled(raw)
    records = {hashlib.sha256(one["record"].encode()).hexdigest() for one in told["proposals"]}
    contents = {one["path"]: decode_base64(one["content"]) for one in told["documents"]}
    assert {item.stored.sha256 for item in review.items} <= records
    assert {
        path: text.encode("utf-8", "surrogateescape") for path, text in review.documents.items()
    } == contents
    assert all("\x1b" not in line and "\n" not in line for line in shown)
    named = [decision.proposal for decision in decisions] + [refusal.proposal for refusal in refusals]
    approvable = {item.stored.proposal.id for item in review.items if not item.unplaced}
    assert len(named) == len(set(named))
    assert set(named) <= approvable
    current = {path: text_sha256(text) for path, text in review.documents.items()}
    for decision in decisions:
        assert decision.proposal_sha256 in records
        assert decision.not_before >= START.at
        for target in decision.targets:
            assert target.base == current.get(target.path, target.base)
            current[target.path] = target.result


@cache
def _reviews() -> tuple[bytes, ...]:
    waiting = to_plain(waiting_of(make_work(desk(), "proposals")))
    plain: Any = json.loads(json.dumps(waiting))
    record = plain["proposals"][0]["record"].encode()
    terms = {**plain["terms"], "cap_characters": 90}
    far = {**plain["terms"], "cooling_after_proposal_s": 2**53 - 1}
    late = [{**one, "created_at": "9999-12-31T23:59:59Z"} for one in plain["proposals"]]
    memory = desk().memory.read_bytes()
    return (
        dumped(plain),
        dumped(plain) + b"\0" + record,
        dumped(plain) + b"\0" + record + b"\0" + memory.replace(b"\n", b"\r\n") + b"\xff",
        dumped({**plain, "terms": terms}),
        dumped({**plain, "terms": far}),
        dumped({**plain, "proposals": late}),
        dumped({**plain, "proposals": plain["proposals"] * 2}),
        dumped({**plain, "proposals": [], "left_out": []}),
        *DEEP,
    )


TARGETS = (
    Target(
        name="travelled",
        read=_review,
        errors=(RecordError, RefusedError),
        check=_check_reviewed,
        damage=lambda read: (replace(read[0], documents={**read[0].documents, "x.md": ""}), *read[1:]),
        seeds=_reviews,
        max_bytes=12_288,
        cost=4,
    ),
)
