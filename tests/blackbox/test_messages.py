"""Two machines and a shared directory: what is taken in once, what is refused, and the envelopes (DSSE) that both write."""

import base64
import json
import shutil
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import load_ssh_private_key
from tests.blackbox.post import Letter, Post, answer_of, home_id
from tests.blackbox.ssh import SoftKey, soft
from tests.rows import tables


def test_a_message_is_taken_in_once_and_its_copies_are_told_what_became_of_it(post: Post) -> None:
    letter = post.send("propose_behavioral_change", {"text": "- Ask first.", "reason": "a transfer was cut"})
    first = post.deliver(letter)
    assert (first[0], post.done()) == ("queued", ["queued", "peer"])
    (made,) = post.agent.proposals()
    again = answer_of(post.deliver(letter)[1])
    assert (again["status"], again["body"]["proposal"]) == ("queued", made["id"])
    post.wait(hours=30)  # it has expired
    assert post.deliver(letter)[0] == "queued"
    shutil.rmtree(post.agent.home / ".nightledger")
    assert post.deliver(letter)[0] == "queued"
    assert post.done() == ["queued", "peer"]


def test_what_was_sent_before_a_message_that_came_is_refused_for_good(post: Post) -> None:
    old, new = post.beat("old"), post.beat("new")
    assert post.deliver(new)[0] == "executed"
    for _ in range(2):
        assert post.deliver(old)[0] == "rejected"
    assert post.deliver(new)[0] == "executed"
    post.record.unlink()  # which opens nothing that the log does not answer
    assert [post.deliver(letter)[0] for letter in (old, new)] == ["rejected", "executed"]
    assert (post.done(), '"new"' in post.heartbeat()) == (["executed"], True)


def test_what_was_made_in_the_future_stays_refused_and_shuts_nothing_out(post: Post) -> None:
    post.ops.wait(hours=2)
    held = post.beat("held")
    post.ops.wait(hours=-2)
    assert post.deliver(held)[0] == "rejected"
    post.wait(hours=2.5)
    assert post.deliver(held)[0] == "rejected"
    assert post.deliver(post.beat("good"))[0] == "executed"
    assert post.done() == ["executed"]


def test_what_has_expired_stays_refused_though_the_clock_is_set_back(post: Post) -> None:
    now = int(post.ops.now.timestamp())
    held = post.letter("update_heartbeat", {"state": {}}, exp=now + 600, seq=now * 1000 - 1)
    post.wait(hours=1)
    assert post.deliver(held)[0] == "rejected"
    post.wait(hours=-1)
    assert post.deliver(held)[0] == "rejected"
    assert post.deliver(post.beat("good"))[0] == "executed"
    assert post.done() == ["executed"]


def test_a_message_for_another_home_is_refused_and_spends_no_number(post: Post) -> None:
    mine, other = post.beat("mine"), post.beat("other", to="third")
    assert post.deliver(other)[0] == "rejected"
    assert post.deliver(mine)[0] == "executed"
    assert post.done() == ["executed"]


def test_a_record_put_back_from_before_does_nothing_twice(post: Post) -> None:
    post.deliver(post.beat("first"))
    kept = post.record.read_bytes()
    letter = post.beat("second")
    post.deliver(letter)
    post.deliver(post.beat("third"))
    post.record.write_bytes(kept)
    assert post.deliver(letter)[0] == "executed"
    assert (post.done(), '"third"' in post.heartbeat()) == (["executed"] * 3, True)


@pytest.mark.parametrize("raw", [b"", b"{", b'{"senders":[{"iss":7}]}', b"\xff"])
def test_a_damaged_record_is_an_alarm_and_the_message_waits(post: Post, raw: bytes) -> None:
    letter = post.beat("x")
    post.deliver(post.beat("later"))
    kept = post.record.read_bytes()
    post.record.write_bytes(raw)
    box = post.spool / home_id(post.agent) / "new" / letter.name
    box.write_bytes(letter.content)
    assert (post.agent.run("channel", "receive").status, box.exists()) == (4, True)
    post.record.write_bytes(kept)
    post.agent.ok("channel", "receive")
    assert post.done() == ["executed"]


def test_letters_of_one_round_are_dealt_with_in_the_order_in_which_they_were_put(post: Post) -> None:
    letters = [post.beat(str(n)) for n in range(6)]
    box = post.spool / home_id(post.agent) / "new"
    for letter in letters:
        (box / letter.name).write_bytes(letter.content)
    post.agent.ok("channel", "receive")
    assert (post.done(), '"5"' in post.heartbeat()) == (["executed"] * 6, True)


# ---------------------------------------------------------------- envelopes of messages (dsse)

Envelope = dict[str, Any]


