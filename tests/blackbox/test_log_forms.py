"""Lines of the log that are no entries of their places, heads that are none, and what is kept beside them.

Whoever writes them holds the log's key, so that the head over them is signed: the form alone tells.
"""

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import append, keep_pin, line_of, sign_head, signed_head
from tests.blackbox.person import sound
from tests.blackbox.world import LOG, Folder, World, copied
from tests.rows import tables

ALARM = 4


@pytest.fixture(scope="module")
def lived(adopted: World, new_folder: Folder) -> World:
    world = adopted.copy(new_folder())
    world.applied("Label both ends of a cable.")
    world.propose("Count the ladders.")
    return world


home = copied("lived")


def log(world: World) -> Path:
    return world.home / LOG


def findings(world: World) -> list[tuple[str, int | None, bool]]:
    """Give class, line and whether it is an alarm, of each finding."""
    return [(one["class"].upper(), one["line"], one["alarm"]) for one in world.json("verify")["findings"]]


def entry(world: World, **changed: Any) -> dict[str, Any]:
    """Give a later version's event, as the next entry of the log would have it."""
    own = {"v": 1, "seq": len(world.events()), "actor": "cron", "at": "2026-03-01T09:00:00Z"}
    return {**own, "event": "later", **changed}


def spelled(old: str, new: str) -> Callable[[World], bytes]:
    """Give the line of an entry in which something is spelled otherwise."""

    def line(world: World) -> bytes:
        plain = line_of(entry(world, n=7))
        assert old.encode() in plain, plain
        return plain.replace(old.encode(), new.encode("utf-8", "surrogateescape"))

    return line


def whole(line: str) -> Callable[[World], bytes]:
    return lambda _: line.encode()


def without(name: str, world: World) -> bytes:
    return line_of({member: value for member, value in entry(world).items() if member != name})


TABLES = tables("blackbox-log_forms")
GOOD = {what: spelled(*row) for what, row in TABLES["good"].items()}
BAD: dict[str, Callable[[World], bytes]] = {
    **{what: spelled(*row) for what, row in TABLES["bad"].items()},
    **{what: whole(line) for what, line in TABLES["no_entries"].items()},
    **{f"no {name}": partial(without, name) for name in ("seq", "actor", "event", "at")},
    "half a line": lambda world: line_of(entry(world))[:-1],
    "a blank behind it": lambda world: line_of(entry(world)) + b" ",
    "a carriage return": lambda world: line_of(entry(world)) + b"\r",
    "names out of order": lambda world: b'{"v":1,' + line_of(entry(world))[1:].replace(b',"v":1', b""),
    "the place before": lambda world: line_of(entry(world, seq=len(world.events()) - 1)),
    "the place after": lambda world: line_of(entry(world, seq=len(world.events()) + 1)),
    "a place that is a word": lambda world: line_of(entry(world, seq=str(len(world.events())))),
    "a negative place": lambda world: line_of(entry(world, seq=-1)),
}


def signed_over(world: World, line: bytes) -> None:
    with log(world).open("ab") as stream:
        stream.write(line + b"\n")
    sign_head(world)


def test_a_line_that_is_nearly_an_entry_is_told_with_its_place(lived: World, tmp_path: Path) -> None:
    world, size = lived.copy(tmp_path / "one"), len(lived.events())
    before = {path: path.read_bytes() for path in (log(world), world.home / "audit/checkpoint")}
    wrong = {}
    for what, line in BAD.items():
        signed_over(world, line(lived))
        if (found := findings(world)) != [("EDITED", size + 1, True)]:
            wrong[what] = found
        for path, content in before.items():
            path.write_bytes(content)
    for what, line in GOOD.items():
        signed_over(world, line(lived))
        if (found := findings(world)) != []:
            wrong[what] = found
        for path, content in before.items():
            path.write_bytes(content)
    assert not wrong, wrong
    signed_over(world, BAD["a fraction"](lived))
    wish = ("propose", "--text", "x", "--section", "Lessons", "--reason", "y")
    for verb in (("status",), ("guard",), wish, ("apply",)):
        assert world.run(*verb).status == ALARM, verb


def test_unacknowledged_lines_are_closed_by_the_next_run_and_never_count(
    lived: World, tmp_path: Path
) -> None:
    world, size = lived.copy(tmp_path), len(lived.events())
    lines = [line_of(entry(world)), b"", line_of(entry(world, seq=size + 2)), b'{"half']
    log(world).write_bytes(log(world).read_bytes() + b"\n".join(lines))
    assert findings(world) == [("TORN", size + 2, False), ("TORN", size + 4, False)]
    sound(world)
    world.propose("Oil the north hinge.")
    told = [json.loads(line) for line in log(world).read_bytes().splitlines()[size + 4 :]]
    closed = {"first": size, "count": 4, "damaged": 2, "seq": size + 4, "actor": "unknown"}
    assert {name: told[0][name] for name in closed} == closed
    assert [one["event"] for one in told] == ["log.tail_closed", "proposal.created"]
    assert log(world).read_bytes().splitlines()[size : size + 4] == lines
    shown = world.json("verify")
    assert (shown["findings"], shown["size"]) == ([], size + 6)
    assert world.second_look()[0] == 0


