"""Who may send messages is signed; a key takes over from another."""

from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.remote.machines import ALL_ACTIONS, Pair


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
        (("peer", "add", "ops", "--line", f"{'b' * 32} {new}"), "speaks for"),
        (("peer", "add", "x", "--line", f"{pair.ops.home_id} {new}"), "known as ops"),
        (("peer", "add", "x", "--line", line.replace(pair.ops.home_id, "b" * 32)), "known as ops"),
        (("peer", "add", "ops", "--line", line, "--actions", "fly"), "no action 'fly'"),
        (("peer", "add", "Ops!", "--line", line.replace(pair.ops.home_id, "a" * 32)), ""),
        (("peer", "remove", "nobody"), "no machine"),
        (("peer", "remove", "ops", "--line", ""), "--line wants"),
    ):
        ran = pair.agent.run("channel", *words)
        assert ran.status != 0, words
        assert why in ran.err, (words, ran.err)


def test_a_second_key_overlaps_with_the_first_and_the_last_that_is_removed_takes_the_machine_along(
    pair: Pair,
) -> None:
    first = pair.ops.out("channel", "keygen").strip()
    second = pair.ops.record("channel", "keygen", "--new")["line"]

    def peer(*words: str) -> list[tuple[int, list[str]]]:
        peers = pair.agent.record("channel", "peer", *words)["peers"]
        return [(len(one["keys"]), one["actions"]) for one in peers]

    assert peer("add", "ops", "--line", second) == [(2, sorted(ALL_ACTIONS.split(",")))]
    limited = ("--actions", "proposals, decide")
    assert peer("add", "ops", "--line", first, *limited) == [(2, ["decide", "proposals"])]
    assert peer("remove", "ops", "--line", first) == [(1, ["decide", "proposals"])]
    for _ in range(3):
        peer("add", "ops", "--line", pair.ops.record("channel", "keygen", "--new")["line"])
    fifth = pair.agent.run("channel", "peer", "add", "ops", "--line", first)
    assert fifth.status != 0
    assert "ops has 4 keys already" in fifth.err
    assert peer("remove", "ops") == []
