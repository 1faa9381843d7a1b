"""Who may send messages is signed; a key takes over from another."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.remote.machines import Pair
from tests.rows import each_row

from nightledger.domain.errors import UsageError
from nightledger.domain.message import Peer, PeerKey, Peers
from nightledger.remote.peers import add_peer, remove_peer


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
    for words, why in (
        (("peer", "drop"), "say: channel peer list"),
        (("peer", "add"), "say: channel peer list"),
        (("peer", "list", "x"), "say: channel peer list"),
        (("peer", "add", "x", "y"), "say: channel peer list"),
        (("peer", "add", "x"), "--line wants"),
        (("peer", "add", "x", "--line", "too short"), "--line wants"),
        (("peer", "add", "x", "--line", f"{'a' * 32} {other_kind}"), "is Ed25519"),
        (("peer", "add", "x", "--line", f"{'a' * 32} ssh-ed25519 AAAA"), "public key"),
        (("peer", "add", "x", "--line", line), "known as ops"),
        (("peer", "add", "ops", "--line", line, "--actions", "fly"), "no action 'fly'"),
        (("peer", "add", "Ops!", "--line", line.replace(pair.ops.home_id, "a" * 32)), ""),
        (("peer", "remove", "nobody"), "no machine"),
        (("peer", "remove", "ops", "--line", ""), "--line wants"),
    ):
        ran = pair.agent.run("channel", *words)
        assert ran.status != 0, words
        assert why in ran.err, (words, ran.err)


# ------------------------------------------------------------ key by key


ONE, TWO = "a" * 32, "b" * 32


def key(name: str) -> PeerKey:
    return PeerKey(key=f"ssh-ed25519 {name}")


def known() -> Peers:
    return add_peer(Peers(), "ops", ONE, key("A"), ("proposals", "decide"))


def ops(peers: Peers) -> Peer:
    found = peers.named("ops")
    assert found is not None
    return found


def test_a_second_key_overlaps_with_the_first_and_keeps_the_actions_which_are_sorted() -> None:
    both = ops(add_peer(known(), "ops", ONE, key("B"), ()))
    assert both.keys == (key("A"), key("B"))
    assert both.actions == ("decide", "proposals")
    again = ops(add_peer(known(), "ops", ONE, key("A"), ("decide",)))
    assert (again.keys, again.actions) == ((key("A"),), ("decide",))


@each_row(
    ("name", "home", "of", "why"),
    [
        ("ops", TWO, "B", "speaks for"),
        ("other", ONE, "B", "known as ops"),
        ("other", TWO, "A", "known as ops"),
    ],
)
def test_a_name_a_home_and_a_key_stay_with_their_machine(name: str, home: str, of: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        add_peer(known(), name, home, key(of), ())


def test_a_key_is_removed_and_the_last_one_takes_the_machine_along() -> None:
    both = add_peer(known(), "ops", ONE, key("B"), ())
    left = remove_peer(both, "ops", key("A").key)
    assert ops(left).keys == (key("B"),)
    assert remove_peer(left, "ops", key("B").key) == Peers()
    assert remove_peer(both, "ops") == Peers()
