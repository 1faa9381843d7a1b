"""A command at work on a home: the lock, the gate, the checked log, and the end of the run.

Invariant: a run that appended to the log writes the views anew, signs one checkpoint and brings the
search index up to date before it lets go of the lock; a view that cannot be written is told after
what was done; what a crash cut short is finished before anything new begins.
"""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress

from msgspec import Struct

from nightledger.domain.decision import Actor, Moment
from nightledger.domain.errors import AlteredError, LockedError
from nightledger.files.atomic import Lock
from nightledger.files.home import Home
from nightledger.files.owner import acting_as_owner
from nightledger.gate import opening
from nightledger.surfaces.context import (
    Context,
    actor_of,
    cap_config,
    host_roots,
    require_machine,
    require_person,
    this_machine,
)

__all__ = ["Session", "actor_of", "following", "reading", "require_machine", "this_machine", "writing"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nightledger.gate.guarding import Sighting

LOCK_TIMEOUT_S = 5.0
"""Longer than any run but the first night of a large workspace; then: 75, try again later."""
FOR_ROOT = frozenset({"apply", "guard"})
"""Verbs that root runs for another user's home, because files are locked; what they make is that user's."""
PATIENCE_S = 900.0
"""How long a person's answers wait for a run at work, longer than such a night. Our choice."""


TELL_AT_ONCE = frozenset({"channel", "night"})
"""Verbs that answer or record what failed themselves, and try again; all others say first what they did."""
NEED_SETTINGS = frozenset({"channel", "check", "consolidate", "propose"})
"""Verbs that make proposals, and so rest on zone, lanes and caps; all others go on with the strictest."""


class Session(Struct, kw_only=True):
    """A home that this command may write.

    Attributes:
        gate: The home, opened.
        ledger: The log as last read; ``reread`` after appending.
        moment: The clocks of this command.
    """

    gate: opening.Gate
    ledger: opening.Ledger
    moment: Moment

    def reread(self) -> opening.Ledger:
        """Read and check the log again, after something was appended."""
        self.ledger = opening.read_ledger(self.gate)
        return self.ledger


def _open(context: Context, actor: Actor) -> opening.Gate:
    gate = opening.open_gate(context.home_path, context.keys_dir, actor=actor, config_of=cap_config)
    # of the record that the log is held against
    context.require_own_clock(simulated=gate.home.identity.simulated)
    if context.verb in NEED_SETTINGS:
        opening.require_settings(gate)
    return gate


@contextmanager
def reading(context: Context, *, person: bool = False) -> Iterator[Session]:
    """Open a home to look at; takes no lock and writes nothing.

    Args:
        context: The command's surroundings.
        person: Whether the operator is to answer what is shown.

    Raises:
        ConfigurationError: Settings that cannot be used, for a verb that needs them.
        RefusedError: An answer could not be recorded here: another machine writes this home, or an
            agent's host is calling.
    """
    gate = _open(context, actor_of(context))
    if person:
        require_machine(gate.home)
        require_person(context.verb, simulated=gate.home.identity.simulated)
    ledger = opening.read_ledger(gate)
    if person and _catch_up(context, gate, ledger):
        ledger = opening.read_ledger(gate)
    # What was read stays until this command ends; to search a long log for cycles takes half a second.
    gc.freeze()
    session = Session(gate=gate, ledger=ledger, moment=context.moment)
    _name_shortly(context, session)
    yield session


def _name_shortly(context: Context, session: Session) -> None:
    """Let sentences of ours name proposals by what is unique in this home."""

    def short(text: str) -> str:
        if "p-" not in text:
            return text
        from nightledger.gate.stored import shortened

        return shortened(session.ledger.book, text)

    context.short = short


def _catch_up(context: Context, gate: opening.Gate, ledger: opening.Ledger) -> bool:
    """Finish what a crash cut short, and tell of what drifted before a review, so that it is shown as it is now.

    Raises:
        LockedError: Something is unfinished, and another run is at work.
    """
    from nightledger.gate.guarding import is_quiet
    from nightledger.gate.writing import is_behind

    unfinished = is_behind(gate, ledger.book)
    behind = unfinished or (context.verb == "review" and not is_quiet(gate, ledger.book))
    if not behind:
        return False
    with nullcontext() if unfinished else suppress(LockedError), writing(context) as session:
        if context.verb == "review":
            look_after(session)
    return True


def look_after(session: Session) -> "tuple[Sighting, ...]":
    """Let the guard look; the caller holds the home's lock.

    In a simulated home, whose clock is set, no traces of hosts are looked for.
    """
    from nightledger.gate.guarding import guard

    roots = {} if session.gate.home.identity.simulated else host_roots()
    sightings = guard(session.gate, session.ledger, roots, session.moment)
    session.reread()
    return sightings


@contextmanager
def writing(
    context: Context,
    *,
    actor: Actor | None = None,
    keep_head: bool = False,
    person: bool = False,
    answered: bool = False,
) -> Iterator[Session]:
    """Open a home to write; one command at a time.

    Args:
        context: The command's surroundings.
        actor: Who called, where it is known better than by the terminal.
        keep_head: Keep the checkpoint of this run for ever, because a decision refers to it.
        person: Whether only the operator may call it.
        answered: Whether a person has answered already: a run at work is waited for, the clock read anew.

    Raises:
        ConfigurationError: Settings that cannot be used, for a verb that needs them.
        LockedError: Another run is at work.
        RefusedError: Another machine writes this home, or an agent's host calls an operator's verb.
    """
    gate = _open(context, actor or actor_of(context))
    require_machine(gate.home)
    if person:
        require_person(context.verb, simulated=gate.home.identity.simulated)
    owner = acting_as_owner(gate.home.root) if context.verb in FOR_ROOT else nullcontext()
    with owner, _turn(context, gate.home, answered=answered):
        session = Session(gate=gate, ledger=opening.read_ledger(gate), moment=context.moment)
        _name_shortly(context, session)
        before, began = session.ledger.log.size, os.stat(gate.home.audit_log).st_size
        _finish_earlier(session)
        try:
            yield session
            with nullcontext() if context.verb in TELL_AT_ONCE else following(context):
                _write_views(session, before)
        finally:
            _drop_withdrawn(context, gate.home, began)
            opening.sign_head(gate, session.moment, keep=keep_head)  # nothing new: nothing is signed


@contextmanager
def following(context: Context) -> Iterator[None]:
    """Let what only follows a verb's work fail after the verb has told what it did.

    What is caught here is raised once the verb has printed, so that the exit status still says it.
    """
    try:
        yield
    except Exception as error:  # noqa: BLE001 - raised again at the edge, where every failure ends
        context.afterwards = context.afterwards or error


def _drop_withdrawn(context: Context, home: Home, began: int) -> None:
    """Take the staged page away where the log grew: what happened may withdraw a line of it; it is staged anew soon."""
    if context.verb != "stage" and os.stat(home.audit_log).st_size != began:
        from nightledger.files.staged import drop_staged

        drop_staged(home)


def _write_views(session: Session, before: int) -> None:
    """Write the views anew where the log grew."""
    if session.reread().log.size > before:
        from nightledger.gate.views import refresh_views

        refresh_views(session.gate, session.ledger)


def _finish_earlier(session: Session) -> None:
    """Bring to an end what earlier runs had begun, or what only waited for its time."""
    from nightledger.gate.trust_changes import settle_trust
    from nightledger.gate.writing import recover

    if recover(session.gate, session.ledger, session.moment):
        session.reread()
    with suppress(AlteredError):  # who may sign cannot be told then; whoever needs to know says so
        settle_trust(session.gate, session.ledger, session.moment)
    if session.ledger.book.expunged:
        from nightledger.gate.expunging import finish_removals

        finish_removals(session.gate.home, session.ledger)


@contextmanager
def _turn(context: Context, home: Home, *, answered: bool) -> Iterator[None]:
    """Hold the home's lock."""
    lock = Lock(home.lock_path(), timeout_s=LOCK_TIMEOUT_S)
    try:
        lock.acquire()
    except LockedError:
        if context.by_page or not answered:
            raise
        context.note("another run is at work; what you answered waits for its end")
        lock.timeout_s = PATIENCE_S
        lock.acquire()
    if answered:
        context.renew()
    try:
        yield
    finally:
        lock.close()
