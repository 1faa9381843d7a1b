"""Where a home begins and is left, which files it may gate, what an agent may do there, and what each day closes."""

import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.blackbox.forge import append, event_named, put_blob
from tests.blackbox.person import review
from tests.blackbox.world import GRAPH, LOG, MEMORY, Ran, World, found, sha256
from tests.rows import tables

TABLES = tables("blackbox-founding")
MADE = TABLES["made"]


def init(world: World, *words: str) -> Ran:
    return world.run("init", "--simulated", "--no-passphrase", "--zone", "UTC", *words)


def empty(root: Path) -> World:
    world = World(root=root)
    world.home.mkdir(parents=True)
    return world


def held(world: World) -> dict[str, bytes]:
    """Give every file and directory of the home and the keys, with what is in it."""
    paths = [path for path in world.root.rglob("*") if not path.is_symlink()]
    return {str(path.relative_to(world.root)): path.read_bytes() if path.is_file() else b"" for path in paths}


def gated(*names: str) -> tuple[str, ...]:
    return tuple(word for name in names for word in ("--gated", name))


def _link(world: World, to: str) -> None:
    world.write(to, "x\n")
    (world.home / "MEMORY.md").symlink_to(to)


def _second_name(world: World, of: str) -> None:
    world.write(of, "x\n")
    os.link(world.home / of, world.home / "MEMORY.md")


REFUSED: dict[str, tuple[Callable[[World], object], tuple[str, ...], str, int]] = {
    "a name that is not NFC": (lambda _: None, gated("e\u0301.md"), "cannot carry the name", 1),
    "a name of two lines": (lambda _: None, gated("a\nb.md"), "cannot carry the name", 1),
    **{
        f"{place} of another": (partial(World.write, name=f"{place}/x", text="x"), (), f"has {place},", 1)
        for place in ("audit", "config/nightledger", "memory/state", "memory/system", ".nightledger")
    },
    "a protected file": (lambda _: None, gated("MEMORY.md", "AGENTS.md"), "protected file AGENTS.md", 1),
    **{
        f"a file of {place}": (lambda _: None, gated(f"{place}/x.md"), f"lies in {place}", 1)
        for place in ("audit", "memory/state", "memory/system", "config/nightledger", ".nightledger")
    },
    "a path out of the home": (lambda _: None, gated("../x.md"), "not a path inside the home", 1),
    "a path from the root": (lambda _: None, gated("/etc/x.md"), "not a path inside the home", 1),
    "a directory": (lambda w: (w.home / "MEMORY.md").mkdir(), (), "is a directory", 1),
    "a pipe": (lambda w: os.mkfifo(w.home / "MEMORY.md"), (), "MEMORY.md", 1),
    "a link to a protected file": (lambda w: _link(w, "AGENTS.md"), (), "protected file AGENTS.md", 1),
    "a second name of one": (lambda w: _second_name(w, "AGENTS.md"), (), "protected file AGENTS.md", 1),
    "a link to a gated file": (
        lambda w: _link(w, "USER.md"),
        gated("MEMORY.md", "USER.md"),
        "another gated file",
        1,
    ),
    "a link out of the home": (lambda w: (w.home / "MEMORY.md").symlink_to("../../keys.md"), (), "", 1),
    "one file twice": (lambda _: None, gated("MEMORY.md", "MEMORY.md"), "each once", 1),
    "a large file": (lambda w: os.truncate(w.write("MEMORY.md", "x"), 4_000_001), (), "4000000", 1),
    "a zone nobody knows": (lambda _: None, ("--zone", "Mars/X"), "IANA zone", 2),
    "a host nobody knows": (lambda _: None, ("--host", "mars"), "no host 'mars'", 2),
}


def test_what_cannot_be_a_home_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    wrong = []
    for n, (why, (make, words, said, status)) in enumerate(REFUSED.items()):
        world = empty(tmp_path / str(n))
        make(world)
        before = held(world)
        ran = init(world, "--adopt", "--no-seed", *words)
        if (ran.status, said in ran.text, held(world)) != (status, True, before):
            wrong.append((why, ran, sorted(set(held(world)) - set(before))))
    assert wrong == []
    full = empty(tmp_path / "full")
    full.write("MEMORY.md", "x")
    assert (init(full, "--no-seed").status, full.read()) == (2, "x")


