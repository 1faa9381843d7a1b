"""The command line: finds the verb, imports that verb's module only, ends every failure well.

Invariant: one error handler. Expected failures print ``error:`` and ``hint:`` and exit
with their own status; anything else is a bug, its traceback kept in a file, exit 70.
"""

import os
import sys

from nightledger.domain import errors

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any, NoReturn

    from nightledger.surfaces.context import Context

    Answer = Callable[[argparse.Namespace, Context], int]

HELP_WIDTH = 80
FIRST_SCREEN = ("init", "check", "night", "review", "undo", "status", "doctor")
ALIASES = {
    "explain": ("recall", "--explain"),
    "show": ("proposals",),
    "start": ("init", "--guide"),
    "lock": ("guard", "--lock"),
    "unlock": ("guard", "--unlock"),
    "unpin": ("pin", "--off"),
    "hygiene": ("curate", "--ask"),
    "audit-code": ("check", "--code"),
    "constitution": ("consent", "constitution"),
    "rebuild": ("doctor", "--rebuild"),
    "prove": ("verify", "--prove"),
    "check-proof": ("verify", "--proof"),
    "consistency": ("verify", "--continues"),
}
"""Other names of a verb with a word or an option."""
ELSEWHERE = {
    "boot": "surfaces.verbs.record",
    "consolidate": "surfaces.nightly",
    "forget": "surfaces.verbs.pin",
    "hook": "surfaces.hook.running",
    "hosts": "surfaces.hook.installing",
    "import": "surfaces.transcripts",
    "mcp": "doors.tools",
    "propose": "surfaces.verbs.proposals",
    "prune": "surfaces.nightly",
    "reject": "surfaces.verbs.approve",
    "restore": "surfaces.verbs.backup",
    "undo": "surfaces.verbs.approve",
}
"""Modules of verbs that have none in ``verbs/``: the verb is a function there, and its help that function's docstring."""
WITHOUT_MSGSPEC = frozenset({"apply", "channel", "guard", "hook", "log", "night", "stage"})
"""Verbs that mostly end before they need a record; those that go on call :func:`import_msgspec`."""
USAGE = "usage: nightledger VERB [--home DIR] [--json] ...\n"
_SEVERAL_WORDS = "hint: several words that are one stand in quotes: recall 'backup retention'"
_NO_OPTION = "hint: what begins with a dash and is no option stands last, behind --: recall -- -v"


def main(argv: list[str] | None = None, *, guided: bool = False) -> int:
    """Run one command and give its exit status.

    Args:
        argv: Words after the program's name; None reads them from the process.
        guided: Whether ``init --guide`` calls, which tells itself what comes next.
    """
    words = sys.argv[1:] if argv is None else argv
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that is not UTF-8 shows escapes, never a traceback
            stream.reconfigure(errors="backslashreplace")
    if words[:1] == ["help"] and len(words) > 1 and not words[1].startswith("-"):
        words = [words[1], "--help"]
    if not words or words[0] in ("-h", "--help", "help"):
        sys.stdout.write(help_text(everything="--all" in words))
        return 0
    if words[0] == "--version":
        from nightledger import __version__

        sys.stdout.write(f"nightledger {__version__}\n")
        return 0
    return _guarded(words[0], words[1:], guided=guided)


