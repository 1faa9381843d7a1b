"""Who may sign: keys that come, take over from one another, go, and are all lost; whatever cuts it short. From outside."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.test_lifecycle import whole
from tests.blackbox.test_reviewing import answering
from tests.blackbox.world import GRAPH, HANDOFF, LOG, MEMORY, Folder, World, found, yes
from tests.rows import tables


def put(world: World, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = world.own_keys / name
        path.unlink(missing_ok=True)
        path.write_bytes(content)
        path.chmod(0o644 if name.endswith(".pub") else 0o600)


def operator_files(world: World) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in world.own_keys.glob("operator*")}


def test_a_key_that_waits_takes_over_and_the_one_before_is_kept(adopted: World, tmp_path: Path) -> None:
    world = adopted.copy(tmp_path / "world")
    old, new = operator_files(world), made_by(adopted, tmp_path / "made")
    put(world, {"operator.next": new["operator"], "operator.next.pub": new["operator.pub"]})
    world.ok("key", "rotate", "--no-passphrase", typed=yes)
    done = operator_files(world)
    kept = {name: content for name, content in done.items() if ".before-" in name}
    assert done.keys() == {"operator", "operator.pub", *kept}
    assert done["operator"] == new["operator"]
    assert done["operator.pub"].split()[1] == new["operator.pub"].split()[1]
    assert sorted(kept.values()) == sorted(old.values())


def made_by(adopted: World, root: Path) -> dict[str, bytes]:
    """Give the files of a key that a rotation elsewhere made."""
    world = adopted.copy(root)
    world.ok("key", "rotate", "--no-passphrase", typed=yes)
    return {name: operator_files(world)[name] for name in ("operator", "operator.pub")}


def test_a_rotation_cut_short_anywhere_is_finished_and_loses_no_key(adopted: World, tmp_path: Path) -> None:
    world = adopted.copy(tmp_path / "world")
    old, new = operator_files(world), made_by(adopted, tmp_path / "made")
    waits = {"operator.next": new["operator"], "operator.next.pub": new["operator.pub"]}
    put(world, waits)
    world.ok("key", "rotate", "--no-passphrase", typed=yes)
    left = {"operator.next.pub": new["operator.pub"]}
    stages: tuple[dict[str, bytes], ...] = (
        {**old, **waits},
        {"operator": new["operator"], "operator.pub": old["operator.pub"], **left},
        {**new, **left},
    )
    for n, files in enumerate(stages):
        cut = world.copy(tmp_path / str(n))
        for path in cut.own_keys.glob("operator*"):
            path.unlink()
        put(cut, files)
        cut.ok("key", "restore", typed=yes)
        found = operator_files(cut)
        assert found["operator"] == new["operator"], n
        assert found["operator.pub"].split()[1] == new["operator.pub"].split()[1], n
        assert "operator.next" not in found, n
        assert {*files.values()} <= {*found.values()} | {new["operator.pub"]}, "no key is lost"
        modes = [(cut.own_keys / name).stat().st_mode & 0o777 for name in ("operator", "operator.pub")]
        assert modes == [0o600, 0o644], n
        cut.ok("key", "rotate", "--no-passphrase", typed=yes)
        cut.applied(f"Oil the hinge {n}.")
        cut.ok("verify")


SHELF, OWN = "memory/state/proposals/NAME.json", '{"v": 1, "domains": {}}'
TABLES = tables("blackbox-key_changes", GRAPH=GRAPH, HANDOFF=HANDOFF, SHELF=SHELF, OWN=OWN)
FAKES = TABLES["fakes"]


def sign_through_keygen(world: World) -> None:
    """Have a key of another kind sign for the operator, as a hardware key does."""
    desk = world.root / "desk"
    made = ["ssh-keygen", "-q", "-t", "ecdsa", "-b", "256", "-N", "", "-C", "k", "-f", str(desk)]
    subprocess.run(made, check=True)
    world.ok("key", "rotate", str(desk) + ".pub", typed=yes)
    (world.own_keys / "operator").unlink(missing_ok=True)
    shutil.copy(desk, world.own_keys / "operator")
    (world.own_keys / "operator").chmod(0o600)


def test_a_key_of_another_kind_signs_through_ssh_keygen_what_holds(adopted: World, tmp_path: Path) -> None:
    world = adopted.copy(tmp_path / "world")
    sign_through_keygen(world)
    name = world.propose("Count the ladders.")
    keygen = shutil.which("ssh-keygen")
    before = world.events()
    for what, script in FAKES.items():
        folder = tmp_path / what.replace(" ", "-")
        folder.mkdir()
        if script is not None:
            (folder / "ssh-keygen").write_text(script.replace("{}", str(keygen)))
            (folder / "ssh-keygen").chmod(0o755)
        world.environment = {"PATH": str(folder)}
        ran = world.approve(name)
        assert 0 < ran.status < 5, (what, ran)
        assert world.kinds(len(before)) == [], what
    world.environment = {}
    world.accept(name)
    assert "Count the ladders." in world.read()
    world.ok("verify")
    assert world.second_look()[0] == 0


EXPUNGE = ("expunge", "--text-from-stdin")
VIEW = "# Handoff (kept by nightledger: tick what is done, add lines; 'nightledger record handoff save')"
TOUCHED: dict[str, tuple[str, tuple[str, ...], str, tuple[str, ...]]] = TABLES["touched"]


def test_what_changes_while_a_key_waits_for_a_touch_is_not_acted_on(world: World, tmp_path: Path) -> None:
    sign_through_keygen(world)
    name = world.propose("Label the shelves.")
    world.write(HANDOFF, f"{VIEW}\n\n- Label the shelves.\n")
    for n, (does, words, drift, said) in enumerate(TOUCHED.values()):
        one = world.copy(tmp_path / str(n))
        one.write("MEMORY.md", MEMORY + drift)
        keygen = one.write("bin/ssh-keygen", "")
        keygen.chmod(0o755)
        script = f'#!/bin/sh\n(cd "{one.home}" && {does.replace("NAME", name)})\nexec {shutil.which("ssh-keygen")} "$@"\n'
        keygen.write_text(script)
        one.environment = {"PATH": f"{keygen.parent}:{os.environ['PATH']}"}
        before = one.kinds()
        ran = one.run(*words, typed=answering("n", "s")) if drift else one.run(*words, stdin="shelves")
        told = [line.replace("NAME", name) in ran.text for line in said]
        assert (ran.status, told) == (1, [True] * len(said)), ran
        assert not {"text.expunged", "apply.intent"} & {*one.kinds(len(before))}
        assert one.read().startswith(MEMORY + drift)


# ---------------------------------------------------------------- who may sign


def make_key(path: Path) -> Path:
    """Make an SSH key without a passphrase and give its private file."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "k", "-f", str(path)], check=True)
    return path


