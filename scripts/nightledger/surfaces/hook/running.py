"""A hook's whole life: read what the host sent, answer, end; silent and fast whatever happens.

Invariant: whatever the bytes are, reading them gives a dict; an answer is context or a refusal, and none ever allows,
asks, blocks a prompt or stops a session (docs/formats.md names what each shape was written against). The exit status
is 0, standard error stays empty, and the time is bounded. Exit status 2 would block a prompt (Claude Code, Codex) or a
tool call, so nothing here may ever give it.
"""

import json
import os
import sys

from nightledger.files.home import Home
from nightledger.surfaces.context import CHECKOUT, find_home, keys_directory

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from datetime import datetime
    from types import FrameType
    from typing import Any

    from nightledger.files.staged import StagedPage
    from nightledger.surfaces.context import Context

MAX_STDIN_BYTES = 8 << 20
"""A tool's input holds whole files; Hermes sends the conversation. What is larger is not looked
at: 16 MB of nothing but empty lists took more than a second to parse, in which no alarm is heard."""
MAX_PROMPT_CHARACTERS = 4_000
"""Of a longer prompt the beginning and the end count: what is asked stands there. Our choice."""
_BLOCK_BYTES = 1 << 16


def read_stdin(descriptor: int = 0) -> bytes:
    """Give what a host sends, up to the end; nothing when it is too much or cannot be read."""
    blocks, left = [], MAX_STDIN_BYTES + 1
    try:
        while left > 0 and (block := os.read(descriptor, min(left, _BLOCK_BYTES))):
            blocks.append(block)
            left -= len(block)
    except OSError:
        return b""
    return b"".join(blocks) if left > 0 else b""


def parse_payload(raw: bytes) -> "dict[str, Any]":
    """Give the object that a host sent; an empty one for anything else."""
    try:
        found = json.loads(raw.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def text_of(payload: "dict[str, Any]", *keys: str) -> str:
    """Give a text of the payload, at a path of keys; empty where there is none."""
    found: Any = payload
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, str) else ""


def prompt_of(payload: "dict[str, Any]") -> str:
    """Give what the user wrote: Claude Code and Codex name it ``prompt``, Hermes ``extra.user_message``."""
    prompt = text_of(payload, "prompt") or text_of(payload, "extra", "user_message")
    if len(prompt) > MAX_PROMPT_CHARACTERS:
        half = MAX_PROMPT_CHARACTERS // 2
        prompt = f"{prompt[:half]}\n{prompt[-half:]}"
    return prompt.encode("utf-8", "replace").decode()


START, PROMPT, TOOL = "session_start", "prompt", "tool"
HOSTS = {
    "claude_code": {"SessionStart": START, "UserPromptSubmit": PROMPT, "PreToolUse": TOOL},
    "codex": {"SessionStart": START, "UserPromptSubmit": PROMPT, "PreToolUse": TOOL},
    "hermes": {"pre_llm_call": PROMPT, "pre_tool_call": TOOL},
    "openclaw": {"agent:bootstrap": START},
}
"""For each host its events that a hook is called at, and what each means to us."""
MAX_CONTEXT_BYTES = 9_500
"""UTF-8. Claude Code takes 10,000 characters whole, Codex 2,500 tokens of four bytes (openai/codex, codex-rs/hooks/src/
output_spill.rs); a longer answer they put into a file, and what the agent reads of it has lost its middle, or its fence."""


def host_name(given: str) -> str:
    """Give a host as records name it: ``claude-code`` is ``claude_code``."""
    return given.lower().replace("-", "_")


def meaning(host: str, event: str) -> str:
    """Give what a host's event means to us; empty for what we do not answer."""
    return HOSTS.get(host, {}).get(event, "")


def give_context(host: str, event: str, text: str) -> bytes:
    """Give the answer that adds text to what the agent reads; none for no text or too much of it."""
    if not text or len(text.encode("utf-8", "surrogatepass")) > MAX_CONTEXT_BYTES:
        return b""
    if host in ("hermes", "openclaw"):
        return _dump({"context": text})
    return _dump({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})


def refuse(host: str, event: str, reason: str) -> bytes:
    """Give the answer that keeps a tool from running; none where there is no reason."""
    if not reason:
        return b""
    if host == "hermes":
        return _dump({"action": "block", "message": reason})
    answer = {"hookEventName": event, "permissionDecision": "deny", "permissionDecisionReason": reason}
    return _dump({"hookSpecificOutput": answer})


def _dump(answer: dict[str, object]) -> bytes:
    return json.dumps(answer).encode("ascii") + b"\n"


LIMIT_S = {"session_start": 8.0, "prompt": 1.5, "tool": 1.5}
"""Wall time after which a hook ends without an answer; hosts are told to wait longer. Our choice."""


