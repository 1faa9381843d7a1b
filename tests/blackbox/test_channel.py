"""What a machine may ask for: each action, each refusal, what the log says of it, and what travels out."""

import base64
import hashlib
import json
from typing import Any

import pytest
from tests.blackbox.person import sound
from tests.blackbox.post import Post, answer_of, home_id
from tests.blackbox.world import GRAPH, World, sha256
from tests.rows import tables

KEY = "sk-ant-api03-" + "Zk3Qw8Rt5Yx1Lm7Nv2Bc9Df4Gh6Js0Pa" * 3
TABLES = tables("blackbox-channel", KEY=KEY)
PROPOSE = "propose_behavioral_change"


def told(world: World) -> list[dict[str, Any]]:
    """Give what the log says of messages."""
    return world.named("message.received")


def kept(world: World) -> list[str]:
    """Give the names of the texts of messages that are kept."""
    return sorted(path.name for path in (world.home / "memory/state/received").glob("*.md"))


def rejected(post: Post, action: str, body: dict[str, Any] | None = None, **claims: Any) -> str:
    answer = post.ask(action, body, **claims)
    assert (answer["status"], answer["body"]) == ("rejected", {}), answer
    return str(answer["reason"])


def tighten(world: World, **tiers: str) -> None:
    domains: dict[str, list[str]] = {}
    for action, tier in tiers.items():
        domains.setdefault(tier, []).append(action)
    world.write(GRAPH, json.dumps({"v": 1, "domains": {"self_modification": domains}}))


# ------------------------------------------------------------ what is not even tried
def test_what_a_machine_may_not_ask_is_refused_and_only_a_blocked_action_counts(post: Post) -> None:
    first = post.letter("open_garage")
    answer = answer_of(post.deliver(first)[1])
    assert (answer["status"], "unknown" in answer["reason"]) == ("rejected", True)
    claims = (answer["re"], answer["iss"], answer["aud"])
    assert claims == (first.name.partition(".")[0], home_id(post.agent), home_id(post.ops))
    (event,) = told(post.agent)
    payload = base64.b64decode(json.loads(first.content)["payload"])
    said = {"message": answer["re"], "peer": "ops", "iss": home_id(post.ops)}
    said |= {"number": json.loads(payload)["seq"]}
    said |= {"action": "open_garage", "status": "rejected", "sha256": sha256(payload), "actor": "unknown"}
    assert {name: event[name] for name in said} == said
    assert "ops may not ask" in rejected(post, "decide", {"decision": "{}", "signature": "x"})
    assert "self_modification" in rejected(post, "update_heartbeat", {"state": {}}, domain="email")
    tighten(post.agent, **{PROPOSE: "blocked", "load_memory_file": "requires_approval"})
    assert "blocks" in rejected(post, PROPOSE, {"text": "Ask first.", "reason": "x"})
    assert "approval" in rejected(post, "load_memory_file", {"path": "MEMORY.md"})
    tighten(post.agent, update_heartbeat_state="requires_approval")
    assert "approval" in rejected(post, "update_heartbeat", {"state": {}})
    post.agent.write(GRAPH, "{")
    assert "cannot be used" in rejected(post, "update_heartbeat", {"state": {}})
    told_of = ["open_garage", "decide", "update_heartbeat", PROPOSE, *["update_heartbeat"] * 2]
    assert [event["action"] for event in told(post.agent)] == told_of
    assert {event["status"] for event in told(post.agent)} == {"rejected"}
    asked = post.agent.named("consent.blocked")
    assert [event["action"] for event in asked] == ["open_garage", PROPOSE]
    assert not post.agent.proposals("--all")
    assert not (post.agent.home / "memory/state/tc-heartbeat.json").exists()
    (post.agent.home / GRAPH).unlink()
    sound(post.agent)


def test_what_is_done_at_once_ends_when_nobody_signs_a_review_for_a_month(post: Post) -> None:
    post.wait(days=29)
    assert post.ask("load_memory_file", {"path": "MEMORY.md"})["status"] == "executed"
    post.wait(days=2)
    assert "nobody has signed" in rejected(post, "load_memory_file", {"path": "MEMORY.md"})
    assert post.ask(PROPOSE, {"text": "Ask first.", "reason": "x"})["status"] == "queued"


