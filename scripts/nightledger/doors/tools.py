"""The tools that programs are offered, as rows of a table: what each takes, and the command it is.

Invariant: a tool is a verb of the command line and no more; no row names a verb that signs, applies or undoes
(``tests/doors`` asks each of them), and a value never becomes an option.
"""

import argparse
import gc
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from nightledger.domain.errors import ConfigurationError, UsageError
from nightledger.files.configuration import load_settings
from nightledger.files.home import Home, shipped_config
from nightledger.surfaces.context import CHECKOUT, Context

MAX_VALUE_CHARACTERS = 60_000
"""Of one argument: Linux takes 131,072 bytes a word (MAX_ARG_STRLEN)."""
DO = "do"
REVIEW = "review"
LEAN, FULL = "lean", "full"
_TYPES: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "number": int | float,
    "boolean": bool,
    "array": list,
    "object": dict,
}
_KINDS = {int: "integer", float: "number", bool: "boolean", str: "string"}
_OWN: dict[str, dict[str, Any]] = {
    "fields": {"type": "object"},
    "resolve": {"type": "array", "items": {"type": "object"}},
}
_LIST = {"type": "array", "items": {"type": "string"}}


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One tool.

    Attributes:
        words: How its command begins.
        says: What it does, for a model that chooses among tools.
        takes: Names of the verb's options and words that it offers, as in ``config/options.json``.
        needs: Those that must be given.
        input: Fields of the JSON object on the command's standard input.
        reads: Whether it changes nothing.
        asks: Whether it takes ``review``, by which an agent has its operator asked to review now.
    """

    words: tuple[str, ...]
    says: str
    takes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    input: tuple[str, ...] = ()
    reads: bool = False
    asks: bool = False


class Prompt(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text that a person sends with one key: what it is for, and its file below ``config/prompts``."""

    says: str
    file: str