def signers(world: World) -> list[str]:
    return [one["fingerprint"] for one in world.json("key", "list")["signers"] if not one["revoked"]]


def signed(world: World, text: str, *words: str) -> bool:
    """Propose, approve and wait; tell whether it was applied."""
    name = world.propose(text)
    world.run("approve", name, *words)
    world.try_apply()
    return text in world.read()


def test_a_rotated_key_signs_and_the_one_before_does_not(world: World) -> None:
    (old,) = signers(world)
    world.ok("key", "rotate", "--no-passphrase", typed=yes)
    (new,) = signers(world)
    assert new != old
    assert signed(world, "Count twice.")
    now = world.own_keys / "operator"
    before = next(world.own_keys.glob("operator.before-*Z"))
    before.rename(now)
    Path(f"{before}.pub").rename(f"{now}.pub")
    assert not signed(world, "Label cables.")
    whole(world)


def test_a_recovery_key_changes_who_signs_and_signs_nothing_else(world: World, tmp_path: Path) -> None:
    drawer, next_key = make_key(tmp_path / "drawer"), make_key(tmp_path / "next")
    world.ok("key", "recovery", f"{drawer}.pub", typed=yes)
    operator = world.own_keys / "operator"
    operator.write_bytes(drawer.read_bytes())
    Path(f"{operator}.pub").write_bytes(Path(f"{drawer}.pub").read_bytes())
    assert not signed(world, "Count twice.")
    operator.unlink()
    Path(f"{operator}.pub").unlink()
    words = ("key", "add", f"{next_key}.pub", "--principal", "next", "--recovery-key", str(drawer))
    assert world.run(*words, typed=yes).status == 0
    operator.write_bytes(next_key.read_bytes())
    operator.chmod(0o600)
    Path(f"{operator}.pub").write_bytes(Path(f"{next_key}.pub").read_bytes())
    assert signed(world, "Label cables.")
    whole(world)


