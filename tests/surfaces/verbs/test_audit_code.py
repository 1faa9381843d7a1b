from pathlib import Path

import pytest

from nightledger.surfaces.cli import main


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["audit-code", *words])
    shown = capsys.readouterr()
    return status, shown.out, shown.err


def test_a_finding_is_told_with_its_place_rule_and_severity(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.py"
    path.write_text("import json\nimport os; os.system('id')")
    assert run(capsys, str(path))[:2] == (
        1,
        (
            f"{path}:2: high code.process: starts another program, or becomes one (os.system)\n"
            "1 snippet, 0 clean; 1 finding.\n"
        ),
    )
    path.write_text("import os\nprint(os.getcwd())")
    assert run(capsys, str(path))[:2] == (
        0,
        (
            "1 snippet, 1 clean; no findings.\n"
            "No harm here: 1 use of what the published list denies (--json has each).\n"
        ),
    )


def test_several_files_are_audited_each_under_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script, notes = tmp_path / "a.py", tmp_path / "b.md"
    job = tmp_path / "d.sh"
    job.write_text("ls\n")
    script.write_text("x = 1\n")
    notes.write_text("# Notes\n\n```python\neval('1')\n```\n")
    status, out, _ = run(capsys, str(script), str(notes), str(job))
    assert status == 1
    assert f"{notes}:4: high code.run" in out
    assert "3 snippets, 1 clean; 2 findings." in out
    notes.write_text("Only words.\n")
    assert run(capsys, str(notes))[:2] == (0, "No code in it: nothing to audit.\n")
