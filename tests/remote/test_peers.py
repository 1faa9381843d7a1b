"""Who may send messages is signed; a key takes over from another."""

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.remote.machines import Pair

from nightledger.domain.message import Status


def test_a_machine_knows_another_by_the_line_that_it_prints(pair: Pair) -> None:
    (known,) = pair.agent.record("channel", "peer", "list")
    assert (known["name"], known["home"]) == ("ops", pair.ops.home_id)
    assert pair.ops.out("channel", "keygen").split()[2] in known["keys"][0]["key"]
    shown = pair.agent.out("channel", "peer")
    assert pair.ops.key.public_key.fingerprint in shown
    assert "may ask for: consolidate_daily, decide" in shown
    assert "trust.changed" in pair.agent.desk.events()
    assert pair.agent.run("verify").status == 0


def test_a_key_takes_over_from_another_with_both_counting_meanwhile(pair: Pair) -> None:
    coming = pair.ops.out("channel", "keygen", "--next").strip()
    assert pair.ops.out("channel", "keygen", "--next").strip() == coming
    added = pair.agent.run(
        "channel", "peer", "add", "ops", "--line", coming, "--valid-after", "2026-03-01T05:00:00Z"
    )
    assert added.status == 0, added.err
    assert pair.ask("update_heartbeat").status is Status.EXECUTED  # with the old key
    assert pair.ops.out("channel", "keygen", "--use-next").strip() == coming
    assert pair.ask("update_heartbeat").status is Status.EXECUTED  # with the new one
    (known,) = pair.agent.record("channel", "peer", "list")
    old = next(key["key"] for key in known["keys"] if key["key"] not in coming)
    removed = pair.agent.run("channel", "peer", "remove", "ops", "--line", f"{pair.ops.home_id} {old}")
    assert removed.status == 0, removed.err
    listed = " ".join(pair.agent.out("channel", "peer", "list").split())
    assert "from 2026-03-01 05:00 UTC" in listed
    assert pair.ask("update_heartbeat").status is Status.EXECUTED


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
        (("peer", "add", "ops", "--line", line, "--valid-after", "soon"), "is not a time"),
        (("peer", "add", "Ops!", "--line", line.replace(pair.ops.home_id, "a" * 32)), ""),
        (("peer", "remove", "nobody"), "no machine"),
        (("peer", "remove", "ops", "--line", ""), "--line wants"),
        (("keygen", "--use-next"), "machine-ed25519.next is missing"),
    ):
        ran = pair.agent.run("channel", *words)
        assert ran.status != 0, words
        assert why in ran.err, (words, ran.err)


def test_an_operator_changes_machines_and_nobody_else(pair: Pair) -> None:
    (pair.agent.keys / pair.agent.home_id / "operator").unlink()
    ran = pair.agent.run("channel", "peer", "remove", "ops")
    assert ran.status != 0
    assert pair.ask("update_heartbeat").status is Status.EXECUTED