def test_an_unacknowledged_whole_line_is_told_and_does_not_count(lived: World, tmp_path: Path) -> None:
    world, size = lived.copy(tmp_path), len(lived.events())
    forged = {**world.events()[-1], "seq": size, "proposal": "p-" + "a" * 26}
    log(world).write_bytes(log(world).read_bytes() + line_of(forged) + b"\n")
    assert findings(world) == [("UNSIGNED", size + 1, False)]
    assert [one["id"] for one in world.proposals()] == [one["id"] for one in lived.proposals()]
    world.ok("verify")


def closes(world: World, first: int, count: int, **more: Any) -> None:
    append(world, {"event": "log.tail_closed", "first": first, "count": count, "damaged": 0, **more})


def test_a_closure_takes_back_nothing_that_was_signed(lived: World, tmp_path: Path) -> None:
    size = len(lived.events())
    for first, count, found in (
        (-1, 1, [("EDITED", size + 1, True)]),
        (-2, 2, [("EDITED", size + 1, True)]),
        (-1, 2, []),
        (-2, 1, []),
        (1, 0, []),
    ):
        world = lived.copy(tmp_path / f"{first} {count}")
        closes(world, size + first, count)
        assert findings(world) == found
        if not found:
            assert len(world.proposals()) == len(lived.proposals()), (
                "it closes no tail that ends where it stands"
            )


HEADS: dict[str, Callable[[World], bytes | None]] = {
    "nothing": lambda _: b"",
    "no head": lambda _: None,
    "no note": lambda _: b"x\n",
    "its text alone": lambda world: signed_head(world).partition(b"\n\n")[0] + b"\n",
    "without the first signature": lambda world: without_line(world, 0),
    "without the second signature": lambda world: without_line(world, 1),
    "a bit of the first flipped": lambda world: (
        signed_head(world)[:-3_400] + b"A" + signed_head(world)[-3_399:]
    ),
    "of another log": lambda world: signed_head(world).replace(b"nightledger", b"nightlodger"),
    "over fewer lines": lambda world: signed_head(world).replace(b"\n%d\n" % len(world.events()), b"\n3\n"),
    "over more lines": lambda world: signed_head(world).replace(b"\n%d\n" % len(world.events()), b"\n99\n"),
    "a size with a zero": lambda world: signed_head(world).replace(
        b"\n%d\n" % len(world.events()), b"\n0%d\n" % len(world.events())
    ),
    "an extension": lambda world: signed_head(world).replace(b"\n\n", b"\nx\n\n"),
    "no line end": lambda world: signed_head(world)[:-1],
}


def without_line(world: World, number: int) -> bytes:
    text, _, lines = signed_head(world).partition(b"\n\n")
    kept = lines.splitlines(keepends=True)
    del kept[number]
    return text + b"\n\n" + b"".join(kept)


def test_a_head_that_is_not_the_logs_alarms_who_reads_or_writes(lived: World, home: World) -> None:
    path = home.home / "audit/checkpoint"
    before, lines = path.read_bytes(), log(home).read_bytes()
    wrong = {}
    for what, make in HEADS.items():
        content = make(lived)
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_bytes(content)
        told = {one[0] for one in findings(home)}
        statuses = {verb: home.run(verb).status for verb in ("verify", "status")}
        if not told & {"UNSIGNED"} or {*statuses.values()} != {ALARM}:
            wrong[what] = told, statuses
        path.write_bytes(before)
        assert log(home).read_bytes() == lines
    assert not wrong, wrong
    home.ok("verify")


KEPT: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "not a note": (lambda _: b"x", "UNSIGNED"),
    "of another log": (lambda raw: raw.replace(b"nightledger", b"nightlodger"), "UNSIGNED"),
    "another root": (lambda raw: raw.replace(raw.split(b"\n")[2], b"A" * 43 + b"="), "UNSIGNED"),
}