def test_what_is_made_is_listed_first_and_made_once(tmp_path: Path) -> None:
    world = empty(tmp_path)
    told = [line.strip() for line in init(world, "--no-seed", "--dry-run").out.splitlines()[1:]]
    assert (told[:15], list(held(world))) == ([*MADE, "MEMORY.md"], ["home"])
    made = json.loads(init(world, "--no-seed", "--json").out)
    assert (made["created"], made["new"]) == ([*MADE, "MEMORY.md"], True)
    assert [(world.home / path).exists() for path in made["created"]] == [True] * 15
    sections = ("MEMORY.md", "Decisions", "Key Context", "Projects", "Lessons", "Open Strategy Threads")
    assert world.read() == "# " + "\n\n## ".join(sections) + "\n"
    assert list(world.home.rglob(".gitignore")) == []
    (genesis,) = world.events()
    assert genesis["gated"] == [{"path": "MEMORY.md", "sha256": sha256(world.read().encode())}]
    assert world.blob(genesis["gated"][0]["sha256"]).read_text() == world.read()
    trust = {one["name"]: one["sha256"] for one in genesis["trust"]}
    for name in ("allowed_signers", "policy", "revoked_keys"):
        content = (world.home / "config/nightledger" / name).read_bytes()
        assert (trust.pop(name), world.blob(sha256(content)).read_bytes()) == (sha256(content), content)
    assert set(trust.values()) == {sha256(b"")}
    home = json.loads((world.home / "config/nightledger/home.json").read_bytes())
    said = (home["id"], home["zone"], home["simulated"], home["gated"], home["created_at"])
    assert said == (made["id"], "UTC", True, ["MEMORY.md"], "2026-03-01T06:00:00Z")
    assert genesis["origin"] == f"nightledger-simulated/{made['id']}"
    whole = held(world)
    again = init(world, "--no-seed")
    assert (again.status, "nothing to do" in again.text, held(world)) == (0, True, whole)
    world.keys.rename(world.root / "away")
    ran = init(world, "--no-seed")
    assert (ran.status, "its keys are not in" in ran.text) == (2, True)


def test_an_adopted_workspace_keeps_its_bytes_and_hides_what_is_ours_from_git(tmp_path: Path) -> None:
    for track in (False, True):
        world = empty(tmp_path / str(track))
        there = {"MEMORY.md": MEMORY, "memory/state/README.md": "ours?", "audit/.gitkeep": ""}
        for path, text in there.items():
            world.write(path, text)
        (world.home / "notes").mkdir()
        before = {path: content for path, content in held(world).items() if path != "home/notes"}
        ran = init(world, "--adopt", *(["--track"] if track else []), "--json")
        assert [path for path in MADE if path not in json.loads(ran.out)["created"]] == []
        assert "memory/system/constitution.json" in json.loads(ran.out)["created"]
        after = held(world)
        assert {path: after[path] for path in before} == before
        ignores = world.home.rglob(".gitignore")
        ignored = {str(path.parent.relative_to(world.home)): path.read_text() for path in ignores}
        assert ignored == {} if track else set(ignored.values()) == {"*\n"}
        assert track or {"config", "memory/system", "memory/state/proposals", "audit/blobs"} <= set(ignored)
        assert world.run("verify").status == 0


