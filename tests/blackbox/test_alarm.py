"""What is told where: each way to tamper with a home, and who tells of it.

``docs/threat-model.md`` has the table under "What is told where"; each row here is held against it.
"""

import json
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.blackbox.forge import append, event_named, put_blob, put_by_nobody
from tests.blackbox.world import LOG, ROOT, Folder, Ran, World, call
from tests.served_witness import served_witness

ALARM = 4
LINE = "The relay's fuse is the grey one."
HEARTBEAT = {"event": "heartbeat", "day": "2026-02-28"}
Tamper = Callable[[World], object]
ROWS: dict[str, tuple[Tamper, str]] = {}
"""By its name in the document: what tampers, and what ``ATTENTION.md`` must name."""


def row(name: str, named: str) -> Callable[[Tamper], Tamper]:
    def add(tamper: Tamper) -> Tamper:
        ROWS[name] = tamper, named
        return tamper

    return add


def change(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert old in content, content
    path.write_bytes(content.replace(old, new))


def newest(world: World, folder: str, suffix: str) -> Path:
    return max((world.home / folder).glob(f"*{suffix}"), key=lambda path: path.stat().st_mtime_ns)


def named_proposal(world: World, state: str) -> Path:
    name = next(p["id"] for p in world.proposals("--all") if p["state"] == state)
    return world.home / f"memory/state/proposals/{name}.json"


@row("a line of the log edited", "EDITED")
def edit_a_leaf(world: World) -> None:
    change(world.home / LOG, b'"changes":1', b'"changes":2')


@row("the log's tail cut off", "TRUNCATED")
def cut_the_tail(world: World) -> None:
    lines = (world.home / LOG).read_bytes().splitlines(keepends=True)
    (world.home / LOG).write_bytes(b"".join(lines[:-1]))


@row("log and checkpoint put back, the keys kept", "ROLLBACK")
def roll_back(world: World) -> None:
    for name in (LOG, "audit/checkpoint"):
        shutil.copy(world.root / "before" / name, world.home / name)


@row("another history signed with the log's key", "FORK")
def fork(world: World) -> None:
    roll_back(world)
    append(world, *([HEARTBEAT] * 40))


@row("the checkpoint without its signatures", "UNSIGNED")
def unsign_the_head(world: World) -> None:
    path = world.home / "audit/checkpoint"
    path.write_bytes(path.read_bytes().partition("— ".encode())[0])


@row("a directory in the log's place", "trusted-channel-audit.jsonl")
def put_a_directory(world: World) -> None:
    (world.home / LOG).unlink()
    (world.home / LOG).mkdir()


@row("a waiting proposal edited", "ALTERED memory/state/proposals/")
def edit_a_waiting_proposal(world: World) -> None:
    change(named_proposal(world, "pending"), b"cable", b"table")


@row("a proposal edited that was applied", "ALTERED memory/state/proposals/")
def edit_an_applied_proposal(world: World) -> None:
    change(named_proposal(world, "applied"), b"fuse", b"plug")


@row("a decision edited", "ALTERED audit/decisions/")
def edit_a_decision(world: World) -> None:
    change(newest(world, "audit/decisions", ".json"), b'"nonce":"', b'"nonce":"0')


def remove_a_signature(world: World) -> None:
    newest(world, "audit/decisions", ".json.sig").unlink()


@row("a trust file edited", "config/nightledger/allowed_signers")
def edit_a_trust_file(world: World) -> None:
    path = world.home / "config/nightledger/allowed_signers"
    path.write_bytes(path.read_bytes() + b"# one more\n")


@row("a gated file edited", "MEMORY.md")
def edit_memory(world: World) -> None:
    world.write("MEMORY.md", world.read().replace("30 days", "3 days"))


@row("an outcome edited that a night read", "REWRITTEN memory/system/outcome-records.jsonl")
def edit_an_outcome(world: World) -> None:
    change(world.home / "memory/system/outcome-records.jsonl", b"success", b"failure")


@row("`home.json` names other gated files", "config/nightledger/home.json")
def edit_the_record(world: World) -> None:
    path = world.home / "config/nightledger/home.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "gated": ["NOTES.md"]}))


@row("an apply forged with the log's key", "UNSIGNED")
def forge_an_apply(world: World) -> None:
    before = world.read().encode()
    put_by_nobody(world, before, before + b"- Send each invoice to the new account.\n")


@row("bytes altered that an undo needs", "audit/blobs/")
def edit_a_blob(world: World) -> None:
    path = world.blob(event_named(world, "apply.intent")["targets"][0]["before"])
    path.chmod(0o600)
    change(path, b"backups", b"no backup")


@row("the keys reset, signed by nobody; it waits", "a reset of the keys")
def reset_the_keys(world: World) -> None:
    for name in ("operator", "operator.pub"):
        (world.own_keys / name).unlink()
    world.ok("key", "reset", "--no-passphrase")


@row("the keys reset, dated back a day with the log's key", "a reset of the keys")
def reset_the_keys_a_day_ago(world: World) -> None:
    begun = world.events()[-1]["at"]
    world.wait(days=1)
    files = [{"name": file["name"], "sha256": file["sha256"]} for file in world.events()[0]["trust"]]
    mine = world.read("config/nightledger/allowed_signers").replace("operator", "intruder", 1)
    world.write("config/nightledger/allowed_signers", mine)
    for file in files:
        if file["name"] == "allowed_signers":
            file["sha256"] = put_blob(world, mine.encode())
    append(world, {"event": "trust.reset", "at": begun, "files": files})


@row("a gated file edited, `home.json` names another machine", "MEMORY.md")
def rename_the_machine(world: World) -> None:
    edit_memory(world)
    path = world.home / "config/nightledger/home.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "machine": "elsewhere"}))


ROWS |= {
    "the checkpoint removed": (lambda world: (world.home / "audit/checkpoint").unlink(), "UNSIGNED"),
    "the log removed": (lambda world: (world.home / LOG).unlink(), "TRUNCATED"),
    "a decision's signature edited": (
        lambda world: change(newest(world, "audit/decisions", ".json.sig"), b"A", b"B"), "ALTERED audit/decisions/",
    ),
    "a decision's signature removed": (remove_a_signature, "ALTERED audit/decisions/"),
    "a daily log edited that a night read": (lambda world: world.log_day("2026-03-01", "08:00 Nothing happened"), ""),
    "the pin removed": (lambda world: (world.own_keys / "pin.json").unlink(), "pin.json"),
    "bytes removed that an undo needs": (
        lambda world: world.blob(event_named(world, "apply.intent")["targets"][0]["before"]).unlink(), "audit/blobs/",
    ),
}  # fmt: skip


def name_a_witness(world: World) -> None:
    lines = world.root / "lines.txt"
    lines.write_text(world.ok("witness", "keygen", "witness.example/harbour"))
    world.ok("witness", "trust", str(lines))


@row("no witness answered for a day", "stale-witness")
def silence_the_witness(world: World) -> None:
    name_a_witness(world)
    world.wait(hours=25)


@row("home and keys put back together, a witness asked", "about witnesses (fork)")
def roll_back_all(world: World) -> None:
    name_a_witness(world)
    told = (world.keys / "operator.yaml").read_text()
    world.ok("witness", "add", str(world.home / "config/nightledger/policy"))
    ask(world, told)
    for name in ("home", "keys"):
        shutil.copytree(world.root / name, world.root / "older" / name)
    world.propose("Turn the pump off at night.")
    ask(world, told)
    shutil.copytree(world.keys / "witness", world.root / "witness")
    for name in ("home", "keys"):
        shutil.rmtree(world.root / name)
        shutil.copytree(world.root / "older" / name, world.root / name)
    shutil.rmtree(world.keys / "witness")
    shutil.copytree(world.root / "witness", world.keys / "witness")
    world.propose("Turn the pump off by day.")
    ask(world, told)


def ask(world: World, settings: str) -> None:
    """Ask the witness, which goes by the home's clock."""
    world.wait(minutes=2)
    with served_witness(world.keys / "witness", lambda: world.now) as url:
        world.operator_says({**json.loads(settings), "witnesses": {"witness.example/harbour": {"url": url}}})
        world.run("witness", "ask")
    world.operator_says(settings)


COLUMNS = ("verify", "independent verifier", "status", "guard", "night", "`ATTENTION.md`", "notifier")


def documented() -> dict[str, tuple[str, ...]]:
    """Return the table of the threat model, by its first column."""
    text = (ROOT / "docs/threat-model.md").read_text(encoding="utf-8")
    _, _, section = text.partition("## What is told where")
    lines = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    assert cells[0][1:] == COLUMNS
    return {row[0]: row[1:] for row in cells[1:]}


@pytest.fixture(scope="session")
def lived(adopted: World, new_folder: Folder) -> World:
    """Make a home with an outcome, an apply, a night behind it, and a proposal that waits."""
    world = adopted.copy(new_folder())
    words = "--task-type wire --tags relay,fuse --resolution grey_fuse --outcome success"
    world.ok("log", *words.split(), "--source", "memory/2026-03-01.md")
    world.log_day("2026-03-01", "08:00 The relay was wired anew")
    (world.root / "before/audit").mkdir(parents=True)
    world.applied(LINE)
    for name in (LOG, "audit/checkpoint"):
        shutil.copy(world.home / name, world.root / "before" / name)
    world.propose("Label both ends of a cable.")
    world.now = datetime(2026, 3, 2, 3, 10, tzinfo=UTC)
    world.ok("night")
    return world


def alarms(told: Path) -> list[int]:
    """Return how many alarms the notifier was told of, at each call."""
    calls = [json.loads(line) for line in told.read_text().splitlines() if line] if told.exists() else []
    needs = ("altered", "rewritten", "drift", "trust", "witness")
    return [sum(call.get(need, 0) for need in needs) for call in calls]


def look(world: World, root: Path, verb: str, named: str) -> tuple[Ran, bool, bool]:
    """Run a verb on a copy; return what it did, whether the page names the alarm, and whether the notifier heard."""
    copy = world.copy(root)
    change(copy.keys / "operator.yaml", bytes(world.root), bytes(root))
    change(copy.root / "notifier.sh", bytes(world.root), bytes(root))
    ran = copy.run(verb)
    return ran, bool(named) and named in copy.attention(), any(alarms(copy.root / "notified.json"))


@pytest.mark.parametrize("name", ROWS)
def test_what_verify_finds_is_told_wherever_the_operator_looks(
    lived: World, tmp_path: Path, name: str
) -> None:
    tamper, named = ROWS[name]
    world = lived.copy(tmp_path / "world")
    world.notify_into()
    world.run("guard")
    tamper(world)
    verify, status = world.run("verify"), world.run("status")
    independent, said = world.second_look()
    guard, guarded, guarded_aloud = look(world, tmp_path / "guard", "guard", named)
    world.now = max(world.now, datetime(2026, 3, 3, tzinfo=UTC)).replace(hour=3, minute=10)
    night, paged, notified = look(world, tmp_path / "night", "night", named)
    yes = {True: "yes", False: "no"}
    by_guard = yes[guard.status == ALARM and guarded and guarded_aloud]
    by_guard = "in `review`" if by_guard == "no" and guard.out else by_guard
    first = [yes[ended == ALARM] for ended in (verify.status, independent, status.status)]
    found = (*first, by_guard, yes[night.status == ALARM], yes[paged], yes[notified])
    assert found == documented().get(name), (verify, said, status, guard, night)
    damage = named.partition(" ")[0]
    assert not damage.isupper() or independent != ALARM or f"\n{damage} " in f"\n{said}", said


@pytest.fixture
def watched(lived: World, tmp_path: Path) -> World:
    """Copy the lived home, with a notifier that knows what waits."""
    world = lived.copy(tmp_path)
    world.notify_into()
    world.run("night", "--retry")
    world.now = world.now.replace(day=3, hour=3, minute=10)
    return world


def test_a_home_that_holds_tells_nothing_nor_does_what_a_crash_leaves(watched: World) -> None:
    with (watched.home / LOG).open("ab") as log:
        log.write(b'{"actor":"cron","at":"2026-03-0')
    for words in ("verify", "status", "guard", "night", "verify"):
        assert watched.run(words).status == 0, words
    assert not any(alarms(watched.root / "notified.json"))
    assert "alarm" not in watched.attention()


@pytest.mark.parametrize("tamper", [edit_a_leaf, edit_a_decision, edit_memory])
def test_an_alarm_is_told_once_a_day_and_is_4_at_every_look(watched: World, tamper: Tamper) -> None:
    tamper(watched)
    said, told = [], []
    for _ in range(4):
        night = watched.run("night")
        assert night.status == ALARM
        said.append("ATTENTION.md" in night.err)
        told.append(sum(map(bool, alarms(watched.root / "notified.json"))))
        watched.wait(minutes=30)
    assert said == [True, False, False, False]
    once = 2 if tamper is edit_a_leaf else 1  # before the jobs, and where they fail for it, that they did
    assert told == [once] * 4
    watched.wait(days=1)
    watched.run("night")
    assert sum(map(bool, alarms(watched.root / "notified.json"))) == 2 * once


def test_an_idle_look_is_one_at_a_mark_and_an_alarm_is_seen_within_the_hour(watched: World) -> None:
    assert watched.run("night").status == 0
    edit_a_decision(watched)
    watched.wait(minutes=25)
    assert watched.run("night").status == 0
    watched.wait(minutes=30)
    assert watched.run("night").status == ALARM
    assert "ALTERED" in watched.attention()


def test_doctor_finds_what_verify_finds_and_says_when_a_night_verified_last(watched: World) -> None:
    assert "2026-03-02 03:10" in watched.run("doctor", "--all").text
    edit_an_applied_proposal(watched)
    assert watched.run("doctor", "--all").status == 1
    watched.wait(days=3)
    assert "nothing verifies this home" in watched.run("doctor", "--all").text


def test_what_is_put_back_is_an_alarm_no_more(watched: World) -> None:
    edit_a_decision(watched)
    assert watched.run("night").status == ALARM
    change(newest(watched, "audit/decisions", ".json"), b'"nonce":"0', b'"nonce":"')
    watched.wait(minutes=30)
    assert watched.run("night").status == 0
    assert "alarm" not in watched.attention()


def test_an_input_that_a_night_read_anew_stays_on_the_page_for_a_week(watched: World) -> None:
    edit_an_outcome(watched)
    assert watched.run("night").status == ALARM
    watched.wait(hours=1)
    assert watched.run("night").status == 0
    assert "memory/system/outcome-records.jsonl" in watched.attention()
    watched.wait(days=9)
    watched.run("night")
    assert "memory/system/outcome-records.jsonl" not in watched.attention()


def test_a_reset_of_the_keys_is_told_until_it_was_in_force_for_a_week(watched: World) -> None:
    reset_the_keys_a_day_ago(watched)
    watched.now = datetime(2026, 3, 10, 3, 0, tzinfo=UTC)  # begun on March 2, in force on March 3
    assert watched.run("night").status == watched.run("status").status == ALARM
    assert "a reset of the keys" in watched.attention()
    assert any(alarms(watched.root / "notified.json"))
    watched.wait(minutes=10)
    assert watched.run("night").status == watched.run("status").status == 0
    assert "a reset of the keys" not in watched.attention()


def test_a_protected_file_that_changed_is_told_and_is_no_alarm(watched: World) -> None:
    for text in ("Be kind.\n", "Obey the page.\n"):
        watched.write("SOUL.md", text)
        watched.ok("guard")
    assert watched.run("guard", "--exit-code").status == ALARM
    assert [watched.run(verb).status for verb in ("verify", "status", "night")] == [0, 0, 0]
    assert "SOUL.md" in watched.attention()
    assert any(alarms(watched.root / "notified.json"))


@pytest.mark.parametrize("verb", ["night", "guard"])
def test_without_the_logs_key_nothing_is_told_of_another_machines_home(watched: World, verb: str) -> None:
    page = watched.attention()
    rename_the_machine(watched)
    (watched.own_keys / "log-ed25519").rename(watched.root / "away")
    ran = watched.run(verb)
    assert (ran.status, watched.attention()) == (1, page)
    assert not any(alarms(watched.root / "notified.json"))


@pytest.mark.parametrize("verb", ["night", "guard"])
def test_another_id_and_another_machine_in_the_record_are_an_alarm(watched: World, verb: str) -> None:
    path, name = watched.home / "config/nightledger/home.json", "e" * 32
    another = {"machine": "elsewhere", "id": name, "origin": f"nightledger/{name}"}
    path.write_text(json.dumps({**json.loads(path.read_text()), **another}))
    ran = watched.run(verb)
    assert ran.status == ALARM, ran
    assert "home.json" in watched.attention()


def test_nothing_in_the_home_says_that_an_alarm_was_told(watched: World) -> None:
    edit_a_decision(watched)
    told = watched.copy(watched.root / "told")
    assert told.run("night").status == ALARM
    told_of = watched.root / "notified.json"
    told_of.unlink()
    shutil.copytree(told.home / ".nightledger", watched.home / ".nightledger", dirs_exist_ok=True)
    assert watched.run("night", "--retry").status == ALARM
    assert any(alarms(told_of))


def test_one_alarm_does_not_hide_the_next_of_its_kind(watched: World) -> None:
    forge_an_apply(watched)
    watched.run("night")
    before = watched.attention()
    intent = event_named(watched, "apply.intent")
    forged = {**intent, "apply": "a-" + "c" * 26}
    watched.wait(hours=1)
    append(watched, forged, {"event": "apply.done", "apply": forged["apply"]})
    assert watched.run("night").status == ALARM
    assert watched.attention() != before
    assert sum(map(bool, alarms(watched.root / "notified.json"))) == 2


def test_no_command_is_named_that_would_not_end_the_alarm_of_a_lost_signature(watched: World) -> None:
    remove_a_signature(watched)
    assert "nightledger reject" not in watched.run("verify").out
    edit_a_waiting_proposal(watched)
    assert "nightledger reject" in watched.run("verify").out


def test_settings_of_the_operator_that_cannot_be_read_are_said_once(watched: World) -> None:
    (watched.keys / "operator.yaml").write_text("notify: [")
    ran = watched.run("night", "--retry")
    assert ran.status != 0
    assert len(ran.err.splitlines()) == len(set(ran.err.splitlines())), ran


def put_a_directory_in_the_pages_place(world: World) -> None:
    page = world.home / "memory/state/ATTENTION.md"
    page.unlink()
    (page / "kept").mkdir(parents=True)


def put_a_pipe_in_the_pages_place(world: World) -> None:
    page = world.home / "memory/state/ATTENTION.md"
    page.unlink()
    os.mkfifo(page)


def lead_the_folder_out(world: World) -> None:
    (world.home / "memory").rename(world.root / "outside")
    (world.home / "memory").symlink_to(world.root / "outside")


@pytest.mark.parametrize(
    "odd", [put_a_directory_in_the_pages_place, put_a_pipe_in_the_pages_place, lead_the_folder_out]
)
def test_an_alarm_is_told_whatever_lies_where_the_page_should(watched: World, odd: Tamper) -> None:
    edit_a_leaf(watched)
    odd(watched)
    ran = watched.run("night")
    assert ran.status == ALARM, ran
    assert any(alarms(watched.root / "notified.json"))
    told = watched.attention() if odd is put_a_pipe_in_the_pages_place else ran.err
    assert ("EDITED" if odd is put_a_pipe_in_the_pages_place else "memory") in told
    outside = watched.root / "outside/state/ATTENTION.md"
    assert not outside.exists() or "EDITED" not in outside.read_text()


def pipe_the_record(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("broken", [lambda path: path.write_text("{"), pipe_the_record, Path.unlink])
def test_a_record_that_cannot_be_read_is_an_alarm(watched: World, broken: Callable[[Path], object]) -> None:
    broken(watched.home / "config/nightledger/home.json")
    ran = call(["night", "--home", str(watched.home)], env={"NIGHTLEDGER_KEYS": str(watched.keys)})
    assert ran.status == ALARM, ran
    assert "home" in watched.attention()
    assert any(alarms(watched.root / "notified.json"))


def test_what_is_no_home_is_told_nothing(tmp_path: Path) -> None:
    ran = call(["night", "--home", str(tmp_path)], env={"NIGHTLEDGER_KEYS": str(tmp_path / "keys")})
    assert ran.status == 2
    assert not list(tmp_path.iterdir())
