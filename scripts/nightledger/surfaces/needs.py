"""What needs the operator now: gathered from log, files and run ledger; told, and kept as a page.

Invariant: ``memory/state/ATTENTION.md`` says what is so at the end of a run, and while
nothing changes not a byte of it does. An alarm is told whatever else cannot be done.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nightledger.domain.attention import ALARMS, Item, Need, list_needs, next_steps
from nightledger.domain.errors import (
    EXIT_ALARM,
    EXIT_REFUSED,
    IntegrityError,
    NightledgerError,
    RefusedError,
    UnreadableError,
)
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Kind
from nightledger.domain.runs import failing, find_missed, reckon
from nightledger.domain.states import Book
from nightledger.domain.trusting import TRUST_FILES
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import OPERATOR, load_operator, why_no_operator
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.gate.integrity.checking import find_unsettled
from nightledger.gate.integrity.trust_changes import find_differing
from nightledger.gate.opening import Gate, Ledger, why_no_consent
from nightledger.gate.signed import find_replaced
from nightledger.gate.stored import find_set_aside
from nightledger.jobs.notify import NOTIFIED, notify
from nightledger.night import calendar_of, needs_of, read_ledger
from nightledger.remote.notes import recent_dead_letters
from nightledger.remote.witness_asking import look as look_at
from nightledger.surfaces.context import Context
from nightledger.surfaces.night_jobs import night_jobs
from nightledger.surfaces.session import reading
from nightledger.surfaces.verbs.verify import Seen
from nightledger.surfaces.verbs.verify import look as verify
from nightledger.text.visible import visible
from nightledger.trust.keys import LOG_ED25519, KeyRing
from nightledger.trust.pin import FILE as PIN
from nightledger.trust.reading import read_events

MAX_PAGE_BYTES = 1 << 20
REWRITTEN_TOLD = timedelta(days=7)
"""How long a page tells of an input that was rewritten and that a later night read: then ``verify`` only notes it."""


def find_alarms(context: Context) -> list[Item]:
    """Verify the home and return its alarms, and inputs that were rewritten of late; what keeps ``verify`` from its work is an alarm.

    Raises:
        ConfigurationError: No home there.
    """
    try:
        return list(_alarms_of(Home(context.home_path), verify(context), context.moment))
    except (NightledgerError, OSError) as error:
        if not os.path.lexists(Home(context.home_path).audit_log):
            raise
        said = str(error).replace(f"{context.home_path}/", "").partition("\n")[0].partition(": ")[0]
        return [Item(need=Need.ALTERED, key=visible(said), since=context.now)]


def tell_instead(context: Context, error: NightledgerError) -> bool:
    """Tell of alarms where a verb could not do its work, and return whether there is one.

    An agent can write another machine's name into the record of a home; so a refusal holds up no alarm where this machine
    has the log's private key and its pin. Another machine's home is left alone.

    Args:
        context: The command's surroundings.
        error: What kept the verb from its work.
    """
    own = _keys_of(context)
    ours = own and all(os.path.lexists(os.path.join(own, name)) for name in (LOG_ED25519, PIN))
    if isinstance(error, RefusedError) and not ours:
        return False
    return tell(context, find_alarms(context)) == EXIT_ALARM


def _keys_of(context: Context) -> str:
    """Return the directory of the home's keys, by the id in its record or else in its log; empty where there is none."""
    home, ring = Home(context.home_path), KeyRing(Path(context.keys_dir))
    for read in (lambda one: str(one.identity.id), _logged_id):
        with suppress(NightledgerError, OSError):
            directory = ring.home_dir(read(home))
            if directory.is_dir():
                return str(directory)
    return ""


def _logged_id(home: Home) -> str:
    genesis = next((one.fields for one in read_events(home) if one.event == "genesis"), {})
    return str(genesis.get("origin", "")).rpartition("/")[2]


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
    home, shown = Home(context.home_path), False
    alarmed = any(item.need in ALARMS for item in alarms)
    problems: list[NightledgerError | OSError] = []
    standing: list[Item] = []
    try:
        standing = find_needs(context)
    except (NightledgerError, OSError) as error:
        problems += [] if alarmed else [error]  # what is damaged is told as an alarm
    items = list({item.mark: item for item in (*alarms, *standing)}.values())
    try:
        shown = write_page(home, items)
    except (NightledgerError, OSError) as error:
        problems.append(error)
    try:
        told = {item.mark: item for item in (*needs, *items)}
        own = _keys_of(context)
        record = own and os.path.join(own, NOTIFIED)
        operator = load_operator(context.keys_dir)
        shown |= notify(home, operator, [*told.values()], record=record, now=context.now, some=early)
    except (NightledgerError, OSError) as error:
        problems.append(error)
    said = [(str(one), getattr(one, "hint", "")) for one in problems]
    if alarmed and not repeated and (shown or not context.quiet):
        keys = ", ".join(dict.fromkeys(item.key for item in alarms))
        said.insert(0, (f"{keys}: see {home.relative(home.attention)}", next_steps(alarms)))
    for problem, hint in said:
        context.note(f"error: {problem}")
        context.note(f"hint: {hint or 'nightledger doctor'}")
    alarmed = alarmed or any(isinstance(one, IntegrityError) for one in problems)
    return EXIT_ALARM if alarmed else EXIT_REFUSED if problems else 0


