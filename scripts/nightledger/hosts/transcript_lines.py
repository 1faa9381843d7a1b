"""The one reader of a line of any host: a format's rows become a type of what they look at, so that no value is made of the rest.

Invariant: a line of an unknown kind is counted and says nothing; who speaks is decided by the conditions of a row alone.
"""

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, tzinfo
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import Struct

from nightledger.domain.transcript import Speaker, Turn
from nightledger.hosts.transcript_formats import Allowed, Format, Line, read_moment, table

_MOST_CHARACTERS = 40
"""Of the name of an unknown kind that are told."""
_MOST_KNOWN = 1000
_TOOLS = (Speaker.TOOL, Speaker.CALL)
_SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh")
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add) File: (.+)$", re.MULTILINE)
_MOST_PATHS = 64
_PATCH_CHARACTERS = 10_000
_STATUS = re.compile(r"(?:Error: )?Exit code (\d{1,3})(?:\n|\Z)")

Read = Callable[[Any], Any]
"""Gives what stands at a path inside a line; None where nothing does."""
_Tree = dict[str, "_Tree"]
_Plain = str | int | float | bool | None


class Block(Struct, frozen=True, gc=False):
    """What is looked at in a block of a message; the paths of a call come beside it."""

    type: Any = None
    text: Any = None
    is_error: Any = None
    content: Any = None


class UnreadBlock(Block, frozen=True, gc=False):
    """A block of which the content is made a value of where it is asked for: what tools gave out is most of all bytes."""

    content: msgspec.Raw = msgspec.Raw(b"null")


class Row(Struct, frozen=True, kw_only=True):
    """A row of the format, with readers for its paths.

    Attributes:
        line: The row.
        content: Reads what is said.
        tool: Reads a tool's name.
        calls: Reads a call, a result, or a list of calls.
        exit: Reads an exit status.
        status: Finds it where a text stands there; None where that tells none.
        error: Reads a mark of errors.
    """

    line: Line
    content: Read
    tool: Read
    calls: Read
    exit: Read
    status: re.Pattern[str] | None
    error: Read


