import json
from pathlib import Path

import pytest
from bench.faults_report import BEGIN, DOCUMENT, END, HEAD, Row, add_up, main, put_in, table

KILLS = Row(sweep="kills", points=1200, controls=2, controls_caught=2)


def keep(folder: Path, name: str, **fields: object) -> None:
    folder.mkdir(exist_ok=True)
    row = {"failed": 0, "controls": 0, "controls_caught": 0, **fields}
    (folder / f"{name}.json").write_text(json.dumps(row))


def document(folder: Path) -> Path:
    path = folder / "model.md"
    path.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    return path


def test_parts_of_one_sweep_are_added_up() -> None:
    parts = [
        Row(sweep="kills", points=1000, controls=1, controls_caught=1),
        Row(sweep="errors", points=7),
        Row(sweep="kills", points=200, controls=1, controls_caught=1),
    ]
    assert add_up(parts) == (Row(sweep="errors", points=7), KILLS)


def test_the_table_says_how_many_planted_faults_were_found_where_some_were() -> None:
    assert table([KILLS, Row(sweep="errors", points=7)]) == (
        f"{HEAD}| kills | 1,200 | 0 | 2 of 2 |\n| errors | 7 | 0 |  |\n"
    )


def test_only_what_stands_between_the_marks_is_replaced(tmp_path: Path) -> None:
    keep(tmp_path / "rows", "a", sweep="kills", points=3)
    path = document(tmp_path)
    assert main(["--rows", str(tmp_path / "rows"), "--document", str(path)]) == 0
    assert path.read_text() == f"before\n{BEGIN}\n{HEAD}| kills | 3 | 0 |  |\n{END}\nafter\n"


@pytest.mark.parametrize("bad", [{"failed": 1}, {"controls": 2, "controls_caught": 1}])
def test_what_did_not_hold_ends_with_1(bad: dict[str, int], tmp_path: Path) -> None:
    keep(tmp_path / "rows", "a", sweep="kills", points=3, **bad)
    assert main(["--rows", str(tmp_path / "rows"), "--document", str(document(tmp_path))]) == 1


def test_without_rows_the_document_stays_and_the_next_step_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = document(tmp_path)
    assert main(["--rows", str(tmp_path / "rows"), "--document", str(path)]) == 1
    assert "hint: make test-faults" in capsys.readouterr().err
    assert "old" in path.read_text()


def test_a_document_without_marks_is_left_alone() -> None:
    with pytest.raises(ValueError, match="not in the document"):
        put_in("text", "table")


def test_the_threat_model_has_the_marks() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
