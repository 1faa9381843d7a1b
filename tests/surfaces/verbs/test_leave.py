from pathlib import Path

import pytest
from tests.gate.homes import addition
from tests.surfaces.calling import Caller, make_caller

from nightledger.domain.event import EventName
from nightledger.gate.proposing.views import refresh_views
from nightledger.surfaces.context import CHECKOUT
from nightledger.surfaces.unattended import Place, cron_text, systemd_files


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    return make_caller(tmp_path, monkeypatch, capsys)


def files_of(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_without_yes_it_says_what_it_would_do_and_does_nothing(caller: Caller) -> None:
    refresh_views(caller.desk.gate, caller.desk.ledger())
    before = files_of(caller.root)
    text = caller.text("leave")
    assert "would change none of your files" in text
    assert "Would remove, disposable: memory/state/tc-consolidate-pending.json" in text
    assert text.endswith("Nothing was changed. To do it: nightledger leave --yes")
    assert files_of(caller.root) == before


def test_leaving_keeps_memory_and_record_and_signs_a_last_head(caller: Caller) -> None:
    caller.desk.applied(addition("Use the blue switch."))
    memory = caller.desk.memory.read_bytes()
    record = caller.record("leave", "--yes")
    assert record["left"]
    assert record["removed"][-1] == ".nightledger"
    assert caller.record("leave")["would_remove"] == []
    assert caller.desk.memory.read_bytes() == memory
    assert caller.run("verify") == 0
    events = caller.desk.ledger().log.events
    assert events[-1].event == EventName.LEFT
    assert Path(caller.home.checkpoints_dir, str(len(events))).is_file()
    assert not Path(caller.home.work_dir).exists()


def test_the_cron_lines_and_units_to_remove_are_printed_as_they_stand(caller: Caller) -> None:
    assert "No schedule of ours was found" in caller.text("leave")
    place = Place(checkout=CHECKOUT, home=caller.home.root, keys_dir=str(caller.root / "keys"))
    (caller.root / "bin" / "table").write_text(cron_text(place))
    program = caller.root / "bin" / "crontab"
    program.write_text(f'#!/bin/sh\ncat "{caller.root}/bin/table"\n')
    program.chmod(0o700)
    unit = caller.root / systemd_files(place)[0].path
    unit.parent.mkdir(parents=True)
    unit.write_text("")
    record = caller.record("leave")
    assert record["cron"] == [line for line in cron_text(place).splitlines() if "python" in line]
    assert record["units"] == [str(unit)]
    text = caller.text("leave")
    assert "Take these lines out with 'crontab -e'" in text
    assert "Stop and delete these" in text


def test_what_is_unfinished_is_said(caller: Caller) -> None:
    caller.desk.approve(caller.desk.proposal(addition("Use the blue switch.")))
    caller.desk.proposal(addition("Water the fern."))
    text = caller.text("leave")
    assert "1 approvals are signed and not applied" in text
    assert "1 changes wait for an answer" in text
