"""What machines and witnesses hand to each other and a home keeps: reviews that travelled, answers, letters, cosigned heads."""

import hashlib
import json
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from tests.faults.fuzz.records import DEEP, NOW, dumped
from tests.faults.fuzz.signed import ALICE, ALICE_SIGNS
from tests.faults.fuzz.target import Target, scratch
from tests.gate.homes import HOME_ID, START, Desk, addition, make_desk, removal
from tests.homes import make_home
from tests.remote.peer_work import make_work

from nightledger.codec.canonical import BOM, parse_json
from nightledger.codec.records import dump_record, load_record, to_plain
from nightledger.domain.decision import Decision
from nightledger.domain.errors import RecordError, RefusedError
from nightledger.domain.message import MESSAGE_TYPE, REPLY_TYPE, Peer, PeerKey, Reply, Status, Waiting
from nightledger.gate.deciding import Signing, compose
from nightledger.gate.reviewing import Answer, Refusal, Verb
from nightledger.remote.handlers import waiting_of
from nightledger.remote.letters import believe, sent_dir
from nightledger.remote.review import RemoteReview, unpack
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.text.changes.sections import text_sha256
from nightledger.trust.dsse import seal
from nightledger.trust.note import decode_base64, encode_base64
from nightledger.trust.sshsig import SignatureError


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
    return review, shown, *compose(review.terms, review.items, answers, review.documents, signing)


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


# answers that were kept, and messages that wait for one

MINE = "f" * 32
WAITS = "m-" + "a" * 26


@cache
def context() -> Context:
    """Give a command's surroundings in the home that asked."""
    home = make_home(scratch() / "asking", id=MINE)
    context = Context(verb="channel", home=home.root, now_text=None, json=False)
    context.keys_dir = str(scratch() / "asking-keys")
    for folder in (sent_dir(home), home.work_dir, Path(context.keys_dir, MINE)):
        Path(folder).mkdir(parents=True, exist_ok=True)
    context._now = NOW
    return context


@cache
def _peer() -> Peer:
    return Peer(name="desk", home=HOME_ID, keys=(PeerKey(key=ALICE.public.line),), actions=())


def _sealed(raw: bytes) -> bytes:
    """Seal what is said as the other machine would, unless it is an envelope already."""
    return raw if raw.startswith(b'{"payload') else seal(REPLY_TYPE, raw, ALICE_SIGNS)


def _reply(**fields: Any) -> bytes:
    made = Reply(
        v=1, re=WAITS, iss=HOME_ID, aud=MINE, iat=1_772_366_400, status=Status.EXECUTED, reason="", body={}
    )
    return dump_record(replace(made, **fields))


def _check_reply(raw: bytes, reply: Reply) -> None:
    if raw.startswith(b'{"payload'):
        assert dump_record(reply) == _reply()
    else:
        told = json.loads(raw.removeprefix(BOM))
        assert told == to_plain(reply)
    assert datetime.fromtimestamp(reply.iat, UTC).year >= 1970
    rightly = (reply.re, reply.iss, reply.aud) == (WAITS, HOME_ID, MINE)
    with suppress(RefusedError):
        believe(context(), _sealed(raw), _peer(), WAITS)
        assert rightly


def _replies() -> list[bytes]:
    return [
        _reply(),
        _sealed(_reply()),
        _reply(iat=253_402_300_799, re="m-" + "b" * 26),
        _reply(status=Status.REJECTED, reason="no", body={"a": [1, "\u2028"]}),
        seal(MESSAGE_TYPE, _reply(), ALICE_SIGNS),
        *DEEP,
    ]


TARGETS = (
    Target(
        "travelled", _review, _check_reviewed, _reviews, (RecordError, RefusedError), max_bytes=12_288, cost=4
    ),
    Target(
        "kept-replies",
        lambda raw: believe(context(), _sealed(raw), _peer()),
        _check_reply,
        _replies,
        (RecordError, RefusedError, SignatureError),
    ),
)
