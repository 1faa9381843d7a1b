"""A second machine that cosigns each head: what waits for it, what it sees, and what a home makes of its answers. From outside."""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import append, signed_head
from tests.blackbox.notes import NOON, Key, b64, line, note_of, witness
from tests.blackbox.test_lifecycle import whole
from tests.blackbox.world import LOG, Folder, World, answered_by, copied, found, yes
from tests.rows import tables
from tests.served_witness import served_witness

ALARM = 4
ONE, TWO = witness(1), witness(2)
LONG = "m" * 41
TABLES = tables("blackbox-witness", ONE=ONE.vkey, LONG=LONG, PART=LONG[1:])


class Harbour:
    """A home whose policy asks for two witnesses, and those witnesses.

    Attributes:
        answers: By the number of a witness, what it says of a head's text: status and body; it does not answer otherwise.
        heads: By number, what it shows as the head that it remembers.
        asked: By number, the last request.
    """

    def __init__(self, world: World, url: str) -> None:
        self.world = world
        self.answers: dict[int, Callable[[str], tuple[int, str | bytes]]] = {}
        self.heads: dict[int, str] = {}
        self.asked: dict[int, str] = {}
        places = {one.name: {"url": f"{url}/{one.number}"} for one in (ONE, TWO)}
        world.operator_says({"witnesses": places})

    def reply(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Answer a request, or show a head where there is no body."""
        number = int(path.split("/")[1])
        if not body:
            return (200, self.heads[number].encode()) if number in self.heads else (404, b"")
        self.asked[number] = body.decode()
        given = self.answers.get(number)
        text = self.asked[number].partition("\n\n")[2].partition("\n\n")[0] + "\n"
        status, said = given(text) if given else (503, "not now\n")
        return status, said.encode() if isinstance(said, str) else said

    def answer(self, one: Key, status: int, body: str | bytes) -> None:
        self.answers[one.number] = lambda _: (status, body)

    def ask(self) -> dict[str, Any]:
        """Ask each witness; give what came of it, by number."""
        found = self.world.json("witness", "ask")
        told = {one["name"].rpartition("/")[2]: one for one in found["asked"]}
        return {**told, "met": found["met"]}

    def cosign(self, *ones: Key, at: int) -> None:
        """Let witnesses answer as they should, each from where it stands."""
        for one in ones:
            self.answers[one.number] = lambda text, one=one: (200, one.line(text, at))  # type: ignore[misc]
        self.ask()
        self.answers = {}


@contextlib.contextmanager
def harbour_of(world: World) -> Iterator[Harbour]:
    made: list[Harbour] = []
    with answered_by(lambda path, _, body: made[0].reply(path, body)) as url:
        made.append(Harbour(world, url))
        yield made[0]


@pytest.fixture(scope="module")
def watched(adopted: World, new_folder: Folder) -> World:
    world = adopted.copy(new_folder())
    lines = world.root / "lines"
    lines.write_text(f"witness a {ONE.vkey}\nwitness b {TWO.vkey}\ngroup both all a b\nquorum both\n")
    assert world.run("witness", "trust", str(lines), typed=lambda _: "y").status == 0
    return world


@pytest.fixture
def harbour(watched: World, tmp_path: Path) -> Iterator[Harbour]:
    with harbour_of(watched.copy(tmp_path)) as made:
        yield made


def test_lines_that_hold_are_kept_with_the_head_and_the_quorum_is_enough(harbour: Harbour) -> None:
    world = harbour.world
    before = harbour.ask()
    assert {name: before[name]["cosigned"] for name in "12"} == {"1": False, "2": False}
    note = harbour.asked[1].partition("\n\n")[2]
    assert note.encode() == (world.home / "audit/checkpoint").read_bytes()
    text = note.partition("\n\n")[0] + "\n"
    first, second = ONE.line(text, NOON), TWO.line(text, NOON + 60)
    harbour.answer(ONE, 200, first)
    found = harbour.ask()
    assert (found["1"]["cosigned"], found["2"]["cosigned"], found["met"]) == (True, False, False)
    assert world.read("audit/checkpoint").endswith(first)
    harbour.answer(TWO, 200, line("stranger", bytes(70)) + second)
    found = harbour.ask()
    assert found["met"]
    assert world.read("audit/checkpoint").endswith(first + second)
    assert world.read("audit/cosigned") == world.read("audit/checkpoint")
    size = int(text.split("\n")[1])
    assert world.read(f"audit/checkpoints/{size}").endswith(first + second)
    proof = world.root / "proof"
    world.ok("verify", "--prove", "0", "--with-line", "--out", str(proof))
    policy = str(world.home / "config/nightledger/policy")
    shown = world.json("verify", "--proof", str(proof), "--policy", policy)
    assert shown["cosigned"] == {"a": "2026-03-01T12:00:00Z", "b": "2026-03-01T12:01:00Z"}
    world.ok("verify")


BENT: dict[str, tuple[int, Callable[[Harbour, str], str | bytes]]] = {
    **{what: (status, lambda _harbour, _text, said=said: said) for what, (status, said) in TABLES["answers"].items()},  # type: ignore[misc]
    "another head's line": (200, lambda _, text: ONE.line(text.replace("\n", "\n1", 1))),
    "another witness's line": (200, lambda _, text: TWO.line(text)),
    "another key under its name": (200, lambda _, text: Key(name=ONE.name, number=9, kind=ONE.kind).line(text)),
    "a good and a bad line": (200, lambda _, text: ONE.line(text) + ONE.line(text.replace("\n", "\n1", 1))),
    "a line that is cut": (200, lambda _, text: line(ONE.name, (ONE.id + ONE.payload(text))[:-1])),
    "no line end": (200, lambda _, text: ONE.line(text)[:-1]),
    "a hundred lines": (200, lambda _, text: line("x", bytes(70)) * 100 + ONE.line(text)),
}  # fmt: skip


def test_an_answer_that_is_not_the_witnesses_word_is_told_and_keeps_nothing(harbour: Harbour) -> None:
    world = harbour.world
    before = world.read("audit/checkpoint")
    wrong = {}
    for what, (status, body) in BENT.items():
        harbour.answers[1] = lambda text, status=status, body=body: (status, body(harbour, text))  # type: ignore[misc]
        found = harbour.ask()["1"]
        if found["cosigned"] or not found["problem"] or world.read("audit/checkpoint") != before:
            wrong[what] = found
    assert not wrong, wrong
    assert not (world.home / "audit/cosigned").exists()
    assert world.run("witness", "ask").status == 1


def test_a_witness_that_only_says_no_is_told_and_pins_nothing(harbour: Harbour) -> None:
    for status, body in ((422, "no\n"), (409, "999\n")):
        harbour.answer(ONE, status, body)
        found = harbour.ask()["1"]
        assert (found["refused"], found["contradiction"], found["cosigned"]) == (True, None, False)
        assert found["problem"]
    assert harbour.world.run("witness", "ask").status == 1
    harbour.world.tells("STALE-WITNESS", "verify", status=ALARM)
    assert harbour.world.propose("Count the ladders."), "the gate stays open"


def test_a_shown_head_accuses_only_where_log_and_witness_signed_it(harbour: Harbour, tmp_path: Path) -> None:
    world = harbour.world
    other = world.copy(tmp_path / "other")
    append(other, {"event": "heartbeat", "day": "2026-02-27"}, {"event": "heartbeat", "day": "2026-02-28"})
    longer = signed_head(other).decode()
    text = longer.partition("\n\n")[0] + "\n"
    here = world.read("audit/checkpoint")
    rows = {
        "nothing": None,
        "no note": "x",
        "without the witness": longer,
        "without the log": note_of(text, ONE),
        "by another witness": longer + TWO.line(text),
        "a bad line": longer + ONE.line(text.replace("\n", "\n1", 1)),
        "another log's": note_of(text.replace("nightledger", "nightlodger"), ONE),
        "this very head": here + ONE.line(here.partition("\n\n")[0] + "\n"),
    }
    wrong = {}
    for what, head in rows.items():
        harbour.heads = {} if head is None else {1: head}
        harbour.answer(ONE, 409, "999\n")
        found = harbour.ask()["1"]
        if found["contradiction"] is not None or not found["problem"]:
            wrong[what] = found
    assert not wrong, wrong
    pin = (world.own_keys / "pin.json").read_bytes()
    harbour.heads[1] = longer + ONE.line(text)
    harbour.answer(ONE, 422, "no\n")
    found = harbour.ask()["1"]
    assert (found["contradiction"], found["refused"]) == ("rollback", False)
    assert (world.own_keys / "pin.json").read_bytes() != pin
    world.tells("ROLLBACK", "verify", status=ALARM)
    assert world.run("propose", "--text", "x", "--section", "Lessons", "--reason", "y").status == ALARM


def test_an_approval_waits_by_the_clocks_of_the_quorum(harbour: Harbour) -> None:
    world = harbour.world
    world.signed("Label both ends of a cable.")
    start = int(world.now.timestamp())
    world.wait(hours=5)
    world.run("apply")
    assert "cable" not in world.read(), "nobody has seen it"
    harbour.cosign(ONE, TWO, at=start)
    world.run("apply")
    assert "cable" not in world.read(), "seen once"
    world.wait(minutes=1)
    world.propose("Count the ladders.")
    harbour.cosign(ONE, at=start + 3 * 3_600)
    world.run("apply")
    assert "cable" not in world.read(), "one of the two is no quorum"
    harbour.cosign(TWO, at=start + 3_600)
    world.run("apply")
    assert "cable" not in world.read(), "by the second clock an hour went by"
    world.wait(minutes=1)
    world.propose("Count the doors.")
    harbour.cosign(ONE, TWO, at=start + 2 * 3_600 + 600)
    world.run("apply")
    assert "cable" in world.read()
    assert world.second_look()[0] == 0


def test_cosigned_heads_that_are_damaged_take_times_away_and_add_none(harbour: Harbour) -> None:
    world = harbour.world
    harbour.cosign(ONE, TWO, at=int(world.now.timestamp()))
    world.ok("verify")
    path = world.home / "audit/cosigned"
    whole, head = path.read_text(), world.home / "audit/checkpoint"
    lines = head.read_text().splitlines(keepends=True)
    head.write_text("".join(lines[:-2]))
    late = int(world.now.timestamp()) + 9 * 3_600
    text = whole.partition("\n\n")[0] + "\n"
    rows = {
        "nothing": "",
        "no note": "x",
        "one line": whole.rpartition("— ")[0],
        "a line of another time": whole.rpartition("— ")[0]
        + line(TWO.name, TWO.id + late.to_bytes(8, "big") + TWO.payload(text)[8:]),
        "another head": whole.replace(text, text.replace("\n", "\n1", 1)),
        "another log": note_of(text.replace("nightledger", "nightlodger"), ONE, TWO, at=late),
        "a head of no line of this log": note_of(
            f"{text.split(chr(10))[0]}\n1\n{b64(bytes(32))}\n", ONE, TWO, at=late
        ),
    }
    wrong = {}
    for what, content in rows.items():
        path.write_text(content)
        world.now = world.now.replace(hour=12)
        if world.run("verify").status != ALARM:
            wrong[what] = world.run("verify")
    path.unlink()
    assert world.run("verify").status == ALARM
    path.write_text(whole)
    assert not wrong, wrong
    world.ok("verify")


def test_a_cosigned_head_accuses_home_and_keys_put_back(harbour: Harbour, tmp_path: Path) -> None:
    world = harbour.world
    older = world.copy(tmp_path / "older")
    world.propose("Count the ladders.")
    harbour.cosign(ONE, TWO, at=int(world.now.timestamp()))
    cosigned = (world.home / "audit/cosigned").read_bytes()
    world.ok("verify")
    assert "ROLLBACK" not in older.run("verify").text
    (older.home / "audit/cosigned").write_bytes(cosigned)
    older.tells("ROLLBACK", "verify", status=ALARM)
    older.wait(minutes=1)
    for text in ("Count the doors.", "Count the stairs."):
        older.propose(text)
    older.tells("FORK", "verify", status=ALARM)


# ---------------------------------------------------------------- a second machine that cosigns each head

NAME = "witness.example/harbour"


@pytest.fixture(scope="session")
def cosigned(new_folder: Folder) -> World:
    """Give a home whose policy asks for one witness; nobody writes to it."""
    world = found(new_folder())
    place = ("--dir", str(world.root / "witness"))
    lines = world.root / "lines.txt"
    lines.write_text(world.ok("witness", "keygen", NAME, *place))
    world.ok("witness", "add", str(world.home / "config/nightledger/policy"), *place)
    world.ok("witness", "trust", str(lines), typed=lambda _: "y")
    return world


world = copied("cosigned")


def round_trip(world: World, witness: World | None = None) -> int:
    """Let the home ask the witness, which goes by the same clock; give the exit status."""
    with served_witness((witness or world).root / "witness", lambda: world.now) as url:
        world.operator_says({"witnesses": {NAME: {"url": url}}})
        return world.run("witness", "ask").status


def test_a_signed_change_is_applied_by_the_witnesses_time_only(world: World) -> None:
    round_trip(world)
    world.signed("Label both ends of a cable.")
    world.try_apply()
    assert "cable" not in world.read(), "no witness has seen the proposal"
    for _ in range(8):
        round_trip(world)
        world.run("apply")
        world.wait(hours=1)
    assert "cable" in world.read()
    whole(world)


def test_the_report_tells_what_was_cosigned(world: World) -> None:
    round_trip(world)
    audit = next(one for one in world.json("report")["parts"] if one["title"] == "Audit log")
    size = len(world.events())
    assert f"Witnesses cosigned {size} of them, last on 2026-03-01 06:00 UTC." in audit["told"]
    assert ["2026-03-01 06:00", f"cosigned: {size} entries", "witnesses"] in audit["rows"]


def test_home_and_keys_put_back_together_are_told_by_the_witness(world: World) -> None:
    round_trip(world)
    kept = world.root / "kept"
    for folder in ("home", "keys"):
        shutil.copytree(world.root / folder, kept / folder, symlinks=True)
    world.propose("Label both ends of a cable.")
    round_trip(world)
    for folder in ("home", "keys"):
        shutil.rmtree(world.root / folder)
        shutil.copytree(kept / folder, world.root / folder, symlinks=True)
    assert world.run("verify").status == 0, "this machine alone cannot tell"
    world.wait(hours=7)
    world.propose("Count twice.")
    assert round_trip(world) == 4
    assert world.run("verify").status == 4
    world.now = world.now.replace(day=2, hour=3, minute=10)
    assert world.run("night").status == 4


def test_a_witness_that_is_silent_for_a_day_is_told(world: World) -> None:
    round_trip(world)
    assert world.run("verify").status == 0
    world.wait(days=2)
    assert world.run("verify").status == 4
    assert "witness" in world.run("status").text.casefold()
    round_trip(world)
    assert world.run("verify").status == 0


def test_a_line_that_is_not_the_witnesses_counts_for_nothing(world: World) -> None:
    round_trip(world)
    strange = found(world.root / "strange")
    other = ("--dir", str(strange.root / "witness"))
    strange.ok("witness", "keygen", NAME, *other)
    strange.ok("witness", "add", str(world.home / "config/nightledger/policy"), *other)
    world.propose("Label both ends of a cable.")
    world.wait(days=2)
    assert round_trip(world, strange) == 1
    assert world.run("verify").status == 4


ODD_LINES = TABLES["odd_lines"]


def test_what_is_wrong_in_a_policy_is_told_by_line_and_a_long_name_in_part(world: World) -> None:
    lines, before = world.root / "lines", (world.home / LOG).read_bytes()
    for text, told in ODD_LINES.items():
        lines.write_text(f"{text}\n")
        world.tells(
            f"{lines} is not valid: {told} hint: ", "witness", "trust", str(lines), status=1, typed=yes
        )
    assert (world.home / LOG).read_bytes() == before
