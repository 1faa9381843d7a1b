"""Empty this home's boxes in the spools: messages are taken in and answered, answers are believed.

Run by cron. Invariant: a letter is removed after what it brought about is on disk, so that a
crash in between brings it again, which does nothing twice.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from nightledger.codec.canonical import canonical
from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import IntegrityError, LockedError, NightledgerError, RecordError, RefusedError
from nightledger.domain.message import Peers, Reply
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import load_operator
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.remote.notes import note_contact
from nightledger.remote.receiving import channel_lock, take_in
from nightledger.remote.sending import (
    MAX_REPLY_ENVELOPE_BYTES,
    believe,
    bury,
    known_peers,
    sent_dir,
)
from nightledger.remote.spool import REPLY_SUFFIX, Letter, Spool
from nightledger.surfaces.context import Context

_MAX_PENDING_BYTES = 4 << 20
_SENT = re.compile(r"(m-[a-z2-7]{26})\.json")
_ACTION = re.compile(r"[a-z][a-z0-9_]{0,63}")
"""As ``schemas/message.schema.json`` has it: an answer is kept under this name."""
_FORMS = {"peer": str, "action": str, "exp": int, "envelope": dict}


@dataclass(slots=True, kw_only=True)
class Emptied:
    """What one round did.

    Attributes:
        answered: ``(message id, action, machine)`` of the messages taken in.
        replies: ``(machine, action, answer)`` of the answers that came.
        later: Letters that could not be dealt with now.
        undelivered: ``(name, reason)`` of those among them that were taken in, and whose answer cannot be put
            into the sender's box.
        broken: ``(path, reason)`` of this home's boxes that cannot be read, and of letters that cannot be
            taken out of them.
        unreadable: ``(name, reason)`` of those among them that are no message or answer that can be taken in.
        set_aside: Letters that never became readable.
        dead: Ids of our messages that expired without an answer.
    """

    answered: list[tuple[str, str, str]] = field(default_factory=list)
    replies: list[tuple[str, str, Reply]] = field(default_factory=list)
    later: int = 0
    undelivered: list[tuple[str, str]] = field(default_factory=list)
    broken: list[tuple[str, str]] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    set_aside: int = 0
    dead: list[str] = field(default_factory=list)


def empty_boxes(context: Context) -> Emptied:
    """Deal with every letter in this home's boxes, and with our messages that expired.

    A box that is broken or missing is told, and keeps nothing else from being dealt with: whoever
    shares a spool can do that to the box in it. A letter that this home cannot deal with now keeps no other
    from being dealt with either, unless the log is not what was signed.

    Raises:
        NightledgerError: The log, the keys or the disk fail; what was not dealt with waits for the
            next round.
    """
    emptied, peers, failures = Emptied(), known_peers(context), list[NightledgerError]()
    home_id = Home(context.home_path).identity.id
    for directory in spools(context):
        try:
            failures += _empty_box(context, peers, directory, home_id, emptied)
        except _BrokenBoxError as error:
            emptied.broken.append((os.path.join(directory, home_id), str(error)))
    with suppress(LockedError):  # then the next round does
        emptied.dead.extend(_bury_expired(context))
    if failures:
        raise failures[0]
    return emptied


def _empty_box(
    context: Context, peers: Peers, directory: str, home_id: str, emptied: Emptied
) -> list[NightledgerError]:
    """Deal with a box; give what went wrong in this home with single letters."""
    failures: list[NightledgerError] = []
    with _touching_the_box():
        box = Spool(directory, home_id)
    for letter in _letters(box):
        try:
            _deal(context, peers, box, letter, emptied)
        except LockedError:
            emptied.later += 1
        except _UndeliveredError as error:
            emptied.later += 1
            emptied.undelivered.append((letter.name, str(error)))
        except _BrokenBoxError as error:
            emptied.later += 1
            emptied.broken.append((letter.path, str(error)))
        except IntegrityError:
            raise
        except NightledgerError as error:
            failures.append(error)
    return failures


def _letters(box: Spool) -> Iterator[Letter]:
    with _touching_the_box():
        yield from box.letters(MAX_REPLY_ENVELOPE_BYTES)


@contextmanager
def _touching_the_box() -> Iterator[None]:
    """Tell what whoever shares a spool can break from what is wrong with this machine."""
    try:
        yield
    except (NightledgerError, OSError) as error:
        raise _BrokenBoxError(_reason(error)) from error


def _reason(error: NightledgerError | OSError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"{error}; {error.hint}" if error.hint else str(error)


def _deal(context: Context, peers: Peers, box: Spool, letter: Letter, emptied: Emptied) -> None:
    try:
        _take(context, peers, os.path.dirname(box.root), letter, emptied)
    except (RecordError, RefusedError) as error:  # its own fault; any other is ours, and it comes again
        emptied.unreadable.append((letter.name, letter.unreadable or str(error)))
        with _touching_the_box():
            gone = box.set_aside(letter, context.now.timestamp())
        emptied.set_aside += gone
        emptied.later += not gone
    else:
        with _touching_the_box():
            box.done(letter)


def spools(context: Context) -> list[str]:
    """Name every directory that this home shares with some machine, sorted."""
    addresses = load_operator(context.keys_dir).peers.values()
    return sorted({address.spool for address in addresses if address.spool})


def pending(home: Home) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give id and record of each of our messages that waits for its answer; damaged records are passed over."""
    directory = sent_dir(home)
    for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
        found = _SENT.fullmatch(name)
        record = _read_sent(os.path.join(directory, name)) if found else None
        if found and record is not None:
            yield found[1], record


