"""A home of yesterday with the keys' folder of today, and the other way round: what is said, the way on, what is told."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.blackbox.forge import append, sign_head
from tests.blackbox.world import LOG, TEXT, World, found

VERBS: Sequence[tuple[str, ...]] = (
    *((verb,) for verb in ("verify", "night", "guard", "apply", "stage", "review", "proposals", "history")),
    ("recall", "cable"),
    ("key", "list"),
    ("doctor", "--rebuild", "--dry-run"),
    ("propose", "--text", "Test the backups.", "--section", "Lessons", "--reason", "it helped"),
)
LATER = "Use UTC in all logs."
TAKE_OVER = "nightledger restore --take-over"


def world_of(root: Path, home: World, keys: World) -> World:
    """Give one world's home with another's keys."""
    shutil.copytree(home.home, root / "home", symlinks=True)
    shutil.copytree(keys.keys, root / "keys", symlinks=True)
    return World(root=root, now=keys.now, environment=dict(keys.environment))


@pytest.fixture
def days(world: World, tmp_path: Path) -> tuple[World, World]:
    """Give a home as it was yesterday, with one change applied, and as it is today, with one more."""
    world.applied(TEXT)
    yesterday = world.copy(tmp_path.parent / f"{tmp_path.name}-yesterday")
    world.wait(days=1)
    world.applied(LATER, section="Decisions")
    return yesterday, world


@pytest.fixture
def older(days: tuple[World, World], tmp_path: Path) -> World:
    """Give the home of yesterday with the keys of today."""
    return world_of(tmp_path.parent / f"{tmp_path.name}-older", *days)


def failing(world: World) -> list[tuple[tuple[str, ...], int]]:
    """Give the main verbs that do not end with 0, each with its status."""
    ended = [(words, world.run(*words).status) for words in VERBS]
    return [(words, status) for words, status in ended if status]


def holds(world: World, *, lost: int | None) -> None:
    """Both verifiers agree that nothing is wrong, and ``verify`` tells how many entries were lost; None for no loss."""
    seen = world.json("verify")
    assert seen["ok"], seen
    assert [one["lost"] for one in seen["restored"]] == ([] if lost is None else [lost])
    assert ("note:" in world.ok("verify")) == (lost is not None)
    assert (told := world.second_look())[0] == 0, told


def test_an_older_state_put_back_goes_on_by_one_signature(older: World, days: tuple[World, World]) -> None:
    yesterday, today = days
    before = older.read(), (older.home / LOG).read_bytes()
    assert [status for _, status in failing(older)] == [4] * len(VERBS)
    told = [older.run(*words).text for words in (("verify",), ("status",), ("apply",))]
    assert [TAKE_OVER in text for text in told] == [True] * len(told)
    assert older.second_look()[0] == 4
    assert (older.read(), (older.home / LOG).read_bytes()) == before

    older.ok("restore", "--take-over")
    lost = len(today.events()) - len(yesterday.events())
    holds(older, lost=lost)
    assert failing(older) == []
    assert older.read() == yesterday.read()
    older.applied(LATER, section="Decisions")
    event = older.named("home.restored")[0]
    assert (event["size"], event["lost"]) == (len(yesterday.events()), lost)
    decision = older.decision(event["decision"])
    assert decision["type"] == "restore"
    assert decision["targets"][0]["base"] == event["base"] == today.json("verify")["root"]
    holds(older, lost=lost)


@pytest.mark.parametrize(
    "change", [("rotate", "--no-passphrase"), ("reset", "--no-passphrase", "--passphrase-forgotten")]
)
def test_the_key_of_then_signs_where_a_change_is_lost(
    world: World, tmp_path: Path, change: Sequence[str]
) -> None:
    world.applied(TEXT)
    yesterday = world.copy(tmp_path / "yesterday")
    world.ok("key", *change)
    older = world_of(tmp_path / "older", yesterday, world)
    older.ok("restore", "--take-over")
    holds(older, lost=len(world.events()) - len(yesterday.events()))
    older.applied(LATER, section="Decisions")
    holds(older, lost=len(world.events()) - len(yesterday.events()))


def test_it_is_signed_once_and_told_by_status_for_a_week_and_by_verify_for_ever(older: World) -> None:
    (older.own_keys / "agent").mkdir()  # nor does what is no key keep it from that
    older.ok("restore", "--take-over")
    size = len(older.events())
    older.ok("restore", "--take-over")
    assert len(older.events()) == size
    older.wait(days=6)
    assert [one["kind"] for one in older.json("status")["alarms"]].count("restored") == 1
    older.wait(days=2)
    assert "restored" not in [one["kind"] for one in older.json("status")["alarms"]]
    assert len(older.json("verify")["restored"]) == 1


def test_an_older_backup_is_restored_by_the_same_signature(world: World, tmp_path: Path) -> None:
    world.applied(TEXT)
    backup = tmp_path / "yesterday.tar.gz"
    world.ok("backup", str(backup))
    world.applied(LATER, section="Decisions")
    shutil.rmtree(world.home)
    assert world.run("restore", str(backup)).status == 1
    assert not world.home.exists()
    world.ok("restore", str(backup), "--take-over")
    event = world.events()[-1]
    assert (event["event"], bool(event["decision"])) == ("home.restored", True)
    holds(world, lost=event["lost"])
    world.applied(LATER, section="Decisions")


def test_a_backup_unpacked_and_not_taken_over_says_how_to_go_on(world: World, tmp_path: Path) -> None:
    backup = tmp_path / "home.tar.gz"
    world.ok("backup", str(backup))
    world.applied(LATER, section="Decisions")
    key = world.own_keys / "operator"
    shutil.rmtree(world.home)
    key.rename(tmp_path / "operator")
    ran = world.run("restore", str(backup), "--take-over")
    assert ran.status != 0
    assert f"the home is in {world.home}: '{TAKE_OVER}' goes on from there" in ran.err
    (tmp_path / "operator").rename(key)
    world.ok("restore", "--take-over")
    holds(world, lost=world.events()[-1]["lost"])


def test_nobody_without_an_operators_key_takes_over(older: World) -> None:
    before = (older.home / LOG).read_bytes()
    pin = (older.own_keys / "pin.json").read_bytes()
    (older.own_keys / "operator").rename(older.root / "away")
    ran = older.run("restore", "--take-over")
    assert ran.status in {1, 4}, ran
    (older.own_keys / "operator.pub").rename(older.root / "away.pub")
    assert older.run("restore", "--take-over").status == 1
    assert ((older.home / LOG).read_bytes(), (older.own_keys / "pin.json").read_bytes()) == (before, pin)
    assert older.run("verify").status == 4
    assert [path.name for path in older.keys.iterdir() if "restoring" in path.name] == []


def test_the_logs_key_cannot_say_that_entries_are_lost(older: World, days: tuple[World, World]) -> None:
    _, today = days
    forged = {"event": "home.restored", "size": 2, "lost": 3, "base": today.json("verify")["root"]}
    append(today, {**forged, "decision": "d-" + "a" * 26})
    assert today.run("verify").status == 4
    assert today.json("status")["alarms"]
    append(older, {**forged, "decision": "d-" + "a" * 26})
    assert older.run("restore", "--take-over").status == 4
    assert older.run("verify").status == 4


def test_what_was_approved_and_not_applied_is_asked_again(world: World, tmp_path: Path) -> None:
    kept = world.signed(TEXT)
    yesterday = world.copy(tmp_path.parent / f"{tmp_path.name}-yesterday")
    world.ok("reject", kept, "--reason", "no")  # which the older state knows nothing of
    older = world_of(tmp_path.parent / f"{tmp_path.name}-older", yesterday, world)
    before = older.read()
    older.ok("restore", "--take-over")
    older.apply_cooled()
    assert older.read() == before
    assert [one["state"] for one in older.proposals() if one["id"] == kept] == ["stale"]


def test_an_approval_of_the_lost_part_does_not_come_back(world: World, tmp_path: Path) -> None:
    """Signed over the very head that the older state has; who holds the log's key puts it into the log again."""
    name = world.propose(TEXT)
    yesterday = world.copy(tmp_path.parent / f"{tmp_path.name}-yesterday")
    assert world.approve(name).status == 0
    lost = world.events()[-1]
    older = world_of(tmp_path.parent / f"{tmp_path.name}-older", yesterday, world)
    older.ok("restore", "--take-over")
    for suffix in ("json", "json.sig"):
        path = f"audit/decisions/{lost['decision']}.{suffix}"
        shutil.copy(world.home / path, older.home / path)
    stamps = ("v", "seq", "at", "actor", "boot", "boot_s")
    append(older, {name: lost[name] for name in lost if name not in stamps})
    before = older.read()
    older.try_apply()
    assert older.read() == before
    assert older.run("verify").status == 4


