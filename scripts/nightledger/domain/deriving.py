"""What became of the tasks of a session: told by exit statuses, marks of errors, and what the user said of it.

Invariant: a status counts where the host wrote it as one, and where it is that of the very command; nothing that a tool
gave out is read. A task is what was done between two messages of the user; where nothing is explicit it is unknown.
What a record says is a name out of the table, an option, or the path of a file that the agent changed.
"""

import hashlib
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from msgspec import Struct, field
from msgspec.structs import replace

from nightledger.domain.outcome import Result, Signal
from nightledger.domain.proposal import Origin
from nightledger.domain.transcript import MOST_WORDS, Act, Rules, Speaker, Turn, count_words, name_act

_Tried = dict[str, dict[tuple[str, ...], "Derived"]]
_PATH = re.compile(r"[A-Za-z0-9_./-]{1,56}")
_PROJECT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")
_MOST_CALLS = 1_000
_NOT_ASKED = (("wrong", "refused"), ("right", "approved"))
_ASKED = (("wrong",), ("right",))
"""Verdicts that say that it is wrong, or right; a bare "No, use ..." or "Perfect." may answer what the assistant asked."""
_CHECKS = ("test", "build", "lint")
_ALL = frozenset({".", "HEAD"})


class Ended(Struct, frozen=True, kw_only=True):
    """How something ended.

    Attributes:
        task_type: An identifier.
        tags: At least one.
        resolution: What was done; an identifier, empty where nothing names it: files all over the project, nothing but sentences as names.
        result: How it ended.
        signal: What told it.
        command: What was run; for nobody but a bench.
    """

    task_type: str
    tags: tuple[str, ...]
    resolution: str
    result: Result
    signal: Signal
    command: str = ""


class Derived(Ended, frozen=True, kw_only=True):
    """What became of a task, or of a part of it, and where it was told.

    Attributes:
        origin: Who told it.
        at: When; aware, UTC.
        session: The host's name of the session.
        line: Where it was told: the line of the transcript, or the row's number.
        sha256: Hex SHA-256 of that line.
        key: By which it is known again: the host's name of the call or message, else its place and time.
        project: Name of the working directory; empty where it is no plain name.
    """

    origin: Origin
    at: datetime
    session: str
    line: int
    sha256: str
    key: str
    project: str


class _Check(Struct, kw_only=True):
    """How a check ended last.

    Attributes:
        passed: Whether it passed; None where that is not known.
        was_good: Whether it passed at any time before.
        targets: On what it was run; empty for all that there is.
        folder: Where it was run, as :func:`_below` gives it.
        start: Number of the first change since it passed, or first failed.
        count: How many changes there were when it ended last.
    """

    passed: bool | None
    was_good: bool
    targets: frozenset[str]
    folder: str
    start: int
    count: int


def _same(before: _Check | None, act: Act, folder: str, *, passed: bool) -> _Check | None:
    """Return the check before where it was of the same: a pass of all that failed, in the same folder."""
    if before is None or before.folder != folder:
        return None
    is_within = not act.targets or (before.targets and before.targets <= act.targets)
    return before if is_within or (not passed and not before.targets) else None


class _Session(Struct, kw_only=True):
    """One session.

    Attributes:
        calls: Calls that wait for their results, by the host's names.
        changes: What was changed, the files and what was run, in order.
        checks: By runner.
        begin: Number of the first change of the task.
        kept: Number of the first change that was not kept yet.
        judged: Files of the task before, where the user said that it was wrong.
        did: How many calls the task has.
        results: What became of it so far, by what told it.
        doubtful: Those of the results that count only where somebody says so: a check that never passed may fail for another's fault.
        tried: Acts of the task that ended, by runner, then by options.
        said: The assistant's last words.
    """

    calls: dict[str, Turn] = field(default_factory=dict)
    changes: list[tuple[str, str]] = field(default_factory=list)
    checks: dict[str, _Check] = field(default_factory=dict)
    begin: int = 0
    kept: int = 0
    judged: frozenset[str] = frozenset()
    did: int = 0
    results: dict[str, Derived] = field(default_factory=dict)
    doubtful: set[str] = field(default_factory=set)
    tried: _Tried = field(default_factory=dict)
    said: str = ""


