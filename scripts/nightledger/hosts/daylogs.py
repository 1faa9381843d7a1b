"""What each agent host calls its memory and where it keeps its own state; the daily logs of a home, in every layout that hosts use.

Invariant: a name that looks like a log and is none (a directory, a FIFO, a link out of the
home) is named and passed over; nothing here follows it.

Names only: the rows stand in ``config/hosts.json``, as docs/formats.md lists them; a host that renames a file changes one
line there. Nothing here looks at this process's environment.
"""

import codecs
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import Struct

from nightledger.domain.errors import NightledgerError, UnreadableError
from nightledger.files.durable import read_lines, read_optional
from nightledger.files.home import Home, shipped_config

OPENCLAW = "openclaw"
CLAUDE_CODE = "claude_code"
CODEX = "codex"
HERMES = "hermes"
GENERIC = "generic"
READ_NO_MEMORY = (CLAUDE_CODE, CODEX)
"""Hosts that read no MEMORY.md of a project by themselves."""


class Preset(Struct, frozen=True, kw_only=True):
    """Where a host keeps what.

    Attributes:
        host: Its name in records.
        gated: Memory files that only the gate may change, relative to its workspace, as the next five are.
        divided: Those of them whose entries lines of ``§`` divide.
        marks: Names that tell a workspace of this host; all must be there.
        one_of: Further names of which one must be there too, where there are any: an owner may have renamed the first.
        daily: Directories that hold daily logs.
        skills: The folder in which it looks for skills, ``NAME/SKILL.md`` (agentskills.io/specification, 2026-11).
        own_skills: The folder of skills for all its sessions, relative to its own directory or the user's; empty where none is known.
        instructions: File in which the owner tells the agent what to do.
        root: The variable that names the host's own directory, and that directory's name in the user's where it is not set;
            empty for a host without one.
        config: The host's settings, relative to its own directory; empty where none are read.
        cap: Keys of the setting there that says how many characters of memory the agent is shown.
        caps: The same, and the host's default, of memory files that have another.
        sessions: Patterns of the files that its sessions write, below its own directory.
        hook_file: The file that names its hooks, relative to its own directory; empty where no file does.
        project_hook_file: The same relative to a project.
        does: What our hooks do there, after "They"; empty for a host whose hooks we do not answer.
        events: Event, matcher (none for all of an event), and seconds that the host waits, longer than the hook's own limits.
            A session's start has no matcher: Claude Code 2.1.330 also starts sessions by ``fork``, which its documentation
            does not name. Codex' shell is looked at because Codex takes patches out of its commands and applies them itself.
    """

    host: str
    gated: tuple[str, ...]
    divided: tuple[str, ...]
    marks: tuple[str, ...]
    one_of: tuple[str, ...]
    daily: tuple[str, ...]
    skills: str
    own_skills: str
    instructions: str
    root: tuple[str, ...]
    config: str
    cap: tuple[str, ...]
    caps: Mapping[str, tuple[tuple[str, ...], int]]
    sessions: tuple[str, ...]
    hook_file: str
    project_hook_file: str
    does: str
    events: tuple[tuple[str, str, int], ...]


def _preset(row: dict[str, Any]) -> Preset:
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in row.items()
    }
    return Preset(**values)


PRESETS = tuple(map(_preset, json.loads(shipped_config("hosts.json"))))


def preset(host: str) -> Preset:
    """Return a host's preset; the generic one for a host that is not known."""
    return next((one for one in PRESETS if one.host == host), PRESETS[-1])


def detect_host(root: str) -> str:
    """Return the host whose marks are all in ``root``; the first that fits, else generic."""

    def are_there(names: tuple[str, ...]) -> list[bool]:
        return [os.path.lexists(os.path.join(root, name)) for name in names]

    return next(
        one.host
        for one in PRESETS
        if all(are_there(one.marks)) and (not one.one_of or any(are_there(one.one_of)))
    )


