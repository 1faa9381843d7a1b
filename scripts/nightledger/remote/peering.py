"""Change the list of machines: pure; the result is signed before it counts.

Invariant: a machine has one name and one home; a key stands at one machine only.
"""

from collections.abc import Sequence
from dataclasses import replace

from nightledger.domain.errors import UsageError
from nightledger.domain.message import Peer, PeerKey, Peers

MAX_KEYS = 4


def add_peer(peers: Peers, name: str, home: str, key: PeerKey, actions: Sequence[str]) -> Peers:
    """Add a machine, or to a known one a key that takes over from another.

    Args:
        peers: As they are.
        name: What the operator calls it.
        home: Id of the home that it speaks for.
        key: Its public key; a known one gets new times.
        actions: What it may ask for; none leaves a known machine's as they are.

    Raises:
        UsageError: The name has another home, the home another name, or the key another machine.
    """
    known = peers.named(name)
    others = [peer for peer in peers.peers if peer.name != name]
    if known is not None and known.home != home:
        raise UsageError(f"{name} speaks for the home {known.home}, not {home}", hint="give it another name")
    for peer in others:
        if peer.home == home or any(other.key == key.key for other in peer.keys):
            raise UsageError(f"that machine is known as {peer.name}", hint="remove it first, or use its name")
    kept = [other for other in known.keys if other.key != key.key] if known else []
    if len(kept) >= MAX_KEYS:
        raise UsageError(f"{name} has {len(kept)} keys already", hint="remove one with --key")
    may = tuple(sorted(set(actions))) or (known.actions if known else ())
    new = Peer(name=name, home=home, keys=(*kept, key), actions=may)
    return replace(peers, peers=tuple(sorted([*others, new], key=lambda peer: peer.name)))


def remove_peer(peers: Peers, name: str, key: str = "") -> Peers:
    """Remove a machine, or one of its keys; the last key goes with the machine.

    Raises:
        UsageError: There is no such machine, or it has no such key.
    """
    known = peers.named(name)
    if known is None:
        raise UsageError(
            f"there is no machine {name!r}", hint="'nightledger channel peer list' names those known"
        )
    kept = tuple(other for other in known.keys if other.key != key) if key else ()
    if key and len(kept) == len(known.keys):
        raise UsageError(f"{name} has no such key")
    left = [replace(known, keys=kept)] if kept else []
    others = [peer for peer in peers.peers if peer.name != name]
    return replace(peers, peers=tuple(sorted([*others, *left], key=lambda peer: peer.name)))
