"""Take in what was said in the sessions of one host: prose of user and assistant, a file a day.

Reads   the host's transcripts (new bytes only), memory/system/cursors.json
Writes  memory/system/transcripts/YYYY-MM-DD-<host>.md, cursors.json
Changes no memory.

Invariant: a message is kept once, in whichever file it stands and however often it is read; what is kept is on disk
before the cursor says so. Words go in masked, never with what tools gave out, and no transcript is written to.
"""

from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct, field

from nightledger.codec.extracts import dump_message, known_keys, name_key, words_key
from nightledger.codec.links import MAX_CURSORS_BYTES, dump_cursors, parse_cursors
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Origin
from nightledger.domain.transcript import EXTRACTS, Speaker, Turn
from nightledger.files.append import append_records
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir, read_optional
from nightledger.files.home import Home
from nightledger.hosts.transcripts.finding import Reach, SessionFile, find_sessions
from nightledger.hosts.transcripts.formats import Format, table
from nightledger.hosts.transcripts.reading import Cursor, Reading
from nightledger.text.scanners.scan import mask_secrets
from nightledger.text.statements.said import prose_of

NAME = "transcripts"
"""Key of the entry in ``cursors.json``."""
MAX_EXTRACT_BYTES = 64 << 20
"""Of one day of one host: some hundred times what people say on one."""
_FLUSH_BYTES = 1 << 20
_CLOCKS_DISAGREE = timedelta(days=1)
"""So far ahead of this machine a line may be; one that is further says no day that can be believed."""


class Asked(Struct, frozen=True, kw_only=True):
    """Which transcripts are taken in.

    Attributes:
        form: How the host writes them.
        root: The host's own directory.
        directories: Further working directories whose sessions belong to the home.
        now: Aware, UTC.
        zone: The home's.
        clean: Takes out what was expunged.
        dry_run: Count, and write nothing.
    """

    form: Format
    root: str
    directories: tuple[str, ...]
    now: datetime
    zone: tzinfo
    clean: Callable[[str], str]
    dry_run: bool = False


class Taken(Struct, kw_only=True):
    """What came of it; counts of messages, of lines that were not read, and of files.

    Attributes:
        files: Session files that lie there.
        of_home: Those that hold sessions of this home.
        user: Messages of the user that were kept.
        assistant: Messages of the assistant that were kept.
        known: Messages that had been kept before.
        narration: What the assistant said on its way to a tool's call.
        without_prose: Messages of which nothing is left without code, output and what hosts put in.
        broken: Lines that are no JSON, or longer than a megabyte.
        untimed: Lines without a time, or of one that has not come yet.
        waiting: Files whose last line has no end yet.
        restarted: Files that were read from their beginning again: others than before, or cut.
        unknown: Kinds of lines that nothing is known of.
        left: Files that were not read, or not to their end, with why.
        days: Log days of what was kept, with how much.
    """

    host: str
    files: int = 0
    of_home: int = 0
    user: int = 0
    assistant: int = 0
    known: int = 0
    narration: int = 0
    without_prose: int = 0
    broken: int = 0
    untimed: int = 0
    waiting: int = 0
    restarted: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    left: list[tuple[str, str]] = field(default_factory=list)
    days: Counter[date] = field(default_factory=Counter)


def take_in(home: Home, asked: Asked) -> Taken:
    """Read what is new in one host's transcripts; the caller holds the home's lock.

    Raises:
        NotDurableError: What was kept could not be put on disk; the cursor stays where it was.
        UnreadableError: An extract, or the cursors, cannot be read.
    """
    host = asked.form.host
    raw = read_optional(home.cursors, MAX_CURSORS_BYTES, within=home.root) or b""
    found = find_sessions(asked.form, asked.root)
    taken = Taken(host=host, files=len(found.files), left=list(found.left))
    entries = _entries(raw)
    before = entries.get(host, {})
    run = _Run(home=home, asked=asked, taken=taken)
    after = {
        file.name: cursor
        for file in found.files
        if (cursor := run.read(file, before.get(file.name, Cursor())))
    }
    taken.of_home = len(after)
    if after != before and not asked.dry_run:
        plain = {name: _plain(cursors) for name, cursors in {**entries, host: after}.items()}
        replace_file(home.cursors, dump_cursors(raw, NAME, plain))
    return taken


def read_cursors(home: Home) -> dict[str, dict[str, Cursor]]:
    """Return how far transcripts were read, by host and file."""
    return _entries(read_optional(home.cursors, MAX_CURSORS_BYTES, within=home.root) or b"")


def _entries(raw: bytes) -> dict[str, dict[str, Cursor]]:
    """Return the cursors by host and file; none where they are no such entry."""
    try:
        return msgspec.convert(parse_cursors(raw).get(NAME, {}), dict[str, dict[str, Cursor]])
    except (msgspec.ValidationError, UnicodeEncodeError):
        return {}


