import json
from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import addition
from tests.gate.principled import seed
from tests.linking import lines, outcome
from tests.surfaces.console import Console

from nightledger.domain.constitution import FOUNDING
from nightledger.domain.frames import Frame
from nightledger.gate.memory.recalling import recollect

SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
RESTART = "Restart the relay after an upgrade."
SUBJECTS = ("relay", "backup", "garden", "mail", "invoice", "printer", "train", "recipe", "tunnel", "clock")
VERBS = ("mend", "move", "plan", "doubt", "learn", "measure", "rest", "rework", "write", "undo")


@pytest.fixture
def seeded(console: Console) -> Console:
    seed(console.desk)
    return console


def frame(console: Console, name: str, *query: str) -> Any:
    return console.record("recall", "--frame", name, *query)


def ids(record: Any) -> list[str]:
    return [one["id"] for one in record["shown"]]


def texts(record: Any) -> str:
    return "\n".join(one["text"] for one in record["shown"])


def test_task_shows_what_fits_the_query_first(seeded: Console) -> None:
    record = frame(seeded, "TASK", "upgrade of the relay")
    best, principle, _ = record["shown"]
    assert principle["kind"] == "principle"
    assert best["text"] == f"- {RESTART}"
    assert (best["path"], best["section"]) == ("MEMORY.md", ["MEMORY.md", "Lessons"])
    assert best["measures"]["similarity"] > 0.8
    assert (record["frame"], record["budget_tokens"], record["places"]) == ("TASK", 800, 5)
    assert record["withheld"] == {"unsigned": 0, "quarantined": 0, "forgotten": 0}


def test_self_is_about_what_is_tagged_and_says_how_much_is_not(seeded: Console) -> None:
    record = frame(seeded, "self")
    assert [one["kind"] for one in record["shown"]] == ["principle", "principle"]
    assert record["outside"] == 2
    assert [one["why"] for one in record["dropped"]] == ["over_cap"] * 8
    out = seeded.out("recall", "--frame", "SELF")
    assert "SELF: 2 of 5 places" in out
    assert "of 600 tokens" in out
    assert "Left out: 8 principles over their cap; 2 without a tag of self/." in " ".join(out.split())


@pytest.mark.slow
def test_ten_principles_never_take_more_than_two_of_five_places_for_200_queries(seeded: Console) -> None:
    desk, ledger = seeded.desk, seeded.desk.ledger()
    seen: set[str] = set()
    for subject in SUBJECTS:
        for verb in VERBS:
            for query in (f"how do I {verb} the {subject}", f"{subject} {verb} {subject}s honestly"):
                chosen = recollect(desk.gate, ledger, Frame.SELF, query, desk.moment).chosen
                principles = [one.candidate.id for one in chosen.shown if one.candidate.principle]
                assert len(principles) == 2
                seen |= set(principles)
    assert len(seen) > 4, "always the same few"  # those that a query is about; the others take turns by time
    assert seen <= {f"constitution#{name}" for name in FOUNDING}


def test_which_principles_are_sure_of_a_place_depends_on_the_query(seeded: Console) -> None:
    assert "constitution#care" in ids(frame(seeded, "SELF", "leave people in better health"))
    assert "constitution#balance" in ids(frame(seeded, "SELF", "rhythm of effort and rest"))


def test_a_home_without_a_constitution_recalls_its_entries(console: Console) -> None:
    assert {one["kind"] for one in frame(console, "ATTENTION", "backups")["shown"]} == {"entry"}
    record = frame(console, "SELF")
    assert (record["shown"], record["outside"]) == ([], 2)


def test_what_was_signed_since_is_as_sure_as_its_proposal_said(console: Console) -> None:
    console.desk.applied(addition("Call restic by its full path."))
    found = {one["text"]: one["measures"] for one in frame(console, "TASK", "restic path")["shown"]}
    assert found["- Call restic by its full path."]["confidence"] == 0.5
    assert found["- Call restic by its full path."]["similarity"] == 1.0


# ---------------------------------------------------------------- what is withheld


def test_unsigned_text_is_left_out_and_counted(seeded: Console) -> None:
    memory = seeded.desk.memory
    memory.write_text(memory.read_text().replace(RESTART, "Never restart the relay."), encoding="utf-8")
    record = frame(seeded, "TASK", "restart the relay")
    assert record["withheld"]["unsigned"] == 1
    assert "Never restart" not in texts(record)
    assert RESTART not in texts(record)
    assert "Keep backups" in texts(record)
    out = " ".join(seeded.out("recall", "--frame", "TASK", "restart the relay").split())
    assert "Withheld: 1 not signed (changed outside the gate)." in out


def test_a_line_added_outside_the_gate_is_left_out_until_it_is_settled(seeded: Console) -> None:
    desk = seeded.desk
    desk.memory.write_text(f"{desk.text()}\n- The relay wants a rest on Sundays.\n", encoding="utf-8")
    assert frame(seeded, "TASK", "relay")["withheld"]["unsigned"] == 1
    desk.guard()
    assert frame(seeded, "TASK", "relay")["withheld"]["unsigned"] == 1
    desk.settle(keep=[1])
    record = frame(seeded, "TASK", "relay sundays")
    assert record["withheld"]["unsigned"] == 0
    assert "Sundays" in texts(record)