def find_needs(context: Context) -> list[Item]:
    """Give what needs the operator now, in a fixed order; takes no lock.

    Raises:
        IntegrityError: The log or a trust file is not what was signed.
        UnreadableError: The run ledger is no regular file.
    """
    with reading(context) as session:
        gate, now = session.gate, session.moment.at
        jobs = night_jobs(context, gate.settings)
        calendar = calendar_of(gate.home, gate.settings, {job.name: job.schedule for job in jobs})
        runs = reckon(read_ledger(gate.home)[0], session.moment, calendar.zone)
        scheduled = needs_of(find_missed(calendar, runs, now), failing(calendar, runs, now))
        gated = _of_gate(gate.home, session.ledger.book, now)
        trusted = _of_trust(gate.home, session.ledger, session.moment)
        witnesses = _of_witnesses(gate.home, session.ledger, session.moment)
        return [*gated, *trusted, *witnesses, *_beside(gate, now), *scheduled]


def write_page(home: Home, items: list[Item]) -> bool:
    """Write ``ATTENTION.md`` where it is not what it should be, and return whether it was not."""
    content = list_needs(items).encode("utf-8", "backslashreplace")
    home.resolve(home.relative(home.state_dir))
    try:
        if read_optional(home.attention, MAX_PAGE_BYTES) == content:
            return False
    except UnreadableError:
        pass  # a link or a FIFO gives way
    make_dir(home.state_dir)
    replace_file(home.attention, content, disposable=True)
    return True


def _alarms_of(home: Home, seen: Seen, at: Moment) -> Iterator[Item]:
    now = at.at
    for finding in seen.report.alarms:
        key = f"{finding.damage.value.upper()} {_named(home, finding.path)}"
        yield Item(need=Need.ALTERED, key=key, since=now)
    for name, found in seen.damaged:
        need, path = (Need.TRUST if found.is_kept else Need.ALTERED), _named(home, found.path)
        since = _changed_at(os.path.join(home.root, found.path), now)
        yield Item(need=need, key=path if found.is_kept else f"{name} {path}", since=since)
    for path in seen.drift:
        yield Item(need=Need.DRIFT, key=path, since=_changed_at(home.path(path), now))
    for item in seen.rewrites.before if seen.rewrites else ():
        if item.day >= f"{now - REWRITTEN_TOLD:%Y-%m-%d}":
            key = f"{_named(home, item.path)} after the night of {item.day}"
            yield Item(need=Need.REWRITTEN, key=key, since=now)
    for told in seen.told:
        yield Item(need=Need.WITNESS, key=told.damage.value, since=now)
    for step in seen.book.trust.recent_resets(at) if seen.book else ():
        key = f"a reset of the keys on {step.since.at:%Y-%m-%d %H:%M} UTC"
        yield Item(need=Need.TRUST, key=key, since=min(step.since.at, now))


def _named(home: Home, path: str) -> str:
    return visible(path.removeprefix(f"{home.root}/"))


def _of_gate(home: Home, book: Book, now: datetime) -> Iterator[Item]:
    aside = find_set_aside(home, book)
    for status in (status for status in book.live() if status.id not in aside):
        if status.open_changes() and status.lane != EDIT_LANE and status.kind is not Kind.DRIFT:
            yield Item(need=Need.WAITING, key=status.id, since=status.created.at)
    for path in find_unsettled(home, book):
        drift = book.open_drift(path)
        since = drift.at if drift else _changed_at(home.path(path), now)
        yield Item(need=Need.DRIFT, key=path, since=min(since, now))


def _of_witnesses(home: Home, ledger: Ledger, at: Moment) -> Iterator[Item]:
    found = look_at(home, ledger, at)
    for damage in sorted({one.damage for one in found.findings}):
        yield Item(need=Need.WITNESS, key=damage.value, since=min(found.at or at.at, at.at))


def _beside(gate: Gate, now: datetime) -> Iterator[Item]:
    home = gate.home
    if gate.settings_problem:
        line = re.match(re.escape(home.settings) + r"(:\d+)", gate.settings_problem)
        key = home.relative(home.settings) + (line[1] if line else "")
        yield Item(need=Need.SETTINGS, key=key, since=_changed_at(home.settings, now))
    if why_no_operator(str(gate.ring.directory)):
        since = _changed_at(os.path.join(gate.ring.directory, OPERATOR), now)
        yield Item(need=Need.SETTINGS, key=OPERATOR, since=since)
    if why_no_consent(home):
        since = _changed_at(home.consent_graph, now)
        yield Item(need=Need.CONSENT, key=home.relative(home.consent_graph), since=since)
    for n, at in enumerate(recent_dead_letters(home, now), 1):
        yield Item(need=Need.LETTER, key=f"{at:%Y-%m-%dT%H:%M:%SZ} {n}", since=at)


def _of_trust(home: Home, ledger: Ledger, at: Moment) -> Iterator[Item]:
    for name in find_differing(home, ledger, at):
        since = _changed_at(home.path(TRUST_FILES[name]), at.at)
        yield Item(need=Need.TRUST, key=TRUST_FILES[name], since=since)
    for path in find_replaced(home, ledger.book):
        yield Item(need=Need.TRUST, key=home.relative(path), since=_changed_at(path, at.at))


def _changed_at(path: str, now: datetime) -> datetime:
    """Give when a file was last changed, as far as the system tells; now where it does not."""
    try:
        return min(datetime.fromtimestamp(os.lstat(path).st_mtime, UTC), now)
    except (OSError, ValueError, OverflowError):
        return now
