"""Signatures of decisions: which hold, and every way in which one does not. Whoever wrote them holds the log's key.

The log names each forged signature's file by its hash, so nothing but the signature itself can tell.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox import ssh
from tests.blackbox.forge import append, head_of, line_of
from tests.blackbox.person import sound
from tests.blackbox.world import Folder, World, sha256
from tests.rows import tables

ALARM = 4
LINE = "Count the ladders."
Sign = Callable[[ssh.SoftKey, bytes], str]


@pytest.fixture(scope="module")
def asked(adopted: World, new_folder: Folder) -> World:
    """Give a home in which a proposal waits and one was signed and rejected: what a decision looks like."""
    world = adopted.copy(new_folder())
    for kind in (ssh.ECDSA, *ssh.HARDWARE):
        words = ("key", "add", ssh.soft(kind).line, "--principal", kind.partition("@")[0])
        assert world.run(*words, typed=lambda _: "y").status == 0
    world.wait(hours=1)
    return world


def waiting(asked: World, root: Path) -> tuple[World, dict[str, Any]]:
    """Give a copy with a proposal, and the decision with which its operator would approve it."""
    twin, world = asked.copy(root / "twin"), asked.copy(root / "world")
    name = world.propose(LINE)
    assert twin.propose(LINE) == name
    assert twin.approve(name).status == 0
    folder = twin.home / "audit/decisions"
    like = max(
        (json.loads(path.read_text()) for path in folder.glob("*.json")),
        key=lambda one: one["proposal"] == name,
    )
    return world, like


def decided(
    world: World, like: dict[str, Any], signers: Sequence[Callable[[bytes], str]], **changed: Any
) -> list[str]:
    """Write a decision for each signer, with what is said to be its signature, have the log name them, and give their ids."""
    head, events = head_of(world), []
    for number, sign in enumerate(signers):
        made = {**like, "log": head, "nonce": f"{number:032x}", **changed, "id": ""}
        digest = base64.b32encode(hashlib.sha256(line_of(made)).digest()).decode()
        made["id"] = f"d-{digest[:26].lower()}"
        content = line_of(made)
        signature = sign(content).encode("utf-8", "surrogateescape")
        world.write(f"audit/decisions/{made['id']}.json", content)
        world.write(f"audit/decisions/{made['id']}.json.sig", signature)
        told = {name: made[name] for name in ("type", "proposal", "changes")}
        hashes = {"sha256": sha256(content), "signature_sha256": sha256(signature)}
        events.append({"event": "decision.recorded", "decision": made["id"], **hashes, **told})
    append(world, *events)
    return [str(event["decision"]) for event in events]


def altered(world: World) -> set[str]:
    """Give the decisions that ``verify`` does not take for signed."""
    return {Path(one["path"]).name.partition(".json")[0] for one in world.json("verify")["altered"]}


def bent(**fields: bytes) -> Sign:
    """Give a signature whose fields are these instead."""
    return lambda key, message: ssh.armour(ssh.joined({**key.parts(message), **fields}))


def said(**how: Any) -> Sign:
    """Give a signature for what is said so."""
    return lambda key, message: key.sign(message, **how)


def under_the_name(other: ssh.SoftKey) -> Sign:
    """Give the signature of another key, which names the key that should have signed."""
    return lambda key, message: ssh.armour(ssh.joined({**other.parts(message), "key": key.blob}))


def flipped(at: int, name: str = "raw") -> Sign:
    def sign(key: ssh.SoftKey, message: bytes) -> str:
        parts = key.parts(message)
        raw = bytearray(parts[name])
        raw[at] ^= 1
        return ssh.armour(ssh.joined({**parts, name: bytes(raw)}))

    return sign


def text(change: Callable[[str], str]) -> Sign:
    return lambda key, message: change(key.sign(message))


TABLES = tables("blackbox-signatures")
BAD: dict[str, Sign] = {
    **{what: bent(**fields) for what, fields in TABLES["bent"].items()},
    **{what: said(**how) for what, how in TABLES["said"].items()},
    **{what: text(methodcaller("replace", *row)) for what, row in TABLES["armours"].items()},
    "over other bytes": lambda key, message: key.sign(message, about=message + b" "),
    "a bit of it flipped": flipped(0),
    "its last bit flipped": flipped(-1),
    "cut": lambda key, message: bent(raw=key.parts(message)["raw"][:-1])(key, message),
    "by a key that nobody lists": lambda _, message: ssh.soft().sign(message),
    "by another key, and names the operator's": under_the_name(ssh.soft()),
    "by the operator, and names another key": bent(key=ssh.soft().blob),
    "an RSA key": bent(key=ssh.string(b"ssh-rsa") + ssh.string(b"\1\0\1") + ssh.string(b"\0" + bytes(256))),
    "a key of 31 bytes": bent(key=ssh.string(ssh.ED25519.encode()) + ssh.string(bytes(31))),
    "a key with bytes behind it": lambda key, message: bent(key=key.blob + b"\0")(key, message),
    "a key that is cut": lambda key, message: bent(key=key.blob[:-1])(key, message),
    "nothing": lambda _key, _message: "",
    "no text": lambda _key, _message: "\udcff\udcfe",
    "no armour": text(lambda armoured: "".join(armoured.split("\n")[1:-2])),
    "no begin": text(lambda armoured: armoured.partition("\n")[2]),
    "no end": text(lambda armoured: armoured.rpartition("-----END")[0]),
    "no body": text(lambda armoured: "\n".join((armoured.split("\n")[0], armoured.split("\n")[-2], ""))),
    "an empty body": text(
        lambda armoured: "\n".join((armoured.split("\n")[0], "", armoured.split("\n")[-2], ""))
    ),
    "no base64": text(lambda armoured: armoured.replace("A", "!", 1)),
    "text before it": text(lambda armoured: f"x\n{armoured}"),
    "text behind it": text(lambda armoured: f"{armoured}x\n"),
    "two of them": text(lambda armoured: armoured * 2),
    "with CRLF": lambda key, message: ssh.armour(ssh.joined(key.parts(message)), end="\r\n"),
    "a blank before it": text(lambda armoured: f"\n{armoured}"),
    "too long": text(lambda armoured: armoured + "\n" * 16_384),
}
GOOD: dict[str, Sign] = {
    "as ssh-keygen does": lambda key, message: key.sign(message),
    "SHA-256": lambda key, message: key.sign(message, hashed="sha256"),
    "in long lines": lambda key, message: ssh.armour(ssh.joined(key.parts(message)), columns=1_000),
    "in short lines": lambda key, message: ssh.armour(ssh.joined(key.parts(message)), columns=8),
}


def test_each_signature_that_does_not_hold_is_named_not_acted_on(asked: World, tmp_path: Path) -> None:
    world, like = waiting(asked, tmp_path)
    key = ssh.operator_of(world)
    made = decided(world, like, [partial(sign, key) for sign in BAD.values()])
    told = altered(world)
    taken = [what for what, one in zip(BAD, made, strict=True) if one not in told]
    assert not taken, taken
    assert world.run("verify").status == ALARM
    assert world.second_look()[0] == ALARM
    before = world.read()
    world.try_apply()
    assert world.read() == before


def test_each_form_of_a_signature_that_holds_is_taken(asked: World, tmp_path: Path) -> None:
    world, like = waiting(asked, tmp_path)
    key = ssh.operator_of(world)
    decided(world, like, [partial(sign, key) for sign in GOOD.values()])
    assert altered(world) == set()
    sound(world)
    world.apply_cooled()
    assert LINE in world.read()


@pytest.mark.parametrize("kind", [ssh.ECDSA, *ssh.HARDWARE])
def test_keys_of_other_kinds_sign_and_hardware_is_touched(kind: str, asked: World, tmp_path: Path) -> None:
    world, like = waiting(asked, tmp_path)
    key = ssh.soft(kind)
    strange = ssh.SoftKey(kind=kind, private=key.private, application=b"ssh:other")
    name = kind.partition("@")[0]
    ones = (b"\0\0\0\1\1", ssh.mpint(1))
    bad: dict[str, Sign] = {
        "over other bytes": said(about=b""),
        "by another key": under_the_name(ssh.soft(kind, 8)),
        "bytes behind it": lambda key, message: bent(tail=key.parts(message)["tail"] + b"\0")(key, message),
        "no numbers": bent(raw=b""),
        "small numbers": bent(raw=b"".join(ones)),
        "a number with a sign": bent(raw=ssh.string(b"\xff") + ssh.mpint(1)),
        "a number of zero": bent(raw=ssh.string(b"") + ssh.mpint(1)),
        "the name of another kind": bent(kind=ssh.ED25519.encode()),
        "for files": said(namespace="file"),
    }
    if kind in ssh.HARDWARE:
        bad |= {
            "untouched": said(touched=0),
            "untouched, though verified": said(touched=4),
            "says touched": lambda key, message: ssh.armour(
                ssh.joined({**key.parts(message, touched=0), "tail": b"\1" + (41).to_bytes(4, "big")})
            ),
            "another count": bent(tail=b"\1" + (42).to_bytes(4, "big")),
            "no count": bent(tail=b"\1"),
            "another application": under_the_name(strange),
        }
    else:
        bad["two zeros before a number"] = longer_number
    touched = [lambda m: key.sign(m, touched=1), lambda m: key.sign(m, touched=5)]
    made = decided(world, like, [*touched, *(partial(sign, key) for sign in bad.values())], principal=name)
    told = altered(world)
    taken = [what for what, one in zip(bad, made[2:], strict=True) if one not in told]
    assert not taken, taken
    assert not told & {*made[:2]}
    world.try_apply()
    assert LINE in world.read()


def longer_number(key: ssh.SoftKey, message: bytes) -> str:
    parts = key.parts(message)
    length = int.from_bytes(parts["raw"][:4], "big")
    r, rest = parts["raw"][4 : 4 + length], parts["raw"][4 + length :]
    return ssh.armour(ssh.joined({**parts, "raw": ssh.string(b"\0" + r) + rest}))
