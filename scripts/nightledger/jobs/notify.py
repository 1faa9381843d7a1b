"""Tell the operator that something waits, was altered, drifts, failed or was missed: once, once more after a day, an alarm each day.

At each run where what was told cannot be read or kept: rather too often than never. It is kept beside the keys,
since whoever writes a home would else say that all was told.

Reads   notified and operator.yaml, outside the home; config/notifiers.json
Writes  notified, notified-failed; link-key, and link-* for each link of a notice that was opened
Changes no memory. Runs the operator's own notifier, or a template's program, or has a server asked, and nothing
else; it gets counts and ages, never text.
"""

import hashlib
import hmac
import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct, field

from nightledger.domain.attention import AGAIN, Item, Need, news, next_steps, summarize, variables
from nightledger.domain.errors import ConfigurationError, NightledgerError, RefusedError, UnreadableError
from nightledger.domain.settings import Notifier
from nightledger.files.atomic import create_file, replace_file
from nightledger.files.durable import is_within, read_optional, read_regular
from nightledger.files.home import Home, shipped_config
from nightledger.files.owner import for_child

TIMEOUT_S = 30
"""A notifier that hangs must not hold the night's lock for long. Our choice."""
NOTIFIED = "notified"
"""The record's name among the keys of a home."""
MAX_TOLD_BYTES = 1 << 20
TRY_IT = "nightledger night --notify-test"
_FAILED = "-failed"
LINK_LASTS = timedelta(days=1)
"""By then the notice is told once more, with another link."""
LINK_KEY, LINK_KEY_BYTES, OPENED = "link-key", 32, "link-"
_SECONDS = re.compile(r"[0-9]{1,11}")
"""Since 1970, until the year 5138."""
RUNTIME = "/run/user"
"""Where systemd keeps a user's session bus (pam_systemd(8))."""
_PLACE = re.compile(r"\{(\w+)\}")
_PROGRAMS = ("/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/bin", "/usr/sbin", "/usr/lib")
"""Where a template's program is looked for behind the search path, of which cron gives two; sendmail lies in the last ones."""


class NotifyError(NightledgerError):
    """The operator's notifier could not be run or asked, or said that it failed."""

    hint = f"{TRY_IT}; it is tried again at the next run"


class Template(Struct, frozen=True, kw_only=True):
    """A row of ``config/notifiers.json``; ``{name}`` in a text stands for a fact of the notice.

    Attributes:
        run: Programs with their arguments, the first that is there is run; () where a server is asked.
        ask: Address of a POST.
        url: The server, where the operator names none.
        headers: Sent with it.
        body: A program's standard input, or the JSON that is posted; what stands empty in it is left out.
    """

    run: tuple[tuple[str, ...], ...] = ()
    ask: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | Mapping[str, str] = ""


class Outlet(Struct, frozen=True, kw_only=True):
    """How notices of a home reach its operator.

    Attributes:
        home: Whose matters they tell of.
        notifier: What the operator named; () tells nobody.
        record: The file of what was told, outside the home; empty where this machine has no place for it.
        post: Asks a server, by address and headers, in which ``{token}`` stands for the secret, JSON, and how long it may take in s; returns the status of its answer.
    """

    home: Home
    notifier: Notifier | tuple[str, ...]
    record: str
    post: Callable[[Notifier, str, Mapping[str, str], bytes, float], int]


def notify(outlet: Outlet, items: Sequence[Item], now: datetime, *, some: bool = False) -> bool:
    """Run the operator's notifier when something is new, and tell whether it ran.

    What was told is forgotten once it is settled, so that it is told again when it returns.

    Args:
        outlet: How it is told.
        items: All that needs the operator now.
        now: Aware, UTC.
        some: The items are not all yet: what was told of others is not forgotten.

    Raises:
        ConfigurationError: The notifier is a file of the home; nothing in a home is executed.
        NotifyError: It is missing, failed or took longer than 30 s; it is tried again next time.
    """
    record = outlet.record
    before = _read_told(record) if record else {}
    new = bool(outlet.notifier) and bool(news(items, before, now))
    if new:
        send(outlet, items, now)
    marks = {item.mark for item in items}
    known = marks | {AGAIN + mark for mark in marks}
    told = {mark: at for mark, at in before.items() if some or mark in known}
    if new:
        told |= dict.fromkeys(marks, now) | {AGAIN + mark: now for mark in marks & before.keys()}
    if record and told != before:
        lines = sorted(f"{mark} {int(at.timestamp())}\n" for mark, at in told.items())
        replace_file(record, "".join(lines).encode(), disposable=True)
    return new


