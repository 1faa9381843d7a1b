"""What a session's transcript says, whichever host wrote it, and the rules that read results out of it.

The rules say which commands tell something, and what says that it is wrong, right or not done.

Invariant: a turn says who spoke by what the host wrote around the words, never by the words. A command that is read is the
one whose exit status the host gave; what a shell might answer for it is not read.
"""

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import cache, cached_property, lru_cache

from msgspec import Struct

from nightledger.domain.proposal import Origin
from nightledger.domain.words import MAX_IDENTIFIER_CHARACTERS

EXTRACTS = "memory/system/transcripts"
"""Directory of what was kept of transcripts: a file a day and host, only appended to."""
AGREED = "transcripts.json"
"""In a home's directory of keys: the hosts whose transcripts may be read, each with the day of the yes."""


class Speaker(StrEnum):
    """Who a turn is of."""

    USER = "user"
    ASSISTANT = "assistant"
    CALL = "call"
    """The assistant calls a tool: what it said before in the same turn was narration."""
    TOOL = "tool"


class Turn(Struct, frozen=True, kw_only=True, gc=False):
    """One thing that was said or done in a session.

    Attributes:
        speaker: Who.
        at: When; aware, UTC.
        session: The host's name of the session; empty where it gives none.
        text: What was said; empty for tools.
        tool: Name of the tool; empty where none is named.
        exit_status: Of a command; None where none is told.
        is_error: Whether a tool's result is marked as an error; None where nothing is told.
        call: The host's name of a tool's call; its result has the same.
        command: What a call runs; empty where it goes on while the result is there.
        path: The file that a call names.
        id: The host's name of the message; empty where it gives none.
        cwd: Working directory of the session, absolute; empty where it is not known.
        line: Where it stands in its file: the line from 1, or the row's number.
        origin: Whose words they are, where the line itself tells; None where it does not.
    """

    speaker: Speaker
    at: datetime
    session: str
    text: str = ""
    tool: str = ""
    exit_status: int | None = None
    is_error: bool | None = None
    call: str = ""
    command: str = ""
    path: str = ""
    id: str = ""
    cwd: str = ""
    line: int = 0
    origin: Origin | None = None


_WORD = re.compile(r"""\s*((?:[^\s|&;()<>'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+|[|&;()<>]+)""")
_REDIRECTION = re.compile(r"[<>&|]*[<>][<>&|]*")
_OPTION = re.compile(r"--?[A-Za-z][A-Za-z-]{0,24}")
_PATH = "PATH"
_SETTING = re.compile(r"[A-Za-z_]\w*=")
_VERSION = re.compile(r"(?<=[a-z])\d[\d.]*$")
_MOST_OPTIONS = 4
_WORDS = re.compile(r"[A-Za-z]{2,}")
MOST_WORDS = 4
"""Of the name of a file or a folder, and of all options of a command that are told: one with more may be a sentence; in
seven public repositories 93 of 100 paths have no more in any of their names."""
_SHELLS = [[shell, option] for shell in ("bash", "sh", "zsh") for option in ("-c", "-lc")]
_HEARD_CHARACTERS = 160
"""Of a message: who says that something is wrong says it first."""
MOST_CHARACTERS = 2_000
"""Of a command that are looked at."""


class Runner(Struct, frozen=True, kw_only=True):
    """Commands whose exit status tells something.

    Attributes:
        name: Its identifier, also as a tag.
        kind: ``test``, ``build`` and ``lint`` check what was done; ``act`` does something, ``keep`` makes it stay; ``revert``
            takes back what was not kept, ``restore`` of that only the files that it names, ``undo`` what was kept, too.
        words: How it begins, each a command's words.
        tags: Of what it is about.
        failed: Exit statuses that say that it failed; where it is empty all but 0 do.
        empty: Whether it passes where it finds no test, too: a pass tells something only where it had failed (unittest before Python 3.12).
    """

    name: str
    kind: str
    words: tuple[str, ...]
    tags: tuple[str, ...] = ()
    failed: tuple[int, ...] = ()
    empty: bool = False


class Wording(Struct, frozen=True, kw_only=True):
    """What says a verdict in one language.

    Attributes:
        language: Its code.
        says: A pattern of how a message begins.
        unless: A pattern that takes it back.
        yes: What it must catch.
        no: What it must spare.
    """

    language: str
    says: str
    unless: str = ""
    yes: tuple[str, ...]
    no: tuple[str, ...]

    def is_said(self, line: str, heard: str) -> bool:
        """Return whether a line says it, and nothing that is heard takes it back."""
        says = _compiled(self.says).match(line) is not None
        return says and not (self.unless and _compiled(self.unless).search(heard))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


