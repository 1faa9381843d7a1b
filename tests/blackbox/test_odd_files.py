"""What no program writes: log entries of odd shape, and other things in the places of files.

Each is an integrity alarm (4) or changes nothing; none of it is a bug (70), and no command waits for it.
"""

import json
import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import append, event_named, line_of
from tests.blackbox.world import ROOT, Folder, World
from tests.rows import tables
from tests.whole import part

BUG = 70
ALARM = 4
PROPOSAL = "p-" + "a" * 26
_LINES = (ROOT / "tests/blackbox/events.jsonl").read_text(encoding="utf-8").splitlines()
EVENTS: tuple[dict[str, Any], ...] = tuple(map(json.loads, _LINES))
"""Every event that docs/formats.md names, as if all had happened to one proposal."""
CONSOLIDATIONS = "memory/system/consolidation-log.jsonl"
TABLES = tables("blackbox-odd_files", PROPOSAL=PROPOSAL, CONSOLIDATIONS=CONSOLIDATIONS)
DROPPED = object()
ODD: tuple[Any, ...] = (
    DROPPED, "", "x", "../../x", "é\\", "9999-12-31T23:59:59Z", 0, -1, 2**53 - 1, True, [], [[]], [7], ["x"], {}, {"path": 1},
)  # fmt: skip
NO_WORDS: tuple[Any, ...] = (7, [], {})
EVERYWHERE: tuple[dict[str, Any], ...] = TABLES["everywhere"]
VERBS = tuple(map(tuple, TABLES["verbs"]))


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the place of every value inside an event, however deep."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inside:
        if name != "event":
            yield (*at, name)
            yield from places(one, (*at, name))


def odd_events() -> Iterator[tuple[int, dict[str, Any]]]:
    """Give each odd form of each event, with its place among ``EVENTS``."""
    for n, event in enumerate(EVENTS):
        for *path, last in places(event):
            for odd in ODD:
                changed = deepcopy(event)
                held: Any = changed
                for step in path:
                    held = held[step]
                if odd is DROPPED:
                    del held[last]
                else:
                    held[last] = odd
                yield n, changed
        for more in EVERYWHERE:
            yield n, {**event, **more}
        yield n, event


@pytest.fixture(scope="module")
def lived(adopted: World, new_folder: Folder) -> World:
    world = adopted.copy(new_folder())
    world.applied("- Restart the gateway by hand.")
    world.propose("- Drain the queue first.")
    world.log_day("2026-03-01", "Fixed cron by restarting the relay.")
    return world