class Deriver:
    """Reads the turns of one file in their order.

    Attributes:
        unknown: Tasks in which something was done, and of which nothing tells what became of them.
    """

    def __init__(self, rules: Rules) -> None:
        """Begin with no session."""
        self._rules = rules
        self._sessions = defaultdict[str, _Session](_Session)
        self.unknown = 0

    def read(self, turn: Turn, lines: Sequence[str], raw: bytes) -> list[Derived]:
        """Return what a turn decides: the user's, what became of the task before it.

        Args:
            turn: The next one.
            lines: What is left of what was said, without what hosts and tools put in.
            raw: The line of the transcript.
        """
        session = self._sessions[turn.session]
        if turn.speaker is Speaker.USER:
            return list(self._end(session, turn, lines, raw))
        if turn.speaker is Speaker.ASSISTANT:
            session.said = turn.text
        elif turn.speaker is Speaker.CALL:
            session.did += 1
            is_look = turn.tool in self._rules.edits and turn.command in self._rules.looks
            if turn.tool in self._rules.edits and turn.path and not is_look:
                session.changes.append(("file", _inside(turn.path, turn.cwd)))
            if turn.call and not is_look and len(session.calls) < _MOST_CALLS:
                session.calls[turn.call] = turn
        else:
            self._hear(session, turn, raw)
        return []

    def end(self) -> list[Derived]:
        """Return what became of the tasks that nobody said anything about any more."""
        return [one for session in self._sessions.values() for one in self._end(session, None, (), b"")]

    def _hear(self, session: _Session, turn: Turn, raw: bytes) -> None:
        """Take in a tool's result."""
        call = session.calls.pop(turn.call, None)
        tool = turn.tool or (call.tool if call else "")
        command = turn.command or (call.command if call else "")
        if tool in self._rules.runs or (not tool and command):
            self._ran(session, turn, command, raw)
        elif tool in self._rules.edits:
            change = ("file", _inside(call.path, turn.cwd)) if call and call.path else None
            is_told = call and call.path and turn.path.endswith(call.path)
            if turn.path and command not in self._rules.looks and not is_told:
                session.changes.append(("file", _inside(turn.path, turn.cwd)))
            elif (turn.is_error or turn.exit_status) and change in session.changes[session.begin :]:
                session.changes.reverse()
                session.changes.remove(change)  # the last one: it was not made
                session.changes.reverse()
        elif tool and tool not in self._rules.quiet:
            session.results.pop(f"tool {tool}", None)
            if turn.is_error and _PROJECT.fullmatch(tool):
                ended = Ended(
                    task_type="use_tool", tags=("tool", tool), resolution=f"tool:{tool}",
                    result=Result.FAILURE, signal=Signal.TOOL_ERROR,
                )  # fmt: skip
                session.results[f"tool {tool}"] = _derived(turn, raw, ended)

    def _ran(self, session: _Session, turn: Turn, command: str, raw: bytes) -> None:
        status = None if turn.exit_status == 0 and turn.is_error else turn.exit_status
        acts, is_alone, unclear, written = self._rules.read(command)
        if status is None or status in self._rules.unclear or (status and not is_alone):
            acts, unclear = (), (*acts, *unclear)
        self._lost(session, turn, unclear)
        if status == 0:
            session.changes += [("file", _inside(path, turn.cwd)) for path in written]
        for act in acts:
            if status and act.runner.failed and status not in act.runner.failed:
                self._lost(session, turn, [act])
            elif act.runner.kind in ("revert", "restore", "undo"):
                self._took_back(session, turn, act, raw)
            elif act.runner.kind in ("act", "keep"):
                self._acted(session, turn, act, raw)
            else:
                self._checked(session, turn, act, raw, command)

    def _lost(self, session: _Session, turn: Turn, acts: Sequence[Act]) -> None:
        """Take in checks of which nothing tells how they ended: a later one tells of what was changed since."""
        count = len(session.changes)
        for act in acts:
            if act.runner.kind not in _CHECKS:
                continue
            folder = _below(act.folder, turn.cwd)
            before = _same(session.checks.get(act.runner.name), act, folder, passed=False)
            session.checks[act.runner.name] = _Check(
                passed=None, was_good=before is not None and before.was_good, targets=act.targets, folder=folder,
                start=before.start if before else count, count=count,
            )  # fmt: skip
            told = session.results.get(act.runner.name)
            if told and told.result is Result.FAILURE:
                del session.results[act.runner.name]

    def _checked(self, session: _Session, turn: Turn, act: Act, raw: bytes, command: str) -> None:
        """Take in a check: it tells of what was changed since it last passed, and where it failed and passes, since it failed last."""
        runner, passed = act.runner, turn.exit_status == 0
        folder = _below(act.folder, turn.cwd)
        last = session.checks.get(runner.name)
        before = _same(last, act, folder, passed=passed)
        start = before.start if before else session.begin
        is_turned = before is not None and before.passed is not None and before.passed != passed
        done = session.changes[last.count if last and last.folder == folder and passed else start :]
        if not is_turned:  # what did not turn it and is not of its kind it may not even read
            done = [change for change in done if self._rules.is_seen(change, runner, folder)]
        if all(self._rules.kin_of(path) == "" for _, path in done):
            done = []
        if not done or (passed and runner.empty and not is_turned):
            told = session.results.get(runner.name)
            if told and (told.result is Result.SUCCESS) != passed:
                session.results.pop(runner.name, None)  # now so, now so: it tells nothing
        elif passed or before:
            ended = Ended(
                task_type=f"{runner.kind}_{runner.name}", tags=(runner.name, runner.kind, *runner.tags, *self._tags(done)),
                resolution=_resolution(done, self._rules), result=Result.SUCCESS if passed else Result.FAILURE,
                signal=Signal.TEST if runner.kind == "test" else Signal.EXIT_CODE, command=command,
            )  # fmt: skip
            session.results[runner.name] = _derived(turn, raw, ended)
        was_good = passed or (before is not None and before.was_good)
        (session.doubtful.discard if was_good else session.doubtful.add)(runner.name)
        count = len(session.changes)
        start = count if passed or before is None else start
        session.checks[runner.name] = _Check(
            passed=passed, was_good=was_good, targets=act.targets, folder=folder, start=start, count=count
        )

    def _acted(self, session: _Session, turn: Turn, act: Act, raw: bytes) -> None:
        """Take in what does something by itself."""
        runner, passed = act.runner, turn.exit_status == 0
        ended = Ended(
            task_type=f"do_{runner.name}", tags=(runner.name, *runner.tags), resolution=act.name,
            result=Result.SUCCESS if passed else Result.FAILURE, signal=Signal.EXIT_CODE,
        )  # fmt: skip
        session.tried.setdefault(runner.name, {})[act.options] = _derived(turn, raw, ended, act.name)
        if passed and runner.kind == "keep":
            session.kept = len(session.changes)
        elif passed:
            session.changes.append(("act", act.name))

    def _took_back(self, session: _Session, turn: Turn, act: Act, raw: bytes) -> None:
        """Take in that files were set back: what was changed in them did not stay."""
        first = 0 if act.runner.kind == "undo" else session.kept
        files = {path for kind, path in session.changes[first:] if kind == "file"}
        named = {
            path for path in files
            if any(f"/{path}".endswith("/" + one.lstrip("./")) for one in act.targets - {"."})
        }  # fmt: skip
        is_all = act.runner.kind != "restore" and act.targets <= _ALL
        gone = named or (files if is_all else set())
        if turn.exit_status or not gone:
            return
        is_judged = gone <= session.judged - {path for _, path in session.changes[session.begin :]}
        done = [(kind, path) for kind, path in session.changes if path in gone]
        ended = Ended(
            task_type="change_files", tags=("revert", *act.runner.tags, *self._tags(done)),
            resolution=_resolution(done, self._rules), result=Result.FAILURE, signal=Signal.REVERT,
        )  # fmt: skip
        session.results = {} if is_judged else {f"revert {turn.line}": _derived(turn, raw, ended)}
        session.begin, session.kept = (
            sum(path not in gone for _, path in session.changes[:n]) for n in (session.begin, session.kept)
        )
        session.changes = [change for change in session.changes if change[1] not in gone]
        session.checks.clear()
        if is_judged:  # that it was wrong has been told
            self._acted(session, turn, act, raw)

    def _end(
        self, session: _Session, user: Turn | None, lines: Sequence[str], raw: bytes
    ) -> Iterator[Derived]:
        """Yield what became of the task, and begin another."""
        done = session.changes[session.begin :]
        has_work = bool(done or session.results or session.tried)  # else no word can be about anything
        is_heard = has_work and user is not None and user.origin is not Origin.GROUP
        words = _ASKED if session.said.rstrip().endswith(("?", "\uff1f")) else _NOT_ASKED
        wrong, right = (is_heard and any(self._rules.is_said(one, lines) for one in each) for each in words)
        undone = has_work and self._rules.is_said("undone", session.said.split("\n"))
        results = [*_settled(session, is_said=undone or wrong > right)]
        has_files = any(kind == "file" for kind, _ in done)
        if user and has_files and wrong != right and not results:
            ended = Ended(
                task_type="change_files", tags=("request", *self._tags(done)), resolution=_resolution(done, self._rules),
                result=Result.SUCCESS, signal=Signal.EXPLICIT,
            )  # fmt: skip
            results = [_derived(user, raw, ended)]
        contrasted = [*_contrasted(session.tried)]
        if user and right > wrong and not (results or has_files or contrasted):
            results = [_retold(one, user, raw, Signal.EXPLICIT) for one in _last_done(session.tried)]
        if user and wrong and not right:
            results = [_corrected(one, user, raw) for one in results]
        elif right != wrong:
            results = [_in_part(one, Result.FAILURE) for one in results]
        elif undone:
            results = [_in_part(one, Result.SUCCESS) for one in results]
        results += contrasted  # whether one way worked and another did not is no matter of the user's
        self.unknown += bool(session.did) and not results
        yield from results
        session.results, session.tried, session.said = {}, {}, ""
        session.judged = frozenset(path for _, path in done if wrong > right)
        session.doubtful.clear()
        session.begin, session.did = len(session.changes), 0
        session.calls.clear()

    def _tags(self, done: list[tuple[str, str]]) -> tuple[str, ...]:
        ends = (posixpath.splitext(path)[1] for kind, path in done if kind == "file")
        return tuple(tag for end in ends if (tag := self._rules.languages.get(end)))