def test_claims_that_cannot_be_are_refused_for_good(post: Post) -> None:
    now = int(post.ops.now.timestamp())
    for words, claims in (
        ("another home", {"aud": home_id(post.third)}),
        ("604801 s", {"exp": now + 604_801}),
        ("0 s", {"exp": now}),
        ("future", {"iat": now + 61}),
        ("came before", {"seq": 0}),
    ):
        assert words in rejected(post, "update_heartbeat", {"state": {}}, **claims), words
    assert told(post.agent) == []
    strange = post.letter("update_heartbeat", {"state": {}}, iss=home_id(post.third))
    (post.spool / home_id(post.agent) / "new" / strange.name).write_bytes(strange.content)
    post.agent.ok("channel", "receive")
    (answer,) = (post.spool / home_id(post.third) / "new").iterdir()
    assert "does not belong" in answer_of(answer.read_bytes())["reason"]
    assert told(post.agent) == []
    good = post.ask("update_heartbeat", {"state": {}}, iat=now + 60, exp=now + 604_800)
    assert good["status"] == "executed"


# ------------------------------------------------------------ a change that a machine asks for
def test_a_change_waits_in_the_lane_of_machines_with_its_text_kept_as_evidence(post: Post) -> None:
    answer = post.ask(PROPOSE, {"text": f"Ask first.\n\nkey: {KEY}"[:10], "reason": f"cut; {'x' * 5}"})
    (proposal,) = post.agent.proposals()
    (change,) = proposal["changes"]
    assert answer["status"] == "queued"
    assert answer["body"] == {"proposal": proposal["id"], "diff": change["diff"]}
    assert (proposal["lane"], proposal["kind"]) == ("peer", "propose_behavioral_change")
    assert proposal["title"] == "The machine ops asks: Ask first."
    expected = ("add", "MEMORY.md > Lessons", "- Ask first.")
    assert (change["op"], change["section"], change["after"]) == expected
    (evidence,) = change["evidence"]
    (name,) = kept(post.agent)
    assert name == f"{answer['re']}.md"
    assert (evidence["path"], evidence["lines"]) == (f"memory/state/received/{name}", [1, 4])
    assert evidence["origin"] == "tool"
    assert post.agent.read(f"memory/state/received/{name}") == "Ask first.\n\ncut; xxxxx\n"
    assert told(post.agent)[-1]["proposal"] == proposal["id"]
    for asked in (
        {"entry": "- Restart the relay after an upgrade.", "section": "A > B", "reason": "old"},
        {"entry": "Keep backups for 30 days.", "text": "- Keep two.", "reason": "cheap"},
    ):
        assert post.ask(PROPOSE, asked)["status"] == "queued"
    ops = [(c["op"], c["section"], c["before"]) for one in post.agent.proposals() for c in one["changes"]]
    assert ops[1:] == [
        ("remove", "MEMORY.md > Lessons", "- Restart the relay after an upgrade.\n"),
        ("replace", "MEMORY.md > Decisions", "- Keep backups for 30 days.\n"),
    ]
    assert "3 proposals of peers wait" in rejected(post, PROPOSE, {"text": "Count twice.", "reason": "x"})
    day = {"date": "2026-02-28", "text": "- Lesson: `make deploy` needs a clean checkout.\n"}
    assert "3 proposals of machines wait" in rejected(post, "consolidate_daily", day)
    assert post.agent.propose("The agent's lane has room.")
    assert len(kept(post.agent)) == 3
    assert post.agent.run("verify").status == 0


REFUSED: tuple[tuple[dict[str, str], str], ...] = TABLES["refused"]


def test_what_is_refused_of_a_machine_leaves_no_text_behind(post: Post) -> None:
    for body, words in REFUSED:
        assert words in rejected(post, PROPOSE, {"reason": "a transfer was cut", **body}), body
        assert kept(post.agent) == []
    assert not post.agent.proposals("--all")
    assert [event["status"] for event in told(post.agent)] == ["rejected"] * len(REFUSED)
    held = post.agent.named("text.quarantined")
    assert [event["rules"] for event in held] == [["secret.anthropic"], ["instruction.override"]]
    assert not post.agent.holding(KEY)


# ------------------------------------------------------------ looking, beating, looking for what may go
def test_a_gated_file_is_given_with_its_secrets_masked_and_no_other_is(post: Post) -> None:
    content = (post.agent.home / "MEMORY.md").read_bytes()
    plain = post.ask("load_memory_file", {"path": "MEMORY.md"})
    whole = {"path": "MEMORY.md", "sha256": sha256(content), "text": content.decode(), "masked": False}
    assert plain["body"] == whole
    post.agent.write("MEMORY.md", content + b"\n- caf\xe9\n- api_key: " + KEY.encode() + b"\n")
    masked = post.ask("load_memory_file", {"path": "MEMORY.md"})["body"]
    assert (masked["masked"], KEY in masked["text"], "caf\\xe9" in masked["text"]) == (True, False, True)
    assert masked["sha256"] == sha256((post.agent.home / "MEMORY.md").read_bytes())
    for path in ("SOUL.md", "config/nightledger/home.json", "audit/trusted-channel-audit.jsonl"):
        assert "not a gated file" in rejected(post, "load_memory_file", {"path": path})
    assert told(post.agent) == []


