"""Machines are those that the log names; what they sent is verified, then read."""

from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.gate.homes import START, Desk, later
from tests.remote.peer_work import OPS_ID, make_work

from nightledger.codec.records import dump_record
from nightledger.domain.errors import RecordError
from nightledger.domain.message import MESSAGE_TYPE, REPLY_TYPE, Peer, PeerKey, Peers, Status
from nightledger.remote.actions import Done, perform
from nightledger.remote.peers import (
    logged_seqs,
    open_message,
    parse_peers,
    present_peers,
    read_peers,
)
from nightledger.trust.dsse import seal
from nightledger.trust.machine_key import MachineKey
from nightledger.trust.sshsig import SignatureError

OLD = MachineKey(Ed25519PrivateKey.from_private_bytes(bytes(32)))
NEW = MachineKey(Ed25519PrivateKey.from_private_bytes(bytes([1] * 32)))
NOON = START.at


def peers(*keys: PeerKey) -> Peers:
    return Peers(peers=(Peer(name="ops", home=OPS_ID, keys=keys, actions=("proposals",)),))


def key(machine: MachineKey, *, after: int | None = None, before: int | None = None) -> PeerKey:
    """Give a key that counts from and until so many hours after noon."""
    at = [None if hours is None else NOON + timedelta(hours=hours) for hours in (after, before)]
    return PeerKey(key=machine.public_key.line, valid_after=at[0], valid_before=at[1])


def test_the_machine_is_told_by_the_key_that_signed(desk: Desk) -> None:
    message = make_work(desk, "proposals").message
    payload = dump_record(message)
    opened = open_message(seal(MESSAGE_TYPE, payload, OLD), peers(key(OLD)), NOON)
    assert (opened.peer.name, opened.message, opened.payload) == ("ops", message, payload)


def test_both_keys_count_while_one_takes_over_from_the_other(desk: Desk) -> None:
    known = peers(key(OLD, before=2), key(NEW, after=1))
    payload = dump_record(make_work(desk, "proposals").message)

    def counts(machine: MachineKey, hours: float) -> bool:
        try:
            open_message(seal(MESSAGE_TYPE, payload, machine), known, later(START, hours=hours).at)
        except SignatureError:
            return False
        return True

    assert [counts(OLD, hours) for hours in (0, 1.5, 3)] == [True, True, False]
    assert [counts(NEW, hours) for hours in (0, 1.5, 3)] == [False, True, True]


def test_an_unknown_key_and_an_answer_are_refused_before_anything_is_read(desk: Desk) -> None:
    payload = dump_record(make_work(desk, "proposals").message)
    with pytest.raises(SignatureError):
        open_message(seal(MESSAGE_TYPE, payload, NEW), peers(key(OLD)), NOON)
    with pytest.raises(SignatureError):
        open_message(seal(REPLY_TYPE, payload, OLD), peers(key(OLD)), NOON)
    with pytest.raises(SignatureError):
        open_message(seal(MESSAGE_TYPE, b"not even JSON", NEW), peers(key(OLD)), NOON)
    with pytest.raises(RecordError):
        open_message(seal(MESSAGE_TYPE, b"not even JSON", OLD), peers(key(OLD)), NOON)


def test_a_list_on_disk_that_nobody_signed_names_no_machine(desk: Desk) -> None:
    Path(desk.home.peers).write_bytes(dump_record(peers(key(OLD))))
    assert present_peers(desk.home).named("ops") is not None
    assert read_peers(desk.home, desk.ledger(), desk.moment) == Peers()


def test_no_bytes_are_no_machines_and_other_bytes_are_an_error(desk: Desk) -> None:
    assert present_peers(desk.home) == Peers()
    with pytest.raises(RecordError):
        parse_peers(b"{}")


def test_the_log_tells_the_highest_number_of_each_sender(desk: Desk) -> None:
    assert logged_seqs(desk.ledger()) == {}
    for seq in (5, 3):
        work = make_work(desk, "update_heartbeat", {"state": {}}, seq=seq)
        perform(work, {"update_heartbeat": lambda _: Done(status=Status.EXECUTED)})
    assert logged_seqs(desk.ledger()) == {OPS_ID: 5}
