"""``init --guide``: an agent's home is set up step by step; each step is asked for, and what is done is skipped.

A step is another verb, called as a person would call it. Left with q or Ctrl-C, it goes on there when it is called
again. Without a terminal it prints the commands in their order. What leaves no other trace is kept in
``.nightledger/started``.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from shlex import quote

from msgspec import Struct

from nightledger.domain.errors import ConfigurationError, NightledgerError
from nightledger.domain.transcript import EXTRACTS
from nightledger.domain.words import count_of
from nightledger.files.atomic import replace_file
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.surfaces.context import CHECKOUT, Context, host_roots
from nightledger.surfaces.screen import say, shown

BEFORE = "done before"
MAX_STARTED_BYTES = 4096
COPIED = "done"
"""Typed where a file is asked for: the keys are copied already."""


class Step(Struct, frozen=True):
    """One step.

    Attributes:
        name: As it is remembered.
        words: The verb and its words, without the home; a FILE at the end is to be typed.
        done: Why there is nothing to do; empty where there is.
        asks: What the person is asked; only told, where no question mark is in it.
    """

    name: str
    words: tuple[str, ...]
    done: str
    asks: str


def guide(context: Context, given: tuple[str, ...], *, dry_run: bool) -> int:
    """Go through the steps, or list them.

    Args:
        context: The command's surroundings.
        given: What a new home is to be: options of ``init``, as they were typed.
        dry_run: List the steps on a terminal, too.
    """
    from nightledger.gate.founding import require_place

    asks = context.interactive() and not (context.json or dry_run)
    try:
        context.home = _choose_home(context, asks=asks)
        home, user = Home(context.home), os.path.expanduser("~")
        require_place(home, context.keys_dir, user, adopt=os.path.lexists(home.root))
        return _walk(context, given) if asks else _list(context, given)
    except (KeyboardInterrupt, EOFError):
        context.print()
        say(context, f"Left; what is done stays. To go on: {_command(context, 'init', '--guide')}")
        return 0


def _choose_home(context: Context, *, asks: bool) -> str:
    from nightledger.files.durable import is_within
    from nightledger.hosts.workspaces import find_workspaces, host_of

    roots = host_roots()
    if context.home and os.path.lexists(Home(context.home).identity_file):
        return context.home
    here = context.home or ("" if is_within(os.getcwd(), CHECKOUT) else os.getcwd())
    found = list(find_workspaces(here, roots, os.path.expanduser("~"), named=bool(context.home)))
    if not found:
        raise ConfigurationError(
            "no agent's memory was found: not in the current directory, nor of OpenClaw, Claude Code, Codex or Hermes",
            hint="name the agent's folder, an empty one too: nightledger init --guide --home DIR",
        )
    if len(found) == 1 or not asks:
        return found[0]
    texts = [f"{path} ({host_of(path, roots)})" for path in found]
    return found[ask_choice(context, "Which memory is to be kept?", texts)]


def ask_choice(context: Context, question: str, choices: Sequence[str]) -> int:
    """Ask which of several is meant, the first where nothing is typed; return its place in the list."""
    numbers = {str(at): text for at, text in enumerate(choices, 1)}
    say(context, question)
    context.print_lines(f"  {at}  {shown(text)}" for at, text in numbers.items())
    while (typed := input("Number [1], q to leave > ").strip() or "1") not in numbers:
        if typed.lower() == "q":
            raise EOFError
        context.print(f"One of 1 to {len(numbers)}.")
    return int(typed) - 1


def _steps(context: Context, given: tuple[str, ...]) -> Iterator[Step]:
    """Return each step as it stands when it is its turn."""
    from nightledger.hosts.workspaces import host_of
    from nightledger.surfaces.verbs.status import look

    home = Home(context.home_path)

    def before(name: str) -> str:
        return BEFORE if name in _read_started(home) else ""

    made = os.path.lexists(home.identity_file)
    new = not os.path.isdir(home.root) or not os.listdir(home.root)
    asks = "Make a new home there?" if new else "Adopt this workspace? None of its bytes change."
    words = ("init", *(() if new else ("--adopt",)), *given)
    yield Step("adopt", words, "done, it is a home" if made else "", asks)
    made = os.path.lexists(home.identity_file)
    host = home.identity.host if made else host_of(home.root, host_roots())
    yield Step("check", ("check",), before("check"), "Check its memory up: repeats, stale dates, secrets?")
    sessions = list(_transcripts(context, home))
    yield from sessions
    yield _mine(home, host, before("mine"), unread=any(not step.done for step in sessions))
    waits = not made or bool(look(context).record["waiting"]["changes"])
    yield Step(
        "review", ("review",), "" if waits else "nothing to do, nothing waits", "Review what is proposed?"
    )
    yield _schedule(_scheduled(context) if made else "")
    yield from _instructions(home) if made else ()
    yield from _hooks(home, host, made=made)
    asks = (
        f"Copy your keys to another disk now: cp -a {quote(context.keys_dir)} DIR; without them nothing can be signed or "
        f"checked. A backup of keys and records holds them, too: into which FILE? ('{COPIED}' where they are copied)"
    )
    yield Step("keys", ("backup", "--with-keys", "FILE"), before("keys"), asks)


def _mine(home: Home, host: str, before: str, *, unread: bool) -> Step:
    """Return the step that looks through old logs, and through transcripts that were read."""
    from nightledger.hosts.daylogs import find_daylogs, preset
    from nightledger.jobs.consolidate.statements import MINED

    logs = find_daylogs(home, (*preset(host).daily, EXTRACTS))
    since = logs[0].day.isoformat() if logs else "DATE"
    what = count_of(len(logs), "log or transcript", "logs and transcripts")
    asks = f"Mine {what} since {since} for what is worth keeping, at most {MINED}?"
    none = "'import' names the command for what it read" if unread else "nothing to do, there are no logs yet"
    return Step("mine", ("consolidate", "--since", since), before if logs else none, asks)


def _transcripts(context: Context, home: Home) -> Iterator[Step]:
    """Return a step for each host that has transcripts which may be of this home."""
    from nightledger.surfaces.transcripts import look_around, tell_files

    for look in look_around(context.keys_dir, home):
        if look.may_belong:
            name = look.host.replace("_", "-")
            asks = (
                f"{name} keeps {tell_files(look.files, look.size_bytes)}, {look.may_belong} of which may be of "
                "this home. Read what you and the assistant said there, now and each night?"
            )
            yield Step(
                "transcripts", ("import", name, "--yes"), "done, they are read" if look.since else "", asks
            )


def _schedule(done: str) -> Step:
    """Return the step that shows what cron, or launchd, is to call."""
    system = "launchd" if sys.platform == "darwin" else "cron"
    asks = f"Nothing runs by itself yet. Show the lines for {system}, for you to add?"
    return Step("schedule", ("schedule", "--print", system), done, asks)


def _instructions(home: Home) -> Iterator[Step]:
    """Return the lines that the agent's instructions lack; they are shown, and written by nobody but the owner."""
    from nightledger.surfaces.doctor_home import offer

    words = ("doctor", "--paste")
    try:
        found = offer(home)
    except NightledgerError as error:  # the other steps go on
        yield Step("agent", words, "", f"{error}.")
        return
    wrong = "Line {} there tells it to write memory itself: take that out."
    edits = "".join(f" ({wrong.format(n)})" for n in found.edits[:1])
    how = "take over with 'nightledger edit'" if found.gated else "paste at its end"
    asks = f"{found.path} lacks the lines that tell the agent to log its day and to propose. Show them, for you to {how}?{edits}"
    yield Step("agent", words, "" if found.diff else f"done, {found.path} has the lines", asks)


