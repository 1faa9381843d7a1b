"""Take in what was said in the sessions of one host: prose of user and assistant, a file a day; and what became of tasks.

Reads   the host's transcripts (new bytes only), memory/system/cursors.json
Writes  memory/system/transcripts/YYYY-MM-DD-<host>.md, outcome-records.jsonl and episode.jsonl (appended), cursors.json
Changes no memory.

Invariant: a message is kept once, in whichever file it stands and however often it is read; what is kept is on disk
before the cursor says so. Words go in masked, never with what tools gave out, and no transcript is written to.
"""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct, field

from nightledger.codec.extracts import (
    Mark,
    dump_message,
    dump_outcome,
    known_keys,
    name_key,
    outcome_key,
    session_name,
    words_key,
)
from nightledger.codec.links import MAX_CURSORS_BYTES, dump_cursors, parse_cursors
from nightledger.domain.deriving import Derived, Deriver
from nightledger.domain.errors import NightledgerError
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Origin
from nightledger.domain.transcript import EXTRACTS, Rules, Speaker, Turn
from nightledger.domain.words import MAX_AHEAD_S, MAX_NOTE_CHARACTERS, dump_moment
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir, read_optional
from nightledger.files.home import Home, shipped_config
from nightledger.files.line_log import append_records
from nightledger.hosts.transcript_formats import Format, Reach, SessionFile, find_sessions, table
from nightledger.hosts.transcript_lines import Grammar
from nightledger.hosts.transcript_reading import Cursor, Reading, is_unchanged
from nightledger.records.drawing import EPISODE, draw_episodes
from nightledger.text.scanners.scan import mask_secrets, scan
from nightledger.text.statements.said import prose_of

