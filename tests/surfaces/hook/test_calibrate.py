import json
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.hook.indexed import index, make_indexed

from nightledger.domain.errors import MissingFileError, UsageError
from nightledger.files.home import Home
from nightledger.surfaces.context import Context
from nightledger.surfaces.hook.calibrate import calibrate

SENSOR = "which unit does the greenhouse sensor report for its thresholds?"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = make_indexed(tmp_path / "home")
    index(home, filler=200)
    return home


def context(home: Home, *, as_json: bool = False) -> Context:
    return Context(verb="hook", home=home.root, now_text=None, json=as_json)


def run(
    home: Home, capsys: pytest.CaptureFixture[str], labels: Path | None = None, alarms: float = 1.0
) -> Any:
    capsys.readouterr()
    assert calibrate(context(home, as_json=True), labels=str(labels) if labels else None, alarms=alarms) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_without_labels_the_home_s_own_words_tell_the_least(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    record = run(home, capsys)
    assert record["measured_on"] == "prompts about nothing"
    assert record["relevance"] == max(6.5, record["measured"])
    assert record["rows"][0]["unanswerable"] == 1000
    assert run(home, capsys) == record
    assert calibrate(context(home), labels=None, alarms=1.0) == 0
    text = capsys.readouterr().out
    assert (
        'Advised: 6.5, in config/nightledger/staging-rules.json:\n{"prompt_hook": {"relevance": 6.5}}' in text
    )
    assert "--labels FILE tells more" in text


def test_labels_tell_what_each_threshold_costs(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = tmp_path / "labels.jsonl"
    lines = [
        {"prompt": SENSOR, "answers": [{"path": "MEMORY.md", "lines": [4, 4]}]},
        {"prompt": "greenhouse", "earlier": ["hello"], "answers": []},
        {"prompt": "run the tests", "answers": []},
    ]
    labels.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    record = run(home, capsys, labels, alarms=0)
    assert record["relevance"] == record["measured"] > 1
    row = next(row for row in record["rows"] if row["relevance"] == record["relevance"])
    assert (row["precision"], row["helped"], row["alarms"], row["unanswerable"]) == (1.0, 1.0, 0.0, 2)
    assert calibrate(context(home), labels=str(labels), alarms=0) == 0
    text = capsys.readouterr().out
    assert "100%" in text
    assert "--labels" not in text


def test_labels_that_no_threshold_satisfies_are_told(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = tmp_path / "labels.jsonl"
    prompt = "greenhouse sensor reports fahrenheit convert before comparing thresholds"
    labels.write_text(json.dumps({"prompt": prompt, "answers": []}))
    assert run(home, capsys, labels)["relevance"] is None
    assert calibrate(context(home), labels=str(labels), alarms=1.0) == 0
    assert "the labels may be wrong" in capsys.readouterr().out


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"prompt": "x"}',
        '{"prompt": "x", "answers": [{}]}',
        '{"answers": []}',
        '{"prompt": "x", "answers": [{"path": "a", "lines": []}]}',
        '{"prompt": "x", "answers": 3}',
        '{"prompt": "x", "answers": [{"path": "a", "lines": [1e999]}]}',
    ],
)
def test_a_line_that_is_no_label_is_named(home: Home, tmp_path: Path, line: str) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text(f'{{"prompt": "a", "answers": []}}\n{line}\n')
    with pytest.raises(UsageError, match=":2 is no label"):
        calibrate(context(home), labels=str(labels), alarms=1.0)


def test_what_cannot_tell_anything_is_an_error(home: Home, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text(json.dumps({"prompt": SENSOR, "answers": [{"path": "MEMORY.md", "lines": [4]}]}))
    with pytest.raises(UsageError, match="when to stay silent"):
        calibrate(context(home), labels=str(labels), alarms=1.0)
    with pytest.raises(UsageError, match="no percentage"):
        calibrate(context(home), labels=None, alarms=101)
    Path(home.search_dir, "index.db").unlink()
    with pytest.raises(MissingFileError):
        calibrate(context(home), labels=None, alarms=1.0)