def test_what_scanners_hold_back_is_left_out_and_something_else_comes_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.gate.homes import make_desk

    hidden = "- The relay key is old.\u2066 \u2069\n"
    text = (
        "# MEMORY.md\n\n## Lessons\n\n" + hidden + "".join(f"- The relay has port {n}.\n" for n in range(6))
    )
    console = Console(desk=make_desk(tmp_path, memory=text.encode()))
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    record = frame(console, "TASK", "relay key is old")
    assert record["withheld"] == {"unsigned": 0, "quarantined": 1, "forgotten": 0}
    assert len(record["shown"]) == 5
    assert "key is old" not in texts(record)
    assert "1 held by scanners" in console.out("recall", "--frame", "TASK", "relay key is old")


def test_a_secret_is_masked_in_both_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.gate.homes import make_desk

    text = f"# MEMORY.md\n\n- The deploy token is {SECRET}, ask first.\n"
    console = Console(desk=make_desk(tmp_path, memory=text.encode()))
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    both = console.out("recall", "--frame", "TASK", "token") + json.dumps(frame(console, "TASK", "token"))
    assert both.count("masked: 40 bytes") == 2
    assert SECRET not in both


def test_an_amended_file_on_disk_changes_nothing_of_what_is_recalled(seeded: Console) -> None:
    before = frame(seeded, "SELF", "leave people in better health")
    path = Path(seeded.desk.home.constitution)
    path.write_bytes(path.read_bytes().replace(b"better health", b"more debt"))
    assert frame(seeded, "SELF", "leave people in better health") == before
    assert seeded.run("verify").status == 4
    path.unlink()
    assert frame(seeded, "SELF", "leave people in better health") == before


# ---------------------------------------------------------------- measures


def use(console: Console, name: str, result: str, sessions: range) -> None:
    path = Path(console.desk.home.outcomes)
    at = f"{console.desk.moment.at:%Y-%m-%dT%H:%M:%SZ}"
    records = [
        outcome(f"{name}{n}", session=f"s{n}", outcome=result, shown=[name], received_at=at, timestamp=at)
        for n in sessions
    ]
    with path.open("ab") as stream:
        stream.write(lines(records))


def test_outcomes_make_an_entry_surer_or_less_sure(seeded: Console) -> None:
    entries = {one["text"]: one["id"] for one in frame(seeded, "TASK")["shown"] if one["kind"] == "entry"}
    use(seeded, entries[f"- {RESTART}"], "success", range(6))
    use(seeded, entries["- Keep backups for 30 days."], "failure", range(6, 12))
    found = {one["text"]: one["measures"]["confidence"] for one in frame(seeded, "TASK")["shown"]}
    assert found[f"- {RESTART}"] == 0.875
    assert found["- Keep backups for 30 days."] == 0.125


def test_links_make_an_entry_central(seeded: Console) -> None:
    Path(seeded.desk.home.outcomes).write_bytes(
        lines(outcome(n, ["relay", "upgrade"], session=f"s{n}") for n in range(3))
    )
    seeded.out("link")
    found = {one["text"]: one["measures"]["centrality"] for one in frame(seeded, "TASK")["shown"]}
    assert found[f"- {RESTART}"] == 1.0
    assert found["- Keep backups for 30 days."] == 0.0


def test_a_damaged_link_index_makes_nothing_central_and_is_no_error(seeded: Console) -> None:
    Path(seeded.desk.home.outcomes).write_bytes(lines([outcome(1)]))
    seeded.out("link")
    Path(seeded.desk.home.link_index_dir, "links.db").write_bytes(b"nonsense\n")
    assert {one["measures"]["centrality"] for one in frame(seeded, "TASK")["shown"]} == {0.0}


# ---------------------------------------------------------------- calls


def test_recalling_writes_nothing(seeded: Console) -> None:
    root = Path(seeded.desk.home.root)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    for of in Frame:
        seeded.out("recall", "--frame", of.name, "relay")
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_a_home_sets_its_own_weights_places_and_budgets(seeded: Console) -> None:
    own = Path(seeded.desk.home.settings)
    own.write_text("frames: {self: {guaranteed: 1, most_principles: 1, tokens: 300}}\n", encoding="utf-8")
    record = frame(seeded, "SELF")
    assert (len(record["shown"]), record["budget_tokens"]) == (1, 300)
    own.write_text("frames: {self: {similarity: 90}}\n", encoding="utf-8")
    ran = seeded.run("recall", "--frame", "SELF")
    assert (ran.status, "frames.self: the five weights add up to 180" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "say what to look for: a query, --tags or --frame"),
        (("--tags", "cron", "--frame", "SELF"), "--tags does not go with --frame"),
        (("--frame", "DREAM"), "invalid choice"),
    ],
)
def test_what_does_not_go_together_is_refused(seeded: Console, words: tuple[str, ...], said: str) -> None:
    try:
        err = seeded.run("recall", *words).err
    except SystemExit:
        return
    assert said in err