def test_a_kept_head_that_is_none_or_of_another_size_is_an_alarm(home: World) -> None:
    folder = home.home / "audit/checkpoints"
    kept = folder / "1"
    before, now = kept.read_bytes(), (home.home / "audit/checkpoint").read_bytes()
    wrong = {}
    for what, (change, expected) in KEPT.items():
        kept.write_bytes(change(before))
        if (found := findings(home)) != [(expected, None, True)]:
            wrong[what] = found
    kept.write_bytes(before)
    for name, content in (("3", before), ("2", now)):
        (folder / name).write_bytes(content)
        if (found := findings(home)) != [("UNSIGNED", None, True)]:
            wrong[name] = found
        (folder / name).unlink()
    (folder / "notes.txt").write_bytes(b"x")
    (folder / str(len(home.events()))).write_bytes(now)
    assert not wrong, wrong
    home.ok("verify")


def test_an_edited_line_is_named_by_its_form_else_between_two_heads(home: World) -> None:
    lines = log(home).read_bytes().splitlines(keepends=True)
    for number in range(1, len(lines) + 1):
        changed = [*lines]
        changed[number - 1] = changed[number - 1].replace(b'"v":1', b'"w":1')
        log(home).write_bytes(b"".join(changed))
        assert findings(home)[0] == ("EDITED", number, True)
    number = len(lines) - 1
    changed = [*lines]
    changed[number - 1] = changed[number - 1].replace(b"2026-03-01T", b"2026-03-02T")
    log(home).write_bytes(b"".join(changed))
    pin = json.loads((home.own_keys / "pin.json").read_bytes())
    good = max(head["size"] for head in pin["heads"] if head["size"] < number)
    assert findings(home) == [("EDITED", good + 1, True)], (
        "behind the newest head over lines that are as they were"
    )
    log(home).write_bytes(b"".join(lines))
    home.ok("verify")
    home.propose("Oil the north hinge.")
    home.ok("verify")


def test_a_cut_log_is_told_by_what_is_left_and_is_not_written_to(home: World) -> None:
    whole, pin = log(home).read_bytes(), keep_pin(home).read_bytes()
    size = len(whole.splitlines())
    for cut, expected in {
        len(whole) - 1: ("TORN", size, True),
        len(whole) - 9: ("TRUNCATED", size, True),
        whole[:-1].rfind(b"\n") + 1: ("TRUNCATED", size, True),
        0: ("TRUNCATED", 1, True),
    }.items():
        log(home).write_bytes(whole[:cut])
        assert findings(home)[0] == expected, cut
        ran = home.run("propose", "--text", "Oil the north hinge.", "--section", "Lessons", "--reason", "x")
        assert ran.status == ALARM, ran
        assert log(home).read_bytes() == whole[:cut]
        assert keep_pin(home).read_bytes() == pin
    log(home).write_bytes(whole)
    home.ok("verify")


def test_how_much_is_missing_and_what_is_not_there_is_told_in_words(home: World, adopted: World) -> None:
    path, pin = home.home / "audit/checkpoint", home.own_keys / "pin.json"
    whole, head, kept = log(home).read_bytes(), path.read_bytes(), pin.read_bytes()
    size = len(whole.splitlines())
    for missing in (1, 2):
        log(home).write_bytes(b"".join(whole.splitlines(keepends=True)[:-missing]))
        first = size - missing + 1
        told = f"line {first} and {missing - 1} behind it are missing; they were signed"
        home.tells(f"TRUNCATED {log(home)}:{first}: {told}", "verify", status=ALARM)
    log(home).write_bytes(whole)
    path.unlink()
    home.tells(f"UNSIGNED {path}: {path} is missing", "verify", status=ALARM)
    path.write_bytes(head)
    pin.write_bytes(line_of({**json.loads(kept), "genesis": "ab" * 32}) + b"\n")
    told = "line 1 is not the first line that this machine pinned: it is another log"
    home.tells(f"FORK {log(home)}:1: {told}", "verify", status=ALARM)
    pin.write_bytes(kept)
    shutil.rmtree(home.home / "audit/checkpoints")
    home.ok("verify")
    home.ok("status")
    new = adopted.copy(home.root / "new")  # nothing was ever logged there
    log(new).write_bytes(b"")
    for gone in (new.home / "audit/checkpoint", new.home / "audit/checkpoints/1", keep_pin(new)):
        gone.unlink()
    seen = {**json.loads((new.own_keys / "pin.json").read_bytes()), "heads": []}
    (new.own_keys / "pin.json").write_bytes(line_of(seen) + b"\n")
    assert findings(new) == []
    keep_pin(new).write_bytes(keep_pin(adopted).read_bytes())
    assert {name for name, *_ in findings(new)} == {"TRUNCATED", "UNSIGNED"}


def test_an_event_that_only_speaks_of_a_closure_takes_nothing_back(home: World) -> None:
    waiting, last = home.proposals(), len(home.events()) - 1
    assert waiting
    append(home, {"event": "later", "of": "log.tail_closed", "first": last, "count": 1, "damaged": 0})
    assert (findings(home), home.proposals()) == ([], waiting)