def state_roots(user_home: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return each host's own directory, whether it is there or not.

    Args:
        user_home: The user's own directory, absolute.
        environment: Variables of the caller.
    """
    roots = {}
    for one in PRESETS:
        if one.root:
            variable, name = one.root
            named = _expanded(environment.get(variable, ""), user_home)
            roots[one.host] = named or os.path.join(user_home, name)
    return roots


def named_config(host: str, user_home: str, environment: Mapping[str, str]) -> str:
    """Return the host's configuration where a variable names it by itself; "" for its usual place.

    Of the four only OpenClaw has such a variable (docs.openclaw.ai/help/environment, 2026-11).
    """
    named = environment.get("OPENCLAW_CONFIG_PATH", "") if host == OPENCLAW else ""
    return _expanded(named, user_home)


def _expanded(path: str, user_home: str) -> str:
    return user_home + path[1:] if path == "~" or path.startswith("~/") else path


MAX_LOG_BYTES = 1_000_000
"""Of one log that are read: 400 times what an agent writes on a usual day, and four seconds of a night. Our choice."""
_NAME = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[-_ T.].*)?\.(?:md|markdown|txt)", re.IGNORECASE)

_LITTLE_BYTES = 4096
"""A memory of more than that is not one of headings alone. Our choice."""


class LogFile(Struct, frozen=True, kw_only=True, order=True):
    """A daily log by name.

    Attributes:
        path: Relative to the home.
        day: The date in its name.
    """

    path: str
    day: date

    @property
    def is_days(self) -> bool:
        """Whether it is named for its day alone: a host keeps others beside it, one a session."""
        return os.path.basename(self.path) == f"{self.day}.md"


class Skipped(Struct, frozen=True, kw_only=True):
    r"""A name that was passed over, or read in part, and why.

    Attributes:
        path: Relative to the home.
        reason: One sentence that names the file; bytes that are no UTF-8 stand in it as ``\\xe9``.
    """

    path: str
    reason: str


def find_daylogs(home: Home, directories: Iterable[str]) -> list[LogFile]:
    """List daily logs by date, then name: ``YYYY-MM-DD.md`` and ``YYYY-MM-DD-slug.md``.

    Args:
        home: The home.
        directories: Where this home's host keeps them, relative to it; missing ones are no logs.
    """
    found = []
    for directory in directories:
        path = home.path(directory)
        for name in os.listdir(path) if os.path.isdir(path) else ():
            day = day_of(name)
            if day is not None:
                found.append(LogFile(path=f"{directory}/{name}", day=day))
    return sorted(found, key=lambda log: (log.day, log.path))


def day_of(name: str) -> date | None:
    """Give the date with which a file's name begins, or None when it is no daily log."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    try:
        return date(*map(int, match.groups()))
    except ValueError:  # 2026-02-30.md
        return None


def take_daylogs(home: Home, logs: Sequence[LogFile], most_bytes: int) -> tuple[list[LogFile], list[Skipped]]:
    """Take files as far as all together have not too many bytes: those named for a day alone first, then small ones.

    What is no file is left for :func:`read_daylogs` to name.

    Args:
        home: Whose.
        logs: By day and name, as :func:`find_daylogs` gives them.
        most_bytes: How many bytes at most.
    """
    left_out: list[LogFile] = []
    for _, size_bytes, log in sorted((not log.is_days, _size(home, log), log) for log in logs):
        most_bytes -= size_bytes
        if most_bytes < 0:
            left_out.append(log)
    return [log for log in logs if log not in left_out], _name_first(home, left_out)


def _size(home: Home, log: LogFile) -> int:
    path = home.path(log.path)
    return min(os.path.getsize(path), MAX_LOG_BYTES) if os.path.isfile(path) else 0


def _name_first(home: Home, logs: Sequence[LogFile]) -> list[Skipped]:
    more = f", and {len(logs) - 1} more," if len(logs) > 1 else ""
    told = "left out: the daily logs of these days together are too large for one night"
    return [Skipped(path=log.path, reason=_reason(home, f"{log.path}{more} {told}")) for log in logs[:1]]


def read_daylogs(home: Home, logs: Iterable[LogFile]) -> tuple[dict[LogFile, bytes], list[Skipped]]:
    """Read logs; those that cannot be read, and those of which only the first lines are, are named."""
    texts: dict[LogFile, bytes] = {}
    skipped = []
    for log in logs:
        try:
            texts[log], size_bytes = _read(home, log)
            if len(texts[log]) < size_bytes:
                reason = f"{log.path} has {size_bytes} bytes; its first {len(texts[log])} are read: split it, or make it shorter"
                skipped.append(Skipped(path=log.path, reason=reason))
        except UnreadableError as error:
            skipped.append(Skipped(path=log.path, reason=_reason(home, error)))
    return texts, skipped


def _read(home: Home, log: LogFile) -> tuple[bytes, int]:
    if any("\ud800" <= character <= "\udfff" for character in log.path):  # no record can name it
        raise UnreadableError(f"{log.path} has a name that is not UTF-8")
    content, size_bytes = read_lines(home.path(log.path), MAX_LOG_BYTES, within=home.root)
    if is_wide(content):
        raise UnreadableError(
            f"{log.path} is UTF-16, not UTF-8: convert it with 'iconv -f UTF-16 -t UTF-8 FILE > NEW'"
        )
    return content, size_bytes


def is_wide(content: bytes) -> bool:
    """Tell whether a text has two bytes a character, by its mark (Unicode Standard 23.8)."""
    return content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def _reason(home: Home, error: object) -> str:
    """Name the file as the home knows it: the same home elsewhere gives the same record."""
    text = str(error).replace(f"{home.root}/", "").replace(home.root, "the home")
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def why_empty(home: Home) -> str:
    """Say that there is no memory, no daily log and no outcome in a home, and what would fill it.

    Returns:
        Prose; empty where something is there, or cannot be looked at.
    """
    daily = preset(home.identity.host).daily
    if any(_says_something(home, path) for path in home.identity.gated) or find_daylogs(home, daily):
        return ""
    if os.path.exists(home.outcomes) and os.path.getsize(home.outcomes):
        return ""
    return (
        f"Nothing is in this home yet: no memory in {' or '.join(home.identity.gated)}, no daily logs in "
        f"{' or '.join(daily)}, no outcomes; nights find nothing to propose. The agent fills it once its "
        "instructions tell it to: 'nightledger doctor --paste' has the lines. Your own way: 'nightledger edit'."
    )


def _says_something(home: Home, relative: str) -> bool:
    """Tell whether a file has a line that is no heading."""
    try:
        content = read_optional(home.path(relative), _LITTLE_BYTES, within=home.root) or b""
    except NightledgerError:  # larger, or no file: told elsewhere
        return True
    return any(line.strip() and not line.lstrip().startswith(b"#") for line in content.splitlines())