class Grammar:
    """What is looked at in the lines of one format.

    Attributes:
        form: The format.
        zone: Of times that tell none.
        decode: Makes what is looked at of a line; raises what msgspec does where that is no JSON object.
        rows: By kind of line, what gives the first of its rows that fits a line, or None.
        only: What must hold of a line that is said.
        header_only: What must hold of a header.
        settled: What must hold where a mark of errors is an exit status; None where it is none.
        known: Kinds that are no news.
        blocks: What a type of block is.
    """

    def __init__(self, form: Format, zone: tzinfo = UTC) -> None:
        """Build types and readers, once for all files of a host."""
        self.form, self.zone = form, zone
        fields, header, settled = form.fields, form.header, form.settled
        paths = {form.kind, fields.session, fields.at, fields.cwd, fields.id, *form.only, *(settled or ())}
        paths |= {header.session, header.cwd, *header.only} if header else set()
        for line in form.lines:
            paths |= {*line.when, line.content, line.tool, line.calls, line.exit, line.error}
        contents = {line.content for line in form.lines}
        for calls in {line.calls for line in form.lines} - {""}:
            if calls == "." or any(path.startswith(f"{calls}.") for path in paths):
                paths |= _within_call("" if calls == "." else f"{calls}.")
            else:
                contents.add(calls)
        self._attributes: dict[str, str] = {}
        self._call = {name: self._first(paths) for name, paths in table().call.items()}
        inside = {path for name in _GIVEN for path in table().call[name]}
        self._given = msgspec.json.Decoder(self._node(_tree(inside), inside, {}))
        within, base = _within_call(""), Block if settled is None else UnreadBlock
        block = self._node(_tree(within), within, {}, base=base)
        content = block | list[block | list[Any] | _Plain] | _Plain  # type: ignore[valid-type]
        self._content = msgspec.json.Decoder(content)
        self._type = self._node(_tree(paths - {"", "."}), paths, dict.fromkeys(contents - {""}, content))
        self.decode = msgspec.json.Decoder(self._type).decode
        self.kind, self.session, self.at = map(self._reader, (form.kind, fields.session, fields.at))
        self.cwd, self.id = self._reader(fields.cwd), self._reader(fields.id)
        self.header_session = self._reader(header.session if header else "")
        self.header_cwd = self._reader(header.cwd if header else "")
        self.header_only = self._all(header.only if header else {})
        self.only, self.settled = self._all(form.only), self._all(settled) if settled is not None else None
        self.rows = {
            kind: self._which([(line.when, self._row(line)) for line in form.lines if line.of == kind])
            for kind in {line.of for line in form.lines}
        }
        self.known = {*form.silent, *self.rows}
        self.blocks = {name: kind for kind, names in table().blocks.items() for name in names}

    def convert(self, record: Mapping[str, Any]) -> Any:
        """Return what is looked at in a record.

        Raises:
            msgspec.ValidationError: It holds what no JSON holds.
        """
        return msgspec.convert(record, self._type)

    def calls_in(self, found: Any) -> list[dict[str, str]]:
        """Return what is known of a call, of a result, or of each call of a list, as members of a turn."""
        if isinstance(found, str):
            found = _unpacked(found, self._content)
        if isinstance(found, Struct):
            return self._changed(found)
        blocks = [block for block in found if isinstance(block, Block)] if isinstance(found, list) else []
        return [self.called(block) for block in blocks if self.blocks.get(str(block.type), "call") == "call"]

    def _changed(self, block: Struct) -> list[dict[str, str]]:
        """Return what is known of a call, once for each file that it says it changed."""
        called, changes = self.called(block), self._call["changes"](block)
        paths = [*changes][:_MOST_PATHS] if isinstance(changes, dict) else []
        return [{**called, "path": path} for path in paths] or [called]

    def called(self, block: Struct) -> dict[str, str]:
        """Return what is known of a call, or of a result, as members of a turn."""
        first = self._call
        given, patched = first["input"](block), None
        if isinstance(given, str):
            text, given = given, _unpacked(given, self._given)
            patched = _PATCHED.search(text[:_PATCH_CHARACTERS]) if given is text else None
        command, path, is_later = None, patched[1] if patched else None, None
        if isinstance(given, Struct):
            command, path, is_later = first["command"](given), first["path"](given), first["later"](given)
        command = command or first["command"](block)
        if isinstance(command, list):
            command = command[-1] if command and command[0] in _SHELLS else shlex.join(map(str, command))
        members = {
            "call": first["id"](block),
            "tool": first["name"](block),
            "command": "" if is_later else command,
            "path": as_posix(path) if isinstance(path, str) else "",
        }
        return {name: value for name, value in members.items() if isinstance(value, str) and value}

    def _first(self, paths: Iterable[str]) -> Read:
        """Return a reader of what the first of some paths has that finds something."""
        readers = [self._reader(path) for path in paths]

        def read(record: Any) -> Any:
            for one in readers:
                found = one(record)
                if found is not None and found != "":
                    return found
            return None

        return read

    def _node(
        self,
        tree: _Tree,
        paths: set[str],
        contents: Mapping[str, Any],
        above: str = "",
        base: type[Struct] = Struct,
    ) -> type[Struct]:
        """Return the type of an object, of which the members in ``tree`` are looked at.

        Args:
            tree: By name, and what is looked at inside.
            paths: All that are looked at themselves: None stands there where nothing does, else an empty object.
            contents: Types by path, where they are others.
            above: Its path, with a dot.
            base: What it is beside that.
        """
        members: list[tuple[str, Any, Any]] = []
        for key, below in tree.items():
            inner, name = f"{above}{key}", self._attribute(key)
            if inner in contents or not below:
                members.append((name, contents.get(inner, Any), None))
                continue
            node = self._node(below, paths, contents, f"{inner}.")
            members.append((name, node | list[Any] | _Plain, None if inner in paths else node()))
        rename = {self._attribute(key): key for key in tree}
        return msgspec.defstruct("Node", members, bases=(base,), rename=rename, frozen=True, gc=False)

    def _attribute(self, key: str) -> str:
        """Return what a member is called in every type."""
        return self._attributes.setdefault(key, f"f{len(self._attributes)}")

    def _spelled(self, path: str) -> str:
        return ".".join(map(self._attribute, path.split(".")))

    def _reader(self, path: str) -> Read:
        get = attrgetter(self._spelled(path))

        def read(record: Any) -> Any:
            try:
                return get(record)
            except AttributeError:  # what should hold it is no object
                return None

        if "." not in path:
            return get if path else lambda _: None
        return read

    def _through(self, path: str) -> Read:
        """Return a reader that goes through texts that are JSON, too; of one that is none it gives the text."""
        steps = [(key, self._attribute(key)) for key in path.split(".")] if path else []

        def read(record: Any) -> Any:
            for key, name in steps:
                if isinstance(record, str) and (record := _unpacked(text := record, _ANY)) is text:
                    return text
                record = record.get(key) if isinstance(record, dict) else getattr(record, name, None)
            return record if steps else None

        return read

    def _all(self, allowed: Allowed) -> Callable[[Any], Any]:
        """Return what tells whether at each path there is something that may stand there."""
        return self._which([(allowed, True)])

    def _which(self, values: Sequence[tuple[Allowed, Any]]) -> Callable[[Any], Any]:
        """Return what gives the first value of which all conditions hold, None where none does; most lines say the same there."""
        rows = [([(self._reader(path), may) for path, may in one.items()], value) for one, value in values]
        get = attrgetter("__class__", *{self._spelled(path) for allowed, _ in values for path in allowed})
        known: dict[Any, Any] = {}

        def which(record: Any) -> Any:
            try:
                return known[get(record)]
            except (AttributeError, TypeError, KeyError):
                pass
            fitting = (one for row, one in rows if all(_may_stand(read(record), may) for read, may in row))
            found = next(fitting, None)
            with suppress(AttributeError, TypeError):
                if len(known) < _MOST_KNOWN:
                    known[get(record)] = found
            return found

        return which

    def _row(self, line: Line) -> Row:
        return Row(
            line=line, content=self._reader(line.content), tool=self._reader(line.tool),
            calls=self._reader(line.calls) if line.calls != "." else lambda record: record,
            exit=self._through(line.exit), status=re.compile(line.status) if line.status else None, error=self._reader(line.error),
        )  # fmt: skip


