"""What waits in the agent's home is read and signed on another machine, over a directory that both share. From outside."""

import json
from pathlib import Path

import pytest
from tests.blackbox.person import Person
from tests.blackbox.test_lifecycle import whole
from tests.blackbox.world import World, found

TEXT = "Label both ends of a cable."


@pytest.fixture
def pair(adopted: World, tmp_path: Path) -> tuple[World, World]:
    """Give the agent's home, which lists the key of the other machine, and that machine's own home."""
    host, desk = adopted.copy(tmp_path / "host"), found(tmp_path / "desk")
    spool = tmp_path / "spool"
    spool.mkdir()
    host.ok("key", "add", str(desk.own_keys / "operator.pub"), "--principal", "ann", typed=lambda _: "y")
    for world, other, name, words in (
        (host, desk, "desk", ("--actions", "decide,proposals")),
        (desk, host, "host", ()),
    ):
        line = other.json("channel", "keygen")["line"]
        world.ok("channel", "peer", "add", name, "--line", line, *words)
        (world.keys / "operator.yaml").write_text(json.dumps({"peers": {name: {"spool": str(spool)}}}))
    return host, desk


def travel(host: World, desk: World) -> None:
    """Let letters and answers go both ways."""
    for world in (host, desk, host, desk):
        assert world.run("channel", "receive").status in {0, 1}


def reviewed(host: World, desk: World, answer: str, words: str = TEXT) -> Person:
    desk.ok("channel", "send", "proposals", "--to", "host")
    travel(host, desk)
    person = Person(says={words: answer}, otherwise="s")
    desk.run("review", "--remote", "host", typed=person)
    travel(host, desk)
    return person


def test_what_is_signed_elsewhere_is_applied_after_cooling(pair: tuple[World, World]) -> None:
    host, desk = pair
    host.propose(TEXT)
    person = reviewed(host, desk, "y")
    assert person.said_yes(TEXT), person.seen
    before = host.read()
    host.ok("apply")
    assert host.read() == before
    host.wait(hours=3)
    host.ok("apply")
    assert TEXT in host.read()
    whole(host)


def test_what_is_rejected_elsewhere_waits_no_more(pair: tuple[World, World]) -> None:
    host, desk = pair
    host.propose(TEXT)
    reviewed(host, desk, "n")
    assert not host.proposals()
    host.wait(hours=3)
    host.ok("apply")
    assert TEXT not in host.read()
    whole(host)


def test_a_signature_of_a_key_that_the_home_does_not_list_counts_for_nothing(
    pair: tuple[World, World],
) -> None:
    host, desk = pair
    host.propose(TEXT)
    fingerprint = next(
        one["fingerprint"] for one in host.json("key", "list")["signers"] if one["principal"] == "ann"
    )
    host.ok("key", "revoke", fingerprint, "--reason", "lost", typed=lambda _: "y")
    reviewed(host, desk, "y")
    host.wait(hours=3)
    host.run("apply")
    assert TEXT not in host.read()
    assert host.proposals()
    whole(host)


def test_a_decision_that_comes_twice_is_carried_out_once(pair: tuple[World, World]) -> None:
    host, desk = pair
    name = host.propose(TEXT)
    reviewed(host, desk, "y")
    host.wait(hours=3)
    host.ok("apply")
    host.ok("undo", name)
    before = host.read()
    spool = host.root.parent / "spool"
    for letter in [path for path in spool.rglob("*") if path.is_file()]:
        box = spool / host.own_keys.name / "new"
        box.mkdir(parents=True, exist_ok=True)
        (box / letter.name).write_bytes(letter.read_bytes())
    travel(host, desk)
    host.wait(hours=3)
    host.run("apply")
    assert host.read() == before
    whole(host)


def test_a_secret_does_not_travel(pair: tuple[World, World]) -> None:
    host, desk = pair
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    host.write("MEMORY.md", host.read() + f"- token: {secret}\n")
    host.run("guard")
    host.propose(TEXT)
    reviewed(host, desk, "s")
    seen = [path for path in (host.root.parent / "spool").rglob("*") if path.is_file()]
    seen += [path for path in desk.root.rglob("*") if path.is_file()]
    assert not [path for path in seen if secret.encode() in path.read_bytes()]
