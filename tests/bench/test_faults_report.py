"""The table of faults in the threat model: rows of one sweep added up, and what did not hold ends with 1."""

import json
from pathlib import Path

import pytest
from bench.faults_report import BEGIN, DOCUMENT, END, HEAD, main


@pytest.mark.parametrize(
    ("bad", "status"), [({}, 0), ({"failed": 1}, 1), ({"controls": 2, "controls_caught": 1}, 1)]
)
def test_parts_are_added_up_between_the_marks_and_what_did_not_hold_ends_with_1(
    bad: dict[str, int], status: int, tmp_path: Path
) -> None:
    plain = {"sweep": "kills", "points": 1000, "failed": 0, "controls": 0, "controls_caught": 0}
    for name, row in (("a", plain), ("b", {**plain, "points": 200, **bad})):
        (tmp_path / f"{name}.json").write_text(json.dumps(row))
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert main(["--rows", str(tmp_path), "--document", str(page)]) == status
    assert page.read_text().startswith(f"before\n{BEGIN}\n{HEAD}| kills | 1,200 | {bad.get('failed', 0)} | ")
    assert page.read_text().endswith(f"{END}\nafter\n")


def test_the_threat_model_has_the_marks() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
