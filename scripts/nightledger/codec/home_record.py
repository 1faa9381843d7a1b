"""Who a home is: ``config/nightledger/home.json``, made once by ``init`` and never changed, checked by hand.

Invariant: the same verdicts as ``schemas/home.schema.json`` (``tests/test_drift.py``), without the price of a schema
library, and plain slots instead of a dataclass (importing dataclasses costs as much again as an empty interpreter):
every command reads this record at start.
"""

import json
import re

from nightledger.domain import words
from nightledger.domain.errors import RecordError

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final


VERSION = 2
"""Of a home; one of version 1 has proposals and decisions of another form, and is not read."""


class Identity:
    """A home's identity; ``config/nightledger/home.json``, ``schemas/home.schema.json``.

    Attributes:
        v: Version of the record, :data:`VERSION`.
        id: 128 random bits as 32 lower-case hex digits.
        origin: Name of the audit log, as its checkpoints carry it: ``nightledger/<id>``.
        created_at: RFC 3339, UTC, as it stands in the file.
        machine: The one machine that writes this home.
        zone: IANA name of the zone in which log days begin and end.
        host: Whose workspace it is: ``openclaw``, ``claude_code``, ``codex``, ``hermes``, ``generic``.
        simulated: Made with ``init --simulated``: ``--now`` works.
        gated: Gated files, relative to the home; the first one is the main memory file.
    """

    __slots__ = ("created_at", "gated", "host", "id", "machine", "origin", "simulated", "v", "zone")

    def __init__(  # noqa: PLR0913 - one argument a field of the record
        self,
        *,
        id: str,  # noqa: A002 - the record's own name
        origin: str,
        created_at: str,
        machine: str,
        zone: str,
        host: str,
        simulated: bool,
        gated: tuple[str, ...],
        v: int = VERSION,
    ) -> None:
        self.v: Final = v
        self.id: Final = id
        self.origin: Final = origin
        self.created_at: Final = created_at
        self.machine: Final = machine
        self.zone: Final = zone
        self.host: Final = host
        self.simulated: Final = simulated
        self.gated: Final = gated


HOSTS = ("claude_code", "codex", "generic", "hermes", "openclaw")
_HINT = "restore config/nightledger/home.json from a backup; it is written once, by 'nightledger init'"


def parse_home(raw: bytes, where: str) -> Identity:
    """Read a home's identity.

    Args:
        raw: The file's bytes.
        where: Its path, for messages.

    Raises:
        RecordError: Naming every problem.
    """
    try:
        record = json.loads(raw.decode("utf-8-sig"))  # of bytes, json takes half a surrogate pair for text
    except ValueError as error:
        raise RecordError(where, (f"it is not JSON: {error}",), hint=_HINT) from error
    except RecursionError as error:
        raise RecordError(where, ("it is nested too deeply",), hint=_HINT) from error
    problems = find_home_problems(record)
    if not problems and record["origin"].rpartition("/")[2] != record["id"]:
        problems = ("origin: must end in the home's id",)
    if problems:
        raise RecordError(where, problems, hint=_HINT)
    return Identity(**{**record, "gated": tuple(record["gated"])})


def dump_home(identity: Identity) -> bytes:
    """Give the file's bytes: readable JSON, keys sorted, one line end."""
    record = {name: getattr(identity, name) for name in Identity.__slots__}
    return (json.dumps(record, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()


def find_home_problems(record: "Any") -> tuple[str, ...]:
    """Name everything that is wrong with the record; () when it is valid."""
    if not isinstance(record, dict):
        return ("it is not a JSON object",)
    unknown = [f"{name}: is not a field of this record" for name in sorted(set(record) - set(_CHECKS))]
    missing = [f"{name}: is missing" for name in _CHECKS if name not in record]
    wrong = [
        f"{name}: {expected}"
        for name, (holds, expected) in _CHECKS.items()
        if name in record and not holds(record[name])
    ]
    return (*missing, *unknown, *wrong)


def _matches(pattern: str) -> "Callable[[Any], bool]":
    compiled = re.compile(pattern)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


def _read_time(value: object) -> str:
    return words.dump_moment(words.read_moment(value))


def _is_stored(read: "Callable[[object], str]", value: object) -> bool:
    """Tell whether a value is in the form in which a reader of ``domain/words.py`` gives it."""
    try:
        return read(value) == value
    except ValueError:
        return False


def _is_gated(value: "Any") -> bool:
    return (
        isinstance(value, list)
        and 1 <= len(value) == len(set(map(str, value)))
        and all(map(_is_relative, value))
    )


def _is_relative(value: "Any") -> bool:
    """Tell whether a file below a home may be called so; what no log can carry ``init`` refuses, by its name."""
    if (
        not isinstance(value, str)
        or not value
        or len(value) > words.MAX_PATH_CHARACTERS
        or "\0" in value
        or "\\" in value
        or any("\ud800" <= character <= "\udfff" for character in value)
    ):
        return False
    return all(part not in ("", ".", "..") for part in value.split("/"))


_CHECKS: "dict[str, tuple[Callable[[Any], bool], str]]" = {
    "v": (
        lambda value: type(value) is int and value == VERSION,
        (
            f"must be {VERSION}; a home of version 1 was made by an earlier Nightledger and is not read: keep it where it is and "
            "begin anew with 'nightledger init --adopt' in a copy of the workspace; a newer version needs a newer Nightledger"
        ),
    ),
    "id": (_matches(r"[0-9a-f]{32}"), "must be 32 lower-case hex digits"),
    "origin": (_matches(r"[!-~]{1,200}"), "must be 1 to 200 visible ASCII characters without spaces"),
    "created_at": (
        lambda value: _is_stored(_read_time, value),
        "must be a time such as 2026-02-28T03:05:00Z",
    ),
    "machine": (_matches(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,255}"), "must be a machine's name"),
    "zone": (
        _matches(r"[A-Za-z0-9_+/-]{1,64}"),
        "must be the IANA name of a time zone such as Europe/Berlin",
    ),
    "host": (lambda value: value in HOSTS, f"must be one of {', '.join(HOSTS)}"),
    "simulated": (lambda value: isinstance(value, bool), "must be true or false"),
    "gated": (_is_gated, "must list relative paths, each once, at least one"),
}
