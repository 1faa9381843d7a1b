import subprocess
from pathlib import Path

import pytest
from tests.homes import make_home
from tests.surfaces.verb_calls import call_verb

from nightledger.domain.errors import ConfigurationError
from nightledger.files.home import Home
from nightledger.surfaces.context import CHECKOUT
from nightledger.surfaces.unattended import Place, cron_text, launchd_script, systemd_script

Out = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path / "a home, 100% 'mine'", zone="UTC", simulated=False)


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NIGHTLEDGER_KEYS", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def call(home: Home, *words: str, json_too: bool = False) -> int:
    return call_verb("schedule", home.root, *words, as_json=json_too)


@pytest.mark.parametrize(
    ("words", "make"),
    [
        ((), cron_text),
        (("--print", "cron"), cron_text),
        (("--print", "systemd"), systemd_script),
        (("--print", "launchd"), launchd_script),
    ],
)
def test_what_is_printed_is_for_this_checkout_and_this_home(
    home: Home, capsys: Out, words: tuple[str, ...], make: object
) -> None:
    assert call(home, *words) == 0
    assert callable(make)
    assert capsys.readouterr().out == make(Place(checkout=CHECKOUT, home=home.root))


def test_keys_that_are_elsewhere_are_named_because_cron_does_not_know_them(
    home: Home, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLEDGER_KEYS", "/srv/keys")
    call(home)
    assert capsys.readouterr().out.count("NIGHTLEDGER_KEYS=/srv/keys ") == 4


def test_keys_in_the_usual_place_need_no_name(
    home: Home, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(Path.home() / ".config" / "nightledger"))
    call(home)
    assert "NIGHTLEDGER_KEYS" not in capsys.readouterr().out


def test_a_checkout_without_its_environment_says_make_setup(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nightledger.surfaces.doctor.schedule.CHECKOUT", str(tmp_path))
    with pytest.raises(ConfigurationError, match="python is missing") as caught:
        call(home)
    assert caught.value.hint == f"make -C '{tmp_path}' setup"
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").write_text("")
    with pytest.raises(ConfigurationError, match=r"night\.py is missing"):
        call(home)


def test_the_printed_lines_run_in_the_empty_environment_of_cron(home: Home, capsys: Out) -> None:
    call(home)
    lines = [line for line in capsys.readouterr().out.splitlines() if line and line[0] != "#"]
    command = lines[0].split(None, 5)[5].replace("\\%", "%")
    ran = subprocess.run(
        ["/bin/sh", "-c", f"{command} --dry-run"],
        env={"SHELL": "/bin/sh", "PATH": "/usr/bin:/bin", "HOME": str(Path.home())},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout
