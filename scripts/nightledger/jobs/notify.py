"""Tell the operator that something waits, was altered, drifts, failed or was missed: once, and an alarm again each day.

At each run where what was told cannot be read or kept: rather too often than never. It is kept beside the keys,
since whoever writes a home would else say that all was told.

Reads   notified and operator.yaml, outside the home
Writes  notified
Changes no memory. Runs the operator's own notifier and nothing else; it gets counts and
ages, never text.
"""

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from nightledger.domain.attention import Item, news, summarize, variables
from nightledger.domain.errors import ConfigurationError, NightledgerError, UnreadableError
from nightledger.domain.settings import Operator
from nightledger.files.atomic import replace_file
from nightledger.files.durable import is_within, read_optional
from nightledger.files.home import Home
from nightledger.files.owner import for_child

TIMEOUT_S = 30
"""A notifier that hangs must not hold the night's lock for long. Our choice."""
NOTIFIED = "notified"
"""The record's name among the keys of a home."""
MAX_TOLD_BYTES = 1 << 20
SUMMARY = "{summary}"
_SECONDS = re.compile(r"[0-9]{1,11}")
"""Since 1970, until the year 5138."""


class NotifyError(NightledgerError):
    """The operator's notifier could not be run, or said that it failed."""

    hint = "run the command of 'notify' in operator.yaml by hand; it is tried again at the next run"


def notify(
    home: Home,
    operator: Operator,
    items: Sequence[Item],
    *,
    record: str,
    now: datetime,
    some: bool = False,
) -> bool:
    """Run the operator's notifier when something is new, and tell whether it ran.

    What was told is forgotten once it is settled, so that it is told again when it returns.

    Args:
        home: Whose matters these are.
        operator: What the operator lets us run.
        items: All that needs the operator now.
        record: The file of what was told, outside the home; empty where this machine has no place for it.
        now: Aware, UTC.
        some: The items are not all yet: what was told of others is not forgotten.

    Raises:
        ConfigurationError: The notifier is a file of the home; nothing in a home is executed.
        NotifyError: It is missing, failed or took longer than 30 s; it is tried again next time.
    """
    before = _read_told(record) if record else {}
    new = bool(operator.notify) and bool(news(items, before, now))
    if new:
        _run(home, operator, items, now)
    marks = {item.mark for item in items}
    kept = before.keys() if some else marks & before.keys()
    told = {mark: before[mark] for mark in kept} | (dict.fromkeys(marks, now) if new else {})
    if record and told != before:
        lines = sorted(f"{mark} {int(at.timestamp())}\n" for mark, at in told.items())
        replace_file(record, "".join(lines).encode(), disposable=True)
    return new


def _read_told(record: str) -> dict[str, datetime]:
    """Return when each mark was told; none where nothing can be read."""
    try:
        raw = read_optional(record, MAX_TOLD_BYTES) or b""
    except UnreadableError:
        raw = b""
    lines = (line.rpartition(" ") for line in raw.decode("utf-8", "replace").split("\n"))
    return {mark: datetime.fromtimestamp(int(at), UTC) for mark, _, at in lines if _SECONDS.fullmatch(at)}


def _run(home: Home, operator: Operator, items: Sequence[Item], now: datetime) -> None:
    program = operator.notify[0]
    if is_within(program, home.root):
        raise ConfigurationError(
            f"notify names {program}, which lies in the home; nothing in a home is executed",
            hint="put it elsewhere, out of the agent's reach",
        )
    numbers = variables(items, now)
    words = [word.replace(SUMMARY, summarize(items, now)) for word in operator.notify]
    try:
        subprocess.run(  # noqa: S603 - the operator's own command from outside the home, as a list
            words,
            input=json.dumps(numbers, sort_keys=True).encode() + b"\n",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(home, numbers),
            **for_child(),
            cwd="/",
            timeout=TIMEOUT_S,
            check=True,
        )
    except OSError as error:
        raise NotifyError(f"{program} cannot be run: {error.strerror}") from error
    except subprocess.CalledProcessError as error:
        raise NotifyError(f"{program} ended with status {error.returncode}") from error
    except subprocess.TimeoutExpired as error:
        raise NotifyError(f"{program} took longer than {TIMEOUT_S} s and was stopped") from error


def _environment(home: Home, numbers: Mapping[str, int]) -> dict[str, str]:
    """Give what a notifier needs of ours, and the few names that programs need to start."""
    kept = ("HOME", "PATH", "LANG", "LC_ALL", "TZ", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment |= {f"NIGHTLEDGER_{name.upper()}": str(number) for name, number in numbers.items()}
    return environment | {"NIGHTLEDGER_HOME": home.root}
