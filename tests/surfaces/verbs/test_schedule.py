"""What a machine is to call: printed as cron, systemd and launchd read it, and recognised where it stands."""

import plistlib
import shlex
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.homes import make_home
from tests.surfaces.console import Console

from nightledger.codec.records import dump_line
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.periods import Run, RunOutcome
from nightledger.files.home import Home
from nightledger.surfaces.context import CHECKOUT
from nightledger.surfaces.doctor_home import check_nights, check_schedule, cron_lines
from nightledger.surfaces.doctor_keys import Check, State
from nightledger.surfaces.verbs.schedule import CALLS, Place, cron_text, script, unit_files

ROOT = Path(CHECKOUT)
PLAIN = Place(checkout="/opt/nightledger", home="/home/me/agent")
ODD = Place(checkout="/opt/my tools/n", home="/home/a b/Ann's, ü", keys_dir="/k (q) #h")
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path / "a home, 'mine'", zone="UTC", simulated=False)


def commands(text: str) -> list[str]:
    """Read a crontab as cron does: five fields and a command, which a % would end."""
    found = [line.split(None, 5)[5] for line in text.splitlines() if line and line[0] != "#"]
    assert not any("%" in command for command in found)
    return found


def words_of(command: str) -> tuple[dict[str, str], list[str]]:
    words = shlex.split(command)
    keys = dict(word.split("=", 1) for word in words if word.startswith("NIGHTLEDGER_KEYS="))
    return keys, [word for word in words if not word.startswith("NIGHTLEDGER_KEYS=")]


def test_the_example_is_what_is_printed_and_names_scripts_that_exist() -> None:
    example = (ROOT / "crontab.example").read_text()
    assert example == cron_text(PLAIN)
    for command in commands(example):
        called = ROOT / "scripts" / Path(words_of(command)[1][1]).name
        assert called.is_file()
        assert called.stat().st_mode & 0o111


@pytest.mark.parametrize("place", [PLAIN, ODD])
def test_cron_gets_back_the_paths_that_were_meant(place: Place) -> None:
    for command, call in zip(commands(cron_text(place)), CALLS, strict=True):
        keys, words = words_of(command)
        assert tuple(words) == place.words(call)
        assert keys == ({"NIGHTLEDGER_KEYS": place.keys_dir} if place.keys_dir else {})


@pytest.mark.parametrize(
    "name", ["/a\nb", "/a\rb", "/a\0b", "/a\u2028b", "/100%", "/$x", '/"q"', "/a\\b", "/a=b"]
)
def test_a_path_with_a_line_end_or_a_special_character_is_refused_everywhere(name: str) -> None:
    place = Place(checkout="/c", home=name)
    with pytest.raises(ConfigurationError, match="holds a character that a schedule cannot"):
        cron_text(place)
    for caller in ("systemd", "launchd"):
        with pytest.raises(ConfigurationError, match="holds a character that a schedule cannot"):
            unit_files(place, caller)


def test_launchd_gets_back_the_paths_that_were_meant() -> None:
    for (path, text), call in zip(unit_files(ODD, "launchd").items(), CALLS, strict=True):
        read = plistlib.loads(text.encode())
        assert tuple(read["ProgramArguments"]) == ODD.words(call)
        assert read["EnvironmentVariables"] == {"NIGHTLEDGER_KEYS": ODD.keys_dir}
        assert [at["Minute"] for at in read["StartCalendarInterval"]] == list(call.minutes)
        assert f"{read['Label']}.plist" == Path(path).name