def main(words: "Sequence[str] | None" = None) -> None:
    """Answer one event of a host and end the process, with exit status 0.

    Args:
        words: ``[--home DIR] [--keys DIR] [--now TIME] HOST EVENT``; None reads them from the process.
    """
    answer = b""
    try:  # noqa: SIM105 - contextlib costs a start
        answer = respond(sys.argv[1:] if words is None else words)
    except BaseException:  # noqa: BLE001, S110 - the host's session goes on, whatever is wrong with us
        pass
    end(answer)


def run_hook(options: "argparse.Namespace", context: "Context") -> int:
    """Answer an event of an agent's host.

    Context at a session's start and at a prompt, a refusal before a write.

    hook HOST EVENT  reads what the host sends on standard input and answers as the
                     host defines it; silent and with exit status 0 whatever is
                     wrong, so that no session ever stops here. Hosts call
                     scripts/prompt_hook.py, which does the same and starts faster:
                     nightledger hosts

    Reads   standard input; .nightledger/search/, the staged context
    Writes  memory/system/exposures.jsonl, .nightledger/prompts/
    Changes no memory.
    """
    main(["--home", context.home, "--now", context.now_text, *options.words])
    return 0


def respond(words: "Sequence[str]") -> bytes:
    """Give what to print; nothing where the words name no event of a host.

    Args:
        words: As :func:`main`.
    """
    rest = list(words)
    home = find_home(_option("--home", rest))
    now_text, keys = _option("--now", rest), _option("--keys", rest)
    if keys:  # what is asked in turn, the stager, needs them too
        os.environ["NIGHTLEDGER_KEYS"] = keys
    if len(rest) != 2:  # noqa: PLR2004 - HOST EVENT
        return b""
    host, event = host_name(rest[0]), rest[1]
    kind = meaning(host, event)
    if not kind or not home:
        return b""
    _limit(LIMIT_S[kind])
    return answer_event(home, host, event, read_stdin(), now_text=now_text)


def end(answer: bytes) -> None:
    """Write the answer and end at once, exit status 0: nothing is left that could fail or take time."""
    try:
        view = memoryview(answer)
        while view:
            view = view[os.write(1, view) :]
    except BaseException:  # noqa: BLE001, S110 - the host went away
        pass
    os._exit(0)


def _option(name: str, words: list[str]) -> str:
    """Take an option and its value out of the words; empty where it is not there."""
    if name not in words[:-1]:
        return ""
    at = words.index(name)
    _, value = words.pop(at), words.pop(at)
    return value


def _limit(seconds: float) -> None:
    """End the process after a time, in two ways.

    The signal ends what keeps the interpreter busy in one call, for example a search for a pattern. The thread
    ends what no signal does: SQLite calls open(2) again when it was interrupted.
    """
    import _thread
    import signal

    try:  # noqa: SIM105 - contextlib costs a start
        _thread.start_new_thread(_watch, (seconds,))
    except RuntimeError:  # the machine has no more threads; the signal is left
        pass
    signal.signal(signal.SIGALRM, _give_up)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})  # a host may have started us with it blocked
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _watch(seconds: float) -> None:
    import time

    time.sleep(seconds)
    os._exit(0)


def _give_up(_: int, __: "FrameType | None") -> None:
    os._exit(0)


SCRIPTS = os.path.join(CHECKOUT, "scripts")
"""The folder that holds our programs."""
_WITHOUT_MEMORY = ("subagent", "cron")
"""Where Hermes itself shows no memory; to us these look like first turns of a session (seen with 0.19.0)."""


def answer_event(home_path: str, host: str, event: str, raw: bytes, *, now_text: str = "") -> bytes:
    """Give what to print for one event; nothing is a valid answer.

    Args:
        home_path: The home.
        host: As records name it.
        event: As the host names it.
        raw: What the host sent.
        now_text: The time it is; for trials, in a simulated home only.

    Raises:
        NightledgerError: The home is none, or cannot be used; whoever calls says nothing.
        OSError: The system refuses something; likewise.
    """
    home, payload = Home(home_path).require(), parse_payload(raw)
    kind = meaning(host, event)
    if not kind:
        return b""
    if kind == TOOL:
        from nightledger.surfaces.hook.guard import refusal

        propose, keys_dir = full_command(home, "propose"), keys_directory(os.environ)
        return refuse(host, event, refusal(home, payload, propose, keys_dir))
    from nightledger.surfaces.context import require_machine

    require_machine(home)
    now = _now(home, now_text)
    if kind == START:
        # the stager knows the real time only, so where another is given it is not asked
        page = started(home, host, payload, now, anew=not now_text, most=_room(payload))
        return give_context(host, event, page)
    return give_context(host, event, _at_prompt(home, host, payload, now))