def test_an_init_that_was_cut_short_is_completed_and_keeps_what_is_there(world: World) -> None:
    log = (world.home / LOG).read_bytes()
    no_checkpoint, no_log, no_keys = (world.copy(world.root / place) for place in ("head", "log", "keys"))
    (no_checkpoint.home / "audit/checkpoint").unlink()
    for twin in (no_log, no_keys):
        shutil.rmtree(twin.home / "audit")
    shutil.rmtree(no_keys.own_keys)
    for name in ("allowed_signers", "policy"):
        (no_keys.home / "config/nightledger" / name).unlink()
    ran = init(no_log, "--adopt", "--no-seed")  # of which the machine has seen more
    assert (ran.status, (no_log.home / LOG).exists()) == (4, False)
    for twin, same in ((no_checkpoint, True), (no_keys, False)):
        assert init(twin, "--adopt", "--no-seed").status == 0
        assert (twin.run("verify").status, twin.read()) == (0, MEMORY)
        assert ((twin.home / LOG).read_bytes() == log) == same
        twin.applied("Label both ends of a cable.")
    world.applied("Label both ends of a cable.")
    (world.home / "audit/checkpoint").unlink()
    size = len(world.events())
    init(world, "--adopt", "--no-seed")
    assert len(world.events()) == size


def test_a_gated_file_that_becomes_another_is_not_followed(tmp_path: Path) -> None:
    """Its name leads to a protected file, to another gated one, out of the home, or to something that is no file."""
    world = found(tmp_path / "home", beside={"USER.md": "# User\n"})
    name = world.signed("Label both ends of a cable.")
    world.wait(hours=3)
    agents = world.write("AGENTS.md", "# Rules\n").read_bytes()
    outside = tmp_path / "outside.md"
    outside.write_text(MEMORY)
    world.write("notes.md", MEMORY)
    changes: dict[str, Callable[[Path], object]] = {
        "protected": lambda path: path.symlink_to("AGENTS.md"),
        "second name": lambda path: os.link(path.parent / "AGENTS.md", path),
        "gated": lambda path: path.symlink_to("USER.md"),
        "outside": lambda path: path.symlink_to(outside),
        "directory": lambda path: path.mkdir(),
    }
    for place, change in changes.items():
        twin = world.copy(tmp_path / place)
        (twin.home / "MEMORY.md").unlink()
        change(twin.home / "MEMORY.md")
        for words in (("apply",), ("apply", name), ("undo", name), ("approve", name)):
            assert twin.run(*words).status != 0, (place, words)
        for verb in ("guard", "night"):
            twin.run(verb)
        review(twin)
        assert twin.named("apply.intent") == []
        kept = ((twin.home / "AGENTS.md").read_bytes(), outside.read_text(), twin.read("USER.md"))
        assert kept == (agents, MEMORY, "# User\n"), place
    inside = world.copy(tmp_path / "inside")  # a link inside the home to a file of nobody's is the same file
    (inside.home / "MEMORY.md").unlink()
    (inside.home / "MEMORY.md").symlink_to("notes.md")
    inside.ok("apply")
    assert (inside.read("notes.md").count("cable"), (inside.home / "MEMORY.md").is_symlink()) == (1, True)


def test_leaving_removes_what_can_be_made_again_and_is_logged_once(world: World) -> None:
    world.applied("Label both ends of a cable.")
    world.write("memory/state/ATTENTION.md", "x")
    before, size = held(world), len(world.events())
    disposable = ["memory/state/tc-consolidate-pending.json", "memory/state/tc-prune-request.json"]
    disposable += ["memory/state/ATTENTION.md", "memory/system/entries.json", ".nightledger"]
    told = world.json("leave")
    assert (told["left"], told["would_remove"], told["gated"]) == (False, disposable, ["MEMORY.md"])
    assert told["deletable"][:4] == ["config/nightledger", "memory/system", "memory/state", "audit"]
    assert held(world).keys() - {"home/.nightledger/locks"} == before.keys() - {"home/.nightledger/locks"}
    told = world.json("leave", "--yes")
    assert (told["left"], told["removed"], told["log_size"]) == (True, disposable, size + 1)
    assert world.events()[size:] == [{**world.events()[-1], "event": "home.left", "seq": size}]
    after = held(world)
    gone = {path for path in before if path not in after}
    assert {path.split("/")[1] for path in gone if "memory/" not in path} == {".nightledger"}
    assert {f"home/{path}" for path in disposable} <= gone
    changed = {path for path in before if after.get(path, b"") != before[path] and path not in gone}
    assert {path for path in changed if not path.startswith("keys/")} <= {
        f"home/{LOG}",
        "home/audit/checkpoint",
    }
    assert world.run("verify").status == 0
    world.json("leave", "--yes")
    assert (len(world.events()), world.json("status")["left_at"]) == (size + 1, "2026-03-01T09:00:00Z")
    world.applied("Count twice.")
    assert world.json("status")["left_at"] is None


