"""The lines that make a machine call us: for cron, systemd and launchd.

Invariant: every path is absolute and quoted by the rules of whoever reads it, and nothing
is taken from an environment, because such callers have none.
"""

import hashlib
import json
import plistlib
import shlex

from msgspec import Struct

from nightledger.domain.errors import ConfigurationError
from nightledger.files.shipped import shipped_config


class Call(Struct, frozen=True, kw_only=True):
    """A script that is called again and again.

    Attributes:
        name: One word.
        script: File in ``scripts/``.
        minutes: Minutes of each hour at which it is called.
        why: What it does, one line.
    """

    name: str
    script: str
    minutes: tuple[int, ...]
    why: str


CALLS = tuple(
    Call(name=row["name"], script=row["script"], minutes=tuple(row["minutes"]), why=row["why"])
    for row in json.loads(shipped_config("schedule.json"))
)
"""5 and 35, because the nightly jobs are due at 03:05 and most zones differ by whole half hours; 25 and 55,
because events begin at full and half hours, and a session about one begins a little before."""

_CRON_HEAD = """\
# Nightledger: what runs by itself. Add these lines to yours with: crontab -e
# They are printed for your own paths by: nightledger schedule --print cron --home DIR
# When a job is due is decided in the home's own zone; this machine's zone and its clock
# changes do not matter. Nothing is printed, so nothing is mailed, unless there is
# something to say. Do not set PYTHONSAFEPATH: a script imports the package beside it.
"""


class Place(Struct, frozen=True, kw_only=True):
    """What is called for whom; absolute paths.

    Attributes:
        checkout: The folder that holds ``scripts/`` and ``.venv/``.
        home: The home.
        keys_dir: ``$NIGHTLEDGER_KEYS`` where it is not the default; else empty.
    """

    checkout: str
    home: str
    keys_dir: str = ""

    @property
    def python(self) -> str:
        """The interpreter of ``make setup``."""
        return f"{self.checkout}/.venv/bin/python"

    @property
    def suffix(self) -> str:
        """Tells the units of several homes apart."""
        return hashlib.sha256(self.home.encode("utf-8", "surrogateescape")).hexdigest()[:8]

    def words(self, call: Call) -> tuple[str, ...]:
        """Give the command of a call."""
        return (self.python, f"{self.checkout}/scripts/{call.script}", "--home", self.home)


class File(Struct, frozen=True, kw_only=True):
    """A file to be put somewhere.

    Attributes:
        path: Where, from the user's own directory.
        text: What is in it.
    """

    path: str
    text: str


def cron_text(place: Place) -> str:
    """Give the lines of a crontab (crontab(5)), each with a comment.

    Raises:
        ConfigurationError: A path that a crontab cannot hold.
    """
    _refuse_line_ends(place)
    lines = [_CRON_HEAD]
    for call in CALLS:
        words = [f"NIGHTLEDGER_KEYS={shlex.quote(place.keys_dir)}"] if place.keys_dir else []
        command = " ".join([*words, *map(shlex.quote, place.words(call))])
        if "\\%" in command:
            raise ConfigurationError(
                "cron cannot call a path with '\\%' in it", hint="use systemd or launchd, or another path"
            )
        # crontab(5): an unescaped % ends the command, within quotes too.
        minutes = ",".join(map(str, call.minutes))
        lines.append(f"# {call.why}\n{minutes} * * * * {command.replace('%', chr(92) + '%')}\n")
    return "\n".join(lines)


def systemd_files(place: Place) -> tuple[File, ...]:
    """Give a service and a timer for each call, for the user's own systemd (systemd.unit(5)).

    Raises:
        ConfigurationError: A path that a unit cannot hold or call.
    """
    _refuse_line_ends(place)
    if "=" in place.python:
        raise ConfigurationError(
            f"systemd cannot call {place.python}: env(1) takes a path with '=' for a variable",
            hint="use cron, or move the checkout to a path without '='",
        )
    files = []
    for call in CALLS:
        name = f".config/systemd/user/nightledger-{call.name}-{place.suffix}"
        files += [
            File(path=f"{name}.service", text=_service(place, call)),
            File(path=f"{name}.timer", text=_timer(call)),
        ]
    return tuple(files)