def _derived(turn: Turn, raw: bytes, ended: Ended, act: str = "") -> Derived:
    """Return what a line of a transcript tells, with where it is told.

    Args:
        turn: What the line says.
        raw: The line.
        ended: What it tells.
        act: Which of a command's acts; by what was changed before it is not known again: that may be read at another time.
    """
    name = posixpath.basename(turn.cwd)
    project = name if _PROJECT.fullmatch(name) else ""
    return Derived(
        task_type=ended.task_type, tags=tuple(sorted({*ended.tags, *filter(None, (project,))})), resolution=ended.resolution,
        result=ended.result, signal=ended.signal, command=ended.command, origin=_teller(turn), at=turn.at,
        session=turn.session, line=turn.line, sha256=hashlib.sha256(raw).hexdigest(), project=project,
        key=f"outcome {_name(turn)} {ended.task_type} {act}",
    )  # fmt: skip


def _in_part(one: Derived, result: Result) -> Derived:
    """Return an outcome, in part where it had that result and somebody says otherwise."""
    is_meant = one.result is result and one.signal is not Signal.TOOL_ERROR
    return replace(one, result=Result.PARTIAL) if is_meant else one


def _name(turn: Turn) -> str:
    return turn.call or turn.id or f"{turn.session} {turn.at.isoformat()} {turn.line}"