def _open_streams() -> None:
    """Read from and write to nowhere where whoever called closed a standard stream: the next file would take its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open to the end


def verbs() -> dict[str, dict[str, str]]:
    """Return what each verb does in one line, in the groups and the order in which help shows them."""
    return _shipped("verbs.json")


def options_of(verb: str) -> "dict[str, Any]":
    """Return what a verb takes, by the name of each option or word: its help, for an option without a value; or a list.

    The list holds the name of its value, its help, and what it is where it is not given; a table is all that argparse is
    told. A word may be left out where its name ends in ``?``, and be any number of words where it ends in ``*``.
    """
    table: dict[str, Any] = _shipped("options.json").get(verb, {})
    return table


def _shipped(name: str) -> "dict[str, Any]":
    import json

    from nightledger.files.home import shipped_config

    told: dict[str, Any] = json.loads(shipped_config(name))
    return told


def help_text(*, everything: bool) -> str:
    """Return the first screen, or every verb by group."""
    lines, groups = [USAGE, "Code review for an AI agent's memory.\n"], verbs()
    if everything:
        for group, rows in groups.items():
            lines += [f"{group}:", *(f"  {verb:<12} {told}" for verb, told in rows.items()), ""]
        return "\n".join(lines)
    told = {verb: text for rows in groups.values() for verb, text in rows.items()}
    lines += [f"  {verb:<10} {told[verb]}" for verb in FIRST_SCREEN]
    return "\n".join(
        [*lines, "", "nightledger help --all   every verb", "nightledger VERB --help  one verb\n"]
    )


def _guarded(verb: str, words: list[str], *, guided: bool) -> int:
    try:
        return _run(verb, words, guided=guided)
    except errors.NightledgerError as error:
        return _fail(str(error), error.hint, error.exit_status)
    except (KeyboardInterrupt, EOFError):
        return _fail("interrupted", "what was acknowledged is kept; run it again", errors.EXIT_REFUSED)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away; there is nobody to tell
        return 0
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "nightledger":
            return _bug(error, verb)
        package = (error.name or "").split(".")[0]
        return _fail(f"the package {package!r} is not installed", "make setup", errors.EXIT_USAGE)
    except OSError as error:
        return _fail(*told_of(error), errors.EXIT_REFUSED)
    except Exception as error:  # noqa: BLE001 - the edge: whatever else it is, it is our bug
        return _bug(error, verb)


def _run(verb: str, words: list[str], *, guided: bool) -> int:
    import argparse

    if sys.platform == "win32":
        raise errors.ConfigurationError("Nightledger runs on Linux and macOS", hint="on Windows, use WSL")
    verb, words = spelled_out(verb, words)
    if verb not in WITHOUT_MSGSPEC:
        import_msgspec()
    answer, about = find_verb(verb)
    from nightledger.surfaces.context import Context

    parser = argparse.ArgumentParser(
        prog=f"nightledger {verb}",
        description=about,
        # a fixed width: asking for the terminal's imports shutil, bz2 and lzma at each start
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=HELP_WIDTH),
        allow_abbrev=False,
    )
    add_options(parser, verb)
    if verb == "hook":
        parser.error = _end  # type: ignore[method-assign]
    common = parser.add_argument_group("every verb")
    common.add_argument(
        "--home", metavar="DIR", help="the home (default: $NIGHTLEDGER_HOME, else the nearest one upward)"
    )
    common.add_argument("--json", action="store_true", help="results as one JSON document")
    common.add_argument("--now", metavar="TIME", help="the time it is; only in a simulated home")
    options, unknown = parser.parse_known_args(words)
    if unknown and "--" not in words and not any(word.startswith("-") for word in unknown):
        # argparse takes optional words for absent where an option stands before them (bpo-14191)
        options, unknown = parser.parse_known_intermixed_args(words)
    if unknown:
        hint = _NO_OPTION if any(word.startswith("-") for word in unknown) else _SEVERAL_WORDS
        parser.error(f"unrecognized arguments: {' '.join(unknown)}\n{hint}")
    _require_together(verb, words)
    context = Context(verb=verb, home=options.home, now_text=options.now, json=options.json)
    context.guided = guided
    return _carry_out(answer, options, context)


def _end(message: str) -> "NoReturn":
    """End as if nothing were asked: exit status 2 would block the user's prompt."""
    del message
    sys.exit(0)


def _carry_out(answer: "Answer", options: "argparse.Namespace", context: "Context") -> int:
    try:
        status = answer(options, context)
    except errors.NightledgerError as error:
        error.args, error.hint = (context.short(str(error)),), context.short(error.hint)
        raise
    sys.stdout.flush()
    if context.afterwards is not None:
        context.note("what is told above is done; what was to follow failed:")
        raise context.afterwards
    return status


def import_msgspec() -> None:
    """Import msgspec without ``typing_extensions``, whose import is a tenth of a verb's start.

    msgspec takes from there what ``typing`` has since Python 3.11, and does without it where it is not installed.
    """
    if "msgspec" in sys.modules or "typing_extensions" in sys.modules:
        return
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules["typing_extensions"]


