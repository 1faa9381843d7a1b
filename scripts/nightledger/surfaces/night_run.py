"""A night that has something to do: what ``verify`` does, the lock, the jobs, what is said, what is told.

Invariant: the mark that spares the next call a look is written only after the ledger,
so that it never hides a period that is due; nor does it hide an alarm.
"""

import os
import traceback
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial

from nightledger.codec.records import to_plain
from nightledger.domain import errors
from nightledger.domain.attention import Item
from nightledger.domain.decision import Actor
from nightledger.domain.periods import Calendar, JobReport, Period, Run, RunOutcome, duties, reckon
from nightledger.domain.settings import Settings
from nightledger.domain.words import dump_moment
from nightledger.files.atomic import Lock, replace_file
from nightledger.files.configuration import home_zone, load_operator, load_settings, why_no_operator
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.hosts.daylogs import why_empty
from nightledger.night import Job, NightReport, calendar_of, read_ledger, run_due
from nightledger.surfaces import clock, screen
from nightledger.surfaces.cli import told_of
from nightledger.surfaces.context import Context
from nightledger.surfaces.needs import job_schedules
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import require_machine, writing
from nightledger.surfaces.telling import find_alarms, tell, tell_instead


def run_night(context: Context, *, retry: bool) -> int:
    """Run what is due, say what came of it, and tell the operator what is new.

    Args:
        context: The command's surroundings.
        retry: Try at once what failed a moment ago.

    Raises:
        ConfigurationError: Settings that cannot be used; nothing is run.
        LockedError: Another night is at work.
        RefusedError: Another machine writes this home, and no alarm is told.
    """
    home = Home(context.home_path)
    try:
        require_machine(home)
    except errors.RefusedError as error:
        if tell_instead(context, error):
            return errors.EXIT_ALARM
        raise
    except (errors.ConfigurationError, errors.IntegrityError, errors.RecordError, errors.UnreadableError):
        pass  # what is wrong with the home's record is an alarm
    alarms = find_alarms(context)
    # before anything that may take long, or be killed
    told = tell(context, alarms, early=True) if alarms else 0
    try:
        return _run_due(context, home, alarms, retry=retry)
    except (errors.NightledgerError, OSError) as error:
        at_work = isinstance(error, errors.LockedError) and not alarms
        if at_work or errors.EXIT_ALARM not in (told, tell(context, alarms, repeated=True)):
            raise
        return errors.EXIT_ALARM


def _run_due(context: Context, home: Home, alarms: Sequence[Item], *, retry: bool) -> int:
    home.require_inside()
    jobs, calendar = _planned(context, home)
    now = (lambda: context.moment) if home.identity.simulated else clock.system_moment
    with Lock(home.lock_path("night")):
        report = run_due(home, jobs, calendar, now, retry=retry)
        leave_mark(home, context.now if alarms else report.next_at, context.now)
        say(context, "" if context.quiet else why_empty(home))
        _say(context, home, report)
        told = tell(context, alarms, report.needs, repeated=bool(alarms))
    asked = _ask_witnesses(context, alarmed=told == errors.EXIT_ALARM)
    return max(asked, told, *(_status(error) for _, error in report.failures))


def _planned(context: Context, home: Home) -> tuple[tuple[Job, ...], Calendar]:
    settings = load_settings(home)  # no period is run in another zone than its own
    jobs = night_jobs(context, settings)
    return jobs, calendar_of(home, settings, {job.name: job.schedule for job in jobs})


def list_due(context: Context) -> int:
    """List what is due; runs and writes nothing."""
    home = Home(context.home_path).require()
    _, calendar = _planned(context, home)
    runs = reckon(read_ledger(home)[0], context.now, calendar.zone)
    due = duties(calendar, runs, context.now, retry=True)
    rows = ((d.job, d.period.key, dump_moment(d.period.due_at)) for d in due)
    context.emit([{"job": job, "period": period, "due_at": at} for job, period, at in rows])
    for duty in due:
        context.print(f"{duty.job} {duty.period.key}, due since {duty.period.due_at:%Y-%m-%d %H:%M} UTC")
    if not due:
        context.print("Nothing is due.")
    return 0