def _teller(turn: Turn) -> Origin:
    return (turn.origin or Origin.UNKNOWN) if turn.speaker is Speaker.USER else Origin.AGENT


def _corrected(one: Derived, user: Turn, raw: bytes) -> Derived:
    """Return an outcome as the user's word leaves it."""
    if one.result is Result.FAILURE:
        return one
    return replace(_retold(one, user, raw, Signal.USER_CORRECTION), result=Result.FAILURE)


def _retold(one: Derived, user: Turn, raw: bytes, signal: Signal) -> Derived:
    """Return an outcome as told by the user."""
    return replace(
        one, signal=signal, origin=_teller(user), at=user.at, line=user.line, sha256=hashlib.sha256(raw).hexdigest(),
        key=f"outcome {_name(user)} {one.task_type} ",
    )  # fmt: skip


def _settled(session: _Session, *, is_said: bool) -> Iterator[Derived]:
    """Yield what holds at a task's end: a failure not where more was changed since, or where it is doubtful and nobody says so."""
    for name, one in session.results.items():
        check = session.checks.get(name)
        is_old = check is not None and check.count < len(session.changes)
        if one.result is Result.SUCCESS or is_said or not (is_old or name in session.doubtful):
            yield one


def _contrasted(tried: _Tried) -> Iterator[Derived]:
    """Yield acts of which one failed, for what works at once teaches nothing; neither of two that ended otherwise and have one name.

    An act of too many options for a name has those that set it apart from the others.
    """
    for runner, acts in tried.items():
        shared = frozenset[str].intersection(*map(frozenset, acts)) if len(acts) > 1 else frozenset()
        named = {
            options: replace(one, resolution=name_act(runner, [x for x in options if x not in shared]))
            if options and one.resolution == runner else one
            for options, one in acts.items()
        }  # fmt: skip
        names = Counter(name for name, _ in {(one.resolution, one.result) for one in named.values()})
        if any(one.result is Result.FAILURE for one in acts.values()):
            yield from (one for one in named.values() if names[one.resolution] == 1)


