import plistlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from nightledger.domain.errors import ConfigurationError
from nightledger.surfaces.unattended import (
    CALLS,
    File,
    Place,
    cron_text,
    launchd_files,
    launchd_script,
    systemd_files,
    systemd_script,
)

ROOT = Path(__file__).resolve().parents[2]
PLAIN = Place(checkout="/opt/nightledger", home="/home/me/agent")
ODD = Place(checkout="/opt/my tools/n", home="/home/a b/100%$x'\"\\y", keys_dir='/k "q" %h')
FIELDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))


def crontab(text: str) -> list[tuple[list[str], str]]:
    """Read a crontab as cron does: five fields and a command, whose \\% are % and whose % end it."""
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            *fields, command = line.split(None, 5)
            assert re.search(r"(?<!\\)%", command) is None
            found.append((fields, command.replace("\\%", "%")))
    return found


def minutes(field: str, low: int, high: int) -> set[int]:
    values: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, last = (low, high) if span == "*" else (int(span), int(span))
        values |= set(range(first, last + 1, int(step or 1)))
    assert values <= set(range(low, high + 1))
    return values


def words_of(command: str) -> tuple[dict[str, str], list[str]]:
    words = shlex.split(command)
    keys = dict(word.split("=", 1) for word in words if word.startswith("NIGHTLEDGER_KEYS="))
    return keys, [word for word in words if not word.startswith("NIGHTLEDGER_KEYS=")]


def test_the_example_is_what_is_printed() -> None:
    assert (ROOT / "crontab.example").read_text() == cron_text(PLAIN)


def test_every_line_of_the_example_has_a_comment_before_it() -> None:
    lines = cron_text(PLAIN).splitlines()
    assert all(lines[n - 1].startswith("# Every ") for n, line in enumerate(lines) if line and line[0] != "#")


def test_the_crontab_names_only_scripts_that_exist() -> None:
    for _, command in crontab((ROOT / "crontab.example").read_text()):
        script = ROOT / "scripts" / Path(words_of(command)[1][1]).name
        assert script.is_file()
        assert script.stat().st_mode & 0o111


def test_the_fields_are_valid_and_call_as_often_as_the_comments_say() -> None:
    lines = crontab(cron_text(PLAIN))
    for (fields, _), call in zip(lines, CALLS, strict=True):
        sets = [minutes(field, low, high) for field, (low, high) in zip(fields, FIELDS, strict=True)]
        assert sets[0] == set(call.minutes)
        assert [len(found) for found in sets[1:]] == [24, 31, 12, 8]
    assert [60 // len(call.minutes) for call in CALLS] == [30, 30, 10, 10]


def test_no_two_are_called_at_the_same_minute_and_the_guard_comes_shortly_before_each_apply() -> None:
    night, stage, guard, apply = CALLS
    assert not {*night.minutes, *stage.minutes} & {*guard.minutes, *apply.minutes}
    assert not set(night.minutes) & set(stage.minutes)
    assert {(minute + 2) % 60 for minute in guard.minutes} == set(apply.minutes)


def test_no_line_sets_safe_path() -> None:
    assert not any("PYTHONSAFEPATH" in command for _, command in crontab(cron_text(ODD)))
    assert "PYTHONSAFEPATH" not in systemd_script(ODD) + launchd_script(ODD)


@pytest.mark.parametrize("place", [PLAIN, ODD])
def test_cron_gets_back_the_paths_that_were_meant(place: Place) -> None:
    for (_, command), call in zip(crontab(cron_text(place)), CALLS, strict=True):
        keys, words = words_of(command)
        assert tuple(words) == place.words(call)
        assert keys == ({"NIGHTLEDGER_KEYS": place.keys_dir} if place.keys_dir else {})


@pytest.mark.parametrize("home", ["/a\nb", "/a\rb", "/a\0b", "/a\u2028b"])
def test_a_path_with_a_line_end_is_refused_everywhere(home: str) -> None:
    for make in (cron_text, systemd_files, launchd_files):
        with pytest.raises(ConfigurationError, match="holds a character that a schedule cannot"):
            make(Place(checkout="/c", home=home))


def test_two_homes_have_units_of_their_own() -> None:
    other = Place(checkout=PLAIN.checkout, home="/home/me/other")
    assert not {file.path for file in systemd_files(PLAIN)} & {file.path for file in systemd_files(other)}


def test_launchd_gets_back_the_paths_that_were_meant() -> None:
    for file, call in zip(launchd_files(ODD), CALLS, strict=True):
        read = plistlib.loads(file.text.encode())
        assert tuple(read["ProgramArguments"]) == ODD.words(call)
        assert read["EnvironmentVariables"] == {"NIGHTLEDGER_KEYS": ODD.keys_dir}
        assert [at["Minute"] for at in read["StartCalendarInterval"]] == list(call.minutes)
        assert f"{read['Label']}.plist" == Path(file.path).name
    assert "EnvironmentVariables" not in plistlib.loads(launchd_files(PLAIN)[0].text.encode())


@pytest.mark.parametrize("make", [systemd_script, launchd_script])
def test_the_printed_script_puts_exactly_these_files_in_their_place(make: object, tmp_path: Path) -> None:
    assert callable(make)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("systemctl", "launchctl"):
        (programs / name).write_text(f'#!/bin/sh\necho "$0 $*" >> "{tmp_path}/called"\n')
        (programs / name).chmod(0o700)
    environment = {"HOME": str(tmp_path / "user home"), "PATH": f"{programs}:/usr/bin:/bin"}
    subprocess.run(["/bin/sh"], input=make(ODD).encode(), env=environment, check=True)
    files: tuple[File, ...] = systemd_files(ODD) if make is systemd_script else launchd_files(ODD)
    for file in files:
        assert (tmp_path / "user home" / file.path).read_text() == file.text
    calls = 2 if make is systemd_script else len(CALLS)  # one for all timers, after a reload
    assert (tmp_path / "called").read_text().count("\n") == calls


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed here")
    checkout = tmp_path / 'my "tools" 5% $x'
    program = checkout / ".venv" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.symlink_to("/bin/true")
    files = systemd_files(Place(checkout=str(checkout), home=ODD.home, keys_dir=ODD.keys_dir))
    paths = [tmp_path / Path(file.path).name for file in files]
    for path, file in zip(paths, files, strict=True):
        path.write_text(file.text)
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    ran = subprocess.run(
        [analyze, "verify", "--user", "--man=no", *map(str, paths)],
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(runtime)},
        capture_output=True,
        text=True,
        check=False,
    )
    ours = [line for line in ran.stderr.splitlines() if "nightledger" in line]
    assert ours == []
    assert ran.returncode == 0


def test_systemd_reads_the_calendar_as_meant() -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed here")
    timers = [file.text for file in systemd_files(PLAIN) if file.path.endswith(".timer")]
    calendars = [
        line.partition("=")[2] for text in timers for line in text.splitlines() if "OnCalendar" in line
    ]
    ran = subprocess.run([analyze, "calendar", *calendars], capture_output=True, text=True, check=True)
    normal = re.findall(r"Normalized form: \*-\*-\* \*:([\d,/]+):00", ran.stdout)
    assert normal == ["05,35", "25,55", "08,18,28,38,48,58", "00,10,20,30,40,50"]
