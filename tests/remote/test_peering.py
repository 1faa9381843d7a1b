"""Machines are added and removed, key by key."""

import pytest

from nightledger.domain.errors import UsageError
from nightledger.domain.message import Peer, PeerKey, Peers
from nightledger.remote.peers import MAX_KEYS, add_peer, remove_peer

ONE, TWO = "a" * 32, "b" * 32


def key(name: str) -> PeerKey:
    return PeerKey(key=f"ssh-ed25519 {name}")


def known() -> Peers:
    return add_peer(Peers(), "ops", ONE, key("A"), ("proposals", "decide"))


def ops(peers: Peers) -> Peer:
    found = peers.named("ops")
    assert found is not None
    return found


def test_a_machine_is_added_with_its_actions_sorted() -> None:
    assert ops(known()) == Peer(name="ops", home=ONE, keys=(key("A"),), actions=("decide", "proposals"))


def test_a_second_key_overlaps_with_the_first_and_keeps_the_actions() -> None:
    both = ops(add_peer(known(), "ops", ONE, key("B"), ()))
    assert both.keys == (key("A"), key("B"))
    assert both.actions == ("decide", "proposals")


def test_the_same_key_gets_new_times_and_the_machine_new_actions() -> None:
    again = ops(add_peer(known(), "ops", ONE, key("A"), ("decide",)))
    assert again.keys == (key("A"),)
    assert again.actions == ("decide",)


def test_a_name_stays_with_its_home() -> None:
    with pytest.raises(UsageError, match="speaks for the home"):
        add_peer(known(), "ops", TWO, key("B"), ())


@pytest.mark.parametrize(("home", "name"), [(ONE, "B"), (TWO, "A")])
def test_a_home_and_a_key_stay_with_their_machine(home: str, name: str) -> None:
    with pytest.raises(UsageError, match="known as ops"):
        add_peer(known(), "other", home, key(name), ())


def test_a_machine_has_a_few_keys_only() -> None:
    peers = known()
    for n in range(MAX_KEYS - 1):
        peers = add_peer(peers, "ops", ONE, key(f"B{n}"), ())
    with pytest.raises(UsageError, match="keys already"):
        add_peer(peers, "ops", ONE, key("C"), ())


def test_a_key_is_removed_and_the_last_one_takes_the_machine_along() -> None:
    both = add_peer(known(), "ops", ONE, key("B"), ())
    left = remove_peer(both, "ops", key("A").key)
    assert ops(left).keys == (key("B"),)
    assert remove_peer(left, "ops", key("B").key) == Peers()
    assert remove_peer(both, "ops") == Peers()