def _hooks(home: Home, host: str, *, made: bool) -> Iterator[Step]:
    from nightledger.hosts.daylogs import preset
    from nightledger.hosts.hooking import HOOKED
    from nightledger.surfaces.hook.installing import standings

    roots = host_roots()
    there = {one.host: one for one in standings(home, roots)} if made else {}
    for name in HOOKED:
        if os.path.isdir(roots[name]) and (host == name or host not in HOOKED):
            word, one = name.replace("_", "-"), there.get(name)
            asks = f"Hooks would go into {one.path if one else roots[name]}: they {preset(name).does}. 'hosts install {word}' shows them, 'hosts remove {word}' takes them out. Put them in?"
            done = "done, they are there" if one and one.current else ""
            yield Step("hooks", ("hosts", "install", word, "--yes"), done, asks)


def _list(context: Context, given: tuple[str, ...]) -> int:
    rows = [(step, _command(context, *step.words)) for step in _steps(context, given)]
    told = [{"step": step.name, "done": step.done or None, "command": command} for step, command in rows]
    context.emit({"home": context.home_path, "steps": told})
    context.print_lines(f"# {step.name}: {step.done}" if step.done else command for step, command in rows)
    return 0


def _command(context: Context, *words: str) -> str:
    return " ".join(map(quote, ("nightledger", *words, *(("--home", context.home) if context.home else ()))))