def test_a_reset_voids_what_is_approved_counts_after_a_day_and_is_told_for_ever(world: World) -> None:
    name = world.signed("Count twice.")
    words = ("key", "reset", "--no-passphrase", "--passphrase-forgotten")
    assert world.run(*words, typed=yes).status == 0
    world.try_apply()
    assert "Count twice." not in world.read()
    assert world.approve(name).status != 0
    assert "reset" in world.attention() + world.run("status").text
    world.wait(hours=22)
    assert signed(world, "Label cables.")
    world.wait(days=60)
    assert "reset" in world.ok("verify")
    assert world.second_look()[0] == 0


def test_a_reset_that_nobody_asked_for_is_ended_by_a_signature(world: World) -> None:
    (before,) = signers(world)
    words = ("key", "reset", "--no-passphrase", "--passphrase-forgotten")
    assert world.run(*words, typed=yes).status == 0
    old = next(world.own_keys.glob("operator.before-*Z"))
    world.wait(hours=1)
    world.ok("key", "confirm", "--sign-with", str(old), typed=yes)
    world.wait(days=2)
    assert signers(world) == [before]
    assert not signed(world, "Count twice.")
    world.ok("key", "restore", typed=yes)
    assert (world.own_keys / "operator.pub").stat().st_mode & 0o777 == 0o644
    assert signed(world, "Label cables.")
    whole(world)


def test_a_key_that_a_reset_replaced_and_that_lies_elsewhere_comes_back_by_its_public_line(
    world: World,
) -> None:
    before = (world.own_keys / "operator.pub").read_bytes()
    world.ok("key", "reset", "--no-passphrase", "--passphrase-forgotten", typed=yes)
    made = operator_files(world)["operator"]
    old = next(world.own_keys.glob("operator.before-*Z"))
    old = old.rename(world.root / "elsewhere")
    world.wait(hours=1)
    world.ok("key", "confirm", "--sign-with", str(old), typed=yes)
    (world.own_keys / "operator.pub").chmod(0o600)
    world.tells("signs here again", "key", "restore", typed=yes)
    done = operator_files(world)
    assert "operator" not in done, "the key of the reset signs nothing"
    assert made in done.values(), "and is kept"
    assert done["operator.pub"] == before
    assert (world.own_keys / "operator.pub").stat().st_mode & 0o777 == 0o644
    assert not signed(world, "Count twice.")
    shutil.copy(old, world.own_keys / "operator")
    assert signed(world, "Label cables.")
    whole(world)


def test_ssh_keygen_verifies_what_an_operator_signed(world: World) -> None:
    world.signed("Count twice.")
    (decision,) = [p for p in (world.home / "audit/decisions").iterdir() if p.suffix == ".json"]
    listed = str(world.home / "config/nightledger/allowed_signers")
    words = ["-Y", "verify", "-f", listed, "-I", "operator", "-n", "nightledger-decision@v1"]
    argv = ["ssh-keygen", *words, "-s", f"{decision}.sig"]
    done = subprocess.run(argv, input=decision.read_bytes(), capture_output=True, check=False)
    assert done.returncode == 0, done


