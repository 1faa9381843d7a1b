"""A home whose making, signing or pin was cut short or lost: what goes on by itself, and what is told."""

import json
from pathlib import Path

from tests.blackbox.forge import line_of
from tests.blackbox.test_witness import ONE, harbour_of
from tests.blackbox.world import LOG, World

ALARM = 4
INIT = ("init", "--adopt", "--simulated", "--no-passphrase", "--zone", "UTC", "--no-seed")
PIN, HEAD = "pin.json", "head.json"


def test_a_making_that_was_cut_short_is_ended_by_the_same_command(adopted: World, tmp_path: Path) -> None:
    log = (adopted.home / LOG).read_bytes()
    rows: dict[str, tuple[tuple[str, ...], bytes]] = {
        "before it was signed": ((), log),
        "before it was pinned": ((PIN,), log),
        "before it was acknowledged": ((PIN, HEAD), log),
        "within its first line": ((PIN, HEAD), log[:20]),
        "before its first line": ((PIN, HEAD), b""),
        "between the two files of the operator's key": ((PIN, HEAD, "operator.pub"), b""),
    }
    for n, (what, (lost, left)) in enumerate(rows.items()):
        world = adopted.copy(tmp_path / str(n))
        heads = [world.home / "audit/checkpoint", world.home / "audit/checkpoints/1"]
        for path in (*heads, *map(world.own_keys.joinpath, lost)):
            path.unlink()
        (world.home / LOG).write_bytes(left)
        ran = world.run(*INIT)
        assert ran.status == 0, (what, ran)
        assert world.kinds() == ["genesis"], what
        assert (world.run("verify").status, world.second_look()[0]) == (0, 0), what
        assert (world.home / "audit/checkpoints/1").exists(), what
        for name in ("operator", "operator.pub"):
            assert (world.own_keys / name).read_bytes() == (adopted.own_keys / name).read_bytes(), what
        world.applied("Count the ladders.")
        world.ok("verify")


def test_a_log_that_was_begun_is_not_begun_anew_without_its_pin(adopted: World, tmp_path: Path) -> None:
    for n, signed in enumerate((True, False)):
        world = adopted.copy(tmp_path / str(n))
        world.propose("Count the ladders.")
        if not signed:
            (world.home / "audit/checkpoint").unlink()
        before = (world.home / LOG).read_bytes()
        for name in (PIN, HEAD):
            (world.own_keys / name).unlink()
        world.run(*INIT)
        assert (world.home / LOG).read_bytes() == before
        assert not (world.own_keys / PIN).exists()
        assert world.run("verify").status == ALARM
        assert ("has not pinned the log's keys" in world.run("doctor", "--json").out) is signed
        assert world.run("propose", "--text", "x", "--section", "Lessons", "--reason", "y").status == ALARM


def test_an_unacknowledged_tail_is_closed_before_a_witness_is_asked(world: World) -> None:
    lines = world.root / "lines"
    lines.write_text(f"witness a {ONE.vkey}\nquorum a\n")
    assert world.run("witness", "trust", str(lines), typed=lambda _: "y").status == 0
    size = len(world.events())
    with (world.home / LOG).open("ab") as stream:
        stream.write(b'{"half')
    with harbour_of(world) as harbour:
        harbour.ask()
    told = [json.loads(line) for line in (world.home / LOG).read_bytes().splitlines()[size + 1 :]]
    (closed,) = [(one["event"], one["first"], one["count"], one["damaged"]) for one in told]
    assert closed == ("log.tail_closed", size, 1, 1)
    assert harbour.asked[ONE.number].partition("\n\n")[2].split("\n")[1] == str(size + 2)
    assert world.read("audit/checkpoint").split("\n")[1] == str(size + 2)


def test_what_was_acknowledged_and_not_signed_this_machine_knows(world: World) -> None:
    early = (world.home / "audit/checkpoint").read_bytes()
    seen = (world.own_keys / PIN).read_bytes()
    world.propose("Count the ladders.")
    path, pin = world.home / "audit/checkpoint", world.own_keys / PIN
    late, whole = path.read_bytes(), (world.home / LOG).read_bytes()
    path.write_bytes(early)
    pin.write_bytes(seen)
    assert world.run("verify").status == 0, "a run that was cut short before it signed"
    assert len(world.proposals()) == 1
    changed = whole.replace(b'"changes":1', b'"changes":2')
    assert changed != whole
    (world.home / LOG).write_bytes(changed)
    (found,) = world.json("verify")["findings"]
    assert (found["class"].upper(), found["line"], found["alarm"]) == ("EDITED", 2, True)
    (world.home / LOG).write_bytes(whole[:-1].rpartition(b"\n")[0] + b"\n")
    (found,) = world.json("verify")["findings"]
    assert (found["class"].upper(), found["line"], found["alarm"]) == ("TRUNCATED", 2, True)
    (world.home / LOG).write_bytes(whole)
    more = {**world.events()[-1], "seq": 2, "proposal": "p-" + "a" * 26}
    with (world.home / LOG).open("ab") as stream:
        stream.write(line_of(more) + b"\n")
    assert len(world.proposals()) == 1
    path.write_bytes(late)
    world.propose("Count the doors.")
    assert world.kinds()[2:] == ["proposal.created", "log.tail_closed", "proposal.created"]
    assert len(world.proposals()) == 2
    world.ok("verify")