def _walk(context: Context, given: tuple[str, ...]) -> int:
    from nightledger.surfaces import cli

    at = ("--home", context.home_path, *(("--now", context.now_text) if context.now_text else ()))
    context.print(shown(context.home_path))
    for step in _steps(context, given):
        say(context, f"{step.name}: {step.done or step.asks}")
        words = () if step.done or "?" not in step.asks else _answer(step)
        if words is None or (step.name == "adopt" and not words and not step.done):
            raise EOFError
        if not words:
            continue
        status = 0 if words[-1] == COPIED else cli.main([*words, *at], guided=True)
        if not status:
            _add_started(Home(context.home_path), step.name)
        elif step.name != "hooks":  # all else goes on without them
            say(context, f"Once that is mended, go on with: {_command(context, 'init', '--guide')}")
            return status
    _say_next(context, given)
    return 0


def _say_next(context: Context, given: tuple[str, ...]) -> None:
    """List what is left to do, and what each morning is for."""
    from nightledger.surfaces.verbs.status import look

    left = [(step.name, step.words) for step in _steps(context, given) if not step.done]
    left += [("once it has cooled", ("apply",))] if look(context).record["signed"] else []
    context.print("Next:")
    for name, words in (*left, ("each morning", ("review",)), ("how it stands", ("status",))):
        say(context, f"- {name}: {_command(context, *words)}")


def _answer(step: Step) -> tuple[str, ...] | None:
    """Ask; give the verb's words, none for later, None to leave."""
    wants = step.words[-1] == "FILE"
    while True:
        typed = input("FILE, Enter for later, q to leave > " if wants else "[Y/n] q to leave > ").strip()
        if typed.lower() == "q":
            return None
        if typed.lower() in ("n", "no", "" if wants else "n"):
            return ()
        if wants or typed.lower() in ("", "y", "yes"):
            return (*step.words[:-1], os.path.expanduser(typed)) if wants else step.words


def _scheduled(context: Context) -> str:
    from nightledger.surfaces.doctor_home import check_schedule
    from nightledger.surfaces.doctor_keys import State
    from nightledger.surfaces.verbs.schedule import place_of

    home, user = Home(context.home_path), os.path.expanduser("~")
    checks = check_schedule(home, place_of(context), user, context.now)
    return "done, it is there" if all(check.state is State.GOOD for check in checks) else ""


def _read_started(home: Home) -> set[str]:
    """Return the names of the steps that were done and leave no other trace; whoever writes there has one offered again or skipped."""
    raw = read_optional(home.started, MAX_STARTED_BYTES) or b""
    return set(raw.decode("utf-8", "replace").splitlines())


def _add_started(home: Home, name: str) -> None:
    text = "".join(f"{one}\n" for one in sorted({*_read_started(home), name}))
    replace_file(home.started, text.encode(), disposable=True)
