"""What the prompt hook keeps and reads of a home: its settings, what a session was shown, and the ledger of all showings.

Standard library only and cheap: a hook starts at each prompt.

Invariant: of the ledger one line a showing, whole and on disk before anything is shown; a torn line of an earlier crash
is closed, never cut. A session's state is disposable. Of a prompt only words are kept that stand in memory which the
agent may see, sorted, so that neither a secret nor a sentence can be read from it. What cannot be read counts as empty, or as not set.
"""

import errno
import json
import os
import re

from nightledger.domain.errors import UnreadableError
from nightledger.files.durable import read_regular
from nightledger.files.line_log import append_records

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterable

    from nightledger.domain.exposure import Place
    from nightledger.files.home import Home

MAX_BYTES = 1 << 18


class HookSettings:
    """How much the hook says, and when.

    Attributes:
        relevance: Least score (``domain/exposure.py``) that is shown; nats.
        tokens: Budget of what is added to a prompt (``domain/exposure.py``).
        lines: How many lines at most.
    """

    __slots__ = ("lines", "relevance", "tokens")

    def __init__(self, *, relevance: float = 6.0, tokens: int = 100, lines: int = 2) -> None:
        self.relevance = relevance
        self.tokens = tokens
        self.lines = lines


_RANGES = {"relevance": (0.1, 1000.0), "tokens": (0, 2000), "lines": (0, 10)}


def read_hook_settings(home: "Home") -> HookSettings:
    """Give the settings in force; the defaults where the home sets none."""
    try:
        record = json.loads(read_regular(home.staging_rules, MAX_BYTES))["prompt_hook"]
        return HookSettings(**{name: record[name] for name in _RANGES if _is_fit(name, record.get(name))})
    except (OSError, UnreadableError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return HookSettings()


def _is_fit(name: str, value: object) -> bool:
    least, most = _RANGES[name]
    kinds = (int, float) if name == "relevance" else (int,)
    return isinstance(value, kinds) and not isinstance(value, bool) and least <= value <= most


MOST_NAMES = 100
"""Names, and places, told of one showing; more are no showing but a listing. Our choice."""
MAX_NAME_CHARACTERS = 200


def append_exposure(  # noqa: PLR0913 - one argument a member of the line
    home: "Home",
    *,
    at: str,
    shown: "Iterable[str]",
    host: str,
    event: str,
    session: str = "",
    places: "Iterable[Place]" = (),
) -> None:
    """Append one showing to ``memory/system/exposures.jsonl``; ``schemas/exposure.schema.json``.

    Args:
        home: Whose.
        at: When; UTC, to the second.
        shown: Ids and names of what was shown; of names too long, and of more than a hundred, none are kept.
        host: Which host showed it.
        event: ``prompt``, ``recall`` (the agent asked) or ``session_start``.
        session: The host's name of the session, as ``session_name`` gives it; empty where it has none.
        places: Where what was shown stands.

    Raises:
        NightledgerError: It could not be appended.
        OSError: The system refuses.
    """
    record = {
        "v": 1,
        "at": at,
        "shown": sorted({name for name in shown if 0 < len(name) <= MAX_NAME_CHARACTERS})[:MOST_NAMES],
        "host": host,
        "event": event,
        "session": session,
        "places": [{"path": place.path, "lines": list(place.lines)} for place in places][:MOST_NAMES],
    }
    line = json.dumps(record, sort_keys=True, separators=(",", ":")).encode("ascii")
    append_records(home.exposures, line + b"\n")


MOST_PROMPTS = 5
MAX_PROMPT_CHARACTERS = 200
MOST_SHOWN = 10
"""FACTS, Elara Core: five prompts of 200 characters, a ring of ten."""
MAX_STATE_BYTES = 1 << 16
KEPT_S = 7 * 24 * 3600
"""Sessions are resumed within days. Our choice."""
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}")