def test_what_a_copy_left_of_newer_is_in_nobodys_way(older: World, days: tuple[World, World]) -> None:
    """As a copy that removes nothing leaves it: newer heads, proposals and decisions beside the older log."""
    for path in days[1].home.rglob("audit/*/*"):
        target = older.home / path.relative_to(days[1].home)
        if path.is_file() and not target.exists():
            shutil.copy(path, target)
    older.ok("restore", "--take-over")
    holds(older, lost=older.events()[-1]["lost"])
    older.applied(LATER, section="Decisions")
    holds(older, lost=next(one["lost"] for one in older.named("home.restored")))


def test_a_run_cut_short_before_the_pin_moved_needs_no_other_signature(older: World) -> None:
    pins = {name: (older.own_keys / name).read_bytes() for name in ("pin.json", "head.json")}
    older.ok("restore", "--take-over")
    size = len(older.events())
    for name, content in pins.items():
        (older.own_keys / name).write_bytes(content)
    assert older.run("verify").status == 4
    (older.own_keys / "operator").rename(older.own_keys / "away")
    older.ok("restore", "--take-over")
    assert len(older.events()) == size
    holds(older, lost=older.events()[-1]["lost"])


def test_another_history_is_not_taken_over(older: World) -> None:
    lines = (older.home / LOG).read_bytes().splitlines()
    (older.home / LOG).write_bytes(b"\n".join([lines[0], *lines[2:]]) + b"\n")
    sign_head(older)
    assert older.run("restore", "--take-over").status == 4
    assert older.run("verify").status == 4


