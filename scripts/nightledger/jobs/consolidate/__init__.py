"""Distil a day: read its logs and outcomes, find what is worth keeping, propose it.

Invariant: a night reads no log younger than itself, so that a rerun of a past night finds
what it would have found; it proposes through the gate and changes no memory.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from functools import partial
from os.path import basename
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.canonical import canonical
from nightledger.codec.records import decode_lines, dump_line
from nightledger.domain.consolidation import Consolidation, SourceRead
from nightledger.domain.decision import Moment
from nightledger.domain.errors import UnreadableError
from nightledger.domain.judge import JOB, OPERATOR
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Draft, Kind, Proposal
from nightledger.domain.states import Book, ChangeState, ChangeStatus
from nightledger.domain.transcript import EXTRACTS
from nightledger.domain.words import content_id, count_of, read_moment
from nightledger.files.configuration import home_zone
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.files.line_log import append_records, require_appendable
from nightledger.gate.forgotten import find_unasked, read_forgotten
from nightledger.gate.gated import read_gated
from nightledger.gate.opening import Gate, Ledger, read_ledger
from nightledger.gate.proposing import Outcome, Submission, propose, supersede
from nightledger.gate.removals import room_for, withdraw_roomless
from nightledger.gate.screening import Held
from nightledger.gate.stored import Stored, read_stored, without_unanswered
from nightledger.hosts.daylogs import LogFile, Skipped, find_daylogs, preset, read_daylogs, take_daylogs
from nightledger.jobs.consolidate.reading import (
    OutcomeFindings,
    Target,
    Taught,
    find_in_outcomes,
    read_taught,
    source_read,
)
from nightledger.jobs.consolidate.skills import SkillNight, propose_skill
from nightledger.jobs.consolidate.statements import MINED, Night, find_in_logs
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.statements.forms import key_of
from nightledger.text.statements.owner_words import owner_names
from nightledger.think.analyst import Analyst

WINDOW_DAYS = 14
"""How long a statement that had no room competes again: as long as a proposal waits for its operator."""

MAX_LOG_BYTES = 64 << 20
"""Of the consolidation log: two kilobytes a night."""
MAX_LOADED_BYTES = 1 << 20
"""Of a file that the host loads into every session; hosts cut them far below that."""
MAX_NIGHT_BYTES = 4_000_000
"""Of all daily logs of the window together, some minutes of reading; of a single one, ``hosts/daylogs.py`` says. Our choice."""


class Asked(Struct, frozen=True, kw_only=True):
    """What a consolidation is asked to do.

    Attributes:
        day: The log day whose night it is.
        since: Mine the logs from this day on, on the operator's request; None for the nightly run.
        dry_run: Say what would be proposed and write nothing.
        analyst: The model that chooses; None where the rules do.
    """

    day: date
    since: date | None = None
    dry_run: bool = False
    analyst: Analyst | None = None


class Done(Struct, frozen=True, kw_only=True):
    """What a consolidation did.

    Attributes:
        record: Its line in the consolidation log.
        proposal: What it proposed, or would have.
        skill: The same of a skill, which is a proposal of its own.
        outcome: What the gate made of the candidates.
    """

    record: Consolidation
    proposal: Proposal | None
    skill: Proposal | None
    outcome: Outcome


def consolidate(gate: Gate, ledger: Ledger, asked: Asked, moment: Moment) -> Done:
    """Consolidate one day; the caller holds the home's lock.

    Raises:
        UnreadableError: The gated file or the outcomes cannot be read, or something that is no file has
            the name of the consolidation log: nothing is proposed that could not be told there.
    """
    if asked.dry_run:
        done = _consolidated(gate, ledger, asked, moment)
        return replace(done, record=replace(done.record, proposal=None, skill=None))  # their ids name nothing
    require_appendable(gate.home.consolidation_log)
    withdraw_roomless(gate, ledger, moment)
    done = _consolidated(gate, ledger, asked, moment)
    append_records(gate.home.consolidation_log, dump_line(done.record))
    return done


def _consolidated(gate: Gate, ledger: Ledger, asked: Asked, moment: Moment) -> Done:
    home = gate.home
    document = parse_markdown(read_gated(home, home.identity.gated[0]).decode("utf-8", "surrogateescape"))
    stored = read_stored(gate, ledger.book)
    said = without_unanswered(stored, ledger.book)
    zone = home_zone(home, gate.settings)
    logs, skipped = _read_logs(gate, ledger, asked, zone, _paths_of_unanswered(ledger, stored, moment))
    from_outcomes = find_in_outcomes(gate, ledger, stored, document, asked.day, zone)
    taught, unread = read_taught(home, _first_day(gate, asked, zone), asked.day, zone)
    night = _night(gate, asked, taught)
    where = target_of(gate, ledger.book, zone)
    from_logs = find_in_logs(logs, document, said, where, night, read_forgotten(gate, stored, ledger.book))
    submission = _submission(asked, [*from_outcomes.drafts, *from_logs.drafts], from_logs.held)
    room = partial(room_for, gate, ledger, where.path, asked.day)
    outcome = propose(gate, ledger, replace(submission, room=room), moment, dry_run=asked.dry_run)
    skill = _skill(gate, ledger, from_outcomes, asked, moment)
    read = _sources({**logs, **{log: one.content for log, one in night.taught.items()}})
    record = Consolidation(
        v=1,
        id=_id(asked, read, from_outcomes.read),
        period=asked.day.isoformat(),
        at=moment.at,
        logs=read,
        outcome_records=from_outcomes.read,
        outcomes=from_outcomes.outcomes,
        statements=from_logs.statements,
        patterns=from_outcomes.patterns,
        proposal=outcome.proposal.id if outcome.proposal else None,
        proposed=len(outcome.proposal.changes) if outcome.proposal else 0,
        suppressed=outcome.suppressed,
        no_room=outcome.no_room + outcome.over_cap + from_logs.no_room,
        held=len(outcome.held),
        skipped=tuple(item.reason for item in (*skipped, *unread)),
        analyst=from_logs.analyst,
        skill=skill.proposal.id if skill.proposal else None,
    )
    reason = _without_room(gate, outcome, from_logs.no_room, asked.since)
    reason = "; ".join(filter(None, (reason, skill.problem)))
    if not (reason or outcome.proposal or skill.proposal):
        has_day = any(log.day == asked.day for log in _window(gate, asked, zone, ()))
        reason = _why_nothing(asked, outcome, record, len(where.unasked), has_day=has_day)
    if not asked.dry_run:
        supersede(gate, from_outcomes.obsolete, moment)
    return Done(
        record=replace(record, reason=reason),
        proposal=outcome.proposal,
        skill=skill.proposal,
        outcome=outcome,
    )


def target_of(gate: Gate, book: Book, zone: ZoneInfo) -> Target:
    """Return where lessons go, and what is not asked for."""
    loaded = _loaded(gate.home)
    return Target(
        path=gate.home.identity.gated[0],
        adopted=_adopted(gate, zone),
        unasked=frozenset(key_of(one.name) for one in find_unasked(gate, book)),
        loaded=tuple(
            dict.fromkeys(line for text in loaded.values() for line in text.split("\n") if line.strip())
        ),
        owners=owner_names("\n".join(text for name, text in loaded.items() if basename(name) == "USER.md")),
    )


def _loaded(home: Home) -> dict[str, str]:
    """Give what else the host shows its agent in every session, by name: instructions, the user, itself.

    What cannot be read makes nothing known: the worst of it is one proposal more.
    """
    host = preset(home.identity.host)
    names = {*home.identity.gated, *host.gated, host.instructions, *host.marks, *host.one_of}
    names.discard(home.identity.gated[0])
    texts: dict[str, str] = {}
    for name in sorted(name for name in names if name.endswith(".md")):
        with suppress(UnreadableError):
            raw = read_optional(home.path(name), MAX_LOADED_BYTES, within=home.root) or b""
            texts[name] = raw.decode("utf-8", "replace")
    return texts


def _submission(asked: Asked, drafts: Sequence[Draft], held: tuple[Held, ...]) -> Submission:
    mining = asked.since is not None
    return Submission(
        kind=Kind.CONSOLIDATE,
        lane=OPERATOR if mining else JOB,
        period=asked.day.isoformat(),
        title=f"Logs from {asked.since} to {asked.day}" if mining else f"Consolidation of {asked.day}",
        drafts=drafts,
        held=held,
    )


def _skill(gate: Gate, ledger: Ledger, found: OutcomeFindings, asked: Asked, moment: Moment) -> SkillNight:
    """Propose a skill beside what the night proposed: one that is due is not looked for where logs are mined."""
    if asked.since is not None or not found.procedures:
        return SkillNight()
    now = ledger if asked.dry_run else read_ledger(gate)
    period = asked.day.isoformat()
    return propose_skill(gate, now, found.procedures, period, moment, dry_run=asked.dry_run)


def _night(gate: Gate, asked: Asked, taught: Mapping[LogFile, Taught]) -> Night:
    mining = asked.since is not None  # asked for by the operator, and without caps
    return Night(
        day=asked.day,
        limit=MINED if mining else gate.settings.nightly_additions,
        mining=mining,
        judged=_judged(gate, asked),
        analyst=asked.analyst,
        taught=taught,
    )


def _judged(gate: Gate, asked: Asked) -> frozenset[tuple[str, str]]:
    """Give the notes that a model judged in earlier nights, as they were then."""
    if asked.analyst is None:
        return frozenset()
    raw = read_optional(gate.home.consolidation_log, MAX_LOG_BYTES, within=gate.home.root) or b""
    nights = (one for one in decode_lines(Consolidation, raw) if one.analyst and not one.analyst.problem)
    return frozenset((log.path, log.sha256) for night in nights for log in night.logs)


def _paths_of_unanswered(ledger: Ledger, stored: Iterable[Stored], moment: Moment) -> frozenset[str]:
    """Name the logs of what nobody answered: for so many days more it competes again, however old they are by now."""
    lately = moment.at - timedelta(days=WINDOW_DAYS)
    return frozenset(
        evidence.path
        for item in stored
        if item.proposal.lane == JOB
        for change in item.proposal.changes
        if _is_withdrawn(ledger.book.proposals[item.proposal.id].changes[change.n], lately)
        for evidence in change.evidence
    )


def _is_withdrawn(change: ChangeStatus, since: datetime) -> bool:
    return change.state is ChangeState.WITHDRAWN and change.since is not None and change.since >= since


def _window(gate: Gate, asked: Asked, zone: ZoneInfo, again: Collection[str]) -> list[LogFile]:
    """List the logs of the days that compete in this night.

    An adopted home starts proposing from the day it was adopted; what is older is mined on
    request.
    """
    home, first = gate.home, _first_day(gate, asked, zone)
    logs = find_daylogs(home, (*preset(home.identity.host).daily, EXTRACTS))
    return [log for log in logs if log.day <= asked.day and (first <= log.day or log.path in again)]


def _first_day(gate: Gate, asked: Asked, zone: ZoneInfo) -> date:
    return asked.since or max(_adopted(gate, zone), asked.day - timedelta(days=WINDOW_DAYS - 1))


def _read_logs(
    gate: Gate, ledger: Ledger, asked: Asked, zone: ZoneInfo, again: Collection[str]
) -> tuple[dict[LogFile, bytes], list[Skipped]]:
    """Read the logs that compete; where nobody waits for it, each file once, and not more than a night can take."""
    home, logs = gate.home, _with_full_texts(_window(gate, asked, zone, again), ledger.book.copies)
    if asked.since is not None:
        return read_daylogs(home, logs)
    taken, left_out = take_daylogs(home, logs, MAX_NIGHT_BYTES)
    texts, skipped = read_daylogs(home, taken)
    return texts, [*skipped, *left_out]


def _with_full_texts(logs: Iterable[LogFile], copies: Mapping[str, str]) -> list[LogFile]:
    """Add to each log that was compressed its full text: of its summary nothing is learned."""
    found = []
    for log in logs:
        found += [replace(log, path=copies[log.path])] if log.path in copies else []
        found.append(log)
    return found


def _adopted(gate: Gate, zone: ZoneInfo) -> date:
    return log_day(read_moment(gate.home.identity.created_at), zone)


def _sources(logs: Mapping[LogFile, bytes]) -> tuple[SourceRead, ...]:
    return tuple(
        source_read(path, content) for path, content in {log.path: logs[log] for log in logs}.items()
    )


def _id(asked: Asked, read: Iterable[SourceRead], outcomes: SourceRead | None) -> str:
    identity = {
        "period": asked.day.isoformat(),
        "since": asked.since.isoformat() if asked.since else None,
        "logs": [[source.path, source.sha256] for source in read],
        "outcomes": outcomes.sha256 if outcomes else None,
    }
    return content_id("c", canonical(identity))


def _without_room(gate: Gate, outcome: Outcome, quieter: int, since: date | None) -> str:
    """Say how much that is good was not proposed, and why; of the days that nights read it competes again."""
    again = (
        f"'nightledger consolidate --since {since}' offers the next"
        if since
        else "the next night looks again"
    )
    over = f"would take the file over its host's cap, {gate.cap_of(gate.home.identity.gated[0]).told}, and nothing that may go makes room"
    more = ("more is good enough for a proposal of its own", "more are good enough for one of their own")
    told = (
        (
            outcome.over_cap,
            f"{count_of(outcome.over_cap, 'addition')} {over}: 'nightledger check' says what is there",
        ),
        (
            outcome.no_room,
            f"{count_of(outcome.no_room, 'candidate waits', 'candidates wait')} for room; 'nightledger review' makes some",
        ),
        (quieter, f"{count_of(quieter, *more)}; {again}"),
    )
    return "; ".join(words for number, words in told if number)


def _why_nothing(
    asked: Asked, outcome: Outcome, record: Consolidation, unasked: int, *, has_day: bool
) -> str:
    """Say in one line why a night made no proposal, where room was not why."""
    if outcome.unfit:
        return f"{count_of(len(outcome.unfit), 'candidate has', 'candidates have')} no place in the file: {outcome.unfit[0].reason}"
    if outcome.held and not outcome.suppressed:
        return f"the scanners held {count_of(len(outcome.held), 'candidate')} back"
    if record.skipped and not record.logs:
        return f"of {count_of(len(record.skipped), 'daily log')} of these days none could be read"
    if asked.since and not record.logs:
        return f"there are no daily logs from {asked.since} to {asked.day}"
    if not (asked.since or has_day):
        earlier = ", and nothing new in those of the days before" if record.logs else ""
        return f"there is no daily log of {asked.day}{earlier}"
    if outcome.suppressed or record.statements:
        return "what seemed worth keeping is remembered or was proposed before"
    beside = (
        f"; {count_of(unasked, 'heading, label or kind', 'headings, labels or kinds')} that you refused passed over"
        if unasked
        else ""
    )
    return f"nothing worth keeping was found{beside}"