class PromptState:
    """One session's.

    Attributes:
        prompts: Words of the last prompts, the newest last.
        shown: Names shown at the last ten showings, the newest last.
    """

    __slots__ = ("prompts", "shown")

    def __init__(self, prompts: tuple[str, ...] = (), shown: tuple[tuple[str, ...], ...] = ()) -> None:
        self.prompts = prompts
        self.shown = shown

    def after(self, words: str, shown: tuple[str, ...]) -> "PromptState":
        """Give the state after one more prompt.

        Args:
            words: What is kept of it; cut to 200 characters at a word's end.
            shown: What it was shown; () changes nothing of the ring.
        """
        kept = words
        if len(kept) > MAX_PROMPT_CHARACTERS:
            kept = kept[: MAX_PROMPT_CHARACTERS + 1].rpartition(" ")[0]
        prompts = (*self.prompts, kept)[-MOST_PROMPTS:]
        return PromptState(prompts, (*self.shown, shown)[-MOST_SHOWN:] if shown else self.shown)

    def after_showing(self, shown: tuple[str, ...]) -> "PromptState":
        """Give the state after something was shown at no prompt.

        Args:
            shown: Names; 1 or more.
        """
        return PromptState(self.prompts, (*self.shown, shown)[-MOST_SHOWN:])

    def was_shown(self) -> frozenset[str]:
        """Give what was shown at the last ten showings."""
        return frozenset(name for names in self.shown for name in names)


def place_key(path: str, line: int) -> str:
    """Give the name under which a line that was shown counts, where it has no id of its own.

    Args:
        path: Relative to the home.
        line: Its first, from 1.
    """
    return f"{path}:{line}"


def write_state(home: "Home", session: object, state: PromptState) -> None:
    """Put a session's state in the place of its last; not put on disk, and where it cannot be written, what was shown may be shown twice.

    Args:
        home: Whose.
        session: What the host calls the session; whatever is no text is one session.
        state: What is to be known.
    """
    record = {"v": 1, "prompts": list(state.prompts), "shown": [list(one) for one in state.shown]}
    try:
        descriptor = _open(_path(home, session))
    except OSError:
        return
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, json.dumps(record, separators=(",", ":")).encode("ascii"))
    except OSError:  # no regular file
        return
    finally:
        os.close(descriptor)


def read_state(home: "Home", session: object) -> PromptState:
    """Give a session's state; an empty one where there is none that can be read."""
    try:
        descriptor = os.open(_path(home, session), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return _parse(os.read(descriptor, MAX_STATE_BYTES))
        finally:
            os.close(descriptor)
    except OSError:
        return PromptState()


def has_state(home: "Home", session: object) -> bool:
    """Tell whether a session was asked about before, as far as that is still known."""
    return os.path.lexists(_path(home, session))


def drop_old_states(home: "Home", now_s: float) -> None:
    """Remove states that no session has touched for a week, and what a crash left.

    Args:
        home: Whose.
        now_s: Seconds since 1970.

    Raises:
        OSError: The directory cannot be read.
    """
    directory = _directory(home)
    for name in os.listdir(directory) if os.path.isdir(directory) else ():
        path = os.path.join(directory, name)
        try:
            if now_s - os.lstat(path).st_mtime > KEPT_S:
                os.unlink(path)
        except OSError:  # another session's start was faster
            continue


def _parse(raw: bytes) -> PromptState:
    try:
        record = json.loads(raw)
        prompts, shown = record["prompts"], record["shown"]
        words = tuple(word for word in prompts if isinstance(word, str))[-MOST_PROMPTS:]
        names = tuple(tuple(str(name) for name in one) for one in shown)[-MOST_SHOWN:]
    except (ValueError, KeyError, TypeError, RecursionError):
        return PromptState()
    return PromptState(words, names)


def _open(path: str) -> int:
    directory = os.path.dirname(path)
    try:  # noqa: SIM105 - contextlib costs a start
        os.mkdir(directory, 0o700)
    except FileExistsError:
        pass
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        return os.open(path, flags, 0o600)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
    os.unlink(path)  # a link there is none of ours
    return os.open(path, flags, 0o600)


def _directory(home: "Home") -> str:
    return os.path.join(home.work_dir, "prompts")


def _path(home: "Home", session: object) -> str:
    session = session if isinstance(session, str) else ""
    if not _PLAIN.fullmatch(session):
        import hashlib

        session = "s-" + hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:40]
    return os.path.join(_directory(home), f"{session}.json")