NAME = "transcripts"
"""Key of the entry in ``cursors.json``."""
MAX_EXTRACT_BYTES = 64 << 20
"""Of one day of one host: some hundred times what people say on one."""
_FLUSH_BYTES = 1 << 20
_NAMED = re.compile(r"[^\W_]+")
_ANSWERED = timedelta(hours=18)
"""So long what became of a session's last task waits for the user's word: an outcome that was logged stays. Our choice: a night
at three leaves those of the day before to the next one, which has read what was said in the morning."""
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
        log: Logs outcomes, as ``log`` takes them, durably.
        copies: Full texts in the archive, by the path of the extract that was compressed.
        dry_run: Count, and write nothing.
    """

    form: Format
    root: str
    directories: tuple[str, ...]
    now: datetime
    zone: tzinfo
    clean: Callable[[str], str]
    log: Callable[[list[dict[str, Any]]], None]
    copies: Mapping[str, str] = field(default_factory=dict)
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
        outcomes: Outcomes that were derived, by how they ended; ``unknown`` are tasks of which nothing explicit tells,
            ``unnamed`` what ended where nothing names what was done; neither is logged.
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
    outcomes: Counter[str] = field(default_factory=Counter)


@lru_cache(maxsize=1)
def rules() -> Rules:
    """Return the shipped rules by which outcomes are derived."""
    return msgspec.json.decode(shipped_config("outcome-signals.json"), type=Rules)


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
    reach = Reach(home=home.root, root=asked.root, kind=asked.form.reach, directories=asked.directories)
    run = _Run(home=home, asked=asked, taken=taken, grammar=Grammar(asked.form, asked.zone), reach=reach)
    after = {
        file.name: cursor
        for file in found.files
        if (cursor := run.read(file, before.get(file.name, Cursor())))
    }
    run.flush()
    taken.of_home = len(after)
    if after != before and not asked.dry_run:
        plain = {name: _plain(cursors) for name, cursors in {**entries, host: after}.items()}
        replace_file(home.cursors, dump_cursors(raw, NAME, plain))
    if taken.days and not asked.dry_run:
        _draw_episodes(run, after)
    return taken


def _draw_episodes(run: "_Run", cursors: Mapping[str, Cursor]) -> None:
    """Record the sessions of the days of which something was kept; where that fails it is told, and what was kept stays."""
    home, taken = run.home, run.taken
    projects = {name: _masked(os.path.basename(one.cwd)) for name, one in cursors.items()}
    extracts = [path for day in taken.days for path in run.extracts[day].held]
    try:
        draw_episodes(home, run.asked.form.host, extracts, projects)
    except NightledgerError as error:
        taken.left.append((home.relative(home.records(EPISODE)), " ".join(str(error).split())))


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
    """Return a name without secrets: whoever began the session may have chosen it."""
    return mask_secrets(name)


@lru_cache(maxsize=256)
def _is_harmless(name: str) -> bool:
    """Return whether a name holds no secret and no order to an agent; the same few come with most outcomes."""
    return mask_secrets(name) == name and not scan(" ".join(_NAMED.findall(name)), origin=Origin.TOOL)


class _Run(Struct, kw_only=True):
    """One host being read.

    Attributes:
        grammar: How its lines are read.
        reach: Which sessions are of the home.
        pending: The assistant's last words by session: kept once no call of a tool follows them.
        extracts: By log day what is to be appended, and the keys of what is there.
        outcomes: Records that are to be logged before their evidence is appended.
        pending_bytes: To be appended, of all days.
    """

    home: Home
    asked: Asked
    taken: Taken
    grammar: Grammar
    reach: Reach
    pending: dict[str, tuple[Turn, str]] = field(default_factory=dict)
    extracts: dict[date, "_Extract"] = field(default_factory=dict)
    outcomes: list[dict[str, Any]] = field(default_factory=list)
    pending_bytes: int = 0

    def read(self, file: SessionFile, cursor: Cursor) -> Cursor | None:
        """Take in one file; returns how far it was read, None where no session of the home is in it."""
        asked, taken, reach = self.asked, self.taken, self.reach
        if not reach.may_hold(file.name):
            return None
        if is_unchanged(file, cursor):
            taken.waiting += not file.store.query and file.size_bytes > cursor.offset
            return cursor
        reading = Reading(self.grammar, file, cursor)
        mine: dict[str, bool] = {}
        deriver = Deriver(rules())
        turns = reading.turns()
        for turn in turns:
            if turn.cwd not in mine:
                mine[turn.cwd] = reach.holds(file.name, turn.cwd)
            if mine[turn.cwd]:
                is_read = turn.line <= cursor.lines and not (reading.restarted or file.store.query)
                lines = self._prose(turn) if is_read else self._take(turn, file.name)
                self._derive(deriver.read(turn, lines, reading.raw), file.name)
            elif not file.store.query:  # one session, and another's
                turns.close()
                return None
        for turn, text in self.pending.values():
            self._keep(turn, text, file.name)
        self.pending.clear()
        ended = deriver.end()
        waits = reading.cursor.task is not None and any(asked.now - one.at < _ANSWERED for one in ended)
        self._derive([] if waits else ended, file.name)
        taken.outcomes["unknown"] += deriver.unknown
        taken.broken += reading.broken
        taken.untimed += reading.untimed
        taken.waiting += bool(reading.waiting)
        taken.restarted += reading.restarted
        taken.unknown += reading.unknown
        taken.left += [(file.name, reading.problem)] if reading.problem else []
        return msgspec.structs.replace(reading.cursor, state="") if waits else reading.cursor

    def _take(self, turn: Turn, source: str) -> list[str]:
        """Keep what was said; returns the lines of it that may be learned from."""
        if turn.at > self.asked.now + _CLOCKS_DISAGREE:
            self.taken.untimed += 1
        elif turn.speaker is Speaker.ASSISTANT:
            self._settle(turn.session, source)
            self.pending[turn.session] = (turn, turn.text)
        elif turn.speaker is Speaker.CALL:
            self.taken.narration += self.pending.pop(turn.session, None) is not None
        elif turn.speaker is Speaker.USER:
            self._settle(turn.session, source)
            return self._keep(turn, turn.text, source)
        return []

    def _prose(self, turn: Turn) -> list[str]:
        """Return the lines of a user's message that was taken in before."""
        is_user = turn.speaker is Speaker.USER
        return prose_of(self.asked.clean(turn.text), table().injected) if is_user else []

    def _settle(self, session: str, source: str) -> None:
        if last := self.pending.pop(session, None):
            self._keep(*last, source)

    def _extract(self, day: date) -> "_Extract":
        if day not in self.extracts:
            stem = f"{EXTRACTS}/{day}-{self.asked.form.host}"
            self.extracts[day] = _Extract.open(self.home, stem, self.asked.copies)
        return self.extracts[day]

    def _keep(self, turn: Turn, text: str, source: str) -> list[str]:
        """Keep a message that is not known; returns the lines of it, of the assistant's none where it is known by its name."""
        extract = self._extract(day := log_day(turn.at, self.asked.zone))
        is_user, is_known = turn.speaker is Speaker.USER, (name := name_key(turn)) in extract.keys
        lines = prose_of(self.asked.clean(text), table().injected) if is_user or not is_known else []
        if is_known:
            self.taken.known += 1
            return lines
        if not any(lines):
            self.taken.without_prose += 1
            return []
        if (words := words_key(turn, lines)) in extract.keys:
            self.taken.known += 1
            return lines
        extract.keys.update((name or words, words))
        origin = (turn.origin or self.asked.form.user) if is_user else Origin.AGENT
        mark = Mark(
            session=_masked(turn.session), source=_masked(source), origin=origin, keys=(name or words) + words
        )
        self._append(extract, dump_message(turn, lines, mark))
        self.taken.user += is_user
        self.taken.assistant += not is_user
        self.taken.days[day] += 1
        return lines

    def _append(self, extract: "_Extract", message: bytes) -> None:
        extract.add(message)
        self.pending_bytes += len(message)
        if self.pending_bytes > _FLUSH_BYTES:
            self.flush()

    def _derive(self, found: list[Derived], source: str) -> None:
        """Write down what became of tasks, each with a mark in the extract as its evidence."""
        for one in found:
            extract = self._extract(log_day(one.at, self.asked.zone))
            if outcome_key(one) in extract.keys or one.at > self.asked.now + timedelta(seconds=MAX_AHEAD_S):
                continue
            if not (one.resolution and self._is_told(one.resolution)):
                self.taken.outcomes["unnamed"] += 1
                continue
            extract.keys.add(outcome_key(one))
            named = msgspec.structs.replace(one, session=_masked(one.session))
            mark = dump_outcome(named, _masked(source))
            evidence = {
                "path": extract.name,
                "lines": [extract.lines + 1, extract.lines + 1],
                "sha256": hashlib.sha256(mark.split(b"\n", 1)[0]).hexdigest(),
            }
            self.outcomes.append(self._record(named, evidence, _masked(source)))
            self._append(extract, mark)
            self.taken.outcomes[one.result] += 1

    def _is_told(self, name: str) -> bool:
        """Return whether a name may be told: it holds no secret, nothing that was expunged, and no order to an agent."""
        return _is_harmless(name) and self.asked.clean(name) == name

    def _record(self, one: Derived, evidence: dict[str, Any], source: str) -> dict[str, Any]:
        """Return an outcome as ``log`` takes it."""
        tags = [tag for tag in one.tags if self._is_told(tag)]
        record = {
            "timestamp": dump_moment(one.at),
            "task_type": one.task_type,
            "context_tags": tags or [one.signal.value],
            "resolution": one.resolution,
            "outcome": one.result.value,
            "source_file": evidence["path"],
            "session": session_name(one.session),
            "host": self.asked.form.host,
            "origin": (self.asked.form.user if one.origin is Origin.UNKNOWN else one.origin).value,
            "signal": one.signal.value,
            "evidence": [evidence],
            "project": one.project if one.project in tags else None,
            "note": f"derived from line {one.line}, SHA-256 {one.sha256}, of {source}"[:MAX_NOTE_CHARACTERS],
        }
        return {name: value for name, value in record.items() if value is not None}

    def flush(self) -> None:
        """Put on disk what is to be kept, before a cursor says so."""
        self.pending_bytes = 0
        if self.outcomes and not self.asked.dry_run:
            self.asked.log(self.outcomes)
        self.outcomes.clear()
        for extract in self.extracts.values():
            if extract.pending and not self.asked.dry_run:
                make_dir(self.home.transcripts_dir)
                append_records(extract.path, bytes(extract.pending))
            extract.pending.clear()


