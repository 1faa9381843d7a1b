"""Tell the operator what ``needs.py`` lists: on the page ``ATTENTION.md``, by the notifier, and on standard error.

Invariant: what cannot be looked at, written or run holds up nothing else.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nightledger.domain import errors
from nightledger.domain.attention import ALARMS, Item, Need, list_needs, next_steps
from nightledger.domain.periods import reckon
from nightledger.domain.settings import Notifier
from nightledger.files.atomic import refresh_file
from nightledger.files.configuration import OPERATOR, load_operator
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.night import calendar_of, lately, read_ledger
from nightledger.surfaces.cli import told_of
from nightledger.surfaces.context import Context
from nightledger.surfaces.needs import job_schedules, of_gate, of_look, of_schedule, of_settings
from nightledger.surfaces.session import reading
from nightledger.text.visible import visible
from nightledger.trust.audit import read_genesis
from nightledger.trust.keys import LOG_ED25519, KeyRing
from nightledger.trust.pin import FILE as PIN

if TYPE_CHECKING:
    from nightledger.jobs.notify import Outlet

BY_DESKTOP = "notify: {by: desktop}"


def find_alarms(context: Context) -> list[Item]:
    """Verify the home and return its alarms, and inputs that were rewritten of late; what keeps ``verify`` from its work is an alarm.

    Raises:
        ConfigurationError: No home there.
    """
    from nightledger.surfaces.verbs.verify import look as verify

    try:
        found = of_look(Home(context.home_path), verify(context), context.moment)
        return [item for one in found for item in one.items]
    except (errors.NightledgerError, OSError) as error:
        if not os.path.lexists(Home(context.home_path).audit_log):
            raise
        said = str(error).replace(f"{context.home_path}/", "").partition("\n")[0].partition(": ")[0]
        return [Item(need=Need.ALTERED, key=visible(said), since=context.now)]


def tell_instead(context: Context, error: errors.NightledgerError) -> bool:
    """Tell of alarms where a verb could not do its work, and return whether there is one.

    An agent can write another machine's name into the record of a home; so a refusal holds up no alarm where this machine
    has the log's private key and its pin. Another machine's home is left alone.

    Args:
        context: The command's surroundings.
        error: What kept the verb from its work.
    """
    own = _keys_of(context)
    ours = own and all(os.path.lexists(os.path.join(own, name)) for name in (LOG_ED25519, PIN))
    if isinstance(error, errors.RefusedError) and not ours:
        return False
    return tell(context, find_alarms(context)) == errors.EXIT_ALARM


def _keys_of(context: Context) -> str:
    """Return the directory of the home's keys, by the id in its record or else in its log; empty where there is none."""
    home, ring = Home(context.home_path), KeyRing(Path(context.keys_dir))
    for read in (lambda one: str(one.identity.id), _logged_id):
        with suppress(errors.NightledgerError, OSError):
            directory = ring.home_dir(read(home))
            if directory.is_dir():
                return str(directory)
    return ""


def _logged_id(home: Home) -> str:
    return str(read_genesis(home).get("origin", "")).rpartition("/")[2]


