from pathlib import Path

from tests.jobs.nights import SECRET
from tests.surfaces.calling import Caller

SAME = "- Backups of the ledger are kept for 30 days on atlas."
DOUBTFUL = f"# MEMORY.md\n\n## Decisions\n\n{SAME}\n{SAME}\n- The relay listens on port 8443.\n- relay token {SECRET}\n"


def test_doubts_are_shown_with_their_lines_and_proposed(caller: Caller) -> None:
    caller.desk.memory.write_text(DOUBTFUL)
    text = caller.text("check")
    assert "2 doubtful items: 1 secret, 1 duplicate." in text
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
