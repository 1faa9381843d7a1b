"""The jobs that run by themselves, in the order in which a night runs them.

Invariant: a job is imported when it is run, so that listing what is due costs none of them.
"""

from datetime import timedelta
from functools import partial

from nightledger.domain.event import Actor
from nightledger.domain.periods import Period, Schedule
from nightledger.domain.runs import JobReport, Run
from nightledger.domain.settings import Settings
from nightledger.files.configuration import home_zone
from nightledger.files.home import Home
from nightledger.night import Job
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import writing

QUIET_JOBS = frozenset({"close_day", "curate", "link"})
"""Jobs whose success nobody needs to read in a mail of cron."""
_AS_BEFORE = ("suppressed", "left_alone")
"""How counts end that tell of nothing new."""

PRUNED = {"delete_link": "links", "archive": "entries", "compress": "logs"}
"""What a pruning proposes to let go, by operation, as counts are told."""
SUNDAY = 6
"""Counted from Monday 0, as ``domain/periods.py`` does."""


def tells(run: Run) -> bool:
    """Tell whether a run that was done has something that the operator should read."""
    counts = (n for word, n in run.counts.items() if not word.endswith(_AS_BEFORE))
    return run.job not in QUIET_JOBS and any(counts)


def night_jobs(context: Context, settings: Settings) -> tuple[Job, ...]:
    """List the jobs, bound to a home.

    Args:
        context: The command's surroundings.
        settings: The home's settings.
    """
    nightly, sunday = Schedule(at=settings.nightly_at), Schedule(weekday=SUNDAY, at=settings.prune_at)
    return (
        Job(name="link", schedule=nightly, run=partial(_link, context, settings)),
        Job(name="consolidate", schedule=nightly, run=partial(_consolidate, context)),
        Job(name="curate", schedule=nightly, run=partial(_curate, context)),
        Job(name="prune", schedule=sunday, run=partial(_prune, context)),
        Job(name="close_day", schedule=nightly, run=partial(_close_day, context)),
    )


def _counts(done: object, *names: str) -> dict[str, int]:
    return {name: getattr(done, name) for name in names}


def _link(context: Context, settings: Settings, _: Period) -> JobReport:
    from nightledger.gate.forgetting.forgotten import left_out_of_links
    from nightledger.jobs.link import Options, link

    home = Home(context.home_path)
    forgotten, expunged = left_out_of_links(home, context.keys_dir, Actor.CRON)
    report = link(home, home_zone(home, settings), Options(forgotten=forgotten, expunged=expunged))
    return JobReport(
        counts=_counts(report, "added", "bad_lines", "duplicates", "outcomes"),
        reason=f"folded anew: {report.reason}" if report.reason else "",
    )


def _close_day(context: Context, period: Period) -> JobReport:
    from nightledger.files.atomic import YOUNG_S, remove_leftovers
    from nightledger.gate.daily import close_day
    from nightledger.gate.forgetting.keeping import remove_expired

    with writing(context) as session:
        counts = close_day(session.gate, session.ledger, period.last_day.isoformat(), session.moment)
        expired = remove_expired(session.gate, session.reread(), session.moment)
        home, keys_dir = session.gate.home, str(session.gate.ring.home_dir(session.gate.home.identity.id))
        remove_leftovers(home, keys_dir, before=session.moment.at.timestamp() - YOUNG_S)
    return JobReport(counts={**counts, "blobs_expired": expired} if expired else counts)


def _consolidate(context: Context, period: Period) -> JobReport:
    from nightledger.jobs.consolidate import Asked, consolidate

    with writing(context) as session:
        done = consolidate(session.gate, session.ledger, Asked(day=period.last_day), session.moment)
    record = done.record
    nothing = "" if record.proposal or not record.reason else "nothing proposed: "
    counts = _counts(record, "proposed", "suppressed", "no_room", "held")
    return JobReport(counts={**counts, "skipped": len(record.skipped)}, reason=f"{nothing}{record.reason}")


def _curate(context: Context, _: Period) -> JobReport:
    from nightledger.jobs.curate import curate

    with writing(context) as session:
        done = curate(session.gate, session.ledger, session.moment)
    return JobReport(counts=done.counts if done.periods else {}, reason=done.reason)


def _prune(context: Context, period: Period) -> JobReport:
    from nightledger.jobs.prune import Asked, prune

    with writing(context) as session:
        asked = Asked(today=period.last_day + timedelta(days=1))
        pruned = prune(session.gate, session.ledger, asked, session.moment)
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
