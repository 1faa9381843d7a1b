"""A hook's whole life: read what the host sent, answer, end; silent and fast whatever happens.

Invariant: the exit status is 0, standard error stays empty, and the time is bounded. Exit status 2
would block a prompt (Claude Code, Codex) or a tool call, so nothing here may ever give it.
"""

import os
import sys

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

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


def respond(words: "Sequence[str]") -> bytes:
    """Give what to print; nothing where the words name no event of a host.

    Args:
        words: As :func:`main`.
    """
    from nightledger.surfaces.context import find_home
    from nightledger.surfaces.hook.exchange import HOSTS, host_name, meaning

    rest = list(words)
    home = find_home(_option("--home", rest))
    now_text, keys = _option("--now", rest), _option("--keys", rest)
    if keys:  # what is asked in turn, the stager, needs them too
        os.environ["NIGHTLEDGER_KEYS"] = keys
    if len(rest) != 2:  # noqa: PLR2004 - HOST EVENT
        return b""
    host, event = host_name(rest[0]), rest[1]
    kind = meaning(host, event)
    if host not in HOSTS or not kind or not home:
        return b""
    _limit(LIMIT_S[kind])
    from nightledger.surfaces.hook.events import answer_event
    from nightledger.surfaces.hook.exchange import read_stdin

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