def test_a_heartbeat_keeps_the_newest_of_each_machine_whatever_lay_there(post: Post) -> None:
    path = post.agent.home / "memory/state/tc-heartbeat.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    for odd in ("{ torn", "[]", '{"heartbeats":{"x":1.5}}', '{"heartbeats":7}', '{"heartbeats":[[1,2]]}'):
        path.write_text(odd)
        answer = post.ask("update_heartbeat", {"state": {"mail": len(odd)}})
        assert (answer["status"], answer["body"]) == ("executed", {})
        beat = {"at": "2026-03-01T06:00:00Z", "state": {"mail": len(odd)}}
        assert json.loads(path.read_text()) == {"v": 1, "heartbeats": {"ops": beat}}
    path.write_text('{"heartbeats":{"other":{"at":"x","state":{}}},"v":1}')
    first, second = (post.letter("update_heartbeat", {"state": {"mail": n}}) for n in (1, 2))
    post.deliver(second)
    assert list(json.loads(path.read_text())["heartbeats"]) == ["ops", "other"]
    assert post.deliver(first)[0] == "rejected"
    assert json.loads(path.read_text())["heartbeats"]["ops"]["state"] == {"mail": 2}
    path.unlink()
    (path / "planted").mkdir(parents=True)
    assert post.ask("update_heartbeat", {"state": {}})["status"] == "executed"
    assert json.loads(path.read_text())["heartbeats"]["ops"]["state"] == {}
    (aside,) = path.parent.glob(f"{path.name}.*")
    assert (aside / "planted").is_dir()


def test_a_log_of_another_machine_is_distilled_and_trusted_less(post: Post) -> None:
    lines = "# 2026-02-28\n\n## Disk\n\n- Lesson: the relay disk fills with captures, delete them weekly.\n"
    answer = post.ask("consolidate_daily", {"date": "2026-02-28", "text": lines})
    assert answer["status"] == "queued", answer
    (proposal,) = post.agent.proposals()
    assert (proposal["lane"], proposal["title"]) == ("peer", "Log of 2026-02-28 from the machine ops")
    (change,) = proposal["changes"]
    assert [flag["rule"] for flag in change["flags"]] == ["single_source", "peer"]
    assert [one["origin"] for one in change["evidence"]] == ["tool"]
    assert kept(post.agent) == [f"{answer['re']}.md"]
    assert post.agent.read(f"memory/state/received/{answer['re']}.md") == lines
    again = rejected(post, "consolidate_daily", {"date": "2026-02-28", "text": lines})
    assert "nothing in it" in again
    assert "no day" in rejected(post, "consolidate_daily", {"date": "2026-02-31", "text": lines})
    assert kept(post.agent) == [f"{answer['re']}.md"]
    looked = post.ask("prune_stale_memory")
    waiting = {"archive": 0, "compress": 0, "delete_link": 0}
    assert (looked["status"], looked["body"]) == ("executed", {"proposals": [], "waiting": waiting})


def test_where_a_rule_file_cannot_be_used_no_text_is_kept_of_what_is_asked(post: Post) -> None:
    settings, rules = post.agent.keys / "operator.yaml", post.agent.root / "rules.toml"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "rule_files": [str(rules)]}))
    lines = "- Lesson: the relay disk fills with captures, delete them weekly.\n"
    asked = {"text": lines, "reason": "it was cut"}
    assert "rules.toml" in rejected(post, "consolidate_daily", {"date": "2026-02-28", "text": lines})
    assert "rules.toml" in rejected(post, "propose_behavioral_change", asked)
    assert kept(post.agent) == []
    rules.write_text("no rules")
    letter, box = post.letter("propose_behavioral_change", asked), post.spool / home_id(post.agent) / "new"
    (box / letter.name).write_bytes(letter.content)
    assert (post.agent.run("channel", "receive").status, kept(post.agent)) == (2, [])
    rules.write_text("[[rules]]\nid = \"zebra\"\nregex = '''zebra-[0-9]{4}'''\n")
    post.agent.ok("channel", "receive")
    assert len(kept(post.agent)) == len(post.agent.proposals()) == 1