def _last_done(tried: _Tried) -> list[Derived]:
    """Return the last act that succeeded; nothing where none did."""
    done = [one for acts in tried.values() for one in acts.values() if one.result is Result.SUCCESS]
    return sorted(done, key=lambda one: one.line)[-1:]


@lru_cache(maxsize=_MOST_CALLS)
def _inside(path: str, cwd: str) -> str:
    """Return the path of a file relative to the working directory; its name where it lies elsewhere."""
    relative = posixpath.relpath(path, cwd) if posixpath.isabs(path) and cwd else path
    return posixpath.basename(path) if posixpath.isabs(relative) or relative.startswith("..") else relative


def _below(folder: str, cwd: str) -> str:
    """Return a folder relative to the working directory; empty where it is that, or lies elsewhere."""
    relative = (
        posixpath.relpath(folder, cwd) if posixpath.isabs(folder) and cwd else posixpath.normpath(folder)
    )
    return "" if relative[:1] in (".", "/", "~", "$") else relative


def _resolution(done: Sequence[tuple[str, str]], rules: Rules) -> str:
    """Return the name of what was done: the file or the folder that was changed, else what was run last; empty where none names it.

    Of files those of code count, of these not the tests, where there are such.
    """
    paths = sorted({path for kind, path in done if kind == "file"})
    paths = [path for path in paths if rules.kin_of(path)] or paths
    paths = [path for path in paths if not re.search(rules.tests, path)] or paths
    if not paths:
        return done[-1][1]
    path = name = paths[0] if len(paths) == 1 else posixpath.commonpath(paths)
    while any(count_words(part) > MOST_WORDS for part in name.split("/")):
        name = posixpath.dirname(name)  # the folder names it as well
    is_folder = len(paths) > 1 or name != path
    is_name = name not in ("", ".", "/") and _PATH.fullmatch(name)
    return f"edit:{name}{'/' if is_folder else ''}" if is_name else ""
