"""What waits in the agent's home is read and signed on another machine, over a directory that both share. From outside."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import line_of
from tests.blackbox.person import Person
from tests.blackbox.post import Post, join, sealed
from tests.blackbox.test_lifecycle import whole
from tests.blackbox.test_skills import NAME, SKILL, due
from tests.blackbox.world import TEXT, Ran, World, found


@pytest.fixture
def pair(adopted: World, tmp_path: Path) -> tuple[World, World]:
    """Give the agent's home, which lists the key of the other machine, and that machine's own home."""
    host, desk = adopted.copy(tmp_path / "host"), found(tmp_path / "desk")
    host.ok("key", "add", str(desk.own_keys / "operator.pub"), "--principal", "ann", typed=lambda _: "y")
    join(host, desk, tmp_path / "spool", "--actions", "decide,proposals", names=("desk", "host"))
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


def test_what_is_signed_elsewhere_is_applied_after_cooling_and_what_is_rejected_waits_no_more(
    pair: tuple[World, World],
) -> None:
    host, desk = pair
    host.propose(TEXT)
    person = reviewed(host, desk, "y")
    assert person.said_yes(TEXT), person.seen
    before = host.read()
    host.ok("apply")
    assert host.read() == before
    host.apply_cooled()
    assert TEXT in (after := host.read())
    desk.now = host.now
    host.propose("Count the reels twice.")
    reviewed(host, desk, "n", "Count the reels")
    assert not host.proposals()
    host.apply_cooled()
    assert host.read() == after
    whole(host)


def test_a_skill_is_signed_elsewhere_as_any_other_change(pair: tuple[World, World]) -> None:
    host, desk = pair
    due(host)
    desk.now = host.now
    person = reviewed(host, desk, "y", "rsync -a public/")
    assert person.said_yes("rsync -a public/"), person.seen
    host.apply_cooled()
    assert host.read(f".agents/skills/{NAME}/SKILL.md") == SKILL
    whole(host)


def test_answers_about_another_machine_outlive_an_interrupt_and_a_review(pair: tuple[World, World]) -> None:
    host, desk = pair
    names = [host.propose(TEXT), host.propose("Count the reels twice.")]
    desk.ok("channel", "send", "proposals", "--to", "host")
    travel(host, desk)
    left = desk.run("review", "--remote", "host", typed=["y"])
    assert left.status == 1
    assert "your answers are kept; 'nightledger review --remote host' takes them up" in left.text
    later = desk.run("review", "--remote", "host", typed=["n", "not ours", "n"])
    assert "Taken up from your last review: sign 1, 1 left" in later.text
    assert "Nothing was signed; your answers are kept" in later.text
    desk.propose("Wind the clock.")
    desk.ok("review", typed=Person(otherwise="y"))
    signed = desk.run("review", "--remote", "host", typed=["y"])
    assert "Sign 1, reject 1, 0 left?" in signed.text
    assert "[1/2]" not in signed.text
    travel(host, desk)
    states = {one["id"]: one["state"] for one in host.proposals("--all")}
    assert [states[name] for name in names] == ["cooling", "rejected"]
    assert not [*desk.keys.rglob("review-draft.json")]


def test_a_signature_of_a_key_that_is_not_listed_counts_for_nothing(pair: tuple[World, World]) -> None:
    host, desk = pair
    host.propose(TEXT)
    fingerprint = {one["principal"]: one["fingerprint"] for one in host.json("key", "list")["signers"]}["ann"]
    host.ok("key", "revoke", fingerprint, "--reason", "lost", typed=lambda _: "y")
    reviewed(host, desk, "y")
    host.try_apply()
    assert TEXT not in host.read()
    assert host.proposals()
    whole(host)


def test_a_decision_that_comes_twice_is_carried_out_once(pair: tuple[World, World]) -> None:
    host, desk = pair
    name = host.propose(TEXT)
    reviewed(host, desk, "y")
    host.apply_cooled()
    host.ok("undo", name)
    before = host.read()
    spool = host.root.parent / "spool"
    for letter in [path for path in spool.rglob("*") if path.is_file()]:
        box = spool / host.own_keys.name / "new"
        box.mkdir(parents=True, exist_ok=True)
        (box / letter.name).write_bytes(letter.read_bytes())
    travel(host, desk)
    host.try_apply()
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


def test_only_approvals_and_refusals_travel_and_only_signed_ones(pair: tuple[World, World]) -> None:
    host, desk = pair
    name = host.propose(TEXT)
    host.ok("reject", host.propose("Walk in circles."), "--reason", "no")
    (event,) = [e for e in host.events() if e.get("type") == "reject"]
    decision = host.decision(event["decision"])
    signature = (host.home / f"audit/decisions/{event['decision']}.json.sig").read_text()
    for change, why in (
        ({"type": "undo"}, "does not travel"),
        ({"type": "trust"}, "does not travel"),
        ({"proposal": name}, "signature"),
        ({"v": 3}, "is not valid"),
    ):
        body = desk.root / "body.json"
        body.write_text(json.dumps({"decision": json.dumps({**decision, **change}), "signature": signature}))
        desk.ok("channel", "send", "decide", "--to", "host", "--body", str(body))
        assert host.run("channel", "receive").status in {0, 1}
        desk.tells(why, "channel", "receive", status=1)
        assert host.events()[-1]["status"] == "rejected"
    assert [one["state"] for one in host.proposals("--all")] == ["pending", "rejected"]


# ------------------------------------------------------------ what the other machine says is not believed
def said(post: Post, change: Callable[[dict[str, Any]], object], *, record: bool = False) -> Ran:
    """Have the asking machine review an answer that the agent's own machine signed as somebody else wrote it."""
    answer = post.ask("proposals")
    one = answer["body"]["proposals"][0]
    if record:
        written = json.loads(one["record"])
        change(written)
        one["record"] = line_of(written).decode()
    else:
        change(answer["body"])
    path = post.ops.home / ".nightledger/channel/replies/agent.proposals.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(sealed(post.agent, line_of(answer), "application/vnd.nightledger.reply+json"))
    return post.ops.run("review", "--remote", "agent")