def test_an_agents_host_may_not_take_an_ordinary_home_over(tmp_path: Path) -> None:
    world = found(tmp_path, is_real=True)
    world.environment["CLAUDECODE"] = "1"
    assert world.run("restore", "--take-over").status == 1


def test_keys_of_yesterday_simply_go_on(days: tuple[World, World], tmp_path: Path) -> None:
    yesterday, today = days
    newer = world_of(tmp_path.parent / f"{tmp_path.name}-newer", today, yesterday)
    newer.now = today.now
    holds(newer, lost=None)
    assert failing(newer) == []
    newer.applied("Keep it short.")
    holds(newer, lost=None)


def test_a_pin_that_is_missing_comes_back_from_a_backup(world: World, tmp_path: Path) -> None:
    world.applied(TEXT)
    backup = tmp_path / "b.tar.gz"
    world.ok("backup", str(backup))
    pin = (world.own_keys / "pin.json").read_bytes()
    world.applied(LATER, section="Decisions")
    (world.own_keys / "pin.json").unlink()
    (world.own_keys / "head.json").unlink()
    world.tells("nightledger restore FILE", "verify", status=4)
    assert world.run("restore", str(backup), home=tmp_path / "beside").status == 0
    assert (world.own_keys / "pin.json").read_bytes() == pin
    holds(world, lost=None)
    world.applied("Keep it short.")


def test_without_a_pin_and_a_backup_an_operator_vouches_for_the_log_that_stands_there(world: World) -> None:
    world.applied(TEXT)
    path = world.own_keys / "pin.json"
    was, size = json.loads(path.read_bytes()), len(world.events())
    path.unlink()
    world.tells(TAKE_OVER, "verify", status=4)
    world.ok("restore", "--take-over")
    assert {**json.loads(path.read_bytes()), "heads": []} == {**was, "heads": []}
    assert (world.events()[-1]["size"], world.events()[-1]["lost"]) == (size, 0)
    holds(world, lost=0)
    world.applied("Keep it short.")
    holds(world, lost=0)


def test_what_was_seen_is_set_aside_and_a_dead_runs_names_go(older: World, days: tuple[World, World]) -> None:
    yesterday, today = days
    newer = sorted(set(heads(today)) - set(heads(older)))
    assert newer
    for name in newer:
        shutil.copy(today.home / f"audit/checkpoints/{name}", older.home / f"audit/checkpoints/{name}")
    (older.keys / ".123.restoring").mkdir()
    (older.keys / ".123.restoring/log-ed25519").write_text("of a run that died")
    kept = {path.name: path.read_bytes() for path in older.own_keys.iterdir()}
    size, lost = len(yesterday.events()), len(today.events()) - len(yesterday.events())
    told = older.json("restore", "--take-over")
    assert told.pop("machine") == json.loads(older.read("config/nightledger/home.json"))["machine"]
    assert told == {"home": str(older.home), "size": size, "lost": lost}
    at = f"{older.now:%Y%m%dT%H%M%SZ}"
    found = {path.name: path.read_bytes() for path in older.own_keys.iterdir()}
    assert found.keys() - kept.keys() == {f"{name}.before-{at}" for name in ("head.json", "pin.json")}
    for name, content in kept.items():
        moved = name in {"head.json", "pin.json"}
        assert found[f"{name}.before-{at}" if moved else name] == content
        assert (found[name] != content) == moved
    pin, was = json.loads(found["pin.json"]), json.loads(kept["pin.json"])
    assert {**pin, "heads": []} == {**was, "heads": []}
    *seen, last = pin["heads"]
    assert (seen, last["size"]) == ([one for one in was["heads"] if one["size"] <= size], size + 2)
    assert [path.name for path in older.keys.iterdir()] == [older.own_keys.name]
    set_aside = {f"{name}.lost-{at}" for name in newer if int(name) > size}
    assert {name for name in heads(older) if "lost" in name} == set_aside
    signed_away(older, size, lost, {one["size"]: one["root"] for one in was["heads"]}[size + lost])