@pytest.mark.parametrize("caller", ["systemd", "launchd"])
def test_the_printed_script_puts_exactly_these_files_in_their_place(caller: str, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("systemctl", "launchctl"):
        (programs / name).write_text(f'#!/bin/sh\necho "$0 $*" >> "{tmp_path}/called"\n')
        (programs / name).chmod(0o700)
    environment = {"HOME": str(tmp_path / "user home"), "PATH": f"{programs}:/usr/bin:/bin"}
    subprocess.run(["/bin/sh"], input=script(ODD, caller).encode(), env=environment, check=True)
    for path, text in unit_files(ODD, caller).items():
        assert (tmp_path / "user home" / path).read_text() == text
    calls = 2 if caller == "systemd" else len(CALLS)  # one for all timers, after a reload
    assert (tmp_path / "called").read_text().count("\n") == calls


def test_the_printed_lines_name_keys_that_are_elsewhere_and_run_in_the_empty_environment_of_cron(
    console: Console,
) -> None:
    printed = console.out("schedule")
    assert printed.count(f"NIGHTLEDGER_KEYS={console.desk.ring.directory} ") == 4
    ran = subprocess.run(
        ["/bin/sh", "-c", f"{commands(printed)[0]} --dry-run"],
        env={"SHELL": "/bin/sh", "PATH": "/usr/bin:/bin", "HOME": str(Path.home())},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout


# ---------------------------------------------------------------- what doctor makes of it


@pytest.fixture
def bin_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:/bin")
    return programs


def crontab(bin_dir: Path, text: str) -> None:
    (bin_dir / "table").write_text(text)
    program = bin_dir / "crontab"
    program.write_text(f'#!/bin/sh\n[ "$1" = -l ] || exit 9\ncat "{bin_dir}/table"\n')
    program.chmod(0o700)


def checks(home: Home, tmp_path: Path) -> list[Check]:
    place = Place(checkout=CHECKOUT, home=home.root)
    return list(check_schedule(home, place, str(tmp_path / "user"), NOW))


@pytest.mark.parametrize("caller", ["cron", "systemd", "launchd"])
def test_what_was_printed_is_recognised_in_its_place(
    caller: str, home: Home, bin_dir: Path, tmp_path: Path
) -> None:
    place = Place(checkout=CHECKOUT, home=home.root)
    if caller == "cron":
        crontab(bin_dir, cron_text(place))
    for name, text in () if caller == "cron" else unit_files(place, caller).items():
        path = tmp_path / "user" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = [(check.state, check.message) for check in checks(home, tmp_path)]
    assert found == [(State.GOOD, f"{caller} calls {name}") for name in ("night", "stage", "guard", "apply")]


def test_lines_that_are_commented_out_or_of_another_home_call_nothing(
    home: Home, bin_dir: Path, tmp_path: Path
) -> None:
    other, mine = (Place(checkout=CHECKOUT, home=root) for root in ("/somewhere/else", home.root))
    crontab(bin_dir, cron_text(other) + cron_text(mine).replace("\n", "\n#"))
    (found,) = checks(home, tmp_path)
    assert found.state is State.BAD
    assert "Not scheduled: no cron, systemd or launchd entry found for night, stage" in found.message
    assert "schedule --print cron" in found.fix


def test_a_home_has_none_of_the_lines_of_one_whose_name_goes_on(bin_dir: Path) -> None:
    longer, odd = "/srv/agent-2", "/srv/agent 2"
    crontab(bin_dir, "".join(cron_text(Place(checkout=CHECKOUT, home=home)) for home in (longer, odd)))
    found = [len(cron_lines(Place(checkout=CHECKOUT, home=home))) for home in ("/srv/agent", longer, odd)]
    assert found == [0, len(CALLS), len(CALLS)]


@pytest.mark.parametrize(
    "tail", ["--home /srv/a=b # the owner's job", "--home=/srv/a=b/", "--home '/srv/a=b'; true"]
)
def test_a_line_is_a_homes_however_it_is_written(bin_dir: Path, tail: str) -> None:
    call = f"{CHECKOUT}/scripts/{CALLS[0].script} {tail}"
    crontab(
        bin_dir,
        f"0 3 * * * {call}\n" + (f'0 4 * * * flock -n /tmp/l sh -c "{call}"\n' if "#" not in tail else ""),
    )
    assert len(cron_lines(Place(checkout=CHECKOUT, home="/srv/a=b"))) == (1 if "#" in tail else 2)


@pytest.mark.parametrize(("ago", "state"), [(5, State.NOTE), (27, State.BAD), (-5, State.BAD)])
@pytest.mark.usefixtures("bin_dir")
def test_a_run_of_late_says_that_something_else_calls(
    ago: int, state: State, home: Home, tmp_path: Path
) -> None:
    at, period, done = NOW - timedelta(hours=ago), "2026-02-28", RunOutcome.DONE
    run = Run(
        v=2, id="r-" + "a" * 26, job="link", period=period, attempt=1, started_at=at, finished_at=at,
        outcome=done, counts={},
    )  # fmt: skip
    Path(home.runs).write_bytes(dump_line(run))
    assert [c.state for c in checks(home, tmp_path)] == [state]
    (night,) = check_nights(home, NOW)
    assert (night.state, "verif" in night.message) == (State.GOOD if ago == 5 else State.BAD, True)


def test_leaving_prints_the_lines_and_units_to_remove_as_they_stand(
    console: Console, bin_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    nothing = console.text("leave")
    assert "No schedule of ours was found" in nothing
    assert "Without an answer" not in nothing
    place = Place(checkout=CHECKOUT, home=console.home.root, keys_dir=str(console.desk.ring.directory))
    crontab(bin_dir, cron_text(place))
    unit = tmp_path / next(iter(unit_files(place, "systemd")))
    unit.parent.mkdir(parents=True)
    unit.write_text("")
    record = console.record("leave")
    assert record["cron"] == [line for line in cron_text(place).splitlines() if "python" in line]
    assert record["units"] == [str(unit)]
    text = console.text("leave")
    assert "Take these lines out with 'crontab -e'" in text
    assert "Stop and delete these" in text