def bugs(world: World, root: Path, step: int) -> list[str]:
    """Run verbs over every ``step``-th odd event, all of them where that is 1; give what was a bug."""
    found = []
    for at, (n, event) in enumerate(odd_events()):
        if at % step:
            continue
        copy = world.copy(root / str(at))
        append(copy, *EVENTS[:n], event, *EVENTS[n + 1 :])
        for verb in VERBS if step == 1 else (VERBS[0], VERBS[1 + at // step % (len(VERBS) - 1)]):
            ran = copy.run(*verb)
            if ran.status == BUG:
                found.append(f"{verb[0]}: {json.dumps(event)}: {ran.err[-200:]}")
        shutil.rmtree(copy.root, ignore_errors=True)
    return found


def test_a_decision_whose_entry_names_no_signature_is_an_alarm(lived: World, tmp_path: Path) -> None:
    signed, forged = lived.copy(tmp_path / "signed"), lived.copy(tmp_path / "forged")
    assert signed.approve(signed.json("proposals")[0]["id"]).status == 0
    recorded = event_named(signed, "decision.recorded")
    shutil.copytree(signed.home / "audit/decisions", forged.home / "audit/decisions", dirs_exist_ok=True)
    del recorded["signature_sha256"]
    append(forged, recorded)
    ended = {verb: forged.run(*verb) for verb in VERBS}
    assert not [ran for ran in ended.values() if ran.status == BUG], ended
    assert [ended[verb,].status for verb in ("verify", "status", "night")] == [ALARM] * 3, ended
    assert forged.second_look()[0] == ALARM


def test_no_odd_event_is_a_bug(lived: World, tmp_path: Path) -> None:
    assert not (found := bugs(lived, tmp_path, 97)), (len(found), found[:9])


@pytest.mark.slow
def test_no_odd_event_of_all_is_a_bug(lived: World, tmp_path: Path) -> None:
    assert not (found := bugs(lived, tmp_path, 1)), (len(found), found[:9])


def test_an_event_with_a_member_of_another_form_is_told_with_its_line(lived: World, tmp_path: Path) -> None:
    line = len(lived.events()) + 1
    untold = []
    for event in EVENTS:
        for member in event.keys() - {"event", "n"}:
            copy = lived.copy(tmp_path / event["event"] / member)
            append(copy, {**event, member: {"odd": [7]}})
            ran = copy.run("verify", "--json")
            told = [one["line"] for one in json.loads(ran.out or '{"findings": []}')["findings"]]
            if (ran.status, told) != (ALARM, [line]):
                untold.append((event["event"], member, ran))
    assert not untold, untold[:5]


def test_an_event_of_a_later_version_is_no_alarm(world: World) -> None:
    later = {"event": "a_later_version.says", "proposal": 7}
    append(world, later, {"event": "heartbeat", "day": "2026-03-01", "z": [1]})
    assert world.run("verify").status == 0


FILES = TABLES["files"]
"""What ``verify`` reads of a home and its keys; in capitals what has a name of its own in each home."""


def bind(path: Path) -> None:
    """Put a socket under a name that may be longer than a socket's may."""
    at = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(at)


THINGS: dict[str, Callable[[Path], object]] = {
    "FIFO": os.mkfifo,
    "directory": Path.mkdir,
    "socket": bind,
    "dangling link": lambda path: path.symlink_to(path.with_name("nowhere")),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "circle": lambda path: path.symlink_to(path.name),
    "too large": lambda path: path.write_bytes(b"x" * 100_000),
    "nothing": lambda path: path,
}
UNNEEDED = ("audit/checkpoints/1", "HEAD")
"""What may be gone: the newest head says all that the first said, and checkpoints say what counts."""
BROKEN_IDENTITIES = (b"", b"{", b"[]", b"null", b"{}", b"\xff\xfe", b"[" * 100_000, b"1" * 70_000)


def replaced(world: World, name: str, thing: str) -> None:
    """Put something else in the place of one of ``FILES``."""
    path = named(world, name)
    path.unlink()
    THINGS[thing](path)


def named(world: World, name: str) -> Path:
    made = event_named(world, "apply.intent")
    decision = world.home / f"audit/decisions/{made['decision']}.json"
    own = {"PIN": world.own_keys / "pin.json", "HEAD": world.own_keys / "head.json"}
    own |= {"DECISION": decision, "DECISION.sig": decision.with_name(f"{decision.name}.sig")}
    own["PROPOSAL"] = world.home / f"memory/state/proposals/{made['proposal']}.json"
    own["BLOB"] = world.blob(made["targets"][0]["before"])
    return own.get(name, world.home / name)


def in_time(world: World, *words: str) -> int:
    """Run a command that must not wait; give its status."""

    def late(*_: object) -> None:
        raise TimeoutError(words)

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(20)
    try:
        return world.run(*words).status
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def statuses(world: World) -> dict[str, int]:
    return {verb: in_time(world, verb) for verb in ("verify", "status", "guard", "night")}


@pytest.fixture(scope="module")
def slept(lived: World, new_folder: Folder) -> World:
    world = lived.copy(new_folder())
    world.next_night()
    return world


def test_what_is_no_file_in_the_place_of_one_is_an_alarm(slept: World, tmp_path: Path) -> None:
    wrong = {}
    for number, name in enumerate(FILES):
        for thing in part([*THINGS], 3, number):
            if thing == "nothing" and name in UNNEEDED:
                continue
            copy = slept.copy(tmp_path / name.replace("/", "_") / thing)
            replaced(copy, name, thing)
            found = statuses(copy)
            if found["verify"] != ALARM or BUG in found.values():
                wrong[name, thing] = found
    assert not wrong, wrong


def test_verify_goes_on_behind_what_is_no_consolidation_log(slept: World, tmp_path: Path) -> None:
    found = {}
    for thing in THINGS:
        copy = slept.copy(tmp_path / thing)
        replaced(copy, CONSOLIDATIONS, thing)
        copy.write("MEMORY.md", copy.read() + "- Nobody signed this.\n")
        ran = copy.run("verify", "--json")
        told = json.loads(ran.out or '{"rewritten": [], "drift": []}')
        found[thing] = ran.status, [one["path"] for one in told["rewritten"]], told["drift"]
    assert found == dict.fromkeys(THINGS, (ALARM, [CONSOLIDATIONS], ["MEMORY.md"]))


def test_a_home_whose_identity_is_broken_is_an_alarm(lived: World, tmp_path: Path) -> None:
    kept = json.loads(named(lived, FILES[0]).read_text())
    broken = [
        *BROKEN_IDENTITIES,
        *(json.dumps({**kept, name: odd}).encode() for name in kept for odd in (None, "", *NO_WORDS)),
        *(json.dumps({**kept, name: "x"}).encode() for name in kept.keys() - {"machine", "zone"}),
        json.dumps({**kept, "id": "ab" * 16}).encode(),
        json.dumps({**kept, "origin": "nightledger/other"}).encode(),
        *(json.dumps({n: v for n, v in kept.items() if n != name}).encode() for name in kept),
    ]
    wrong = {}
    for n, raw in enumerate(broken):
        copy = lived.copy(tmp_path / str(n))
        named(copy, FILES[0]).write_bytes(raw)
        found = statuses(copy)
        if found["verify"] != ALARM or BUG in found.values():
            wrong[raw[:300]] = found
    assert not wrong, wrong


def test_what_never_was_a_home_is_no_alarm(world: World, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    ran = world.run("verify", home=tmp_path / "other")
    assert (ran.status, "nightledger init" in ran.text) == (2, True), ran


TEMP = ".{}.4711.0.nightledger-tmp"
LEAK = "what nobody may read any more"
PLACES = TABLES["places"]


def plant(world: World, *, hours: float, name: str = TEMP) -> list[Path]:
    """Leave temporary files beside files of the home and its keys, as a killed run would have that many hours ago."""
    beside = [world.home / place for place in PLACES]
    paths = [path.with_name(name.format(path.name)) for path in (*beside, world.own_keys / "head.json")]
    at = world.now.timestamp() - hours * 3_600
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(LEAK)
        os.utime(path, (at, at))
    return paths


def test_the_night_removes_what_runs_that_died_left_and_nothing_else(world: World) -> None:
    world.wait(days=1)
    old, young = plant(world, hours=2), plant(world, hours=0.5, name=".{}.4711.1.nightledger-tmp")
    names = ("{}.nightledger-tmp", "{}.4711.0.tmp")
    strangers = [p for name in names for p in plant(world, hours=99, name=name)]
    link = world.home / "memory/state/.link.4711.0.nightledger-tmp"
    link.symlink_to(strangers[0])
    world.ok("night")
    assert [str(path) for path in old if path.exists()] == []
    assert [str(path) for path in (*young[:9], young[-1], *strangers, link) if not path.exists()] == []


def test_leaving_removes_what_runs_that_died_left(world: World) -> None:
    left, strangers = plant(world, hours=0), plant(world, hours=0, name="{}.nightledger-tmp")
    world.ok("leave", "--yes")
    kept = [path for path in strangers if path.parent.name != "staged"]
    assert ([str(path) for path in left if path.exists()], all(path.exists() for path in kept)) == ([], True)


def test_expunging_removes_what_runs_that_died_left(world: World) -> None:
    left = plant(world, hours=0)[:-1]
    world.ok("guard")  # what lay beside MEMORY.md becomes a blob: it may be what another program wrote
    ran = world.run("expunge", "--text-from-stdin", stdin=LEAK)
    assert [str(path) for path in left if path.exists() and LEAK in path.read_text()] == [], ran


def test_a_run_whose_time_is_at_the_end_of_the_calendar_is_a_bad_line(world: World) -> None:
    world.now += timedelta(days=1)
    world.ok("night")
    ledger = world.home / "memory/system/runs.jsonl"
    line = json.loads(ledger.read_text().splitlines()[-1])
    odd = line_of({**line, "started_at": "9999-12-31T23:59:59-14:00"}).decode()
    ledger.write_text(f"{ledger.read_text()}{odd}\n")
    assert world.run("status").status in {0, 4}


def test_nobody_signs_while_the_settings_that_say_how_long_it_waits_are_broken(world: World) -> None:
    name = world.propose("Oil the winch.")
    settings = world.home / "config/nightledger/nightledger.yaml"
    settings.write_text("cooling_hours: 48\ncoling: 3\n")
    world.tells("coling", "approve", name, status=2)
    settings.write_text("cooling_hours: 48\n")
    assert world.approve(name).status == 0