def signed_away(older: World, size: int, lost: int, base: str) -> None:
    """Demand that the operator signed for the loss of what followed an entry."""
    recorded, restored = older.events()[size:]
    signed = (recorded["type"], recorded["changes"], recorded["proposal"])
    told_of = [restored[name] for name in ("size", "lost", "base", "decision")]
    assert (signed, told_of) == (("restore", [], ""), [size, lost, base, recorded["decision"]])
    decision = older.decision(restored["decision"])
    said = [(one["path"], one["result"]) for one in decision["targets"]]
    assert said == [(f"audit/checkpoints/{size + lost}", decision["log"]["root"])]
    assert [older.blob(recorded[part]).exists() for part in ("sha256", "signature_sha256")] == [True, True]
    holds(older, lost=lost)


def heads(world: World) -> list[str]:
    return [path.name for path in (world.home / "audit/checkpoints").iterdir() if path.name[0] != "."]


def test_no_other_damage_is_taken_for_a_loss(older: World, tmp_path: Path) -> None:
    """A line that was edited, a home that calls itself another, a fork, a key of the log that is not here."""
    root = tmp_path.parent / f"{tmp_path.name}-damaged"

    def edited(world: World) -> None:
        world.alter(LOG, b"apply.done", b"apply.dOne")

    def renamed(world: World) -> None:
        world.alter("config/nightledger/home.json", '"MEMORY.md"', '"MEMORY.md", "USER.md"')

    def forked(world: World) -> None:
        append(world, *({"event": "consent.blocked", "domain": "no", "action": f"b{n}"} for n in range(9)))

        (world.own_keys / "head.json").unlink()

    def without_key(world: World) -> None:
        (world.own_keys / "log-ed25519").unlink()

    for damage, status, words in (
        (edited, 4, "EDITED"),
        (renamed, 4, "ALTERED"),
        (forked, 4, "FORK"),
        (without_key, 2, "log-ed25519"),
    ):
        world = older.copy(root / damage.__name__)
        damage(world)
        before = (world.home / LOG).read_bytes(), (world.own_keys / "pin.json").read_bytes()
        world.tells(words, "restore", "--take-over", status=status)
        assert ((world.home / LOG).read_bytes(), (world.own_keys / "pin.json").read_bytes()) == before
        assert [path.name for path in world.keys.iterdir()] == [world.own_keys.name]


def test_on_the_machine_that_saw_it_all_there_is_nothing_to_sign(world: World) -> None:
    world.applied(TEXT)
    size, pin = len(world.events()), (world.own_keys / "pin.json").read_bytes()
    ran = world.run("restore", "--take-over")
    assert (ran.status, len(world.events()), (world.own_keys / "pin.json").read_bytes()) == (0, size, pin)


def test_a_home_of_another_machine_is_taken_over_without_a_signature(world: World) -> None:
    """Nothing that was seen here is missing: the log tells of it, its head is kept, and this machine writes on."""
    world.applied(TEXT)
    record = "config/nightledger/home.json"
    here, size = json.loads(world.read(record))["machine"], len(world.events())
    world.alter(record, json.dumps(here), '"elsewhere"')
    (world.own_keys / "operator").rename(world.root / "away")
    kept = set(heads(world))
    told = world.said("restore", "--take-over")
    assert "nothing that this machine had seen is missing" in told
    assert json.loads(world.read(record))["machine"] == here
    (event,) = world.events()[size:]
    expected = ("home.restored", size, 0, "")
    assert (event["event"], event["size"], event["lost"], event.get("decision", "")) == expected
    assert set(heads(world)) - kept == {str(size + 1)}
    holds(world, lost=None)
