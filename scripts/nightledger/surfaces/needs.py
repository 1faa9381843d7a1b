"""What needs the operator now: gathered from log, files and run ledger; told, and kept as a page.

Invariant: ``memory/state/ATTENTION.md`` says what is so at the end of a run, and while
nothing changes not a byte of it does.
"""

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime

from nightledger.domain.agenda import duties, failing
from nightledger.domain.attention import Item, Need, list_needs
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Kind
from nightledger.domain.runs import reckon
from nightledger.domain.states import Book
from nightledger.domain.trusting import TRUST_FILES
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import OPERATOR, why_no_operator
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.gate.integrity.checking import find_unsettled
from nightledger.gate.integrity.trust_changes import find_differing
from nightledger.gate.opening import Gate, Ledger, why_no_consent
from nightledger.gate.signed import find_replaced
from nightledger.gate.stored import find_set_aside
from nightledger.night import calendar_of, needs_of, read_ledger
from nightledger.surfaces.channel.dead_letters import recent_dead_letters
from nightledger.surfaces.context import Context
from nightledger.surfaces.night_jobs import night_jobs
from nightledger.surfaces.session import reading
from nightledger.surfaces.witnessing.findings import look as look_at

MAX_PAGE_BYTES = 1 << 20


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
        scheduled = needs_of(duties(calendar, runs, now, retry=True), failing(calendar, runs, now))
        gated = _of_gate(gate.home, session.ledger.book, now)
        trusted = _of_trust(gate.home, session.ledger, session.moment)
        witnesses = _of_witnesses(gate.home, session.ledger, session.moment)
        return [*gated, *trusted, *witnesses, *_beside(gate, now), *scheduled]


def write_page(home: Home, items: list[Item]) -> None:
    """Write ``ATTENTION.md`` where it is not what it should be."""
    content = list_needs(items).encode("utf-8", "backslashreplace")
    if read_optional(home.attention, MAX_PAGE_BYTES) != content:
        replace_file(home.attention, content)


def _of_gate(home: Home, book: Book, now: datetime) -> Iterator[Item]:
    aside = find_set_aside(home, book)
    for status in book.live():
        if status.id in aside:
            yield Item(need=Need.ALTERED, key=status.id, since=_changed_at(home.proposal(status.id), now))
        elif status.open_changes() and status.lane != EDIT_LANE and status.kind is not Kind.DRIFT:
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
    pending = ledger.book.trust.pending_reset(at)
    if pending is not None:
        yield Item(need=Need.TRUST, key="a reset of the keys", since=min(pending.since.at, at.at))


def _changed_at(path: str, now: datetime) -> datetime:
    """Give when a file was last changed, as far as the system tells; now where it does not."""
    try:
        return min(datetime.fromtimestamp(os.lstat(path).st_mtime, UTC), now)
    except (OSError, ValueError, OverflowError):
        return now