def _at_prompt(home: Home, host: str, payload: "dict[str, Any]", now: "datetime") -> str:
    """Give what a prompt gets; the first of a Hermes session also what is staged, as Hermes has no event for that."""
    extra = payload.get("extra")
    if isinstance(extra, dict) and extra.get("platform") in _WITHOUT_MEMORY:
        return ""
    from nightledger.surfaces.hook.prompting import prompted

    if not isinstance(extra, dict) or extra.get("is_first_turn") is not True:
        return prompted(home, host, payload, stamp(now))
    from nightledger.domain.exposure import BYTES_A_TOKEN
    from nightledger.files.hook_state import read_hook_settings

    # the page first: its lines are then not among the notes, which keep their room
    room = MAX_CONTEXT_BYTES - BYTES_A_TOKEN * read_hook_settings(home).tokens - 1
    page = started(home, host, payload, now, anew=False, most=room)
    return "\n".join(part for part in (page, prompted(home, host, payload, stamp(now))) if part)


def _room(payload: "dict[str, Any]") -> int:
    """Give the bytes of a page that a host takes whole; OpenClaw's handler says how many characters are left."""
    room = payload.get("room")
    return min(MAX_CONTEXT_BYTES, room) if type(room) is int else MAX_CONTEXT_BYTES


def _now(home: Home, text: str) -> "datetime":
    """Give the time of this event; in a simulated home the one that is given."""
    from nightledger.surfaces import clock
    from nightledger.surfaces.context import is_simulated

    return clock.parse_now(text) if text and is_simulated(home.root) else clock.system_now()


def stamp(now: "datetime") -> str:
    """Give a time as records write it: ``2026-03-01T06:00:00Z``."""
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def full_command(home: Home, verb: str) -> str:
    """Give the command with which an agent calls a verb, in full paths, without its words."""
    from shlex import join

    return join([*own_program(), verb, "--home", home.root])


def own_program() -> list[str]:
    """Return the words, full paths, with which this program is called."""
    program = os.path.join(os.path.dirname(sys.executable), "nightledger")
    return [program] if os.access(program, os.X_OK) else [sys.executable, os.path.join(SCRIPTS, "command.py")]


STAGING_LIMIT_S = 6.0
"""Where something changed a year of logs takes below one second, a calendar server is waited for two (DESIGN, issue 4), a busy machine takes
twice that. The hook itself has eight (:data:`LIMIT_S`)."""
_EACH_MESSAGE = ("openclaw",)
"""``agent:bootstrap`` comes before each message, and what it adds is there for that one alone (seen with 2026.9.6)."""
_NAMELESS = "staged"
"""What the ring holds of a page whose lines have neither ids nor places."""


def started(
    home: Home,
    host: str,
    payload: "dict[str, Any]",
    now: "datetime",
    *,
    anew: bool = True,
    most: int = MAX_CONTEXT_BYTES,
) -> str:
    """Give the staged context; empty for nothing. It is recorded before this returns.

    OpenClaw asks at each message and keeps no answer. There the stager runs at a session's first one, and what
    the session is shown on and on is recorded once.

    Args:
        home: Whose.
        host: As records name it.
        payload: What the host sent.
        now: The time; aware, UTC.
        anew: Whether the stager runs first; a host that does not wait for it is given what is staged.
        most: Bytes; of a longer page the first lines are given.

    Raises:
        NightledgerError: The ledger cannot be used.
        OSError: The system refuses something.
    """
    from nightledger.domain.exposure import session_name
    from nightledger.files import hook_state
    from nightledger.files.staged import read_staged

    try:  # noqa: SIM105 - contextlib costs a start
        hook_state.drop_old_states(home, now.timestamp())
    except OSError:
        pass
    given, each_message = payload.get("session_id"), host in _EACH_MESSAGE
    if anew and not (each_message and hook_state.has_state(home, given)) and not stage_anew(home, now):
        return ""
    page = read_staged(home, stamp(now), most)
    if page is None:
        if each_message:  # the session is known from now on
            hook_state.write_state(home, given, hook_state.read_state(home, given))
        return ""
    places = (hook_state.place_key(place.path, place.lines[0]) for place in page.places)
    names = (*page.shown, *places) or ((_NAMELESS,) if each_message else ())
    if not (each_message and hook_state.read_state(home, given).shown[-1:] == (names,)):
        _expose(home, page, stamp(now), host, session_name(given))
        if names:  # so that the session's prompts are not shown it again
            hook_state.write_state(home, given, hook_state.read_state(home, given).after_showing(names))
    return page.text


def _expose(home: Home, page: "StagedPage", at: str, host: str, session: str) -> None:
    from nightledger.files.hook_state import append_exposure

    shown, places = page.shown, page.places
    append_exposure(
        home, at=at, shown=shown, host=host, event="session_start", session=session, places=places
    )


def stage_anew(home: Home, now: "datetime") -> bool:
    """Have the stager run, within its limit, unless the page that stands is the one it would make; returns whether all is well."""
    from nightledger.gate.kept_page import find_kept

    if find_kept(home, keys_directory(os.environ), now.timestamp()) is not None:
        return True
    import subprocess

    words = [sys.executable, "-I", os.path.join(SCRIPTS, "predictive_stager.py"), "--home", home.root]
    try:
        done = subprocess.run(  # noqa: S603 - our own program, by its full path
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=STAGING_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