# ---------------------------------------------------------------- every key is lost

RESET = ("key", "reset", "--all-keys-lost", "--no-passphrase")
NOTE = "note: all keys were lost by"


@pytest.fixture(scope="module", name="bereft")
def _bereft(adopted: World, new_folder: Folder) -> World:
    """A home with a signed change, whose keys' folder is gone."""
    world = adopted.copy(new_folder())
    world.applied("Name the cable first.")
    world.next_night()
    shutil.rmtree(world.keys)
    return world


def both_hold(world: World) -> str:
    """Give what ``verify`` prints, where it and the second verifier hold, with and without the pin."""
    told = world.ok("verify")
    for words in ((), ("--keys", str(world.root / "nowhere"))):
        looked = world.second_look(*words)
        assert looked[0] == 0, looked
    return told


def test_without_keys_a_home_goes_on_under_new_ones_and_tells_for_ever(bereft: World, tmp_path: Path) -> None:
    world = bereft.copy(tmp_path / "world")
    lost = world.run("verify")
    assert lost.status != 0
    assert "--all-keys-lost" in lost.text
    waiting = len(world.events())
    told = world.ok(*RESET)
    assert "counts in 24 hours" in told
    assert "backup" in told
    (reset,) = world.named("trust.reset")
    assert reset["size"] <= waiting
    assert "policy" in {one["name"] for one in reset["files"]}
    assert NOTE in both_hold(world)
    assert "the keys were reset: policy" in world.ok("key", "list")
    world.tells("all keys were lost", "status", status=4)
    name = world.propose("Label the drum.")
    assert world.approve(name).status == 1  # the new key does not count yet
    world.wait(days=1, minutes=1)
    world.accept(name)
    assert "Label the drum." in world.read()
    assert NOTE in both_hold(world)
    assert world.run("status").status == 4
    world.wait(days=8)
    world.ok("night")
    assert world.run("status").status == 0
    assert NOTE in both_hold(world)
    assert world.json("verify")["resets"][0]["loss"] == reset["size"]


def test_an_agent_cannot_begin_it(tmp_path: Path) -> None:
    world = found(tmp_path, is_real=True)
    shutil.rmtree(world.keys)
    world.environment["CLAUDECODE"] = "1"
    world.tells("for the operator", *RESET, status=1)
    assert not world.keys.exists()
    del world.environment["CLAUDECODE"]
    world.ok(*RESET)


def test_keys_lost_twice_each_part_stands_under_the_keys_of_its_time(bereft: World, tmp_path: Path) -> None:
    world = bereft.copy(tmp_path / "world")
    world.ok(*RESET)
    world.wait(days=2)
    world.applied("Label the drum.")
    shutil.rmtree(world.keys)
    world.ok(*RESET)
    assert both_hold(world).count(NOTE) == 2
    world.wait(days=2)
    world.applied("Grease the hinge.")
    assert both_hold(world).count(NOTE) == 2


def test_what_the_home_says_of_itself_must_hold(bereft: World, tmp_path: Path) -> None:
    changes: Any = (
        (LOG, lambda raw: b"".join(raw.splitlines(keepends=True)[:-2])),
        (LOG, lambda raw: raw.replace(b"apply.done", b"apply.gone")),
        ("config/nightledger/policy", lambda raw: raw.replace(b"quorum", b"# by me\nquorum")),
        ("config/nightledger/home.json", lambda raw: raw.replace(b'"MEMORY.md"', b'"NOTES.md"')),
    )
    for n, (name, change) in enumerate(changes):
        world = bereft.copy(tmp_path / str(n))
        before = world.home / name
        before.write_bytes(change(before.read_bytes()))
        log = world.events()
        assert world.run(*RESET).status == 4, name
        assert world.events() == log
        assert not world.keys.exists() or not any(world.keys.glob("*/log-ed25519"))