class Rules(Struct, frozen=True, kw_only=True, dict=True):
    """``config/outcome-signals.json``.

    Attributes:
        about: For its readers.
        runs: Tools that run a command.
        edits: Tools that change a file.
        looks: What such a tool is told where it only shows one.
        writes: Patterns of commands that do, with the file.
        tests: Pattern of the paths of tests.
        quiet: Tools whose errors tell nothing of a task.
        beside: Commands that may stand beside one and do not fail for it.
        idle: Options with which a command does nothing of the kind.
        wrappers: Commands that run another one, with how many words stand between.
        folders: Names of folders in which programs are installed: what is run from another, or with it on the path, may be anybody's.
        unclear: Exit statuses that tell nothing: not found, stopped, out of time.
        languages: Tag by the end of a file's name.
        kin: By the tag of a language those that a check reads together with it; empty for prose.
        failing: Of the wrappers those that fail with a status which the command could have.
        mute: Options that say only how much is told or asked; they are no part of a command's name.
        runners: Commands that tell something.
        verdicts: ``wrong`` and ``right``, said by the user; ``refused`` and ``approved`` likewise, where the assistant asked nothing;
            ``undone``, said by the assistant at last.
    """

    about: str
    runs: frozenset[str]
    edits: frozenset[str]
    looks: frozenset[str]
    writes: tuple[str, ...]
    tests: str
    quiet: frozenset[str]
    beside: frozenset[str]
    idle: frozenset[str]
    wrappers: Mapping[str, int]
    folders: frozenset[str]
    unclear: frozenset[int]
    languages: Mapping[str, str]
    kin: Mapping[str, str]
    failing: frozenset[str]
    mute: frozenset[str]
    runners: tuple[Runner, ...]
    verdicts: Mapping[str, tuple[Wording, ...]]

    def kin_of(self, path: str) -> str | None:
        """Return which checks read a file; empty for prose, None for what is no code that is known."""
        return self.kin.get(self.languages.get(posixpath.splitext(path)[1], ""))

    def is_seen(self, change: tuple[str, str], runner: Runner, folder: str) -> bool:
        """Return whether a check is surely of what was changed: of code in its own language, of anything but prose where it has none.

        Args:
            change: Its kind and the file's path, or the act's name.
            runner: What checks.
            folder: Where it runs; empty for all of the project.
        """
        kin = self.kin_of(change[1])
        own = {self.kin[tag] for tag in runner.tags if tag in self.kin}
        is_there = not folder or change[1].startswith(f"{folder}/")
        return change[0] == "act" or (is_there and (kin in own if own else kin != ""))

    @cached_property
    def by_words(self) -> dict[tuple[str, ...], Runner]:
        """The runners by how they begin."""
        return {tuple(words.split()): runner for runner in self.runners for words in runner.words}

    @cached_property
    def read(self) -> Callable[[str], tuple[tuple["Act", ...], bool, tuple["Act", ...], tuple[str, ...]]]:
        """Tells what `read_command` does of a command, and the files that it writes: they are the same few, in most sessions."""

        def read(command: str) -> tuple[tuple["Act", ...], bool, tuple["Act", ...], tuple[str, ...]]:
            written = (re.search(one, command[:MOST_CHARACTERS], re.MULTILINE) for one in self.writes)
            return *read_command(command, self), tuple(found[1] for found in written if found)

        return lru_cache(maxsize=1_000)(read)

    def is_said(self, verdict: str, lines: Sequence[str]) -> bool:
        """Return whether a message says a verdict: in its first line; what follows can take praise back."""
        said = [line.strip() for line in lines if line.strip()] or [""]
        first = said[0][:_HEARD_CHARACTERS]
        heard = "\n".join(said)[:_HEARD_CHARACTERS] if verdict in ("right", "approved") else first
        return bool(first) and any(wording.is_said(first, heard) for wording in self.verdicts[verdict])


class Act(Struct, frozen=True, kw_only=True):
    """A command that tells something, as it was given."""

    runner: Runner
    options: tuple[str, ...]
    targets: frozenset[str]
    folder: str = ""

    @property
    def name(self) -> str:
        """Its identifier."""
        return name_act(self.runner.name, self.options)