def leave_mark(home: Home, next_at: datetime, now: datetime) -> None:
    """Write down when something is due next; the next call reads this and nothing else.

    Args:
        home: Whose.
        next_at: When; aware.
        now: Aware.
    """
    make_dir(home.work_dir)
    mark = f"{int(now.timestamp())} {int(next_at.timestamp())}\n"
    replace_file(home.next_due, mark.encode("ascii"), disposable=True)


def _say(context: Context, home: Home, report: NightReport) -> None:
    context.emit(
        {
            "runs": to_plain(report.runs),
            "still_due": report.still_due,
            "next_at": dump_moment(report.next_at.replace(microsecond=0)),
        }
    )
    busy = {run.period for run in report.runs if _tells(run)}
    for run in report.runs:
        # of an empty night a terminal gets one line, why; cron gets none
        told = _tells(run) or (not context.quiet and (run.period in busy or run.job == "consolidate"))
        if run.outcome is RunOutcome.DONE and told:
            context.print("\n".join(screen.wrap(screen.shown(_line(run)), indent="  ", first="")))
    for run, error in report.failures:
        _complain(context, home, run, error)
    for number, problem in report.bad_lines:
        context.note(f"memory/system/runs.jsonl:{number} is no run and counts for nothing: {problem}")
    if report.still_due and not report.failures and (busy or not context.quiet):
        periods, them = ("period is", "it") if report.still_due == 1 else ("periods are", "them")
        context.print(f"{report.still_due} {periods} still due; the next call goes on with {them}.")
    if not report.runs and not context.quiet:
        context.print(f"Nothing is due before {report.next_at:%Y-%m-%d %H:%M} UTC.")


def _line(run: Run) -> str:
    counts = screen.counted({word: n for word, n in run.counts.items() if word != "no_room"})
    return f"{run.job} {run.period}: {'; '.join(part for part in (counts, run.reason) if part) or 'done'}"


def _complain(context: Context, home: Home, run: Run, error: Exception) -> None:
    context.note(f"error: {run.job} {run.period} failed: {run.reason}")
    if isinstance(error, (errors.NightledgerError, OSError)) and (hint := told_of(error)[1]):
        context.note(f"hint: {hint}")
    elif not isinstance(error, (errors.NightledgerError, OSError)):
        path = os.path.join(home.work_dir, "night-bug.log")
        make_dir(home.work_dir)
        replace_file(path, "".join(traceback.format_exception(error)).encode("utf-8", "backslashreplace"))
        context.note(f"hint: the details are in {path}")
    context.note("hint: it stays due and is tried again by itself; 'nightledger night --retry' tries at once")


def _ask_witnesses(context: Context, *, alarmed: bool) -> int:
    """Have the night's head cosigned; a witness that does not answer is no failure of the night."""
    try:
        if not load_operator(context.keys_dir).witnesses:
            return 0
        from nightledger.remote.witness_asking import ask_quietly

        return ask_quietly(context)
    except errors.NightledgerError as error:
        if not (alarmed or why_no_operator(context.keys_dir)):  # both were told
            context.note(f"error: {error}")
            context.note(f"hint: {error.hint}")
        return _status(error)


def _status(error: BaseException) -> int:
    return errors.EXIT_ALARM if isinstance(error, errors.IntegrityError) else errors.EXIT_REFUSED


QUIET_JOBS = frozenset({"close_day", "curate", "link"})
"""Jobs whose success nobody needs to read in a mail of cron."""
_AS_BEFORE = ("suppressed", "left_alone", "messages_read", "outcomes_derived", "unknown_outcome")
"""How counts end that tell of nothing that needs an answer."""

PRUNED = {"delete_link": "links", "archive": "entries", "compress": "logs"}
"""What a pruning proposes to let go, by operation, as counts are told."""


def _tells(run: Run) -> bool:
    """Tell whether a run that was done has something that the operator should read."""
    counts = (n for word, n in run.counts.items() if not word.endswith(_AS_BEFORE))
    return run.job not in QUIET_JOBS and any(counts)


