"""Who may sign, principles, policy, what a night read: what the log says of these files against what lies there. From outside."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import append, event_named, operator_signed, put_blob
from tests.blackbox.test_key_changes import make_key
from tests.blackbox.test_lifecycle import whole
from tests.blackbox.world import LOG, MEMORY, OUTCOMES, Folder, World, copied, found, sha256, yes

FILES = {
    "allowed_signers": "config/nightledger/allowed_signers", "constitution": "memory/system/constitution.json",
    "peers": "config/nightledger/peers.json", "policy": "config/nightledger/policy",
    "revoked_keys": "config/nightledger/revoked_keys",
}  # fmt: skip
NOT_IN_FORCE = "it is not the file that the log names; the one that the log names stays in force"


@pytest.fixture(scope="module")
def keyed(new_folder: Folder) -> World:
    """Give a home with principles and a second signer; nobody writes to it."""
    world = found(new_folder(), seeded=True)
    second = make_key(world.root / "second")
    world.ok("key", "add", f"{second}.pub", "--principal", "second", typed=yes)
    return world


two = copied("keyed")


def altered(world: World) -> dict[str, str]:
    """Give what ``verify`` calls altered, each with why, and demand that its exit status fits."""
    ran = world.run("verify", "--json")
    told = json.loads(ran.out)
    found = {one["path"]: one["message"] for one in told["altered"]}
    assert (ran.status, told["ok"]) == ((4, False) if found else (0, True)), ran
    return found


def signers(world: World) -> list[str]:
    return [one["principal"] for one in world.json("key", "list")["signers"] if not one["revoked"]]


def kinds(world: World, since: int) -> list[str]:
    return world.kinds(since)


# ------------------------------------------------------------ signed
def test_a_signed_change_is_one_decision_over_the_bytes_before_and_after(keyed: World) -> None:
    begun, recorded, changed = keyed.events()[:3]
    before = {one["name"]: one["sha256"] for one in begun["trust"]}
    content = (keyed.home / FILES["allowed_signers"]).read_bytes()
    assert (recorded["event"], recorded["type"], recorded["proposal"]) == ("decision.recorded", "trust", "")
    files = [{"name": "allowed_signers", "sha256": sha256(content)}]
    assert (changed["event"], changed["files"]) == ("trust.changed", files)
    assert changed["decision"] == recorded["decision"]
    decision = keyed.decision(recorded["decision"])
    (target,) = decision["targets"]
    result = {"result": sha256(content), "hunks_sha256": sha256(content), "anchors": []}
    assert target == {"path": FILES["allowed_signers"], "base": before["allowed_signers"], **result}
    for name, path in FILES.items():
        lies = (keyed.home / path).read_bytes() if (keyed.home / path).exists() else b""
        kept = sha256(content) if name == "allowed_signers" else before[name]
        assert sha256(lies) == kept
        assert not lies or keyed.blob(kept).read_bytes() == lies
    assert keyed.blob(recorded["sha256"]).exists()
    assert keyed.blob(recorded["signature_sha256"]).exists()
    assert signers(keyed) == ["operator", "second"]
    assert keyed.second_look()[0] == 0


def test_no_change_leaves_nobody_who_could_sign(world: World, tmp_path: Path) -> None:
    own = world.json("key", "list")["signers"][0]["fingerprint"]
    size, listed = len(world.events()), world.read(FILES["allowed_signers"])
    world.tells("nobody could sign any more", "key", "revoke", own, "--reason", "lost", typed=yes, status=1)
    assert (len(world.events()), world.read(FILES["allowed_signers"])) == (size, listed)
    drawer = make_key(tmp_path / "drawer")
    world.ok("key", "recovery", f"{drawer}.pub", typed=yes)
    world.ok("key", "revoke", own, "--reason", "lost", typed=yes)
    assert (world.own_keys / "operator.pub").read_text().split()[1] in world.read(FILES["revoked_keys"])
    assert world.second_look()[0] == 0


def test_what_a_key_approved_is_void_by_the_very_write_that_revokes_it(two: World) -> None:
    by_first, by_second = two.propose("Count twice."), two.propose("Label both ends.")
    assert two.approve(by_first).status == 0
    key = two.own_keys / "operator"
    for name in ("operator", "operator.pub"):
        shutil.move(two.own_keys / name, two.root / name)
        shutil.copy(two.root / name.replace("operator", "second"), two.own_keys / name)
    key.chmod(0o600)
    assert two.approve(by_second).status == 0
    first = next(one for one in two.json("key", "list")["signers"] if one["principal"] == "operator")
    size = len(two.events())
    two.ok("key", "revoke", first["fingerprint"], "--reason", "lost", typed=yes)
    assert kinds(two, size) == ["decision.recorded", "trust.changed", "change.stale"]
    stale = two.events()[-1]
    assert (stale["proposal"], stale["changes"]) == (by_first, [1])
    two.try_apply()
    assert two.read() == MEMORY.replace("an upgrade.\n", "an upgrade.\n- Label both ends.\n")
    assert [p["id"] for p in two.proposals()] == [by_first]
    whole(two)


def test_an_altered_approval_keeps_no_key_from_being_revoked(two: World) -> None:
    name = two.signed("Count twice.")
    decision = event_named(two, "decision.recorded")["decision"]
    two.alter(f"audit/decisions/{decision}.json", b'"nonce":"', b'"nonce":"0')
    second = next(one for one in two.json("key", "list")["signers"] if one["principal"] == "second")
    size = len(two.events())
    two.ok("key", "revoke", second["fingerprint"], "--reason", "lost", typed=yes)
    assert kinds(two, size) == ["decision.recorded", "trust.changed"]
    assert signers(two) == ["operator"]
    assert (two.try_apply().status, two.read()) == (4, MEMORY), name


def test_a_reset_voids_what_was_approved_even_where_the_log_does_not_say_so(world: World) -> None:
    """Who holds the log's key leaves out of it that the approval is void."""
    name, size = world.signed("Count twice."), len(world.events())
    twin = world.copy(world.root / "twin")
    twin.ok("key", "reset", "--no-passphrase", "--passphrase-forgotten", typed=yes)
    reset = next(one for one in twin.events()[size:] if one["event"] == "trust.reset")
    for one in reset["files"]:
        put_blob(world, twin.blob(one["sha256"]).read_bytes())
    append(world, {key: value for key, value in reset.items() if key not in ("v", "seq", "at", "actor")})
    world.wait(days=2)
    ran = world.run("apply")
    assert ("the keys were reset since it was signed" in ran.text, world.read()) == (True, MEMORY), ran
    assert [p["state"] for p in world.proposals() if p["id"] == name] == ["stale"]


