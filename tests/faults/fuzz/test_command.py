"""The program of ``make fuzz``: what it reads out of libFuzzer, what it keeps, and that it says when it cannot run."""

import importlib.util
import json
from pathlib import Path

import pytest
from tests.faults.fuzz import command
from tests.faults.fuzz.guided import Findings, escaped
from tests.faults.fuzz.packages import PACKAGES
from tests.faults.fuzz.planted import with_escape
from tests.faults.fuzz.table import TARGETS

OUTPUT = """\
INFO: Seed: 3
#10\tINITED cov: 80 ft: 163 corp: 8/7559b exec/s: 0 rss: 78Mb
#16\tNEW    cov: 81 ft: 164 corp: 9/11356b lim: 4096 exec/s: 0 rss: 78Mb L: 3797/4096 MS: 1 CrossOver-
PLANTED damage
#4096\tpulse  cov: 95 ft: 717 corp: 40/12b lim: 4096 exec/s: 2048 rss: 80Mb
"""


def test_what_was_run_and_covered_is_read_from_the_last_lines() -> None:
    whole = command.read_output(OUTPUT + "Done 5000 runs in 2 second(s)\n", 0)
    assert whole == command.Searched(runs=5000, edges=95, features=717, aborted=False)


def test_a_process_that_ended_by_itself_counts_what_it_had_run() -> None:
    assert command.read_output(OUTPUT, 70) == command.Searched(
        runs=4096, edges=95, features=717, aborted=True
    )
    assert command.read_output("", -9) == command.Searched(runs=0, edges=0, features=0, aborted=True)


def test_one_input_is_kept_for_each_kind_of_finding_and_it_is_the_shortest(tmp_path: Path) -> None:
    findings = Findings(tmp_path)
    for raw in (b"long", b"s", b"longer"):
        error = escaped(with_escape(TARGETS["json"], lambda _: True), raw)
        assert error is not None
        findings.keep(raw, error)
    (kept,) = [path for path in tmp_path.iterdir() if not path.suffix]
    assert kept.read_bytes() == b"s"
    told = json.loads(kept.with_suffix(".json").read_text())
    assert told["kind"].startswith("PlantedError at planted.py:")
    assert "raise PlantedError(target.name)" in told["trace"]


def test_without_atheris_it_says_so_and_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert command.main(["--work", str(tmp_path / "fuzz")]) == 0
    told = capsys.readouterr().out
    assert told.startswith("skipped: atheris is not installed")
    assert "pip install" in told
    assert not (tmp_path / "fuzz").exists()


def test_packages_are_named_for_targets_that_exist() -> None:
    assert PACKAGES.keys() <= TARGETS.keys()