def name_act(runner: str, options: Sequence[str]) -> str:
    """Return the identifier of an act: its runner and the options, where they are no sentence: a page may have chosen them."""
    words = sum(map(count_words, options))
    return ":".join((runner, *(options if words <= MOST_WORDS else ())))[:MAX_IDENTIFIER_CHARACTERS]


def count_words(name: str) -> int:
    """Return how many words a name has."""
    return len(_WORDS.findall(name))


def read_command(text: str, rules: Rules) -> tuple[tuple[Act, ...], bool, tuple[Act, ...]]:
    """Return what of a command tells something, whether a failure is that of the one thing in it, and what is in it of which nothing is told.

    The exit status may be another's behind pipes, alternatives, sequences, and with programs of any folder; several lines
    and what runs later are not looked at.
    """
    words = _split(text.strip().replace("\\\n", " "))
    if [posixpath.basename(word) for word in words[:2]] in _SHELLS and len(words) == len(
        ("sh", "-c", "command")
    ):
        return read_command(words[2], rules)
    parts, is_clear = _parts(words)
    folder, read = "", list[tuple[Act | None, bool]]()
    for part in parts:
        if part[:1] == ["cd"] and len(part) == len(("cd", "folder")):
            folder = posixpath.join(folder, part[1])
        read.append(_read_part(part, folder, rules))
    acts = tuple(act for act, _ in read if act)
    if not is_clear or any(_sets_path(word, rules) for word in words):
        return (), False, acts
    return acts, len(acts) == 1 and all(is_clear for _, is_clear in read), ()


def _sets_path(word: str, rules: Rules) -> bool:
    """Return whether a word has programs found in a folder where none are installed."""
    name, _, value = word.partition("=")
    folders = (one for one in value.split(":") if one.strip("${}\"'") != _PATH)
    return name == _PATH and any(posixpath.basename(one.rstrip("/")) not in rules.folders for one in folders)


def _split(text: str) -> list[str]:
    """Return the words and signs of one line of a shell; none where it is more than that, or is none."""
    import shlex  # the gate, which reads names of this module at each start, reads no command

    words, at = list[str](), 0
    if len(text) > MOST_CHARACTERS or "\n" in text or "`" in text or "$(" in text:
        return []
    while at < len(text):
        found = _WORD.match(text, at)
        if found is None:
            return []
        at = found.end()
        words.append(shlex.split(found[1])[0] if {"'", '"', "\\"} & {*found[1]} else found[1])
    return words


def _parts(words: list[str]) -> tuple[list[list[str]], bool]:
    """Return the commands without redirections, and whether each follows where the one before succeeds."""
    parts: list[list[str]] = [[]]
    is_target, is_clear = False, True
    for word in words:
        if is_target:
            is_target = False
        elif _REDIRECTION.fullmatch(word):
            is_target = True
            if parts[-1] and parts[-1][-1].isdigit():
                parts[-1].pop()
        elif not word.strip("|&;()"):
            is_clear = is_clear and word == "&&"
            parts.append([])
        else:
            parts[-1].append(word)
    return parts, is_clear


def _read_part(words: list[str], folder: str, rules: Rules) -> tuple[Act | None, bool]:
    """Return what one command is, and whether a failure may be of it, or beside one that is told of."""
    rest, is_clear = list(words), True
    while rest and (_SETTING.match(rest[0]) or posixpath.basename(rest[0]) in rules.wrappers):
        is_clear = is_clear and posixpath.basename(rest[0]) not in rules.failing
        between = rules.wrappers.get(posixpath.basename(rest[0]), 0)
        rest = rest[1 + between :]
        while between and rest and rest[0].startswith("-"):
            rest = rest[1:]
    rest = [word for word in rest if word not in rules.mute]
    if not rest:
        return None, is_clear
    head = _VERSION.sub("", posixpath.basename(rest[0]))
    is_installed = "/" not in rest[0] or posixpath.basename(posixpath.dirname(rest[0])) in rules.folders
    for length in (4, 3, 2, 1):
        named = rest[1:length]
        runner = rules.by_words.get((rest[0], *named)) or (
            rules.by_words.get((head, *named)) if is_installed else None
        )
        if runner and len(named) == length - 1 and rules.idle.isdisjoint(rest):
            given = rest[length:]
            options = tuple(word for word in given if _OPTION.fullmatch(word))[:_MOST_OPTIONS]
            targets = frozenset(one for one in given if one[:1] != "-")
            return Act(runner=runner, options=options, targets=targets, folder=folder), is_clear
    return None, is_clear and is_installed and head in rules.beside