class _Extract(Struct, kw_only=True):
    """The extract of one day.

    Attributes:
        name: Relative to the home.
        path: Absolute.
        held: Where what was kept of the day stands, relative to the home: in the archive, too, once it was compressed.
        keys: Of the messages that it holds; a key of a name never is one of words, as both are hashes.
        lines: How many it has, with what is to be appended.
        pending: What is to be appended.
    """

    name: str
    path: str
    held: list[str]
    keys: set[str]
    lines: int
    pending: bytearray

    def add(self, message: bytes) -> None:
        self.pending += message
        self.lines += message.count(b"\n")

    @classmethod
    def open(cls, home: Home, stem: str, copies: Mapping[str, str]) -> "_Extract":
        """Return the extract of a day; once that was compressed its full text is in the archive, and what is new stands beside it."""
        name, held = f"{stem}.md", list[str]()
        while name in copies or os.path.lexists(
            home.path(_later(name))
        ):  # that may be compressed, too, or undone
            held.append(copies.get(name, name))
            name = _later(name)
        held.append(name)
        keys, raw = set[str](), b""
        for one in held:
            raw = read_optional(home.path(one), MAX_EXTRACT_BYTES, within=home.root) or b""
            keys.update(known_keys(raw))
        lines = raw.count(b"\n") + bool(raw and not raw.endswith(b"\n"))  # a torn one is closed first
        return cls(name=name, path=home.path(name), held=held, keys=keys, lines=lines, pending=bytearray())


def _later(name: str) -> str:
    """Return where what is new stands once an extract was compressed: beside it."""
    return f"{name.removesuffix('.md')}-later.md"


def count_messages(taken: Taken) -> int:
    """Return how many messages were kept."""
    return taken.user + taken.assistant
