"""Print the lines that make this machine call us: for cron, systemd or launchd.

Reads   nothing but whether the home, the interpreter and the scripts are there
Writes  nothing: it prints
Changes no memory.
"""

import argparse
import hashlib
import json
import os
import plistlib
import shlex

from msgspec import Struct

from nightledger.domain.errors import ConfigurationError
from nightledger.files.home import Home, shipped_config
from nightledger.surfaces.context import CHECKOUT, Context, named_keys_directory


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


CALLS = tuple(Call(**row) for row in json.loads(shipped_config("schedule.json")))
"""5 and 35, because the nightly jobs are due at 03:05 and most zones differ by whole half hours; 25 and 55,
because events begin at full and half hours, and a session about one begins a little before."""


class Place(Struct, frozen=True, kw_only=True):
    """What is called for whom; absolute paths, because such callers have no environment.

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
        """Return the command of a call."""
        return (self.python, f"{self.checkout}/scripts/{call.script}", "--home", self.home)


def run(options: argparse.Namespace, context: Context) -> int:
    """Print what to add, for this checkout and this home."""
    Home(context.home_path).require()
    place = place_of(context)
    if not os.path.exists(place.python):
        raise ConfigurationError(f"{place.python} is missing", hint=f"make -C '{place.checkout}' setup")
    text = cron_text(place) if options.caller == "cron" else script(place, options.caller)
    context.emit({"for": options.caller, "text": text})
    if context.guided:  # between two questions of 'init --guide': the lines alone
        jobs = [line for line in text.split("\n") if line and not line.startswith("#")]
        context.print_lines(["Add these to yours with: crontab -e", *jobs])
    else:
        context.print(text.removesuffix("\n"))
    return 0


def place_of(context: Context) -> Place:
    """Return what is to be called for a command's home."""
    return Place(checkout=CHECKOUT, home=context.home_path, keys_dir=named_keys_directory(context.keys_dir))


def cron_text(place: Place) -> str:
    """Return the lines of a crontab (crontab(5)), each with a comment.

    Raises:
        ConfigurationError: A path that a crontab cannot hold.
    """
    _require_plain(place)
    lines = [shipped_config("schedule/crontab.txt").decode()]
    for call in CALLS:
        words = [f"NIGHTLEDGER_KEYS={shlex.quote(place.keys_dir)}"] if place.keys_dir else []
        command = " ".join([*words, *map(shlex.quote, place.words(call))])
        minutes = ",".join(map(str, call.minutes))
        lines.append(f"# {call.why}\n{minutes} * * * * {command}\n")
    return "\n".join(lines)


def unit_files(place: Place, caller: str) -> dict[str, str]:
    """Return the files that systemd (systemd.unit(5)) or launchd (launchd.plist(5)) reads of a user, by their path from that user's directory.

    Raises:
        ConfigurationError: A path with a character that means something there.
    """
    _require_plain(place)
    if caller == "launchd":
        return {
            f"Library/LaunchAgents/nightledger.{call.name}.{place.suffix}.plist": _plist(place, call)
            for call in CALLS
        }
    files = {}
    for call in CALLS:
        # Through env(1), because systemd refuses quotes in a program's own path.
        words = " ".join(f'"{word}"' for word in place.words(call))
        keys = f'Environment="NIGHTLEDGER_KEYS={place.keys_dir}"\n' if place.keys_dir else ""
        minutes = ",".join(f"{minute:02}" for minute in call.minutes)
        facts = {"name": call.name, "why": call.why, "words": words, "keys": keys, "minutes": minutes}
        for kind in ("service", "timer"):
            path = f".config/systemd/user/nightledger-{call.name}-{place.suffix}.{kind}"
            files[path] = shipped_config(f"schedule/systemd.{kind}").decode().format(**facts)
    return files


def _plist(place: Place, call: Call) -> str:
    log = f"{place.home}/.nightledger/schedule.log"
    values: dict[str, object] = {
        "Label": f"nightledger.{call.name}.{place.suffix}",
        "ProgramArguments": list(place.words(call)),
        "StartCalendarInterval": [{"Minute": minute} for minute in call.minutes],
        "ProcessType": "Background",
        "StandardOutPath": log,
        "StandardErrorPath": log,
    }
    if place.keys_dir:
        values["EnvironmentVariables"] = {"NIGHTLEDGER_KEYS": place.keys_dir}
    return plistlib.dumps(values).decode()


def script(place: Place, caller: str) -> str:
    """Return a shell script that puts the files in their place, as here-documents that no line of theirs can end, and starts them."""
    files = unit_files(place, caller)
    if caller == "systemd":
        timers = " ".join(os.path.basename(path) for path in files if path.endswith(".timer"))
        note = "Timers of a user run while that user is logged in; for always: loginctl enable-linger"
        commands = ["systemctl --user daemon-reload", f"systemctl --user enable --now {timers}"]
    else:
        note = "Agents of a user run while that user is logged in."
        commands = [f'launchctl bootstrap "gui/$(id -u)" "$HOME/{path}"' for path in files]
    parts = ["# Nightledger: what runs by itself. Read it, then pipe it to: sh", f"# {note}", "set -e"]
    parts += sorted({f'mkdir -p "$HOME/{os.path.dirname(path)}"' for path in files})
    parts += [
        f"cat > \"$HOME/{path}\" <<'NIGHTLEDGER_END'\n{text}NIGHTLEDGER_END" for path, text in files.items()
    ]
    return "\n".join([*parts, *commands]) + "\n"


SPECIAL = frozenset('"\\%$=')
"""Each means something to one of the three: crontab(5), systemd.syntax(7), env(1)."""


def _require_plain(place: Place) -> None:
    for path in (place.checkout, place.home, place.keys_dir):
        if not path.isprintable() or SPECIAL & {*path}:
            raise ConfigurationError(
                f"{path!r} holds a character that a schedule cannot",
                hint=f"move it to a path of visible characters, without any of {' '.join(sorted(SPECIAL))}",
            )
