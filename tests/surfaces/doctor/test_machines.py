from datetime import timedelta
from pathlib import Path

from tests.homes import make_home
from tests.remote.test_dead_letters import NOW, bury, stamp

from nightledger.surfaces.doctor.around import check_machines
from nightledger.surfaces.doctor.checks import State


def test_dead_letters_are_told_for_a_week(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    assert list(check_machines(home, NOW)) == []
    bury(home, stamp(NOW))
    (check,) = check_machines(home, NOW)
    assert (check.state, check.fix) == (State.NOTE, "nightledger channel status")
    assert "1 message was never taken in" in check.message
    assert list(check_machines(home, NOW + timedelta(days=7))) == []