def sealed(payload: bytes, kind: str, key: SoftKey, *, as_kind: str | None = None) -> Envelope:
    """Sign a payload as DSSE says (protocol 1.0.0)."""
    signed = b"DSSEv1 %d %b %d %b" % (len(kind.encode()), kind.encode(), len(payload), payload)
    return {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": kind if as_kind is None else as_kind,
        "signatures": [{"keyid": key.fingerprint, "sig": base64.b64encode(key.raw(signed)).decode()}],
    }


def changed(envelope: Envelope, **members: Any) -> Envelope:
    return {**envelope, **members}


def signature(envelope: Envelope, **changed: Any) -> Envelope:
    return {**envelope, "signatures": [{**envelope["signatures"][0], **changed}]}


def flipped(text: str) -> str:
    raw = bytearray(base64.b64decode(text))
    raw[5] ^= 1
    return base64.b64encode(bytes(raw)).decode()


def without(envelope: Envelope, name: str) -> Envelope:
    return {key: value for key, value in envelope.items() if key != name}


TABLES = tables("blackbox-messages")
BAD: dict[str, Callable[[Envelope], Any]] = {
    "a word": lambda _: "x",
    "null": lambda _: None,
    "nothing in it": lambda _: {},
    **{what: partial(changed, **odd) for what, odd in TABLES["members"].items()},
    **{what: partial(signature, **odd) for what, odd in TABLES["signatures"].items()},
    "a list": lambda env: [env],
    **{f"no {name}": partial(without, name=name) for name in ("payload", "payloadType", "signatures")},
    "two signatures": lambda env: {**env, "signatures": env["signatures"] * 2},
    "signatures that are an object": lambda env: {**env, "signatures": env["signatures"][0]},
    "a signature without its key": lambda env: {**env, "signatures": [without(env["signatures"][0], "keyid")]},
    "another key's name": lambda env: signature(env, keyid=soft().fingerprint),
    "a signature that is no base64": lambda env: signature(env, sig="!" + env["signatures"][0]["sig"][1:]),
    "a signature that is cut": lambda env: signature(env, sig=env["signatures"][0]["sig"][:80]),
    "a bit of the signature flipped": lambda env: signature(env, sig=flipped(env["signatures"][0]["sig"])),
    "a bit of the payload flipped": lambda env: {**env, "payload": flipped(env["payload"])},
    "a payload with blanks": lambda env: {**env, "payload": env["payload"] + "\n"},
    "a payload beyond ASCII": lambda env: {**env, "payload": env["payload"] + "\u00e9"},
    "another type": lambda env: {**env, "payloadType": env["payloadType"] + "x"},
}  # fmt: skip


def test_what_no_known_machine_signed_as_a_message_does_nothing(post: Post) -> None:
    letter = post.beat("x")
    whole: Envelope = json.loads(letter.content)
    key = SoftKey(private=load_ssh_private_key((post.ops.own_keys / "machine-ed25519").read_bytes(), None))
    payload, kind = base64.b64decode(whole["payload"]), whole["payloadType"]
    assert sealed(payload, kind, key) == whole, "it is what the standard says"
    named = {what: json.dumps(make(whole)).encode() for what, make in BAD.items()}
    named |= {
        "by another key": json.dumps(sealed(payload, kind, soft())).encode(),
        "by another key under its name": json.dumps(
            signature(sealed(payload, kind, soft()), keyid=key.fingerprint)
        ).encode(),
        "of another type under its name": json.dumps(sealed(payload, "x", key, as_kind=kind)).encode(),
        "a member twice": letter.content.replace(b'{"payload":', b'{"payload":"eA==","payload":', 1),
        "no JSON": letter.content[:-1],
        "no UTF-8": letter.content + b"\xff",
        "nothing": b"",
    }
    size, box = len(post.agent.events()), post.spool / home_id(post.agent) / "new"
    for n, content in enumerate(named.values()):
        (box / f"m-{'a' * 24}{chr(97 + n // 26)}{chr(97 + n % 26)}.message.json").write_bytes(content)
    ran = post.agent.run("channel", "receive")
    assert (ran.status in {0, 1, 2}, len(post.agent.events()), post.done()) == (True, size, []), ran
    assert not [path for path in (post.spool / home_id(post.ops)).rglob("*") if path.is_file()], "no answer"
    url_safe = {**whole, "payload": whole["payload"].replace("+", "-").replace("/", "_")}
    safe_sig = whole["signatures"][0]["sig"].replace("+", "-").replace("/", "_")
    content = json.dumps(signature(url_safe, sig=safe_sig)).encode()
    assert post.deliver(Letter(name=letter.name, content=content))[0] == "executed"
    assert post.deliver(letter)[0] == "executed"
    assert post.done() == ["executed"]
