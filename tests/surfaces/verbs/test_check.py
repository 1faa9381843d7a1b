import json
import os
from pathlib import Path

import pytest
from tests.jobs.nights import SECRET
from tests.surfaces.calling import Caller, make_caller

from nightledger.domain.errors import MissingFileError, RefusedError, UnreadableError
from nightledger.surfaces.screen import columns

SAME = "- Backups of the ledger are kept for 30 days on atlas."
DOUBTFUL = f"# MEMORY.md\n\n## Decisions\n\n{SAME}\n{SAME}\n- The relay listens on port 8443.\n- relay token {SECRET}\n"


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    return make_caller(tmp_path, monkeypatch, capsys)


def test_a_file_without_doubts_is_said_so(caller: Caller) -> None:
    lines = caller.lines("check")
    assert lines[-1] == "Nothing in it looks doubtful."
    assert lines[0].startswith("MEMORY.md: ")
    assert "suggestions" not in lines[0]


def test_doubts_are_shown_with_their_lines_and_proposed(caller: Caller) -> None:
    caller.desk.memory.write_text(DOUBTFUL)
    text = caller.text("check")
    assert "2 doubtful item(s): 1 secret, 1 duplicate." in text
    assert "MEMORY.md:8 secret" in text
    assert SECRET not in text
    assert "Proposed as p-" in text
    assert len(list(Path(caller.home.proposals_dir).glob("p-*"))) == 1
    again = caller.text("check")
    assert "All of it was proposed before: 'nightledger proposals --all'." in again


def test_each_doubt_shows_how_its_item_opens_but_never_a_secret(caller: Caller) -> None:
    caller.desk.memory.write_text(DOUBTFUL)
    lines = caller.lines("check", "--dry-run")
    (duplicate,) = [n for n, line in enumerate(lines) if " duplicate (" in line]
    assert lines[duplicate + 1] == f"      | {SAME}"
    (secret,) = [n for n, line in enumerate(lines) if " secret (" in line]
    assert not any("relay token" in line for line in lines[secret:duplicate])


def test_a_dry_run_proposes_nothing_and_writes_nothing(caller: Caller) -> None:
    caller.desk.memory.write_text(DOUBTFUL)
    events = caller.desk.events()
    views = Path(caller.home.entries).exists()
    text = caller.text("check", "--dry-run")
    assert "2 doubtful item(s)" in text
    assert "Proposed as" not in text
    assert caller.desk.events() == events
    assert Path(caller.home.entries).exists() is views
    assert list(Path(caller.home.proposals_dir).glob("p-*")) == []


def test_the_record_holds_every_doubt_and_no_secret(caller: Caller) -> None:
    caller.desk.memory.write_text(DOUBTFUL)
    record = caller.record("check")
    assert record["path"] == "MEMORY.md"
    assert sorted(doubt["label"] for doubt in record["doubts"]) == ["duplicate", "secret"]
    assert record["proposal"].startswith("p-")
    assert record["meter"]["before_characters"] == len(DOUBTFUL)
    assert SECRET not in json.dumps(record)


def many(count: int) -> str:
    topics = [
        f"- Host node{n} keeps {n} copies of shelf {n}{n} on drive {n}00.\n" for n in range(1, count + 1)
    ]
    return "# M\n\n## Facts\n\n" + "".join(topics * 2)


def test_ten_doubts_are_shown_and_the_rest_counted(caller: Caller) -> None:
    caller.desk.memory.write_text(many(15))
    shown = [line for line in caller.lines("check", "--dry-run") if line.startswith("  MEMORY.md:")]
    assert len(shown) == 10
    assert "15 doubtful item(s): 15 duplicate; the surest 10 (--all shows all)." in caller.text(
        "check", "--dry-run"
    )
    every = caller.lines("check", "--dry-run", "--all")
    assert len([line for line in every if line.startswith("  MEMORY.md:")]) == 15
    assert "the surest" not in " ".join(every)


def test_only_a_gated_file_of_the_home_is_checked_by_name(caller: Caller) -> None:
    assert caller.run("check", "MEMORY.md") == 0
    with pytest.raises(RefusedError, match=r"AGENTS\.md is not a gated file of this home"):
        caller.run("check", "AGENTS.md")


def test_any_file_can_be_looked_at_and_nothing_is_proposed(caller: Caller, tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_bytes(DOUBTFUL.encode() + b"- caf\xe9\n")
    text = caller.text("check", "--file", str(file))
    assert "doubtful item(s)" in text
    assert "Proposed" not in text
    assert SECRET not in text
    assert list(Path(caller.home.proposals_dir).glob("p-*")) == []


def test_a_file_that_is_missing_or_none_is_an_error_with_its_name(caller: Caller, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"nothing\.md is missing"):
        caller.run("check", "--file", str(tmp_path / "nothing.md"))
    os.mkfifo(tmp_path / "fifo.md")
    with pytest.raises(UnreadableError, match="is a FIFO"):
        caller.run("check", "--file", str(tmp_path / "fifo.md"))


def test_no_line_of_it_is_wider_than_a_narrow_terminal(caller: Caller) -> None:
    caller.desk.memory.write_text(DOUBTFUL)
    assert max(map(columns, caller.lines("check"))) <= 80
