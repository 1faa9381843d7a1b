from pathlib import Path

from tests.jobs.nights import SECRET
from tests.surfaces.calling import Caller

SAME = "- Backups of the ledger are kept for 30 days on atlas."
DOUBTFUL = f"# MEMORY.md\n\n## Decisions\n\n{SAME}\n{SAME}\n- The relay listens on port 8443.\n- relay token {SECRET}\n"


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