def launchd_files(place: Place) -> tuple[File, ...]:
    """Give a property list for each call (launchd.plist(5))."""
    _refuse_line_ends(place)
    files = []
    for call in CALLS:
        label = f"nightledger.{call.name}.{place.suffix}"
        log = f"{place.home}/.nightledger/schedule.log"
        values: dict[str, object] = {
            "Label": label,
            "ProgramArguments": list(place.words(call)),
            "StartCalendarInterval": [{"Minute": minute} for minute in call.minutes],
            "ProcessType": "Background",
            "StandardOutPath": log,
            "StandardErrorPath": log,
        }
        if place.keys_dir:
            values["EnvironmentVariables"] = {"NIGHTLEDGER_KEYS": place.keys_dir}
        files.append(File(path=f"Library/LaunchAgents/{label}.plist", text=plistlib.dumps(values).decode()))
    return tuple(files)


def systemd_script(place: Place) -> str:
    """Give a shell script that puts the units in their place and starts the timers."""
    files = systemd_files(place)
    timers = [file.path.rpartition("/")[2] for file in files if file.path.endswith(".timer")]
    return _script(
        files,
        "Timers of a user run while that user is logged in; for always: loginctl enable-linger",
        ("systemctl --user daemon-reload", f"systemctl --user enable --now {' '.join(timers)}"),
    )


def launchd_script(place: Place) -> str:
    """Give a shell script that puts the property lists in their place and loads them."""
    files = launchd_files(place)
    loads = tuple(f'launchctl bootstrap "gui/$(id -u)" "$HOME/{file.path}"' for file in files)
    return _script(files, "Agents of a user run while that user is logged in.", loads)


def _script(files: tuple[File, ...], note: str, commands: tuple[str, ...]) -> str:
    """Give a script of here-documents; no line of a file can be the one that ends it."""
    parts = ["# Nightledger: what runs by itself. Read it, then pipe it to: sh", f"# {note}", "set -e"]
    parts += sorted({f'mkdir -p "$HOME/{file.path.rpartition("/")[0]}"' for file in files})
    for file in files:
        parts.append(f"cat > \"$HOME/{file.path}\" <<'NIGHTLEDGER_END'\n{file.text}NIGHTLEDGER_END")
    return "\n".join([*parts, *commands]) + "\n"


def _service(place: Place, call: Call) -> str:
    # Through env(1), because systemd refuses quotes in a program's own path; as arguments all is
    # allowed, with $ doubled (systemd.service(5)), but no program with = in its name: env sets a variable.
    words = [_systemd_word(word).replace("$", "$$") for word in place.words(call)]
    keys = f"Environment={_systemd_word(f'NIGHTLEDGER_KEYS={place.keys_dir}')}\n" if place.keys_dir else ""
    return f"""\
[Unit]
Description=Nightledger: {call.name}

[Service]
# {call.why}
Type=oneshot
{keys}ExecStart=/usr/bin/env {" ".join(words)}
# 75: another run was at work; the next call comes soon.
SuccessExitStatus=75
Nice=10
"""


def _timer(call: Call) -> str:
    return f"""\
[Unit]
Description=Nightledger: when {call.name} is called

[Timer]
OnCalendar=*:{",".join(f"{minute:02}" for minute in call.minutes)}
AccuracySec=1min

[Install]
WantedBy=timers.target
"""


def _systemd_word(text: str) -> str:
    """Quote a word by systemd.syntax(7); % begins a specifier everywhere."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _refuse_line_ends(place: Place) -> None:
    for path in (place.checkout, place.home, place.keys_dir):
        if not path.isprintable():
            raise ConfigurationError(
                f"{path!r} holds a character that a schedule cannot",
                hint="move it to a path of visible characters",
            )
