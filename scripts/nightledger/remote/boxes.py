"""Empty this home's boxes in the spools: messages are taken in and answered, answers are believed.

Run by cron. Invariant: a letter is removed after what it brought about is on disk, so that a
crash in between brings it again, which does nothing twice.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from nightledger.codec.canonical import canonical
from nightledger.domain.errors import IntegrityError, LockedError, NightledgerError, RecordError, RefusedError
from nightledger.domain.message import Peers
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import load_operator
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.remote.notes import note_contact
from nightledger.remote.receiving import channel_lock, take_in
from nightledger.remote.sending import (
    MAX_REPLY_ENVELOPE_BYTES,
    believe,
    bury,
    known_peers,
    pending,
    reply_path,
    sent_dir,
)
from nightledger.remote.spool import REPLY_SUFFIX, Spool
from nightledger.surfaces.context import Context


@dataclass(slots=True, kw_only=True)
class Emptied:
    """What one round did.

    Attributes:
        answered: Messages taken in: ``message``, ``action``, ``peer``.
        replies: Answers that came: ``peer``, ``action``, ``status``, ``reason``.
        later: Letters that could not be dealt with now.
        problems: Sentences: boxes that cannot be read or changed, which whoever shares a spool can bring about.
        unreadable: Letters that are no message or answer that can be taken in: ``name``, ``reason``.
        set_aside: Letters that never became readable.
        dead: Ids of our messages that expired without an answer.
    """

    answered: list[dict[str, str]] = field(default_factory=list)
    replies: list[dict[str, str]] = field(default_factory=list)
    later: int = 0
    problems: list[str] = field(default_factory=list)
    unreadable: list[dict[str, str]] = field(default_factory=list)
    set_aside: int = 0
    dead: list[str] = field(default_factory=list)


class _BoxError(NightledgerError):
    """A box, or a letter in it, cannot be read or changed: others can break it as they like."""


@contextmanager
def _touching(what: str) -> Iterator[None]:
    """Tell what whoever shares a spool can break from what is wrong with this machine."""
    try:
        yield
    except (NightledgerError, OSError) as error:
        hint = f"; {error.hint}" if isinstance(error, NightledgerError) and error.hint else ""
        reason = (error.strerror or error) if isinstance(error, OSError) else f"{error}{hint}"
        raise _BoxError(f"{what}: {reason}") from error


def _own(path: str) -> str:
    return f"{path}, this home's own box or a letter in it, cannot be read or changed"


def empty_boxes(context: Context) -> Emptied:
    """Deal with every letter in this home's boxes, and with our messages that expired.

    A box that is broken or missing is told, and keeps nothing else from being dealt with. A letter that this home
    cannot deal with now keeps no other from being dealt with either, unless the log is not what was signed.

    Raises:
        NightledgerError: The log, the keys or the disk fail; what was not dealt with waits for the
            next round.
    """
    emptied, peers, failures = Emptied(), known_peers(context), list[NightledgerError]()
    home_id = Home(context.home_path).identity.id
    for directory in spools(context):
        try:
            with _touching(_own(os.path.join(directory, home_id))):
                box = Spool(directory, home_id)
                names = box.names()
        except _BoxError as error:
            emptied.problems.append(str(error))
            continue
        for name in names:
            try:
                _deal(context, peers, box, name, emptied)
            except (LockedError, _BoxError) as error:
                emptied.later += 1
                emptied.problems += [str(error)] if isinstance(error, _BoxError) else []
            except IntegrityError:
                raise
            except NightledgerError as error:
                failures.append(error)
    with suppress(LockedError):  # then the next round does
        emptied.dead.extend(_bury_expired(context))
    if failures:
        raise failures[0]
    return emptied


def _deal(context: Context, peers: Peers, box: Spool, name: str, emptied: Emptied) -> None:
    try:
        content = box.read(name, MAX_REPLY_ENVELOPE_BYTES)
        if content is None:
            return
        if name.endswith(REPLY_SUFFIX):
            _take_reply(context, peers, name.removesuffix(REPLY_SUFFIX), content, emptied)
        else:
            _take_message(context, box, content, emptied)
    except (RecordError, RefusedError) as error:  # its own fault; any other is ours, and it comes again
        emptied.unreadable.append({"name": name, "reason": str(error)})
        with _touching(_own(box.path(name))):
            gone = box.set_aside(name, context.now.timestamp())
        emptied.set_aside += gone
        emptied.later += not gone
    else:
        with _touching(_own(box.path(name))):
            box.done(name)


def spools(context: Context) -> list[str]:
    """Name every directory that this home shares with some machine, sorted."""
    addresses = load_operator(context.keys_dir).peers.values()
    return sorted({address.spool for address in addresses if address.spool})


def _take_message(context: Context, box: Spool, content: bytes, emptied: Emptied) -> None:
    answered = take_in(context, content)
    message = answered.message
    name = f"{message.id}{REPLY_SUFFIX}"
    with _touching(f"{message.id} was taken in, and its answer cannot be put into the sender's box"):
        Spool(os.path.dirname(box.root), message.iss).put(name, answered.envelope)
    emptied.answered.append({"message": message.id, "action": message.action, "peer": answered.peer})


def _take_reply(context: Context, peers: Peers, message_id: str, content: bytes, emptied: Emptied) -> None:
    home = Home(context.home_path)
    found = dict(pending(home)).get(message_id)
    if found is None:
        return  # nobody waits for it: it came before
    peer = peers.named(found["peer"])
    if peer is None:
        raise RecordError(message_id, ("the machine that it is from is not known any more",))
    reply = believe(context, content, peer, message_id)
    path = reply_path(home, peer.name, found["action"])
    with channel_lock(context, home):
        if message_id not in dict(pending(home)):
            return  # another round took it meanwhile
        make_dir(os.path.dirname(path), ignored_by_git=True)
        replace_file(path, content)
        note_contact(home, peer.name, answered=context.now)
        os.unlink(os.path.join(sent_dir(home), f"{message_id}.json"))
    said = {"status": reply.status.value, "reason": reply.reason}
    emptied.replies.append({"peer": peer.name, "action": found["action"], **said})


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
