"""Settings that cannot be used, which an agent can write, switch neither guard nor apply off."""

from pathlib import Path

import pytest
from tests.gate.homes import MEMORY
from tests.surfaces.console import Console

BROKEN = "cooling_hours: 48\nundo_days: never\n"
PLACE = "config/nightledger/nightledger.yaml:2"


@pytest.fixture
def broken(console: Console) -> Console:
    """Give a home whose operator set 48 hours of cooling, and whose file somebody broke after that."""
    settings = Path(console.desk.home.settings)
    settings.write_text("cooling_hours: 48\n")
    assert console.run("guard").status == 0
    settings.write_text(BROKEN)
    return console


def told(text: str) -> str:
    return "".join(text.split())


def test_status_and_doctor_name_file_and_line(broken: Console) -> None:
    record = broken.record("status")
    (alarm,) = [alarm for alarm in record["alarms"] if alarm["kind"] == "settings"]
    assert PLACE in alarm["message"]
    assert "mend or remove that file" in alarm["hint"]
    ran = broken.run("status")
    assert (ran.status, PLACE in told(ran.out)) == (0, True)
    ran = broken.run("doctor", "--all")
    assert PLACE in told(ran.out)
    assert "log days begin and end in" in ran.out
    assert ran.err == ""


def test_the_night_refuses_and_says_so_where_the_operator_looks(broken: Console) -> None:
    broken.desk.wait(days=1)
    ran = broken.run("night")
    assert ran.status == 2
    assert PLACE in ran.err
    page = Path(broken.desk.home.attention).read_text()
    assert f"1 settings file cannot be used ({PLACE}): `nightledger doctor`" in page
    assert not Path(broken.desk.home.runs).exists()
    Path(broken.desk.home.settings).write_text("cooling_hours: 48\n")
    assert broken.run("night").status == 0
    assert "settings" not in Path(broken.desk.home.attention).read_text()


@pytest.mark.parametrize(
    "words",
    [("propose", "--section", "Lessons", "--text", "Two.", "--reason", "x"), ("check",), ("consolidate",)],
)
def test_what_makes_proposals_refuses_and_names_the_line(broken: Console, words: tuple[str, ...]) -> None:
    ran = broken.run(*words)
    assert ran.status == 2
    assert PLACE in ran.err
    assert "mend or remove that file" in ran.err


@pytest.mark.parametrize("content", ["notify: [x\n", "cooling: 1\n"])
def test_an_operators_file_that_cannot_be_used_stops_guard_and_apply_and_status_says_so(
    console: Console, content: str
) -> None:
    desk = console.desk
    assert not [one for one in console.record("status")["alarms"] if one["kind"] == "settings"]
    path = desk.ring.directory / "operator.yaml"
    path.write_text(content)
    path.chmod(0o600)
    desk.memory.write_text(f"{MEMORY}- By hand.\n")
    assert [console.run(verb).status for verb in ("guard", "apply", "status")] == [
        2,
        2,
        4,
    ]  # 4: the edit by hand
    (alarm,) = [one for one in console.record("status")["alarms"] if one["kind"] == "settings"]
    assert str(path) in alarm["message"]
    assert "until then guard and apply refuse" in alarm["hint"]
    assert "operator.yaml" in told(console.run("status").out)
    assert "no item asks about it yet" in " ".join(console.out("review").split())
    desk.wait(days=1)
    console.run("night")
    assert "operator.yaml" in Path(desk.home.attention).read_text()
    path.unlink()
    assert console.run("guard").status == 0