_ANY = msgspec.json.Decoder()
_GIVEN = ("command", "path", "later")


def _within_call(above: str) -> set[str]:
    """Return the paths that are looked at in a call, below a path with a dot at its end."""
    call = table().call
    paths = {path for name in ("id", "name", "input", "command", "changes") for path in call[name]}
    paths |= {f"{given}.{path}" for given in call["input"] for name in _GIVEN for path in call[name]}
    return {f"{above}{path}" for path in paths}


def _unpacked(text: str, decoder: msgspec.json.Decoder[Any]) -> Any:
    """Return what a text is as JSON; the text where it is none."""
    if text[:1] in ("{", "["):
        with suppress(msgspec.DecodeError, ValueError, RecursionError):
            return decoder.decode(text)
    return text


def _tree(paths: Iterable[str]) -> _Tree:
    tree: _Tree = {}
    for path in sorted(paths):
        below = tree
        for key in path.split("."):
            below = below.setdefault(key, {})
    return tree


def _may_stand(found: Any, may: Sequence[Any]) -> bool:
    return found in may if not isinstance(found, Struct | dict | list) else found == [] and None in may


def _text(found: Any) -> str:
    return found if isinstance(found, str) else ""


def as_posix(path: str) -> str:
    r"""Return a path as this machine names it: ``C:\app`` as ``/mnt/c/app``, where Linux finds the drives of Windows below it."""
    if path[1:3] != ":\\":
        return path
    return f"/mnt/{path[0].lower()}{path[2:]}".replace("\\", "/")


