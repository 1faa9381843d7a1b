"""Who may send messages is signed; a new key takes the place of the old one."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.remote.machines import ALL_ACTIONS, Pair

from nightledger.domain.message import Status
from nightledger.trust.sshsig import SignatureError


def test_a_machine_knows_another_by_the_line_that_it_prints(pair: Pair) -> None:
    (known,) = pair.agent.record("channel", "peer", "list")
    assert (known["name"], known["home"]) == ("ops", pair.ops.home_id)
    assert pair.ops.out("channel", "keygen").split()[2] in known["keys"][0]["key"]
    shown = pair.agent.out("channel", "peer")
    assert pair.ops.key.public_key.fingerprint in shown
    assert "may ask for: consolidate_daily, decide" in shown
    assert "trust.changed" in pair.agent.desk.events()
    assert pair.agent.run("verify").status == 0


def test_what_is_said_wrongly_is_refused_with_what_to_say(pair: Pair) -> None:
    line = pair.ops.out("channel", "keygen").strip()
    ecdsa = ec.generate_private_key(ec.SECP256R1()).public_key()
    other_kind = ecdsa.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    key = ed25519.Ed25519PrivateKey.generate().public_key()
    new = key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    stranger, known, say = "a" * 32, "the machine ops is known", "say: channel peer list"
    for words, why in (
        ("drop", say),
        ("add", say),
        ("list x", say),
        ("add x y", say),
        ("add x", "--line wants"),
        ("add x --line short", "--line wants"),
        (("add", "x", "--line", f"{stranger} {other_kind}"), "ssh-ed25519"),
        (("add", "x", "--line", f"{stranger} ssh-ed25519 AAAA"), "public key"),
        (("add", "x", "--line", line), known),
        (("add", "ops", "--line", f"{'b' * 32} {new}"), known),
        (("add", "x", "--line", f"{pair.ops.home_id} {new}"), known),
        (("add", "x", "--line", line.replace(pair.ops.home_id, stranger)), known),
        (("add", "ops", "--line", line, "--actions", "fly"), "may ask for consolidate_daily, decide"),
        (("add", "Ops!", "--line", f"{stranger} {new}"), "name"),
        ("remove nobody", "no machine"),
        (("remove", "ops", "--line", line), say),
    ):
        ran = pair.agent.run("channel", "peer", *(words.split() if isinstance(words, str) else words))
        assert ran.status != 0, words
        assert why in ran.err, (words, ran.err)


def test_a_new_key_takes_the_place_of_the_old_one_and_leaves_what_the_machine_may_ask_for(pair: Pair) -> None:
    old = pair.sealed(pair.message())
    line = pair.ops.record("channel", "keygen", "--new")["line"]

    def peer(*words: str) -> list[tuple[list[str], list[str]]]:
        peers = pair.agent.record("channel", "peer", *words)["peers"]
        return [([key["key"] for key in one["keys"]], one["actions"]) for one in peers]

    key = line.partition(" ")[2]
    assert peer("add", "ops", "--line", line) == [([key], sorted(ALL_ACTIONS.split(",")))]
    with pytest.raises(SignatureError):
        pair.agent.take_in(old)
    assert pair.ask("update_heartbeat", body={"state": {}}).status is Status.EXECUTED
    limited = ("--actions", "proposals, decide")
    assert peer("add", "ops", "--line", line, *limited) == [([key], ["decide", "proposals"])]
    assert peer("remove", "ops") == []
