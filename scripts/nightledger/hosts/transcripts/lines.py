"""The one reader of a line of any host: a format's rows become a type of what they look at, so that no value is made of the rest.

Invariant: a line of an unknown kind is counted and says nothing; who speaks is decided by the conditions of a row alone.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import Struct

from nightledger.domain.transcript import Speaker, Turn
from nightledger.hosts.transcripts.formats import Allowed, Format, Line, read_moment, table

_MOST_CHARACTERS = 40
"""Of the name of an unknown kind that are told."""
_MOST_VERDICTS = 1000
_TOOLS = (Speaker.TOOL, Speaker.CALL)

Read = Callable[[Any], Any]
"""Gives what stands at a path inside a line; None where nothing does."""
_Tree = dict[str, "_Tree"]


class Block(Struct, frozen=True):
    """What is looked at in a block of a message."""

    type: Any = None
    text: Any = None
    name: Any = None
    is_error: Any = None


_Plain = str | int | float | bool | None
_Content = Block | list[Block | list[Any] | _Plain] | _Plain


class Row(Struct, frozen=True, kw_only=True):
    """A row of the format, with readers for its paths.

    Attributes:
        line: The row.
        when: What must hold.
        content: Reads what is said.
        tool: Reads a tool's name.
        exit: Reads an exit status.
        error: Reads a mark of errors.
    """

    line: Line
    when: Callable[[Any], bool]
    content: Read
    tool: Read
    exit: Read
    error: Read


class Grammar:
    """What is looked at in the lines of one format.

    Attributes:
        form: The format.
        rows: Its rows, by kind of line.
        only: What must hold of a line that is said.
        header_only: What must hold of a header.
        known: Kinds that are no news.
        blocks: What a type of block is.
    """

    def __init__(self, form: Format) -> None:
        """Build types and readers, once for all files of a host."""
        self.form = form
        fields, header = form.fields, form.header
        contents = {line.content for line in form.lines if line.content}
        paths = {form.kind, fields.session, fields.at, fields.cwd, fields.id, *form.only}
        paths |= {header.session, header.cwd, *header.only} if header else set()
        paths |= {path for line in form.lines for path in (*line.when, line.tool, line.exit, line.error)}
        self._names: dict[str, str] = {}
        self._type = self._node(_tree((paths | contents) - {""}), contents, "", "")
        self._decoder = msgspec.json.Decoder(self._type)
        self.kind, self.session, self.at = map(self._reader, (form.kind, fields.session, fields.at))
        self.cwd, self.id = self._reader(fields.cwd), self._reader(fields.id)
        self.header_session = self._reader(header.session if header else "")
        self.header_cwd = self._reader(header.cwd if header else "")
        self.header_only = self._all(header.only if header else {})
        self.only = self._all(form.only)
        self.rows: dict[str, list[Row]] = {}
        for line in form.lines:
            self.rows.setdefault(line.of, []).append(self._row(line))
        self.known = {*form.silent, *self.rows}
        self.blocks = {name: kind for kind, names in table().blocks.items() for name in names}

    def decode(self, line: bytes) -> Any:
        """Return what is looked at in a line.

        Raises:
            msgspec.DecodeError: It is no JSON object.
        """
        return self._decoder.decode(line)

    def convert(self, record: Mapping[str, Any]) -> Any:
        """Return what is looked at in a record.

        Raises:
            msgspec.ValidationError: It holds what no JSON holds.
        """
        return msgspec.convert(record, self._type)

    def _node(self, tree: _Tree, contents: set[str], path: str, name: str) -> type[Struct]:
        """Return the type of an object, of which the members in ``tree`` are looked at."""
        members: list[tuple[str, Any, Any]] = []
        for n, (key, below) in enumerate(tree.items()):
            inner, self._names[inner] = f"{path}{key}", f"{name}f{n}"
            if not below or inner in contents:
                members.append((f"f{n}", _Content if inner in contents else Any, None))
                continue
            node = self._node(below, contents, f"{inner}.", f"{name}f{n}.")
            members.append((f"f{n}", node | list[Any] | _Plain, node()))
        rename = {f"f{n}": key for n, key in enumerate(tree)}
        return msgspec.defstruct("Node", members, rename=rename, frozen=True)

    def _reader(self, path: str) -> Read:
        get = attrgetter(self._names[path]) if path in self._names else None

        def read(record: Any) -> Any:
            try:
                found = get(record) if get else None
            except AttributeError:  # what should hold it is no object
                return None
            return None if isinstance(found, Struct) else found

        return read

    def _all(self, allowed: Allowed) -> Callable[[Any], bool]:
        """Return what tells whether at each path there is something that may stand there; most lines say the same there."""
        conditions = [(self._reader(path), values) for path, values in allowed.items()]
        get = attrgetter("__class__", *(self._names[path] for path in allowed))
        verdicts: dict[Any, bool] = {}

        def holds(record: Any) -> bool:
            try:
                return verdicts[get(record)]
            except (AttributeError, TypeError, KeyError):
                found = [(read(record), values) for read, values in conditions]
            verdict = all(not isinstance(one, dict | list) and one in values for one, values in found)
            with suppress(AttributeError, TypeError):
                if len(verdicts) < _MOST_VERDICTS:
                    verdicts[get(record)] = verdict
            return verdict

        return holds

    def _row(self, line: Line) -> Row:
        content, tool, status, error = map(self._reader, (line.content, line.tool, line.exit, line.error))
        return Row(line=line, when=self._all(line.when), content=content, tool=tool, exit=status, error=error)


def _tree(paths: Iterable[str]) -> _Tree:
    tree: _Tree = {}
    for path in sorted(paths):
        below = tree
        for key in path.split("."):
            below = below.setdefault(key, {})
    return tree


def _text(found: Any) -> str:
    return found if isinstance(found, str) else ""


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
            self.cwd = _text(grammar.cwd(record))
        for row in grammar.rows.get(kind, ()):
            if row.when(record):
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
        self.cwd = _text(grammar.header_cwd(record)) or self.cwd
        self.is_other = not grammar.header_only(record)

    def _say(self, record: Any, row: Row, number: int) -> Sequence[Turn]:
        grammar, line = self._grammar, row.line
        moment = read_moment(grammar.at(record))
        if moment is None:
            self.untimed += 1
            self.missed += 1
            return ()
        self.understood, self.missed = True, 0
        status = error = None
        if line.speaker in _TOOLS:
            status, error = row.exit(record), row.error(record)
        turn = Turn(
            speaker=line.speaker,
            at=moment,
            session=_text(grammar.session(record)) or self.session,
            tool=_text(row.tool(record)) if line.tool else "",
            exit_status=status if isinstance(status, int) else None,
            is_error=error if isinstance(error, bool) else None,
            id=_text(grammar.id(record)),
            cwd=self.cwd,
            line=number,
            origin=line.origin,
        )
        return (turn,) if line.speaker in _TOOLS else self._blocks(turn, row.content(record))

    def _blocks(self, turn: Turn, content: Any) -> Sequence[Turn]:
        """Return the turns that the blocks of a message are; texts between two calls are one."""
        replace = msgspec.structs.replace
        if isinstance(content, str):
            return (replace(turn, text=content),)
        turns, said = list[Turn](), list[str]()
        for block in content if isinstance(content, list) else ():
            kind = self._grammar.blocks.get(str(block.type)) if isinstance(block, Block) else None
            if kind == "said" and isinstance(block.text, str):
                said.append(block.text)
            elif kind == "call":
                if said:
                    turns.append(replace(turn, text="\n\n".join(said)))
                    said.clear()
                turns.append(replace(turn, speaker=Speaker.CALL, tool=_text(block.name)))
            elif kind == "result":
                error = block.is_error if isinstance(block.is_error, bool) else None
                turns.append(replace(turn, speaker=Speaker.TOOL, is_error=error))
        if said:
            turns.append(replace(turn, text="\n\n".join(said)))
        return turns