def test_anything_that_is_left_of_the_keys_stops_it(adopted: World, tmp_path: Path) -> None:
    world = adopted.copy(tmp_path / "left")
    world.tells("not every key is lost", *RESET, status=1)
    for path in world.own_keys.iterdir():
        if path.name != "pin.json":
            path.unlink()
    assert world.run(*RESET).status == 1
    assert not world.named("trust.reset")


def test_what_the_old_keys_sign_after_the_loss_counts_for_nothing(adopted: World, tmp_path: Path) -> None:
    world, thief = adopted.copy(tmp_path / "world"), adopted.copy(tmp_path / "thief")
    shutil.rmtree(world.keys)
    world.ok(*RESET)
    thief.wait(days=3)
    for text in ("Name the cable first.", "Label the drum."):
        thief.applied(text)
    for name in ("audit", "config", "memory", "MEMORY.md"):
        place, stolen = world.home / name, thief.home / name
        if place.is_dir():
            shutil.rmtree(place)
            shutil.copytree(stolen, place)
        else:
            shutil.copy(stolen, place)
    assert world.run("verify").status == 4
    assert world.second_look()[0] == 4


def test_a_run_cut_short_is_finished_with_the_keys_that_it_made(bereft: World, tmp_path: Path) -> None:
    world = bereft.copy(tmp_path / "world")
    world.ok(*RESET)
    (own,) = [path for path in world.keys.iterdir() if path.is_dir()]
    made = {path.name: path.read_bytes() for path in own.iterdir()}
    staged = world.keys / f".{own.name}.reset"
    staged.mkdir()
    own.rename(staged / own.name)  # as before its last step
    world.ok(*RESET)
    for name in ("operator", "log-ed25519", "machine-ed25519"):
        assert (own / name).read_bytes() == made[name]
    assert len(world.named("trust.reset")) == 1
    assert NOTE in both_hold(world)


def test_the_machine_on_which_new_keys_are_made_writes_the_home(bereft: World, tmp_path: Path) -> None:
    world = bereft.copy(tmp_path / "world")
    record = "config/nightledger/home.json"
    here = json.loads(world.read(record))["machine"]
    world.ok(*RESET)
    assert not world.named("home.restored"), "it is the same machine"
    world = bereft.copy(tmp_path / "elsewhere")
    world.alter(record, json.dumps(here), '"elsewhere"')
    world.ok(*RESET)
    (reset,), (event,) = world.named("trust.reset"), world.named("home.restored")
    expected = (reset["size"], 0, here)
    assert (event["size"], event["lost"], json.loads(world.read(record))["machine"]) == expected
    both_hold(world)


def test_an_empty_log_is_nothing_to_go_on_with(bereft: World, tmp_path: Path) -> None:
    world = bereft.copy(tmp_path / "world")
    (world.home / LOG).write_bytes(b"")
    (world.home / "audit/checkpoint").unlink()
    world.tells("nothing to go on with", *RESET, status=4)
    assert (world.events(), list(world.keys.glob("*/log-ed25519"))) == ([], [])


def test_a_run_that_died_between_its_keys_makes_those_alone_that_are_missing(
    bereft: World, tmp_path: Path
) -> None:
    for without in ([], ["machine-ed25519", "machine-ed25519.pub"]):
        done, world = (bereft.copy(tmp_path / f"{place}{len(without)}") for place in ("done", "world"))
        done.ok(*RESET)
        staged = world.keys / f".{done.own_keys.name}.reset" / done.own_keys.name
        staged.mkdir(parents=True)
        for name in {"log-ed25519", "log-mldsa44", "machine-ed25519", "machine-ed25519.pub"} - {*without}:
            shutil.copy(done.own_keys / name, staged / name)
        world.ok(*RESET)
        assert (world.own_keys / "log-ed25519").read_bytes() == (done.own_keys / "log-ed25519").read_bytes()
        same = [(one.own_keys / "machine-ed25519").read_bytes() for one in (world, done)]
        assert (same[0] == same[1]) == (not without)
        both_hold(world)
