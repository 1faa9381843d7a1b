"""pin, unpin, forget and hygiene as their operator sees them."""

from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import Desk, make_desk
from tests.gate.memory.test_naming import BACKUPS, ids
from tests.gate.memory.test_pinning import RELAY, marks
from tests.gate.used import add_outcome
from tests.surfaces.console import Console

from nightledger.domain.errors import FileChangedError
from nightledger.gate.memory.naming import find_standing
from nightledger.gate.memory.remembering import read_reinforcements
from nightledger.surfaces.context import Context
from nightledger.surfaces.verbs import forget as forgetting

REFUSED, USAGE = 1, 2


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def active(desk: Desk, hours: int = 330) -> None:
    for _ in range(hours):
        desk.wait(hours=1)
        add_outcome(desk.home, desk.moment.at)


def short(desk: Desk, words: str) -> str:
    return ids(desk)[words][:10]


# ---------------------------------------------------------------- pin, unpin


def test_a_pin_by_the_beginning_of_an_id_counts_at_once_and_is_listed(console: Console) -> None:
    name = ids(console.desk)[BACKUPS]
    said = console.out("pin", name[:8])
    assert lines(said)[:2] == [f"{name[:10]}  MEMORY.md:5", f"    {BACKUPS}"]
    assert "Pinned 1 entry" in said
    assert marks(console.desk)[BACKUPS].pinned
    assert lines(console.out("pin")) == [f"{name[:10]}  MEMORY.md:5", f"    {BACKUPS}", "    pinned"]
    assert console.record("pin") == [
        {"id": name, "path": "MEMORY.md", "pin": True, "tags": [], "tier": "standard"}
    ]
    assert "Unpinned 1 entry." in console.out("unpin", name)
    assert marks(console.desk) == {}


def test_several_are_signed_at_once_and_those_that_are_so_already_are_left_out(console: Console) -> None:
    names = [ids(console.desk)[words] for words in (BACKUPS, RELAY)]
    console.out("pin", names[0])
    record = console.record("pin", *names, names[1])
    assert (record["type"], record["tag"], record["entries"]) == ("pin", "", [names[1]])
    ran = console.run("pin", *names)
    assert (ran.status, "it is so already: pinned" in ran.err) == (USAGE, True)
    ran = console.run("unpin", names[0], "--tag", "self/goal")
    assert (ran.status, "it is so already: pinned" in ran.err) == (USAGE, True)


def test_a_tag_says_how_an_entry_fades(console: Console) -> None:
    name = ids(console.desk)[BACKUPS]
    assert "1 entry tagged self/goal; fades as durable." in console.out("pin", name, "--tag", "self/goal")
    assert lines(console.out("pin"))[-1] == "    self/goal"
    assert "self/goal taken from 1 entry." in console.out("unpin", name, "--tag", "self/goal")
    ran = console.run("unpin", name)
    assert (ran.status, "neither pinned nor tagged" in ran.err) == (USAGE, True)


def test_words_list_what_fits_and_choose_nothing(console: Console) -> None:
    ran = console.run("pin", "backups")
    assert ran.status == USAGE
    assert lines(ran.out) == [f"{short(console.desk, BACKUPS)}  MEMORY.md:5", f"    {BACKUPS}"]
    assert f"hint: name one by its id: nightledger pin {short(console.desk, BACKUPS)}" in ran.err
    assert marks(console.desk) == {}


def console_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: str, **fields: Any) -> Console:
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    return Console(desk=make_desk(tmp_path, memory=memory.encode(), **fields))


def test_an_entry_that_is_gone_is_listed_and_can_be_unpinned(console: Console) -> None:
    name = ids(console.desk)[BACKUPS]
    console.out("pin", name)
    console.desk.edit(console.desk.memory.read_bytes().replace(f"{BACKUPS}\n".encode(), b""))
    assert lines(console.out("pin"))[0] == f"{name[:10]}  stands in no file any more"
    assert console.record("pin")[0]["path"] is None
    assert "Unpinned 1 entry." in console.out("unpin", name[:9])
    assert console.record("pin") == []


# ---------------------------------------------------------------- forget


def test_what_is_pinned_is_not_forgotten(console: Console) -> None:
    console.out("pin", ids(console.desk)[BACKUPS])
    ran = console.run("forget", short(console.desk, BACKUPS))
    assert ran.status == REFUSED
    assert f"nightledger pin --off {short(console.desk, BACKUPS)}" in ran.err