class Asking(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said where an agent has its operator asked.

    Attributes:
        argument: What ``review`` is, for a model.
        message: To the client's user, beside the page's address; ``{home}``.
        opened: Answers: the user opens the page,
        declined: does not want to,
        busy: is being asked by another call,
        closed: there is no page to open,
        command: the client cannot open one; ``{command}`` in the last two.
    """

    argument: str
    message: str
    opened: str
    declined: str
    busy: str
    closed: str
    command: str


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``config/mcp.json``."""

    about: str
    instructions: str
    asking: Asking
    lean: tuple[str, ...]
    tools: dict[str, Row]
    do: dict[str, Row]
    resources: dict[str, Row]
    prompts: dict[str, Prompt]


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A command: its words, and its standard input; whether the operator is to be asked first."""

    words: tuple[str, ...]
    input: str = ""
    asks: bool = False


def load_table() -> Table:
    """Return the shipped table."""
    return msgspec.json.decode(shipped_config("mcp.json"), type=Table)


class Desk:
    """The tools of one server.

    Args:
        profile: ``lean``, ``full``, or names of tools with commas between them.

    Raises:
        ConfigurationError: It names a tool that is none.
    """

    def __init__(self, profile: str = LEAN) -> None:
        self.table = load_table()
        self._options = json.loads(shipped_config("options.json"))
        rows = dict(self.table.tools)
        for name, row in self.table.do.items():
            rows[name.replace(" ", "_")] = msgspec.structs.replace(row, reads=True)
        for kind in json.loads(shipped_config("records.json")):
            says = f"Keep or read records of kind {kind}."
            rows[f"record_{kind}"] = Row(words=("record", kind), says=says, takes=("action", "id", "fields"))
        known = {**rows, DO: Row(words=(), says=_do_says(self.table.do), needs=("name",))}
        every = (*rows,) if profile == FULL else tuple(name.strip() for name in profile.split(","))
        names = self.table.lean if profile == LEAN else every
        if unknown := [name for name in names if name not in known]:
            raise ConfigurationError(
                f"there is no tool {unknown[0]!r}",
                hint=f"a profile is {LEAN}, {FULL}, or some of {', '.join(known)}",
            )
        self._rows = {name: known[name] for name in names}

    def tools(self) -> Iterator[tuple[str, Row, dict[str, Any]]]:
        """Yield what is offered: name, row, and JSON Schema of the arguments."""
        for name, row in self._rows.items():
            yield name, row, self._schema(name, row)

    def call(self, name: str, given: Mapping[str, Any]) -> Call:
        """Return the command of a call.

        Raises:
            UsageError: There is no such tool, or it does not take what is given.
        """
        if name not in self._rows:
            raise UsageError(f"there is no tool {name!r}", hint=f"there are {', '.join(self._rows)}")
        if name != DO:
            return self._command(name, self._rows[name], given)
        extra = [one for one in given if one not in ("name", "with")]
        inner, arguments = given.get("name"), given.get("with") or {}
        if extra or not isinstance(inner, str) or not isinstance(arguments, dict):
            raise UsageError("'do' takes name, a text, and with, an object", hint=_do_says(self.table.do))
        rows = {**self.table.do, **{name: row for name, row in self.table.tools.items() if row.reads}}
        kind, _, action = inner.removeprefix("record ").partition(" ")
        if inner.startswith("record ") and inner not in rows:
            return self._command(
                "record", self.table.tools["record"], {"kind": kind, "action": action or "list", **arguments}
            )
        if inner not in rows:
            raise UsageError(f"'do' reaches no {inner!r}", hint=_do_says(self.table.do))
        return self._command(inner, rows[inner], arguments)

    def read(self, uri: str) -> Call:
        """Return the command that gives a resource.

        Raises:
            UsageError: There is no such resource.
        """
        for pattern, row in self.table.resources.items():
            start, brace, _ = pattern.partition("{")
            rest = uri.removeprefix(start)
            if uri == pattern or (
                brace and uri.startswith(start) and rest.isascii() and rest.replace("-", "").isalnum()
            ):
                words = row.words
                if not brace:
                    return Call(words=words)
                last = (f"{words[-1]}={rest}",) if words[-1] == "--frame" else (words[-1], "--", rest)
                return Call(words=(*words[:-1], *last))
        raise UsageError(f"there is no resource {uri!r}", hint=f"there are {', '.join(self.table.resources)}")

    def _taken(self, row: Row) -> dict[str, tuple[str, dict[str, Any]]]:
        """Return of each argument its option (empty for a word) and its JSON Schema."""
        options = {
            _plain(name, told): (name, told) for name, told in self._options.get(row.words[0], {}).items()
        }
        taken = {}
        for name in row.takes:
            option, told = options.get(name, ("", ""))
            flag = option.rstrip("?*") if option.startswith("-") else ""
            taken[name] = (flag, _OWN.get(name) or _shape(option, told))
        for name in row.input:
            taken[name] = ("", _OWN.get(name, _LIST))
        if row.asks:
            taken[REVIEW] = ("", {"type": "boolean", **_says(self.table.asking.argument)})
        return taken

    def _schema(self, name: str, row: Row) -> dict[str, Any]:
        properties: dict[str, Any] = {"name": {"type": "string"}, "with": {"type": "object"}}
        if name != DO:
            properties = {argument: shape for argument, (_, shape) in self._taken(row).items()}
        needed = {"required": list(row.needs)} if row.needs else {}
        return {"type": "object", "properties": properties, **needed, "additionalProperties": False}

    def _command(self, name: str, row: Row, given: Mapping[str, Any]) -> Call:
        taken = self._taken(row)
        _check(name, row, {argument: shape for argument, (_, shape) in taken.items()}, given)
        if row.input:
            return Call(words=row.words, input=json.dumps(dict(given)))
        options, words = list[str](), list[str]()
        apart = (
            ("id", "fields") if "fields" in given else ()
        )  # on standard input, so that none is taken for a word
        for argument, (flag, shape) in taken.items():
            value = given.get(argument)
            if argument not in given or value is False or argument in (*apart, REVIEW):
                continue
            texts = [_text(one) for one in (value if isinstance(value, list) else [value])]
            if shape["type"] == "boolean":
                options.append(flag)
            elif flag:
                options += (
                    [f"{flag}={text}" for text in texts] if flag.startswith("--") else [f"{flag}{texts[0]}"]
                )
            else:
                words += texts
        line = {**({"id": given["id"]} if "id" in given else {}), **given["fields"]} if apart else None
        options += ["--stdin"] if apart else []
        verb, *first = row.words
        call = (verb, *options, *first, *(("--", *words) if words else ()))
        asks = row.asks and given.get(REVIEW) is True
        return Call(words=call, input=json.dumps(line) if line else "", asks=asks)


def _do_says(rows: Iterable[str]) -> str:
    return f"Reach the rest by name, its arguments under 'with': {', '.join(rows)}, 'record KIND ACTION'."


def _plain(name: str, told: Any) -> str:
    bare: str = told["dest"] if isinstance(told, dict) and "dest" in told else name.strip("-?*")
    return bare.replace("-", "_")


def _shape(option: str, told: Any) -> dict[str, Any]:
    """Return the JSON Schema of an option, from its row in ``config/options.json``."""
    if isinstance(told, str):
        return {"type": "boolean" if option.startswith("-") else "string", **_says(told)}
    row = told if isinstance(told, dict) else dict(zip(("metavar", "help", "default"), told, strict=False))
    kind = _KINDS[type(row.get("default", ""))]
    several = option.endswith("*") or row.get("action") == "append"
    return {**({**_LIST} if several else {"type": kind}), **_says(row.get("help", ""))}


def _says(text: str) -> dict[str, str]:
    return {"description": text} if text else {}


def _check(name: str, row: Row, shapes: Mapping[str, Mapping[str, Any]], given: Mapping[str, Any]) -> None:
    hint = f"it takes {', '.join(shapes) or 'nothing'}"
    for argument, value in given.items():
        if argument not in shapes:
            raise UsageError(f"{name!r} takes no {argument!r}", hint=hint)
        kind = shapes[argument]["type"]
        if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
            raise UsageError(f"{name!r}: {argument} is to be of type {kind}", hint=hint)
        written = json.dumps(value)
        if len(written) > MAX_VALUE_CHARACTERS:
            raise UsageError(f"{name!r}: {argument} has more than {MAX_VALUE_CHARACTERS:,} characters")
        if "\\u0000" in written.replace("\\\\", ""):
            raise UsageError(f"{name!r}: {argument} holds a null character")
    if missing := [argument for argument in row.needs if argument not in given]:
        raise UsageError(f"{name!r} needs {missing[0]!r}", hint=hint)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def command(program: Sequence[str], call: Call, common: Sequence[str]) -> list[str]:
    """Return the words of a process: the program, the verb, what every verb is told, then what the call gives."""
    verb, *rest = call.words
    return [*program, verb, *common, *rest]


def run_mcp(options: argparse.Namespace, context: Context) -> int:
    """Serve an agent's host over MCP, on standard input and output.

    A client starts it: put 'nightledger mcp --home DIR' where it takes a command.
    Its tools read, log, record and propose; none signs, and what they answer is
    what an agent may see. 'lean' is the usual profile: nine tools, of which 'do'
    reaches the rest by name; 'full' has each as its own. 'mcp_profile' in the
    home's settings names another for every client.

    Reads   what the tools' verbs read
    Writes  what the tools' verbs write
    Changes no memory.
    """
    profile = options.profile or load_settings(Home(context.home_path)).mcp_profile
    desk, program = Desk(profile), (sys.executable, os.path.join(CHECKOUT, "scripts", "command.py"))
    if options.tools:
        rows = [
            {"name": name, "description": row.says, "inputSchema": schema}
            for name, row, schema in desk.tools()
        ]
        context.emit(rows)
        for row in rows:
            context.print(f"{row['name']:<12} {row['description']}")
        context.print(f"{len(json.dumps(rows, separators=(',', ':')))} bytes of schema")
        return 0
    gc.disable()  # the SDK's models hold no cycles: to look for them takes a tenth of the start
    try:
        from nightledger.doors.server import run as serve
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("mcp", "mcp_types", "anyio"):
            raise
        raise ConfigurationError(
            "the package 'mcp' is not installed: this door is an extra", hint="make setup-doors"
        ) from error
    gc.enable()
    gc.freeze()
    common = (f"--home={context.home_path}", *((f"--now={context.now_text}",) if context.now_text else ()))
    serve(profile, program, common)
    return 0