# ------------------------------------------------------------ what an agent may do
def asked(world: World, *words: str) -> tuple[str, str, Any]:
    told = world.json("consent", "check", *words)
    status = world.run("consent", "check", *words).status
    assert status == (0 if told["tier"] == "autonomous" else 1)
    return told["tier"], told["why"], told["recorded"]


def test_a_review_ages_by_the_second_and_the_unknown_is_logged_with_measure(world: World) -> None:
    world.ok("consent", "review")
    assert asked(world, "files", "read") == ("autonomous", "listed", None)
    world.wait(days=29, hours=23, minutes=59, seconds=59)
    assert asked(world, "files", "read") == ("autonomous", "listed", None)
    world.wait(seconds=1)
    assert asked(world, "files", "read") == ("requires_approval", "decayed", None)
    size = len(world.events())
    assert [asked(world, "no", "body") for _ in range(2)] == [("blocked", "unknown", True)] * 2
    asked(world, "no", "soul")
    asked(world, "Two words", "x\ny")
    told = [(event["domain"], event["action"]) for event in world.named("consent.blocked", size)]
    odd = (f"sha256:{sha256(b'Two words')}", f"sha256:{sha256(b'x' + bytes([10]) + b'y')}")
    assert (told, len(world.events())) == ([("no", "body"), ("no", "soul"), odd], size + 3)
    for n in range(17):
        assert world.json("consent", "check", "no", f"b{n}")["recorded"]
    assert asked(world, "no", "more") == ("blocked", "unknown", False)
    assert asked(world, "no", "body") == ("blocked", "unknown", True)
    assert len(world.events()) == size + 20
    world.wait(days=1)
    assert asked(world, "no", "more") == ("blocked", "unknown", True)
    world.signed("Label both ends of a cable.")
    assert asked(world, "files", "read") == ("autonomous", "listed", None)


def test_what_a_home_allows_itself_counts_once_it_is_signed_and_what_it_forbids_at_once(world: World) -> None:
    domains = {"files": {"autonomous": ["paint"], "blocked": ["read"]}}
    world.write(GRAPH, json.dumps({"v": 1, "consent_decay_days": 10, "domains": domains}))
    assert [asked(world, "files", word)[0] for word in ("paint", "read")] == ["blocked", "blocked"]
    assert asked(world, "files", "paint")[1] == "unreviewed"
    shown = world.json("consent", "review", "--dry-run")
    signed = world.json("consent", "review")
    decision = world.decision(signed["decision"])
    own = sha256((world.home / GRAPH).read_bytes())
    target = {"path": GRAPH, "base": own, "result": own, "hunks_sha256": shown["graph_sha256"], "anchors": []}
    assert (decision["type"], decision["targets"]) == ("consent", [target])
    assert [asked(world, "files", word)[0] for word in ("paint", "read")] == ["autonomous", "blocked"]
    assert world.blob(event_named(world, "decision.recorded")["sha256"]).exists()
    later = world.copy(world.root / "later")
    later.wait(days=10)
    assert asked(later, "files", "paint") == ("requires_approval", "decayed", None)
    (world.home / GRAPH).unlink()  # what it forbade is not known any more
    assert asked(world, "email", "read") == ("requires_approval", "unreviewed", None)
    world.ok("consent", "review")
    assert asked(world, "email", "read") == ("autonomous", "listed", None)