def send(outlet: Outlet, items: Sequence[Item], now: datetime, *, test: bool = False) -> str:
    """Have the operator told, and return what; that it failed stands beside the record until it succeeds.

    A link that cannot be made holds up no notice: it goes with ``open``, and why stands there, too.

    Args:
        outlet: How it is told.
        items: At least one, unless it is a test.
        now: Aware, UTC.
        test: Say that it is one.

    Raises:
        ConfigurationError: As :func:`notify`.
        NotifyError: As :func:`notify`.
    """
    summary = summarize(items, now) or "nothing needs you"
    summary = f"a test; {summary}" if test else summary
    failed = outlet.record and outlet.record + _FAILED
    link, problem = _link(outlet, items, now)
    try:
        _send(outlet, summary, items, now, link)
    except NightledgerError as error:
        _keep(failed, str(error), now)
        raise
    _keep(failed, problem, now)
    return summary


def _keep(failed: str, problem: str, now: datetime) -> None:
    """Keep why a notice did not come as it should, where this machine has a place for it; or that it did."""
    if failed and problem:
        replace_file(failed, f"{int(now.timestamp())} {problem}\n".encode(), disposable=True)
    elif failed:
        with suppress(FileNotFoundError):
            os.unlink(failed)


def why_failed(record: str) -> tuple[datetime, str] | None:
    """Return when the notifier failed, and why; None where it last succeeded.

    Args:
        record: The file of what was told.
    """
    at, _, why = _read(record + _FAILED).strip().partition(" ")
    return (datetime.fromtimestamp(int(at), UTC), why) if _SECONDS.fullmatch(at) else None


def _read_told(record: str) -> dict[str, datetime]:
    """Return when each mark was told; none where nothing can be read."""
    lines = (line.rpartition(" ") for line in _read(record).split("\n"))
    return {mark: datetime.fromtimestamp(int(at), UTC) for mark, _, at in lines if _SECONDS.fullmatch(at)}


def _read(path: str) -> str:
    try:
        return (read_optional(path, MAX_TOLD_BYTES) or b"").decode("utf-8", "replace")
    except UnreadableError:
        return ""


def _send(outlet: Outlet, summary: str, items: Sequence[Item], now: datetime, link: str) -> None:
    numbers, notifier = variables(items, now), outlet.notifier
    if not isinstance(notifier, Notifier):
        words = [word.replace("{summary}", summary) for word in notifier]
        _run(outlet.home, words, json.dumps(numbers, sort_keys=True) + "\n", numbers)
        return
    template = msgspec.json.decode(shipped_config("notifiers.json"), type=dict[str, Template])[notifier.by]
    facts = {"summary": summary, "next": next_steps(items)}
    facts |= {name: getattr(notifier, name) for name in ("to", "title", "open")}
    facts["url"] = notifier.url or template.url
    facts["open"] = link or notifier.open
    body = _fill(template.body, facts)
    if template.run:
        _run(outlet.home, _fill(_find(template.run), facts), body, numbers)
        return
    headers = {"Content-Type": "application/json", **(template.headers if notifier.token_file else {})}
    url = _fill(template.ask, facts)
    status = outlet.post(notifier, url, headers, json.dumps(body).encode(), TIMEOUT_S)
    if status not in range(200, 300):
        raise NotifyError(f"{notifier.by} answered {status}")


def _link(outlet: Outlet, items: Sequence[Item], now: datetime) -> tuple[str, str]:
    """Return a link to what waits, the newest first, and why there is none; both empty where the owner wants none, or nothing waits."""
    waiting = [item for item in items if item.need is Need.WAITING]
    address = outlet.notifier.link if isinstance(outlet.notifier, Notifier) else ""
    if not (address and outlet.record and waiting):
        return "", ""
    newest = max(waiting, key=lambda item: (item.since, item.key))
    try:
        return make_link(os.path.dirname(outlet.record), address, newest.key, now), ""
    except (NightledgerError, OSError) as error:
        return "", f"a notice went without its link: {error}"


def make_link(keys: str, address: str, proposal: str, now: datetime) -> str:
    """Return a link that opens once, within a day, a page of what waits, to look at; forget those that are over.

    It is sealed with HMAC-SHA256 (RFC 2104) under a key of its own, and worth nothing but that look.

    Args:
        keys: The directory of the home's keys.
        address: Of the page, without a slash at its end.
        proposal: The id of what it shows first.
        now: Aware, UTC.
    """
    for name in os.listdir(keys):
        ends = name.removeprefix(OPENED).partition(".")[0]
        if name.startswith(OPENED) and ends.isdecimal() and int(ends) < now.timestamp():
            with suppress(OSError):
                os.unlink(os.path.join(keys, name))
    told = f"{proposal}.{int((now + LINK_LASTS).timestamp())}.{os.urandom(16).hex()}"
    return f"{address}/{told}.{_seal(keys, told)}"


