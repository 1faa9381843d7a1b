"""The command line: finds the verb, imports that verb's module only, ends every failure well.

Invariant: one error handler. Expected failures print ``error:`` and ``hint:`` and exit
with their own status; anything else is a bug, its traceback kept in a file, exit 70.
"""

import sys

from nightledger.domain import errors
from nightledger.surfaces.verb_table import ALIASES, FIRST_SCREEN, PARTS, VERBS

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    import argparse
    from types import ModuleType

    from nightledger.surfaces.context import Context

HELP_WIDTH = 80
USAGE = "usage: nightledger VERB [--home DIR] [--json] ...\n"
_SEVERAL_WORDS = "hint: several words that are one stand in quotes: recall 'backup retention'"
_NO_OPTION = "hint: what begins with a dash and is no option stands last, behind --: recall -- -v"


def main(argv: list[str] | None = None, *, guided: bool = False) -> int:
    """Run one command and give its exit status.

    Args:
        argv: Words after the program's name; None reads them from the process.
        guided: Whether ``start`` calls, which tells itself what comes next.
    """
    words = sys.argv[1:] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that is not UTF-8 shows escapes, never a traceback
            stream.reconfigure(errors="backslashreplace")
    if not words or words[0] in ("-h", "--help", "help"):
        sys.stdout.write(help_text(everything="--all" in words))
        return 0
    if words[0] == "--version":
        from nightledger import __version__

        sys.stdout.write(f"nightledger {__version__}\n")
        return 0
    return _guarded(words[0], words[1:], guided=guided)


def help_text(*, everything: bool) -> str:
    """Give the first screen (seven verbs), or every verb by group."""
    lines = [USAGE, "Code review for an AI agent's memory.\n"]
    if not everything:
        lines += [f"  {verb:<10} {VERBS[verb][1]}" for verb in FIRST_SCREEN]
        lines += ["", "nightledger help --all   every verb", "nightledger VERB --help  one verb"]
        return "\n".join(lines) + "\n"
    for group in dict.fromkeys(group for group, _ in VERBS.values()):
        rows = (f"  {verb:<12} {told}" for verb, (its_group, told) in VERBS.items() if its_group == group)
        lines += [f"{group}:", *rows, ""]
    return "\n".join(lines)


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
        return _missing((error.name or "").split(".")[0])
    except OSError as error:
        return _fail(_os_message(error), _os_hint(error), errors.EXIT_REFUSED)
    except Exception as error:  # noqa: BLE001 - the edge: whatever else it is, it is our bug
        return _bug(error, verb)


def _run(verb: str, words: list[str], *, guided: bool) -> int:
    import argparse
    import importlib

    if sys.platform == "win32":
        raise errors.ConfigurationError("Nightledger runs on Linux and macOS", hint="on Windows, use WSL")
    verb, words = spelled_out(verb, words)
    if verb not in VERBS and verb not in PARTS:
        raise errors.UsageError(f"there is no verb {verb!r}", hint=_nearest(verb))
    from nightledger.surfaces.context import Context

    module = importlib.import_module(f"nightledger.surfaces.verbs.{verb.replace('-', '_')}")
    parser = argparse.ArgumentParser(
        prog=" ".join(("nightledger", *PARTS.get(verb, (verb,)))),
        description=_described(module.__doc__ or "", words),
        # a fixed width: asking for the terminal's imports shutil, bz2 and lzma at each start
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=HELP_WIDTH),
        allow_abbrev=False,
    )
    add_options(parser, module)
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
    context = Context(verb=verb, home=options.home, now_text=options.now, json=options.json)
    context.guided = guided
    return _carry_out(module, options, context)


def _carry_out(module: "ModuleType", options: "argparse.Namespace", context: "Context") -> int:
    try:
        status: int = module.run(options, context)
    except errors.NightledgerError as error:
        error.args, error.hint = (context.short(str(error)),), context.short(error.hint)
        raise
    sys.stdout.flush()
    if context.afterwards is not None:
        context.note("what is told above is done; what was to follow failed:")
        raise context.afterwards
    return status


def spelled_out(verb: str, words: list[str]) -> tuple[str, list[str]]:
    """Return the verb whose module answers, and its words, however the verb was named."""
    if verb in ALIASES:
        verb, option = ALIASES[verb]
        return verb, [option, *words]
    for name, (whole, word) in PARTS.items():
        if verb == whole and word in (words if word.startswith("-") else words[:1]):
            return name, [other for other in words if other != word]
    return verb, words


def add_options(parser: "argparse.ArgumentParser", module: "ModuleType") -> None:
    """Add what a verb's module takes: its table ``OPTIONS``, and what its ``configure`` names where a table cannot.

    In the table stands by the name of each option or word its help, for an option without a value; the name of
    its value and its help; or all that argparse is told.
    """
    if hasattr(module, "configure"):
        module.configure(parser)
    for name, told in getattr(module, "OPTIONS", {}).items():
        if isinstance(told, dict):
            parser.add_argument(name, **told)
        elif isinstance(told, tuple):
            parser.add_argument(name, metavar=told[0], help=told[1])
        elif name.startswith("-"):
            parser.add_argument(name, action="store_true", help=told)
        else:
            parser.add_argument(name, help=told)


def _described(text: str, words: list[str]) -> str:
    """Give what a verb's help says; broken to the width only where it may be asked for."""
    if not {"-h", "--help"}.intersection(words):
        return text
    from nightledger.surfaces.help_text import refold

    return refold(text, HELP_WIDTH)


def _nearest(verb: str) -> str:
    import difflib

    close = difflib.get_close_matches(verb, VERBS, n=1)
    return f"did you mean 'nightledger {close[0]}'?" if close else "nightledger help --all lists every verb"


def _fail(message: str, hint: str, status: int) -> int:
    from nightledger.text.visible import visible_lines  # a message may quote a file's name

    for text in (f"error: {message}", *([f"hint: {hint}"] if hint else [])):
        first, *more = visible_lines(text)
        rows = (first, *(line if line.startswith("  ") else f"  {line}" for line in more))
        sys.stderr.write("".join(f"{row}\n" for row in rows))
    return status


def _missing(package: str) -> int:
    if package in sys.stdlib_module_names:
        return _fail(
            f"this user cannot read the interpreter's own module {package!r} ({sys.executable})",
            "run it with an interpreter that this user can read, or as the user who ran 'make setup'",
            errors.EXIT_USAGE,
        )
    return _fail(f"the package {package!r} is not installed", "make setup", errors.EXIT_USAGE)


def _os_message(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror or error}"


def _os_hint(error: OSError) -> str:
    import errno

    hints = {
        errno.ENOSPC: "the disk is full; free some room and run it again (nothing acknowledged was lost)",
        errno.EDQUOT: "the disk quota is used up; free some room and run it again",
        errno.EROFS: "the file system is read-only; mount it writable and run it again",
        errno.EACCES: "this user may not; run it as the home's owner, and make it writable where it is read-only",
        errno.EPERM: "this user may not; run it as the home's owner, and make it writable where it is read-only",
        errno.ENOENT: "a file is missing; 'nightledger doctor' looks for what is wrong",
    }
    return hints.get(error.errno or 0, "nothing acknowledged was lost; mend the cause and run it again")


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