def spelled_out(verb: str, words: list[str]) -> tuple[str, list[str]]:
    """Return the verb whose module answers, and its words, however the verb was named."""
    if verb in ALIASES:
        verb, *more = ALIASES[verb]
        return verb, [*more, *words]
    return verb, words


def find_verb(verb: str) -> "tuple[Answer, str]":
    """Return the function that answers a verb, and its help: its own module's ``run``, or a function of its name elsewhere.

    Raises:
        UsageError: There is no such verb.
    """
    import importlib

    name = f"nightledger.{ELSEWHERE.get(verb, f'surfaces.verbs.{verb}')}"
    try:
        module = importlib.import_module(name) if verb.isalpha() else None
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        module = None
    if module is None:
        raise errors.UsageError(f"there is no verb {verb!r}", hint=_nearest(verb))
    if verb not in ELSEWHERE:
        return module.run, module.__doc__ or ""
    answer: Answer = getattr(module, f"run_{verb}")
    lines = (answer.__doc__ or "").split("\n")
    return answer, "\n".join(line.removeprefix("    ") for line in lines)  # inspect.cleandoc costs a start


def add_options(parser: "argparse.ArgumentParser", verb: str) -> None:
    """Add what a verb takes: its rows of ``config/options.json``; one without a help is not shown."""
    from argparse import SUPPRESS

    for name, told in options_of(verb).items():
        bare = name.rstrip("?*")
        given: dict[str, Any] = {"nargs": name[-1]} if bare != name else {}
        if isinstance(told, dict):
            given |= told
        elif isinstance(told, str):
            given |= {"help": told or SUPPRESS, **({"action": "store_true"} if bare.startswith("-") else {})}
        else:
            given |= zip(("metavar", "help", "default"), told, strict=False)
        if isinstance(given.get("default"), int | float):
            given["type"] = type(given["default"])
        parser.add_argument(bare, **given)


def _require_together(verb: str, words: list[str]) -> None:
    """Refuse an option that says something only beside another, as its help begins: ``with --ask: ...``."""
    ends = words.index("--") if "--" in words else None
    typed = {word.partition("=")[0] for word in words[:ends] if word.startswith("--")}
    for name, told in options_of(verb).items() if typed else ():
        text = told.get("help") if isinstance(told, dict) else told if isinstance(told, str) else told[1]
        beside = (text or "").partition(":")[0]
        if name in typed and beside.startswith("with --") and typed.isdisjoint(beside.split()):
            raise errors.UsageError(f"{name} goes {beside}", hint=f"nightledger {verb} --help")


def _nearest(verb: str) -> str:
    import difflib

    close = difflib.get_close_matches(verb, [verb for rows in verbs().values() for verb in rows], n=1)
    return f"did you mean 'nightledger {close[0]}'?" if close else "nightledger help --all lists every verb"


def _fail(message: str, hint: str, status: int) -> int:
    from nightledger.text.visible import visible_lines  # a message may quote a file's name

    for text in (f"error: {message}", *([f"hint: {hint}"] if hint else [])):
        first, *more = visible_lines(text)
        rows = (first, *(line if line.startswith("  ") else f"  {line}" for line in more))
        sys.stderr.write("".join(f"{row}\n" for row in rows))
    return status


def told_of(error: errors.NightledgerError | OSError) -> tuple[str, str]:
    """Return what an expected failure says, and its hint; of the system's own, its file and what to do."""
    if isinstance(error, errors.NightledgerError):
        return str(error), error.hint
    import errno

    from nightledger.surfaces.screen import sentences

    hints = sentences("system")
    place = f"{error.filename}: " if error.filename else ""
    hint = str(hints.get(errno.errorcode.get(error.errno or 0, ""), hints["other"]))
    return f"{place}{error.strerror or error}", hint


def _bug(error: Exception, verb: str) -> int:
    import tempfile
    import traceback

    report = "".join(traceback.format_exception(error))
    with tempfile.NamedTemporaryFile("w", prefix="nightledger-bug-", suffix=".log", delete=False) as stream:
        stream.write(f"nightledger {verb}\n{report}")
    return _fail(
        f"this is a bug in 'nightledger {verb}': {error!r}",
        f"the details are in {stream.name}",
        errors.EXIT_BUG,
    )


if __name__ == "__main__":
    sys.exit(main())
