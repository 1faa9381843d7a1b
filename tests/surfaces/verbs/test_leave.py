from pathlib import Path

import pytest
from tests.surfaces.calling import Caller, make_caller

from nightledger.surfaces.context import CHECKOUT
from nightledger.surfaces.verbs.schedule import Place, cron_text, unit_files


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    return make_caller(tmp_path, monkeypatch, capsys)


def test_the_cron_lines_and_units_to_remove_are_printed_as_they_stand(caller: Caller) -> None:
    nothing = caller.text("leave")
    assert "No schedule of ours was found" in nothing
    assert "Without an answer" not in nothing
    place = Place(checkout=CHECKOUT, home=caller.home.root, keys_dir=str(caller.root / "keys"))
    (caller.root / "bin" / "table").write_text(cron_text(place))
    program = caller.root / "bin" / "crontab"
    program.write_text(f'#!/bin/sh\ncat "{caller.root}/bin/table"\n')
    program.chmod(0o700)
    unit = caller.root / next(iter(unit_files(place, "systemd")))
    unit.parent.mkdir(parents=True)
    unit.write_text("")
    record = caller.record("leave")
    assert record["cron"] == [line for line in cron_text(place).splitlines() if "python" in line]
    assert record["units"] == [str(unit)]
    text = caller.text("leave")
    assert "Take these lines out with 'crontab -e'" in text
    assert "Stop and delete these" in text