def check_link(keys: str, link: str, now: datetime, *, opens: bool = False) -> str:
    """Return the proposal that a link shows first.

    Args:
        keys: The directory of the home's keys.
        link: What stands behind the address.
        now: Aware, UTC.
        opens: Whether it is opened, which it is once.

    Raises:
        RefusedError: It is none of this home's, it is over, or it was opened before.
    """
    told, _, seal = link.rpartition(".")
    if not hmac.compare_digest(seal.encode(), _seal(keys, told).encode()):
        raise RefusedError("this is no link of this home's notices")
    proposal, ends, nonce = told.split(".")
    if int(ends) <= now.timestamp():
        raise RefusedError("this link is over: it lasts a day")
    mark = os.path.join(keys, f"{OPENED}{ends}.{nonce}")
    was_opened = os.path.lexists(mark)
    if opens and not was_opened:
        try:
            create_file(mark, b"")
        except FileExistsError:
            was_opened = True
    if was_opened:
        raise RefusedError("this link was opened before, and opens once")
    return proposal


def _seal(keys: str, told: str) -> str:
    path = os.path.join(keys, LINK_KEY)
    if not os.path.lexists(path):
        with suppress(FileExistsError):
            create_file(path, os.urandom(LINK_KEY_BYTES))
    key = read_regular(path, LINK_KEY_BYTES)
    if len(key) < LINK_KEY_BYTES:  # whoever guesses it makes links
        raise UnreadableError(f"{path} is cut short", hint="remove it; the next notice makes another")
    return hmac.new(key, told.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def _fill(value: Any, facts: Mapping[str, str]) -> Any:
    """Return a text, or what holds texts, with the facts in their places; a member that stands empty is left out."""
    if isinstance(value, str):
        return _PLACE.sub(lambda found: facts.get(found[1], found[0]), value)
    if isinstance(value, tuple):
        return tuple(_fill(one, facts) for one in value)
    filled = {name: _fill(one, facts).strip() for name, one in value.items()}
    return {name: one for name, one in filled.items() if one}


def _find(programs: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the first command whose program is here, with the program's full path."""
    import shutil  # with its archives, too dear for each start of a night

    places = [place for place in os.environ.get("PATH", "").split(":") if place.startswith("/")]
    path = ":".join([*places, *_PROGRAMS])
    for name, *words in programs:
        if program := shutil.which(name, path=path):
            return program, *words
    raise NotifyError(f"there is no {' and no '.join(words[0] for words in programs)} here")


def _run(home: Home, words: Sequence[str], said: str, numbers: Mapping[str, int]) -> None:
    program = words[0]
    if is_within(program, home.root):
        raise ConfigurationError(
            f"notify names {program}, which lies in the home; nothing in a home is executed",
            hint="put it elsewhere, out of the agent's reach",
        )
    try:
        subprocess.run(  # noqa: S603 - the operator's own command from outside the home, as a list
            words,
            input=said.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(home, numbers),
            **for_child(),
            cwd="/",
            timeout=TIMEOUT_S,
            check=True,
        )
    except OSError as error:
        raise NotifyError(f"{program} cannot be run: {error.strerror}") from error
    except subprocess.CalledProcessError as error:
        raise NotifyError(f"{program} ended with status {error.returncode}") from error
    except subprocess.TimeoutExpired as error:
        raise NotifyError(f"{program} took longer than {TIMEOUT_S} s and was stopped") from error


def _environment(home: Home, numbers: Mapping[str, int]) -> dict[str, str]:
    """Give what a notifier needs of ours, and the few names that programs need to start."""
    kept = ("HOME", "PATH", "LANG", "LC_ALL", "TZ", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    runtime = os.path.join(RUNTIME, str(os.geteuid()))
    if os.path.exists(os.path.join(runtime, "bus")):  # cron names neither, and notify-send needs them
        found = {"XDG_RUNTIME_DIR": runtime, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={runtime}/bus"}
        environment = found | environment
    environment |= {f"NIGHTLEDGER_{name.upper()}": str(number) for name, number in numbers.items()}
    return environment | {"NIGHTLEDGER_HOME": home.root}