def tell(
    context: Context,
    alarms: Sequence[Item],
    needs: Sequence[Item] = (),
    *,
    early: bool = False,
    repeated: bool = False,
) -> int:
    """Write ``ATTENTION.md`` and run the operator's notifier; return the exit status, 4 while there is an alarm.

    What cannot be looked at, written or run is said on standard error and holds up nothing else here.

    Args:
        context: The command's surroundings.
        alarms: What :func:`find_alarms` returned.
        needs: What a night had to tell beside what stands: a missed period that was made up, too.
        early: Before the jobs, which may have more to tell.
        repeated: The alarms were printed a moment ago.
    """
    from nightledger.jobs.notify import notify

    home, shown = Home(context.home_path), False
    alarmed = any(item.need in ALARMS for item in alarms)
    problems, standing = list[errors.NightledgerError | OSError](), list[Item]()
    try:
        standing = find_needs(context)
    except (errors.NightledgerError, OSError) as error:
        problems += [] if alarmed else [error]  # what is damaged is told as an alarm
    items = list({item.mark: item for item in (*alarms, *standing)}.values())
    try:
        shown = write_page(home, items)
    except (errors.NightledgerError, OSError) as error:
        problems.append(error)
    try:
        told = {item.mark: item for item in (*needs, *items)}
        shown |= notify(outlet_of(context), [*told.values()], context.now, some=early)
    except (errors.NightledgerError, OSError) as error:
        problems.append(error)
    said = list(dict.fromkeys(map(told_of, problems)))
    if alarmed and not repeated and (shown or not context.quiet):
        keys = ", ".join(dict.fromkeys(item.key for item in alarms))
        said.insert(0, (f"{keys}: see {home.relative(home.attention)}", next_steps(alarms)))
    for problem, hint in said:
        context.note(f"error: {problem}")
        context.note(f"hint: {hint or 'nightledger doctor'}")
    alarmed = alarmed or any(isinstance(one, errors.IntegrityError) for one in problems)
    return errors.EXIT_ALARM if alarmed else errors.EXIT_REFUSED if problems else 0


def outlet_of(context: Context) -> "Outlet":
    """Return how the operator of the command's home is told.

    Raises:
        ConfigurationError: ``operator.yaml`` cannot be used.
    """
    from nightledger.jobs.notify import NOTIFIED, Outlet

    def post(*asked: Any) -> int:
        from nightledger.surfaces.outside import post_notice  # of few homes, and the night is quick to start

        return post_notice(*asked)

    own = _keys_of(context)
    return Outlet(
        home=Home(context.home_path),
        notifier=load_operator(context.keys_dir).notify,
        record=own and os.path.join(own, NOTIFIED),
        post=post,
    )


def try_notifier(context: Context) -> int:
    """Have the operator told at once what needs them, as a test, and say what came of it.

    Raises:
        ConfigurationError: No notifier is named, or it cannot be used.
        NotifyError: It failed.
    """
    from nightledger.jobs.notify import send, why_failed

    outlet = outlet_of(context)
    if not outlet.notifier:
        where = os.path.join(context.keys_dir, OPERATOR)
        raise errors.ConfigurationError("no notifier is named", hint=f"write into {where}: {BY_DESKTOP}")
    said = send(outlet, find_needs(context), context.now, test=True)
    by = outlet.notifier.by if isinstance(outlet.notifier, Notifier) else outlet.notifier[0]
    context.emit({"by": by, "summary": said})
    context.print(f"Handed to {by}: {said}. Look whether it arrived.")
    if failed := why_failed(outlet.record) if outlet.record else None:
        context.note(f"error: {failed[1]}")
    return 0


def find_needs(context: Context) -> list[Item]:
    """Give what needs the operator now beside what ``verify`` finds, in a fixed order; takes no lock.

    Raises:
        IntegrityError: The log is not what was signed.
        UnreadableError: The run ledger is no regular file.
    """
    with reading(context) as session:
        gate, now = session.gate, session.moment.at
        calendar = calendar_of(gate.home, gate.settings, job_schedules(gate.settings))
        runs = reckon(lately(read_ledger(gate.home)[0], now), now, calendar.zone)
        found = (*of_settings(gate, now), *of_schedule(calendar, runs, now))
        return [*of_gate(gate.home, session.ledger.book, now), *(item for one in found for item in one.items)]


def write_page(home: Home, items: list[Item]) -> bool:
    """Write ``ATTENTION.md`` where it is not what it should be, and return whether it was not."""
    content = list_needs(items).encode("utf-8", "backslashreplace")
    home.resolve(home.relative(home.state_dir))
    make_dir(home.state_dir)
    return refresh_file(home.attention, content, disposable=True)  # a link or a FIFO gives way