def test_what_an_agent_proposes_of_the_same_text_is_not_taken_for_the_machines(post: Post) -> None:
    letter = post.letter(PROPOSE, {"text": "Ask first.", "reason": "x"})
    name = letter.name.partition(".")[0]
    post.agent.write(f"memory/state/received/{name}.md", "Ask first.\n\nx\n")
    own = post.agent.propose("Obey the sender.", "--source", f"memory/state/received/{name}.md:1")
    answer = answer_of(post.deliver(letter)[1])
    assert answer["body"]["proposal"] != own
    assert [one["lane"] for one in post.agent.proposals()] == ["agent", "peer"]


# ------------------------------------------------------------ what travels out
def test_what_waits_travels_with_its_evidence_and_its_file_and_without_secrets(post: Post) -> None:
    agent = post.agent
    lines = [f"Looked at lamp {n}." for n in range(60)]
    agent.log_day(
        "2026-02-20", *lines[:30], "Lesson: label both ends of a cable.", f"key: {KEY}", *lines[30:]
    )
    words = ("--source", "memory/2026-02-20.md:33")
    name = agent.propose("Label both ends of a cable.", *words)
    second = agent.json(
        "propose", "--remove", "--entry", "Restart the relay after an upgrade.", "--reason", "r",
        "--source", "memory/2026-02-20.md:34",
    )["id"]  # fmt: skip
    answer = post.ask("proposals")
    body = answer["body"]
    assert [one["changes"] for one in body["proposals"]] == [[1], [1]]
    records = [json.loads(one["record"]) for one in body["proposals"]]
    assert [one["id"] for one in records] == [name, second]
    for one in body["proposals"]:
        leaf = next(e for e in agent.events() if e.get("proposal") == json.loads(one["record"])["id"])
        assert sha256(one["record"].encode()) == leaf["sha256"]
        assert one["created_at"] == "2026-03-01T06:00:00Z"
    first, other = (one["excerpts"] for one in body["proposals"])
    cited = {"n": 1, "place": "memory/2026-02-20.md:33", "same": True}
    assert first == [{**cited, "text": "- Lesson: label both ends of a cable."}]
    assert (other[0]["place"], KEY in other[0]["text"]) == ("memory/2026-02-20.md:34", False)
    (document,) = body["documents"]
    assert base64.b64decode(document["content"]) == (agent.home / "MEMORY.md").read_bytes()
    assert document["sha256"] == sha256((agent.home / "MEMORY.md").read_bytes())
    assert body["left_out"] == []
    assert body["log"]["size"] == len(agent.events())
    cooling = {"cooling_after_proposal_s": 7200, "cooling_after_signature_s": 600}
    assert body["terms"] == {"cap_characters": None, **cooling, "decision_expires_days": 7}
    changes_of_what_it_rests_on(post, name, second)


def changes_of_what_it_rests_on(post: Post, name: str, second: str) -> None:
    """Change the cited log, lose it, sign one, and let the file drift."""
    agent = post.agent
    agent.log_day("2026-02-20", *(f"Looked at lamp {n}." for n in range(60)))
    changed = post.ask("proposals")["body"]["proposals"][0]["excerpts"]
    assert [(one["same"], one["text"]) for one in changed] == [(False, "- Looked at lamp 30.")]
    (agent.home / "memory/2026-02-20.md").unlink()
    gone = post.ask("proposals")["body"]["proposals"][0]["excerpts"]
    assert [(one["same"], one["text"]) for one in gone] == [(False, "")]
    agent.approve(name)
    agent.write("MEMORY.md", agent.read().replace("30 days", "90 days"))
    agent.run("guard")
    left = post.ask("proposals")["body"]
    assert [json.loads(one["record"])["id"] for one in left["proposals"]] == [second]
    assert left["left_out"] == [one["id"] for one in agent.proposals() if one["kind"] == "drift"]


@pytest.mark.parametrize("raw", [b"{}", b"\xff", b"{"])
def test_what_is_no_envelope_is_set_aside_and_stops_no_other(post: Post, raw: bytes) -> None:
    good = post.letter("update_heartbeat", {"state": {"mail": 1}})
    box = post.spool / home_id(post.agent) / "new"
    box.mkdir(parents=True, exist_ok=True)
    (box / f"m-{'a' * 26}.message.json").write_bytes(raw)
    (box / good.name).write_bytes(good.content)
    assert post.agent.run("channel", "receive").status == 1
    assert [event["status"] for event in told(post.agent)] == ["executed"]
    assert sorted(path.name for path in box.iterdir()) == []
    assert hashlib.sha256(raw).hexdigest() not in post.agent.read("audit/trusted-channel-audit.jsonl")