def test_without_a_terminal_a_key_with_a_passphrase_leaves_it_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    console = console_of(tmp_path, monkeypatch, f"# M\n\n{BACKUPS}\n", passphrase=b"correct horse")
    record = console.record("forget", short(console.desk, BACKUPS))
    assert record["decision"] is None
    assert [item["id"] for item in console.record("proposals")] == [record["proposal"]]


def test_what_was_changed_while_it_was_shown_is_not_forgotten(console: Console) -> None:
    desk = console.desk
    placed = find_standing(desk.home, desk.ledger().book).entries[ids(desk)[BACKUPS]]
    desk.edit(desk.memory.read_bytes().replace(b"30 days.", b"60 days."))
    context = Context(verb="forget", home=desk.home.root, now_text=desk.moment.at.isoformat(), json=False)
    with pytest.raises(FileChangedError, match="was changed meanwhile"):
        forgetting._propose(context, placed, "another text of its section")
    assert console.record("proposals") == []


def test_on_a_terminal_forget_asks_first(console: Console) -> None:
    ran = console.run("forget", short(console.desk, BACKUPS), typed=["n"])
    assert (ran.status, "nothing was proposed" in ran.err) == (REFUSED, True)
    said = console.out("forget", short(console.desk, BACKUPS), typed=["y"])
    assert "Signed." in said


def test_an_entry_that_holds_a_secret_cannot_be_copied_into_a_proposal_but_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    console = console_of(tmp_path, monkeypatch, f"# M\n\n- The token is {token}\n- Other.\n")
    ran = console.run("forget", "Other")
    name = next(name for words, name in ids(console.desk).items() if token in words)
    ran = console.run("forget", name)
    assert token not in ran.out + ran.err
    assert ran.status == 0


# ---------------------------------------------------------------- hygiene


def test_on_a_terminal_each_is_asked_and_the_default_is_to_leave_it(console: Console) -> None:
    active(console.desk)
    said = console.out("hygiene", typed=[""])
    assert "(2 left) >" in said
    assert "2 left pending, as they are." in said
    assert console.record("proposals", "--all") == []


def test_yes_archives_no_shows_mercy(console: Console) -> None:
    active(console.desk)
    said = console.out("hygiene", typed=["x", "y", "n"])
    assert "Kept 1 for now: counted as made anew." in said
    assert "Signed 1 change(s)." in said
    (line,) = read_reinforcements(console.desk.home)
    assert line.ids == (ids(console.desk)[RELAY],)
    assert len(console.record("proposals")) == 1
    assert "1 active, 0 immune, 1 pending" in console.out("hygiene")


def test_one_answer_for_all_that_are_left(console: Console) -> None:
    active(console.desk)
    assert "Kept 2 for now" in console.out("hygiene", typed=["N"])
    assert "2 active" in console.out("hygiene")
    active(console.desk)
    assert "Signed" in console.out("hygiene", typed=["Y"])


def test_the_published_policy_judges_where_it_is_asked_for(console: Console) -> None:
    name = ids(console.desk)[RELAY]
    active(console.desk)
    for n in range(9):
        add_outcome(console.desk.home, console.desk.moment.at, name, session=str(n), outcome="failure")
    assert console.record("hygiene")["pending"] == 2
    assert console.record("hygiene", "--policy", "classic")["pending"] == 1
    assert console.out("hygiene", "--policy", "classic").startswith("2 entries: 1 active")


def test_what_is_odd_is_named_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dated = "".join(f"\n- DECISION: number {n}\n- DATE: 2026-02-3{n}\n" for n in range(5))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "USER.md").write_text(f"# M\n\n{BACKUPS}\n")
    memory = f"# M\n\n{BACKUPS}\n{dated}"
    console = console_of(tmp_path, monkeypatch, memory, gated=("MEMORY.md", "USER.md"))
    Path(console.desk.home.outcomes).write_text("no record\n")
    console.desk.wait(hours=-2)
    add_outcome(console.desk.home, console.desk.moment.at)
    console.desk.wait(hours=-5)
    said = " ".join(console.out("hygiene").split())
    assert "! 1 active hour(s) lie ahead of the clock" in said
    assert "! 1 line(s) of outcomes or exposures are no records" in said
    assert "An impossible DATE, which counts for nothing, stands in e-" in said
    assert "The same stands in two files: 1 entry got an id of their own." in said
    assert "7 entries without a date" in said
