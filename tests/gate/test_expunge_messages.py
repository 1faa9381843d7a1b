"""A leaked text goes from what messages left, too."""

from pathlib import Path

from tests.gate.homes import Desk
from tests.remote.peer_work import make_work

from nightledger.codec.records import dump_record
from nightledger.domain.message import MESSAGE_TYPE
from nightledger.domain.needle import needle_of
from nightledger.files.durable import make_dir
from nightledger.gate.expunging import find_held
from nightledger.remote.handlers import propose_change
from nightledger.remote.receiving import load_machine_key
from nightledger.trust.dsse import seal

TEXT = "the harbour door opens with the left key"


def test_texts_answers_and_dead_letters_are_found_within_their_envelopes(desk: Desk) -> None:
    work = make_work(desk, "propose_behavioral_change", {"text": f"- {TEXT}", "reason": "x"})
    propose_change(work)
    home = desk.home
    envelope = seal(MESSAGE_TYPE, dump_record(work.message), load_machine_key(desk.ring, home.identity.id))
    assert TEXT.encode() not in envelope
    Path(home.dead_letters).write_bytes(b'{"envelope":' + envelope + b"}\n")
    make_dir(home.channel_dir)
    (Path(home.channel_dir) / "sent.json").write_bytes(envelope)
    found = find_held(desk.gate, desk.ledger(), needle_of(TEXT))
    assert {home.relative(home.received(work.message.id)), home.relative(home.dead_letters)} <= set(
        found.removed
    )
    assert ".nightledger/channel/sent.json" in found.derived
    assert found.elsewhere == ()