def test_an_answer_that_does_not_hold_together_is_refused_whoever_signed_it(post: Post) -> None:
    post.agent.log_day("2026-02-20", "a", "b")
    post.agent.propose(TEXT, "--source", "memory/2026-02-20.md:3")
    excerpts = post.ask("proposals")["body"]["proposals"][0]["excerpts"]
    assert [(one["place"], one["text"]) for one in excerpts] == [("memory/2026-02-20.md:3", "- a")]
    honest = said(post, lambda _: None)
    assert (honest.status, TEXT in honest.out, "masked" in honest.out) == (0, True, False)
    masked = said(post, lambda body: body["documents"][0].update(sha256="0" * 64))
    assert "Secrets in MEMORY.md are masked here" in masked.text
    later = said(post, lambda body: body["proposals"][0].update(changes=[]))
    assert (later.status, TEXT in later.out) == (0, False)
    for why, change in (
        ("another home", lambda body: body.update(origin=f"x/{'0' * 32}")),
        ("not base64", lambda body: body["documents"][0].update(content="%%")),
        ("without what is needed", lambda body: body.update(documents=[])),
        ("without what is needed", lambda body: body["proposals"][0].update(changes=[1, 7])),
        ("one name", lambda body: body["proposals"].append(body["proposals"][0])),
        ("does not rest", lambda body: body["proposals"][0]["excerpts"][0].update(place="memory/x.md:1")),
        ("does not rest", lambda body: body["proposals"][0]["excerpts"][0].update(n=2)),
    ):
        ran = said(post, change)
        assert (ran.status, why in ran.err, ran.out) == (1, True, ""), (why, ran)
    for why, forge in (
        ("without what is needed", lambda proposal: proposal.update(lane="edit")),
        ("without what is needed", lambda proposal: proposal["changes"][0].update(target="SOUL.md")),
        ("as no gate carries it out", lambda proposal: proposal["changes"][0].update(op="archive")),
    ):
        ran = said(post, forge, record=True)
        assert (ran.status, why in ran.err, ran.out) == (1, True, ""), (why, ran)


def test_what_must_be_answered_at_home_does_not_travel(post: Post) -> None:
    """A log's whole text, what was altered, what a secret stands beside; the rest travels."""
    agent = post.agent
    agent.write("memory/2025-12-03.md", "# G\n\n- Lesson: water the basil\n" + "- looked at lamp\n" * 60)
    agent.ok("prune")
    (log,) = [one["id"] for one in agent.proposals()]
    altered = agent.propose("Count twice.")
    agent.alter(f"memory/state/proposals/{altered}.json", b"twice", b"never")
    name = agent.propose(TEXT)
    body = post.ask("proposals")["body"]
    assert body["left_out"] == [log, altered]
    assert [json.loads(one["record"])["id"] for one in body["proposals"]] == [name]
    assert [one["path"] for one in body["documents"]] == ["MEMORY.md"]
    assert "looked at lamp" not in json.dumps(body)