def test_under_a_graph_that_nobody_can_read_nothing_is_applied_and_the_rest_goes_on(world: World) -> None:
    world.write(GRAPH, "{")
    assert world.run("consent", "check", "email", "read").status == 1
    world.signed("Label both ends of a cable.")
    world.wait(hours=3)
    ran = world.run("apply", "--json")
    assert (ran.status, world.read()) == (1, MEMORY)
    assert json.loads(ran.out)[0]["reasons"] == ["the consent graph blocks propose_behavioral_change"]
    assert [alarm["kind"] for alarm in world.json("status")["alarms"]].count("consent") == 1
    (world.home / GRAPH).unlink()
    world.ok("apply")
    assert world.read() != MEMORY


def test_who_holds_the_logs_key_cannot_have_a_review_or_a_pin_counted_again(world: World) -> None:
    """Recorded once more under another id, with the operator's own bytes and signature."""
    listed = world.run("forget", "MEMORY.md:9", "--dry-run")
    entry = next(word for word in listed.out.split() if word.startswith("e-"))
    world.ok("consent", "review")
    review = event_named(world, "decision.recorded")
    world.ok("pin", entry)
    pin = event_named(world, "decision.recorded")
    path = world.home / f"audit/decisions/{pin['decision']}.json"
    for file in (path, path.with_name(f"{path.name}.sig")):
        put_blob(world, file.read_bytes())
    world.ok("unpin", entry)
    assert entry not in world.ok("pin")
    world.wait(days=31)
    assert asked(world, "files", "read") == ("requires_approval", "decayed", None)
    append(world, {**review, "decision": "d-" + "a" * 26}, {**pin, "decision": "d-" + "b" * 26})
    assert asked(world, "files", "read")[0] == "requires_approval"
    assert entry not in world.ok("pin")
    assert world.run("verify").status == 4


def test_a_review_counts_by_its_kept_bytes_whoever_changes_its_file(world: World) -> None:
    world.write(GRAPH, json.dumps({"v": 1, "domains": {"files": {"autonomous": ["paint"]}}}))
    world.ok("consent", "review")
    path = world.home / f"audit/decisions/{event_named(world, 'decision.recorded')['decision']}.json"
    content, signature = path.read_bytes(), path.with_name(f"{path.name}.sig").read_bytes()
    for file in (path, path.with_name(f"{path.name}.sig")):
        file.write_bytes(b"x")
        assert asked(world, "files", "paint") == ("autonomous", "listed", None)
        assert world.run("verify").status == 4
    for kept in (content, signature):
        world.blob(sha256(kept)).unlink()
        assert asked(world, "files", "paint")[0] != "autonomous"
        assert asked(world, "email", "read")[1] == "unreviewed"
        put_blob(world, kept)
    assert asked(world, "files", "paint") == ("autonomous", "listed", None)


# ------------------------------------------------------------ each day
def test_a_day_is_closed_once_and_what_all_of_them_left_is_withdrawn(world: World) -> None:
    world.write("config/nightledger/nightledger.yaml", "reviewable_days: 5\n")
    name = world.propose("Label both ends of a cable.")
    world.write("MEMORY.md", MEMORY.replace("30 days", "31 days"))
    world.ok("guard")
    drift = next(str(p["id"]) for p in world.proposals() if p["kind"] == "drift")
    for day in range(2, 8):
        world.now = world.now.replace(day=day, hour=6)
        world.run("night")
        if day == 4:  # once more, and where nobody knows any more that it ran
            size = len(world.events())
            world.run("night")
            (world.home / "memory/system/runs.jsonl").unlink()
            world.run("night")
            assert len(world.events()) == size
    closed = [event for event in world.events() if event["event"] in {"heartbeat", "proposal.closed"}]
    days = [(event.get("day"), event.get("waiting")) for event in closed if event["event"] == "heartbeat"]
    assert days == [(f"2026-03-{day:02}", 2) for day in range(1, 6)] + [("2026-03-06", 1)]
    (gone,) = [event for event in closed if event["event"] == "proposal.closed"]
    assert (gone["proposal"], gone["changes"], gone["reason"]) == (name, [1], "withdrawn")
    assert closed.index(gone) == len(closed) - 2
    states = [(p["id"], p["state"]) for p in world.proposals("--all")]
    assert states == [(name, "withdrawn"), (drift, "pending")]