def night_jobs(context: Context, settings: Settings) -> tuple[Job, ...]:
    """List the jobs of a home in the order in which a night runs them; each is imported when it is run."""
    run: dict[str, Callable[..., JobReport]] = {
        "link": partial(_link, settings=settings),
        "consolidate": partial(_consolidate, settings=settings),
        "curate": _curate,
        "prune": _prune,
        "close_day": _close_day,
    }
    return tuple(
        Job(name=name, schedule=schedule, run=partial(run[name], context))
        for name, schedule in job_schedules(settings).items()
    )


def _counts(done: object, *names: str) -> dict[str, int]:
    return {name: getattr(done, name) for name in names}


def _link(context: Context, _: Period, *, settings: Settings) -> JobReport:
    from nightledger.gate.forgotten import read_link_rules
    from nightledger.jobs.link import link

    home = Home(context.home_path)
    zone = home_zone(home, settings)
    report = link(home, read_link_rules(home, context.keys_dir, Actor.CRON, zone))
    return JobReport(
        counts=_counts(report, "added", "bad_lines", "duplicates", "outcomes"),
        reason=f"folded anew: {report.reason}" if report.reason else "",
    )


def _close_day(context: Context, period: Period) -> JobReport:
    from nightledger.files.atomic import YOUNG_S, remove_leftovers
    from nightledger.gate.keeping import close_day, remove_expired

    with writing(context) as session:
        counts = close_day(session.gate, session.ledger, period.last_day.isoformat(), session.moment)
        expired = remove_expired(session.gate, session.reread(), session.moment)
        home, keys_dir = session.gate.home, str(session.gate.ring.home_dir(session.gate.home.identity.id))
        remove_leftovers(home, keys_dir, before=session.moment.at.timestamp() - YOUNG_S)
    return JobReport(counts={**counts, "blobs_expired": expired} if expired else counts)


def _consolidate(context: Context, period: Period, *, settings: Settings) -> JobReport:
    from nightledger.jobs.consolidate import Asked
    from nightledger.surfaces.analyst import analyst_line, consolidate_home
    from nightledger.surfaces.transcripts import agreed, read_agreed

    of_here = agreed(context.keys_dir, Home(context.home_path))
    read, problems = read_agreed(context) if of_here else ({}, [])
    if read.get("outcomes_derived"):
        _link(context, period, settings=settings)  # what sessions ended in counts this night
    record = consolidate_home(context, Asked(day=period.last_day)).record
    told = analyst_line(record.analyst) if record.analyst else ""
    nothing = "" if record.proposal or record.skill or not record.reason else "nothing proposed: "
    counts = _counts(record, "proposed", "suppressed", "no_room", "held")
    return JobReport(
        counts={
            **counts,
            **read,
            "skills_proposed": int(record.skill is not None),
            "skipped": len(record.skipped),
        },
        reason="; ".join(filter(None, (f"{nothing}{record.reason}", told, *problems))),
    )


def _curate(context: Context, _: Period) -> JobReport:
    from nightledger.surfaces.analyst import analyst_line
    from nightledger.surfaces.verbs.curate import curate_home

    done = curate_home(context)
    told = (done.reason, analyst_line(done.analyst) if done.analyst else "")
    return JobReport(counts=done.counts if done.periods else {}, reason="; ".join(filter(None, told)))


def _prune(context: Context, period: Period) -> JobReport:
    from nightledger.jobs.prune import prune

    with writing(context) as session:
        today = period.last_day + timedelta(days=1)
        pruned = prune(session.gate, session.ledger, today, session.moment)
    counts = {
        f"{PRUNED[tally.op.value]}_{word}": count
        for tally in pruned.tallies
        for word, count in (
            ("proposed", tally.proposed),
            ("left_alone", len(tally.left)),
            ("for_another_run", tally.no_room),
            ("not_fit_to_propose", len(tally.unfit)),
        )
    }
    return JobReport(counts=counts, reason=f"nothing pruned: {pruned.reason}" if pruned.reason else "")
