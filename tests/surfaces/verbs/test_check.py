from pathlib import Path

from tests.jobs.nights import SECRET
from tests.surfaces.console import Console

SAME = "- Backups of the ledger are kept for 30 days on atlas."
DOUBTFUL = f"# MEMORY.md\n\n## Decisions\n\n{SAME}\n{SAME}\n- The relay listens on port 8443.\n- relay token {SECRET}\n"


def test_doubts_are_shown_with_their_lines_and_how_they_open_and_proposed_but_never_a_secret(
    console: Console,
) -> None:
    console.desk.memory.write_text(DOUBTFUL)
    lines = console.out("check", "--dry-run").splitlines()
    (duplicate,) = [n for n, line in enumerate(lines) if " duplicate (" in line]
    assert lines[duplicate + 1] == f"      | {SAME}"
    (secret,) = [n for n, line in enumerate(lines) if " secret (" in line]
    assert not any("relay token" in line for line in lines[secret:duplicate])
    text = console.text("check")
    assert "2 doubtful items: 1 secret, 1 duplicate." in text
    assert "MEMORY.md:8 secret" in text
    assert SECRET not in text
    assert "Proposed as p-" in text
    assert len(list(Path(console.home.proposals_dir).glob("p-*"))) == 1
    assert "All of it was proposed before: 'nightledger proposals --all'." in console.text("check")


def test_a_finding_in_code_is_told_with_its_place_rule_and_severity(console: Console) -> None:
    root = console.desk.root
    script, notes, job = root / "a.py", root / "b.md", root / "d.sh"
    script.write_text("import json\nimport os; os.system('id')")
    found = f"{script}:2: high code.process: starts another program, or becomes one (os.system)\n"
    ran = console.run("audit-code", str(script))
    assert (ran.status, ran.out) == (1, f"{found}1 snippet, 0 clean; 1 finding.\n")
    script.write_text("import os\nprint(os.getcwd())")
    assert console.out("audit-code", str(script)) == (
        "1 snippet, 1 clean; no findings.\n"
        "No harm here: 1 use of what the published list denies (--json has each).\n"
    )
    job.write_text("ls\n")
    notes.write_text("# Notes\n\n```python\neval('1')\n```\n")
    ran = console.run("audit-code", str(script), str(notes), str(job))
    assert ran.status == 1
    assert f"{notes}:4: high code.run" in ran.out
    assert "3 snippets, 1 clean; 2 findings." in ran.out
    notes.write_text("Only words.\n")
    assert console.out("audit-code", str(notes)) == "No code in it: nothing to audit.\n"
