from pathlib import Path

import pytest
from tests.surfaces.console import Console

from nightledger.surfaces.context import CHECKOUT
from nightledger.surfaces.verbs.schedule import Place, cron_text, unit_files


def test_the_cron_lines_and_units_to_remove_are_printed_as_they_stand(
    console: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "crontab"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    nothing = console.text("leave")
    assert "No schedule of ours was found" in nothing
    assert "Without an answer" not in nothing
    place = Place(checkout=CHECKOUT, home=console.home.root, keys_dir=str(console.desk.ring.directory))
    (tmp_path / "table").write_text(cron_text(place))
    program.write_text(f'#!/bin/sh\ncat "{tmp_path}/table"\n')
    program.chmod(0o700)
    unit = tmp_path / next(iter(unit_files(place, "systemd")))
    unit.parent.mkdir(parents=True)
    unit.write_text("")
    record = console.record("leave")
    assert record["cron"] == [line for line in cron_text(place).splitlines() if "python" in line]
    assert record["units"] == [str(unit)]
    text = console.text("leave")
    assert "Take these lines out with 'crontab -e'" in text
    assert "Stop and delete these" in text