class Reader:
    """Reads lines of one file in their order; what a header said is carried on.

    Attributes:
        session: The session that the last header named.
        cwd: Its working directory: the first one that was told.
        is_other: Whether a header says that nothing here is of a session with the user.
        unknown: Kinds of lines that no row knows, and how often.
        untimed: Lines without a time that could be read; they say nothing.
        understood: Whether any line was a turn.
        missed: Lines of unknown kinds, and without a time, since the last turn.
    """

    def __init__(self, grammar: Grammar, *, session: str = "", cwd: str = "") -> None:
        """Begin, or go on with what an earlier reading knew."""
        self._grammar, self._header = grammar, grammar.form.header
        self.session, self.cwd, self.is_other = session, cwd, False
        self.unknown: Counter[str] = Counter()
        self.untimed = self.missed = 0
        self.understood = False

    def read(self, record: Any, number: int) -> Sequence[Turn]:
        """Return what a line says: nothing, a turn, or several.

        Args:
            record: What the grammar made of the line.
            number: Its number.
        """
        grammar = self._grammar
        kind = grammar.kind(record)
        if not isinstance(kind, str):
            kind = "(no kind)"
        if self._header and kind == self._header.of:
            self._enter(record)
        if self.is_other:
            return ()
        if not self.cwd:
            self.cwd = as_posix(_text(grammar.cwd(record)))
        row = grammar.rows[kind](record) if kind in grammar.rows else None
        if row:
            return self._say(record, row, number) if grammar.only(record) else ()
        if kind not in grammar.known:
            self.unknown[kind[:_MOST_CHARACTERS]] += 1
            self.missed += 1
        return ()

    def _enter(self, record: Any) -> None:
        grammar = self._grammar
        session = _text(grammar.header_session(record))
        if self.session and self.session == session:
            return
        self.session = session
        self.cwd = as_posix(_text(grammar.header_cwd(record))) or self.cwd
        self.is_other = not grammar.header_only(record)

    def _say(self, record: Any, row: Row, number: int) -> Sequence[Turn]:
        grammar, line = self._grammar, row.line
        moment = read_moment(grammar.at(record), grammar.zone)
        if moment is None:
            self.untimed += 1
            self.missed += 1
            return ()
        self.understood, self.missed = True, 0
        is_tool = line.speaker in _TOOLS
        status, error = (row.exit(record), row.error(record)) if is_tool else (None, None)
        if isinstance(status, str) and row.status:
            status = int(found[1] or 1) if (found := row.status.match(status)) else None
        turn = Turn(
            speaker=line.speaker,
            at=moment,
            session=_text(grammar.session(record)) or self.session,
            tool=_text(row.tool(record)) if line.tool else "",
            exit_status=status if type(status) is int else None,
            is_error=error if isinstance(error, bool) else None,
            id=_text(grammar.id(record)),
            cwd=self.cwd,
            line=number,
            origin=line.origin,
        )
        if not is_tool:
            return self._blocks(record, turn, row.content(record))
        calls = grammar.calls_in(row.calls(record)) if line.calls else []
        return [msgspec.structs.replace(turn, **called) for called in calls] or (turn,)

    def _blocks(self, record: Any, turn: Turn, content: Any) -> Sequence[Turn]:
        """Return the turns that the blocks of a message are; texts between two calls are one."""
        grammar, replace = self._grammar, msgspec.structs.replace
        if isinstance(content, str):
            return (replace(turn, text=content),)
        turns: list[Turn] = []
        said: list[str] = []
        for block in content if isinstance(content, list) else ():
            kind = grammar.blocks.get(str(block.type)) if isinstance(block, Block) else None
            if kind == "said" and isinstance(block.text, str):
                said.append(block.text)
            elif kind == "call":
                if said:
                    turns.append(replace(turn, text="\n\n".join(said)))
                    said.clear()
                turns.append(replace(turn, speaker=Speaker.CALL, **grammar.called(block)))
            elif kind == "result":
                ended = self._ended(record, block)
                turns.append(replace(turn, speaker=Speaker.TOOL, **grammar.called(block), **ended))
        if said:
            turns.append(replace(turn, text="\n\n".join(said)))
        return turns

    def _ended(self, record: Any, block: Block) -> dict[str, Any]:
        """Return how a result ended, as the host marks it: the text begins with the number where there was an error."""
        mark, settled = block.is_error, self._grammar.settled
        if not isinstance(mark, bool):
            return {}
        if settled is None or not settled(record):
            return {"is_error": mark}
        said = None
        with suppress(msgspec.DecodeError, ValueError, RecursionError):  # what cannot be read tells no status
            said = _ANY.decode(bytes(block.content).decode("utf-8", "replace")) if mark else None
        status = None if mark else 0
        if isinstance(said, list) and said and isinstance(said[0], dict):
            said = said[0].get("text")
        if isinstance(said, str) and (found := _STATUS.match(said)):
            status = int(found[1]) or None
        return {"is_error": mark, "exit_status": status}