def _plain(cursors: dict[str, Cursor]) -> dict[str, Any]:
    return {name: msgspec.to_builtins(cursor) for name, cursor in cursors.items()}


@lru_cache(maxsize=64)
def _masked(name: str) -> str:
    """Return a session's or a file's name without secrets: whoever began the session may have chosen it."""
    return mask_secrets(name)


class _Run(Struct, kw_only=True):
    """One host being read.

    Attributes:
        pending: The assistant's last words by session: kept once no call of a tool follows them.
        extracts: By log day what is to be appended, and the keys of what is there.
    """

    home: Home
    asked: Asked
    taken: Taken
    pending: dict[str, tuple[Turn, str]] = field(default_factory=dict)
    extracts: dict[date, "_Extract"] = field(default_factory=dict)

    def read(self, file: SessionFile, cursor: Cursor) -> Cursor | None:
        """Take in one file; returns how far it was read, None where no session of the home is in it."""
        asked, taken = self.asked, self.taken
        reach = Reach(
            home=self.home.root, root=asked.root, kind=asked.form.reach, directories=asked.directories
        )
        if not reach.may_hold(file.name):
            return None
        reading = Reading(asked.form, file, cursor)
        mine: dict[str, bool] = {}
        turns = reading.turns()
        for turn in turns:
            if turn.cwd not in mine:
                mine[turn.cwd] = reach.holds(file.name, turn.cwd)
            if mine[turn.cwd]:
                self._take(turn, file.name)
            elif not file.store.query:  # one session, and another's
                turns.close()
                return None
        for turn, text in self.pending.values():
            self._keep(turn, text, file.name)
        self.pending.clear()
        self._flush()
        taken.broken += reading.broken
        taken.untimed += reading.untimed
        taken.waiting += bool(reading.waiting)
        taken.restarted += reading.restarted
        taken.unknown += reading.unknown
        taken.left += [(file.name, reading.problem)] if reading.problem else []
        return reading.cursor

    def _take(self, turn: Turn, source: str) -> None:
        if turn.at > self.asked.now + _CLOCKS_DISAGREE:
            self.taken.untimed += 1
        elif turn.speaker is Speaker.ASSISTANT:
            self._settle(turn.session, source)
            self.pending[turn.session] = (turn, turn.text)
        elif turn.speaker is Speaker.CALL:
            self.taken.narration += self.pending.pop(turn.session, None) is not None
        elif turn.speaker is Speaker.USER:
            self._settle(turn.session, source)
            self._keep(turn, turn.text, source)

    def _settle(self, session: str, source: str) -> None:
        if last := self.pending.pop(session, None):
            self._keep(*last, source)

    def _keep(self, turn: Turn, text: str, source: str) -> None:
        day = log_day(turn.at, self.asked.zone)
        if day not in self.extracts:
            self.extracts[day] = _Extract.open(self.home, f"{EXTRACTS}/{day}-{self.asked.form.host}.md")
        extract = self.extracts[day]
        if name_key(turn) in extract.keys:
            self.taken.known += 1
            return
        lines = prose_of(self.asked.clean(text), table().injected)
        if not any(lines):
            self.taken.without_prose += 1
            return
        if (words := words_key(turn, lines)) in extract.keys:
            self.taken.known += 1
            return
        is_user = turn.speaker is Speaker.USER
        extract.keys.update((name_key(turn) or words, words))
        origin = (turn.origin or self.asked.form.user) if is_user else Origin.AGENT
        named = msgspec.structs.replace(turn, session=_masked(turn.session))
        extract.pending += dump_message(named, lines, origin, _masked(source))
        self.taken.user += is_user
        self.taken.assistant += not is_user
        self.taken.days[day] += 1
        if len(extract.pending) > _FLUSH_BYTES:
            self._flush()

    def _flush(self) -> None:
        for extract in self.extracts.values():
            if extract.pending and not self.asked.dry_run:
                make_dir(self.home.transcripts_dir)
                append_records(extract.path, bytes(extract.pending))
            extract.pending.clear()


class _Extract(Struct, kw_only=True):
    """The extract of one day.

    Attributes:
        path: Absolute.
        keys: Of the messages that it holds; a key of a name never is one of words, as both are hashes.
        pending: What is to be appended.
    """

    path: str
    keys: set[str]
    pending: bytearray

    @classmethod
    def open(cls, home: Home, relative: str) -> "_Extract":
        raw = read_optional(home.path(relative), MAX_EXTRACT_BYTES, within=home.root) or b""
        return cls(path=home.path(relative), keys={*known_keys(raw)}, pending=bytearray())


def count_messages(taken: Taken) -> int:
    """Return how many messages were kept."""
    return taken.user + taken.assistant
