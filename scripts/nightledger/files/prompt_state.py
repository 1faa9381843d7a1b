"""What a session's last prompts asked for, and what they were shown: a small file a session.

Invariant: disposable. Of a prompt only words are kept that stand in memory which the agent may see,
sorted, so that neither a secret nor a sentence can be read from it. A reader sees the old state
or the new one; what cannot be read counts as empty.
"""

import json
import os
import re

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from nightledger.files.home import Home

MOST_PROMPTS = 5
MAX_PROMPT_CHARACTERS = 200
MOST_SHOWN = 10
"""FACTS, Elara Core: five prompts of 200 characters, a ring of ten."""
MAX_STATE_BYTES = 1 << 16
KEPT_S = 7 * 24 * 3600
"""Sessions are resumed within days. Our choice."""
MOST_FILES = 1000
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


def read_state(home: "Home", session: str) -> PromptState:
    """Give a session's state; an empty one where there is none that can be read."""
    try:
        descriptor = os.open(_path(home, session), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            raw = os.read(descriptor, MAX_STATE_BYTES)
        finally:
            os.close(descriptor)
        record = json.loads(raw)
        prompts, shown = record["prompts"], record["shown"]
        words = tuple(word for word in prompts if isinstance(word, str))[-MOST_PROMPTS:]
        names = tuple(tuple(str(name) for name in one) for one in shown)[-MOST_SHOWN:]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return PromptState()
    return PromptState(words, names)


def write_state(home: "Home", session: str, state: PromptState) -> None:
    """Replace a session's state; readers see the old one or the new one. Not put on disk: disposable.

    Raises:
        OSError: It cannot be written.
    """
    path = _path(home, session)
    directory = os.path.dirname(path)
    if not os.path.isdir(directory):
        os.mkdir(directory, 0o700)
    beside = f"{path}.{os.getpid()}.new"
    record = {"v": 1, "prompts": list(state.prompts), "shown": [list(one) for one in state.shown]}
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        os.write(descriptor, json.dumps(record, separators=(",", ":")).encode("ascii"))
    finally:
        os.close(descriptor)
    os.replace(beside, path)


def drop_old_states(home: "Home", now_s: float) -> None:
    """Remove states that no session has touched for a week, and what a crash left.

    Args:
        home: Whose.
        now_s: Seconds since 1970.

    Raises:
        OSError: The directory cannot be read.
    """
    directory = _directory(home)
    if not os.path.isdir(directory):
        return
    with os.scandir(directory) as entries:
        for n, entry in enumerate(entries):
            if n >= MOST_FILES:
                return
            try:
                if now_s - entry.stat(follow_symlinks=False).st_mtime > KEPT_S:
                    os.unlink(entry.path)
            except OSError:  # another session's start was faster
                continue


def _directory(home: "Home") -> str:
    return os.path.join(home.work_dir, "prompts")


def _path(home: "Home", session: str) -> str:
    if not _PLAIN.fullmatch(session):
        import hashlib

        session = "s-" + hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:40]
    return os.path.join(_directory(home), f"{session}.json")