def _read_sent(path: str) -> dict[str, Any] | None:
    """Read what is remembered of one message; None for what we did not write: an agent can write there."""
    try:
        record = parse_json(read_optional(path, _MAX_PENDING_BYTES) or b"", path)
        canonical(record)  # as it is kept when nobody answers
    except NightledgerError:
        return None
    if not isinstance(record, dict) or any(
        type(record.get(name)) is not form for name, form in _FORMS.items()
    ):
        return None
    return record if _ACTION.fullmatch(record["action"]) else None


def reply_path(home: Home, peer: str, action: str) -> str:
    """Give where the newest answer of a machine to an action is kept, as it came."""
    return os.path.join(home.channel_dir, "replies", f"{peer}.{action}.json")


class _BrokenBoxError(NightledgerError):
    """A box of this home, or a letter in it, cannot be read or changed: others can break it as they like."""


class _UndeliveredError(NightledgerError):
    """An answer cannot be put into its box, which the machine that asked can break as it likes."""


def _take(context: Context, peers: Peers, directory: str, letter: Letter, emptied: Emptied) -> None:
    if letter.unreadable:
        raise RecordError(letter.path, (letter.unreadable,))
    if letter.is_reply:
        _take_reply(context, peers, letter, emptied)
    else:
        _take_message(context, directory, letter, emptied)


def _take_message(context: Context, directory: str, letter: Letter, emptied: Emptied) -> None:
    answered = take_in(context, letter.content)
    message = answered.message
    box = Spool(directory, message.iss)
    try:
        box.put(f"{message.id}{REPLY_SUFFIX}", answered.envelope)
    except (NightledgerError, OSError) as error:
        raise _UndeliveredError(_reason(error)) from error
    emptied.answered.append((message.id, message.action, answered.peer))


def _take_reply(context: Context, peers: Peers, letter: Letter, emptied: Emptied) -> None:
    home = Home(context.home_path)
    message_id = letter.name.removesuffix(REPLY_SUFFIX)
    found = dict(pending(home)).get(message_id)
    if found is None:
        return  # nobody waits for it: it came before
    peer = peers.named(found["peer"])
    if peer is None:
        raise RecordError(letter.path, ("the machine that it is from is not known any more",))
    reply = believe(context, letter.content, peer, message_id)
    action = found["action"]
    path = reply_path(home, peer.name, action)
    with channel_lock(context, home):
        if message_id not in dict(pending(home)):
            return  # another round took it meanwhile
        make_dir(os.path.dirname(path), ignored_by_git=True)
        replace_file(path, letter.content)
        note_contact(home, peer.name, answered=context.now)
        os.unlink(os.path.join(sent_dir(home), f"{message_id}.json"))
    emptied.replies.append((peer.name, action, reply))


def _bury_expired(context: Context) -> Iterator[str]:
    home = Home(context.home_path)
    if not _expired(context, home):
        return
    with channel_lock(context, home):
        for message_id, record in _expired(context, home):  # another round may have buried some meanwhile
            bury(context, canonical(record["envelope"]), "no answer came before it expired", 1)
            os.unlink(os.path.join(sent_dir(home), f"{message_id}.json"))
            yield message_id


def _expired(context: Context, home: Home) -> list[tuple[str, dict[str, Any]]]:
    now = context.now.timestamp()
    return [(message_id, record) for message_id, record in pending(home) if record["exp"] <= now]