# ------------------------------------------------------------ tampered with
def edited(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"# x\n" if path.exists() else b"{}")


def linked(path: Path) -> None:
    target = path.with_name("elsewhere")
    if path.exists():
        path.rename(target)
    path.symlink_to(target if target.exists() else path.with_name("second"))


def directory(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()


@pytest.mark.parametrize("name", FILES)
def test_a_trust_file_that_nobody_signed_is_named_not_used_and_put_back(two: World, name: str) -> None:
    path = two.home / FILES[name]
    before = path.read_bytes() if path.exists() else None
    size = len(two.events())
    for tamper in (edited, Path.unlink, directory, linked):
        if before is None and tamper in (Path.unlink, directory):
            continue  # a file that never was, and none now, are the same
        tamper(path)
        assert altered(two) == {FILES[name]: NOT_IN_FORCE}, tamper
        assert signers(two) == ["operator", "second"]
        assert tamper is not edited or two.second_look()[0] == 4
        two.run("guard")
        assert altered(two) == {FILES[name]: NOT_IN_FORCE}, "nothing but a signature or 'key restore' ends it"
        if path.is_dir() and not path.is_symlink():
            two.tells("is a directory", "key", "restore", typed=yes, status=1)
            path.rmdir()
        told = two.ok("key", "restore", typed=yes)
        assert name in told
        assert not path.is_symlink()
        assert (path.read_bytes() if path.exists() else None) in (before, b"" if before is None else before)
        assert altered(two) == {}
    assert kinds(two, size) == []
    assert "are as the log names them" in two.ok("key", "restore", typed=yes)
    whole(two)


def decided(world: World) -> Path:
    return world.home / f"audit/decisions/{world.events()[1]['decision']}.json"


@pytest.mark.parametrize("suffix", ["", ".sig"])
def test_a_decision_about_keys_is_taken_from_what_is_kept_of_it_and_put_back(two: World, suffix: str) -> None:
    path = Path(f"{decided(two)}{suffix}")
    before = path.read_bytes()
    for tamper in (lambda: path.write_bytes(before.replace(b"A", b"B", 1) + b" "), path.unlink):
        tamper()
        assert altered(two) == {f"audit/decisions/{path.name}": NOT_IN_FORCE}
        assert signers(two) == ["operator", "second"]
        assert f"audit/decisions/{path.name}" in two.ok("key", "restore", typed=yes)
        assert path.read_bytes() == before
    recorded = two.events()[1]
    kept = two.blob(recorded["sha256" if not suffix else "signature_sha256"])
    kept.unlink()
    two.ok("guard")
    assert kept.read_bytes() == before, "kept again while it can be"
    whole(two)


def test_without_the_decision_or_its_copy_nobody_may_sign(two: World) -> None:
    recorded = two.events()[1]
    name = two.signed("Count twice.")
    decided(two).unlink()
    two.blob(recorded["sha256"]).unlink()
    told = two.run("verify", "--json")
    paths = {one["path"] for one in json.loads(told.out)["altered"]}
    assert (told.status, "config/nightledger" in paths) == (4, True), told
    two.wait(hours=3)
    assert two.run("apply").status != 0
    assert two.read() == MEMORY
    assert two.approve(name).status != 0
    assert two.run("key", "list").status != 0 or "second" not in two.run("key", "list").text


def test_without_the_signature_or_its_copy_no_older_list_of_signers_counts(two: World) -> None:
    signature = Path(f"{decided(two)}.sig")
    signature.write_bytes(signature.read_bytes() + b"\n")
    two.blob(two.events()[1]["signature_sha256"]).unlink()
    told = two.tells(f"{signature.name} was changed after it was recorded", "key", "list", status=4)
    assert "SHA256:" not in told, "not even who could sign before"
    assert two.approve(two.propose("x y")).status != 0


def test_without_the_bytes_of_a_trust_file_nobody_may_sign(two: World) -> None:
    path = two.home / FILES["allowed_signers"]
    content = path.read_bytes()
    two.blob(sha256(content)).unlink()
    size = len(two.events())
    two.ok("guard")
    assert two.blob(sha256(content)).read_bytes() == content, "kept again while it can be"
    two.blob(sha256(content)).unlink()
    path.write_bytes(content + b"# x\n")
    told = altered_paths(two)
    assert FILES["allowed_signers"] in told, told
    ran = two.approve(two.propose("x y"))
    assert (ran.status != 0, "its bytes are not kept" in ran.text) == (True, True), ran
    assert "decision.recorded" not in kinds(two, size)
    path.write_bytes(content)
    two.ok("guard")
    assert altered(two) == {}


def altered_paths(world: World) -> list[str]:
    ran = world.run("verify", "--json")
    assert ran.status == 4, ran
    return [one["path"] for one in json.loads(ran.out)["altered"]]


def test_a_file_that_a_crash_left_is_finished_an_older_one_is_not(two: World, tmp_path: Path) -> None:
    third = make_key(tmp_path / "third")
    path = two.home / FILES["allowed_signers"]
    second = path.read_bytes()
    first = two.blob(two.events()[0]["trust"][0]["sha256"]).read_bytes()
    two.ok("key", "add", f"{third}.pub", "--principal", "third", typed=yes)
    last = path.read_bytes()
    path.write_bytes(second)
    assert altered(two) == {}, "an interrupted write is no alarm"
    assert signers(two) == ["operator", "second", "third"]
    two.ok("guard")
    assert path.read_bytes() == last
    path.write_bytes(first)
    assert altered(two) == {FILES["allowed_signers"]: NOT_IN_FORCE}
    two.run("guard")
    assert path.read_bytes() == first, "somebody wrote that"
    assert "allowed_signers" in two.run("key", "list").text.partition("trust files")[0]


# ------------------------------------------------------------ forged with the log's key
def intruder(world: World, root: Path) -> bytes:
    """Give a list of signers with a key of somebody else's."""
    public = Path(f"{make_key(root / 'intruder')}.pub").read_text().rsplit(" ", 1)[0]
    own = (world.home / FILES["allowed_signers"]).read_bytes()
    return own + f'intruder namespaces="nightledger-decision@v1" {public}\n'.encode()


def forge_change(world: World, decision: str, files: dict[str, bytes]) -> None:
    """Log that a decision changed trust files, keep all that a signed change keeps, and put the files in place."""
    for path in (world.home / "audit/decisions").glob(f"{decision}.json*"):
        put_blob(world, path.read_bytes())
    named = [{"name": name, "sha256": put_blob(world, content)} for name, content in files.items()]
    append(world, {"event": "trust.changed", "decision": decision, "files": named})
    for name, content in files.items():
        (world.home / FILES[name]).write_bytes(content)


def test_a_change_of_signers_that_no_signer_signed_counts_for_nothing(two: World, tmp_path: Path) -> None:
    two.signed("Count twice.")
    approval, change = event_named(two, "decision.recorded")["decision"], two.events()[1]["decision"]
    mine = intruder(two, tmp_path)
    for n, decision in enumerate((approval, change)):
        copy = two.copy(tmp_path / str(n))
        forge_change(copy, decision, {"allowed_signers": mine})
        assert altered(copy) == {FILES["allowed_signers"]: NOT_IN_FORCE}, "no decision about keys, or used"
        assert copy.second_look()[0] == 4
        assert signers(copy) == ["operator", "second"]
        copy.try_apply()
        assert "Count twice." in copy.read(), "what was signed goes on"


def test_a_change_is_over_the_files_and_only_the_files_that_it_names(two: World, tmp_path: Path) -> None:
    mine = intruder(two, tmp_path)
    sha = put_blob(two, mine)
    change = json.loads(decided(two).read_bytes())
    target = {"path": FILES["allowed_signers"], "result": sha, "hunks_sha256": sha}
    base = event_named(two, "trust.changed")["files"][0]["sha256"]
    for n, targets in enumerate(
        ([{**target, "base": "0" * 64}], [])
    ):  # over another file; of none of those named
        copy = two.copy(tmp_path / str(n))
        signed = operator_signed(copy, change, targets=targets)
        forge_change(copy, signed["id"], {"allowed_signers": mine})
        assert f"audit/decisions/{signed['id']}.json" in altered_paths(copy)
        assert signers(copy) == ["operator", "second"], "void"
    copy = two.copy(tmp_path / "good")
    signed = operator_signed(copy, change, targets=[{**target, "base": base}])
    forge_change(copy, signed["id"], {"allowed_signers": mine})
    assert altered(copy) == {}
    assert signers(copy) == ["operator", "second", "intruder"]
    assert copy.second_look()[0] == 0


# ------------------------------------------------------------ decisions, and what ends them
def test_an_altered_approval_is_named_until_what_it_approved_is_rejected(world: World) -> None:
    name = world.signed("Count twice.")
    decision = event_named(world, "decision.recorded")["decision"]
    world.alter(f"audit/decisions/{decision}.json", b'"nonce":"', b'"nonce":"0')
    assert list(altered(world)) == [f"audit/decisions/{decision}.json"]
    world.wait(hours=3)
    assert world.run("apply").status == 4
    assert world.read() == MEMORY
    world.ok("reject", name, "--reason", "no")
    told = world.json("verify")
    assert (told["ok"], told["altered"]) == (True, [])
    assert told["altered_and_closed"] == [decision]


def test_a_decision_recorded_under_another_name_or_head_is_named(world: World) -> None:
    world.signed("Count twice.")
    made = event_named(world, "decision.recorded")["decision"]
    decision = world.decision(made)
    rows: dict[str, dict[str, Any]] = {
        "no part of this log": {"log": {"size": 2, "root": "0" * 64}},
        "no signature of who the decision names": {"principal": "somebody"},
    }
    for n, (said, changed) in enumerate(rows.items()):
        copy = world.copy(world.root / f"copy{n}")
        signed = operator_signed(copy, decision, **changed)
        told = altered(copy)
        assert [path.removesuffix(".sig") for path in told] == [f"audit/decisions/{signed['id']}.json"], told
        assert said in next(iter(told.values()))
    copy = world.copy(world.root / "other")
    signed = operator_signed(copy, decision)
    events = copy.events()
    lines = (copy.home / LOG).read_bytes().splitlines(keepends=True)
    (copy.home / LOG).write_bytes(b"".join(lines[:-1]))
    last = {k: v for k, v in events[-1].items() if k not in ("v", "seq", "at", "actor")}
    append(copy, {**last, "changes": []})
    assert list(altered(copy).values()) == ["the log says another thing of it than it says itself"]


@pytest.mark.parametrize("gated", [["NOTES.md"], ["MEMORY.md", "USER.md"]])
def test_a_record_that_is_not_as_the_log_began_is_named(world: World, gated: list[str]) -> None:
    path = world.home / "config/nightledger/home.json"
    before = json.loads(path.read_text())
    path.write_text(json.dumps({**before, "gated": gated}))
    said = f"gated was ['MEMORY.md'] at init, and is {gated}"
    assert altered(world) == {"config/nightledger/home.json": said}
    path.write_text(json.dumps({**before, "zone": "Europe/Berlin", "machine": "elsewhere"}))
    assert altered(world) == {}


def test_an_altered_proposal_is_named_until_it_is_closed(world: World) -> None:
    name, other = world.propose("Count twice."), world.propose("Label both ends.")
    world.alter(f"memory/state/proposals/{name}.json", b"twice", b"never")
    where = f"memory/state/proposals/{name}.json"
    assert altered(world) == {where: "it was changed after it was proposed"}
    assert world.second_look()[0] == 4
    world.ok("reject", name, "--reason", "altered")
    decision = event_named(world, "decision.recorded")
    assert (decision["type"], decision["proposal"], decision["changes"]) == ("close", name, [1])
    told = world.json("verify")
    assert (told["ok"], told["altered"], told["altered_and_closed"]) == (True, [], [name])
    assert [p["id"] for p in world.proposals()] == [other]
    (world.home / f"memory/state/proposals/{other}.json").unlink()
    assert list(altered(world)) == [f"memory/state/proposals/{other}.json"]


def test_a_log_that_begins_with_another_entry_lets_nobody_sign(world: World) -> None:
    name = world.signed("Count twice.")
    path = world.home / LOG
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    world.wait(hours=3)
    statuses = [
        world.run(*words.split()).status for words in ("verify", "apply", "key list", f"approve {name}")
    ]
    assert (statuses[0], 70 in statuses, 0 in statuses) == (4, False, False)
    assert world.read() == MEMORY


def test_a_proof_is_of_an_entry_that_the_log_has(world: World) -> None:
    name = world.applied("Count twice.")
    decision, intent = (event_named(world, kind) for kind in ("decision.recorded", "apply.intent"))
    kept = {}
    for n, which in enumerate((name, decision["decision"], intent["apply"], "2")):
        path = world.root / f"proof{n}"
        world.ok("verify", "--prove", which, "--out", str(path), "--with-line")
        kept[which] = path.read_text()
    assert len(set(kept.values())) == len(kept) - 1, "entry 2 is the decision's"
    for which in ("p-" + "a" * 26, "nobody"):
        world.tells(
            "the log has no entry of", "verify", "--prove", which, "--out", str(world.root / "none"), status=2
        )
    assert not (world.root / "none").exists()


# ------------------------------------------------------------ what a night read


def night(world: World, day: int) -> int:
    world.now = world.now.replace(day=day, hour=3, minute=10)
    return world.run("night").status


def test_what_a_night_read_and_somebody_rewrote_is_an_alarm_until_a_night_reads_it_anew(world: World) -> None:
    world.log("wire", "relay,fuse", "grey_fuse")
    world.log_day("2026-03-01", "08:00 The relay was wired anew")
    assert (night(world, 2), night(world, 3)) == (0, 0)
    inputs = {one["path"]: one for one in event_named(world, "heartbeat")["inputs"]}
    expected = {OUTCOMES, "memory/system/consolidation-log.jsonl", "memory/system/runs.jsonl"}
    assert set(inputs) == expected
    content = (world.home / OUTCOMES).read_bytes()
    assert inputs[OUTCOMES] == {"path": OUTCOMES, "size": len(content), "sha256": sha256(content)}
    with (world.home / OUTCOMES).open("ab") as more:
        more.write(content.replace(b"wire", b"wira"))
    told = world.json("verify")
    assert (told["ok"], told["rewritten"]) == (True, [])
    assert (told["rewritten_before"], told["logs_changed"]) == ([], [])
    (world.home / OUTCOMES).write_bytes(content.replace(b"success", b"failure"))
    log = (world.home / "memory/2026-03-01.md").read_bytes()
    world.log_day("2026-03-01", "08:00 Nothing")
    told = world.json("verify")
    rewritten = [{"path": OUTCOMES, "day": "2026-03-02", "size_bytes": len(content)}]
    assert (told["ok"], told["rewritten"], told["rewritten_before"]) == (False, rewritten, [])
    changed = [{"path": "memory/2026-03-01.md", "day": "2026-03-02", "size_bytes": len(log)}]
    assert told["logs_changed"] == changed
    assert night(world, 4) == 4
    told = world.json("verify")
    assert (told["ok"], told["rewritten"], told["rewritten_before"]) == (True, [], rewritten)
    assert told["logs_changed"] == []
    (world.home / "memory/2026-03-01.md").unlink()
    (world.home / "memory/system/runs.jsonl").unlink()
    told = world.json("verify")
    assert [one["path"] for one in told["logs_changed"]] == ["memory/2026-03-01.md"]
    assert [one["path"] for one in told["rewritten"]] == ["memory/system/runs.jsonl"]


def test_a_night_reads_through_no_link_that_leads_out_of_the_home(world: World) -> None:
    world.log_day("2026-03-01", "08:00 The relay was wired anew")
    assert night(world, 2) == 0
    runs = world.home / "memory/system/runs.jsonl"
    shutil.copy(runs, world.root / "runs")
    runs.unlink()
    runs.symlink_to(world.root / "runs")
    assert [one["path"] for one in world.json("verify")["rewritten"]] == ["memory/system/runs.jsonl"]
