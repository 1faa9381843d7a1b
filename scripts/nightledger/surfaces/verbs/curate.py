"""Reinforce what proved useful; propose to let go of what faded.

Due after each 40 active hours (hours in which the agent recorded or was shown
something); the night calls it. The five entries that proved most useful in the
period are reinforced, and every principle, once a period. Weak links and faded
entries are proposed only. Where operator.yaml names an analyst, a model is asked,
too, and what faded is proposed where it says that it may go.

With --ask every entry is judged now by the retention rule
(docs/decisions/0024-letting-go.md). On a terminal you are asked about each that
has faded: y archives it (proposed, signed once at the end, cools like any other
change, and can be undone), n keeps it for now (it counts as made anew), q
leaves it and the rest as they are, which is also what a bare return does.
Without a terminal the counts are printed and nothing is done.

Reads   memory/system/, the gated files, audit/
Writes  memory/system/reinforcements.jsonl, memory/system/analyst.jsonl,
        memory/state/proposals/, audit/
Changes no memory: it proposes.
"""

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from nightledger.codec.records import to_plain
from nightledger.domain.periods import log_day
from nightledger.domain.words import count_of
from nightledger.files.configuration import home_zone
from nightledger.files.home import Home
from nightledger.gate.memory.remembering import Facts, read_facts
from nightledger.jobs.curate import Archived, Judged, Survey, curate, propose_archive, show_mercy, survey, why
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import say, sentences
from nightledger.surfaces.session import Session, reading, writing
from nightledger.surfaces.signing import Settled, sign_proposals, tell_settled
from nightledger.surfaces.verbs.pin import entry_lines, entry_record

if TYPE_CHECKING:  # most homes ask no model
    from nightledger.domain.consolidation import AnalystRun
    from nightledger.jobs.curate import Curated
    from nightledger.think.analyst import Analyst


def run(options: argparse.Namespace, context: Context) -> int:
    """Curate, and say what came of it; or ask about what has faded."""
    if options.ask:
        return ask_about_faded(options, context)
    done = curate_home(context, dry_run=options.dry_run)
    context.emit(to_plain(done))
    if done.analyst:
        from nightledger.surfaces.analyst import tell_analyst

        tell_analyst(context, done.analyst)
    if not done.periods:
        context.print(f"Nothing to do: {done.reason}.")
        return 0
    would, is_ = ("Would reinforce", "would be") if options.dry_run else ("Reinforced", "is")
    say(
        context,
        f"{would} {count_of(done.reinforced, 'entry', 'entries')} and {count_of(done.constitutional_reinforced, 'principle')}.",
        f"Weak links: {done.weak_links}. Faded entries: {done.faded}. Of these stay: {done.kept}.",
        *(f"{name} {is_} proposed; 'nightledger review' asks." for name in done.proposals),
        f"Not proposed: {done.reason}." if done.reason else "",
    )
    return 0


def curate_home(context: Context, *, dry_run: bool = False) -> "Curated":
    """Curate; the model that the operator named is asked before the home's lock is taken."""
    from nightledger.surfaces.analyst import analyst_of, ask_ahead

    home = Home(context.home_path).require()
    analyst = analyst_of(context.keys_dir, home, context.moment.at, "checkup", dry_run=dry_run)

    def run(session: Session, analyst: "Analyst") -> "AnalystRun | None":
        return curate(session.gate, session.ledger, session.moment, dry_run=True, analyst=analyst).analyst

    analyst = ask_ahead(context, analyst, run)
    with reading(context) if dry_run else writing(context) as session:
        return curate(session.gate, session.ledger, session.moment, dry_run=dry_run, analyst=analyst)


KEYS = "y archive  n keep for now  q quit (default)"


def ask_about_faded(options: argparse.Namespace, context: Context) -> int:
    """Judge, say what was found, ask, and do what was answered.

    Returns:
        1 where something was to be archived and could not be.
    """
    asks = context.interactive() and not context.json and not options.dry_run
    with reading(context, person=asks) as seen:
        facts = read_facts(seen.gate, seen.ledger, seen.moment)
        found = survey(facts)
        say(context, *_counted(found))
        context.emit(_record(found))
        if asks and found.pending:
            archive, keep = _ask(context, seen, found)
        else:
            for judged in found.pending:
                context.print_lines(_entry_lines(seen, judged, facts))
            if found.pending:
                context.print("To answer, run 'nightledger curate --ask' on a terminal.")
            return 0
    return _do(context, found, archive, keep)


def _entry_lines(session: Session, judged: Judged, facts: Facts) -> Iterator[str]:
    yield ""
    yield from entry_lines(session, [judged.remembered.placed])
    yield from screen.wrap(why(judged, facts), indent="      ", first="    ")


def _ask(context: Context, session: Session, found: Survey) -> tuple[list[Judged], list[Judged]]:
    """Ask about each entry that faded; return those to archive and those to keep."""
    answers: dict[str, list[Judged]] = {"y": [], "n": [], "q": [], "": []}
    for judged in found.pending:
        context.print_lines(_entry_lines(session, judged, found.facts))
        key = "?"
        while key not in answers:
            key = screen.ask(KEYS).lower()
        answers[key].append(judged)
        if key not in ("y", "n"):
            break
    return answers["y"], answers["n"]


def _do(context: Context, found: Survey, archive: list[Judged], keep: list[Judged]) -> int:
    """Propose and record what was answered, then sign it."""
    archived, settled = Archived(proposals=(), suppressed=0, problems=()), Settled(decisions=(), refusals=())
    if archive or keep:
        with writing(context, person=True, answered=True) as session:
            archived = _write(session, found, archive, keep)
    if archived.proposals:
        settled = sign_proposals(context, archived.proposals)
    if keep:
        say(context, f"Kept {len(keep)} for now: counted as made anew.")
    if archived.suppressed:
        say(context, f"{archived.suppressed} wait already: 'nightledger review'.")
    say(context, *(f"Not proposed: {problem}." for problem in archived.problems))
    if left := len(found.pending) - len(archive) - len(keep):
        say(context, f"{left} left pending, as they are.")
    tell_settled(context, settled)
    return 1 if settled.refusals or archived.problems else 0


def _write(session: Session, found: Survey, archive: Sequence[Judged], keep: Sequence[Judged]) -> Archived:
    """Propose and record; what was changed or pinned since it was shown is left as it is."""
    gate = session.gate
    now = {one.memory.id: one for one in read_facts(gate, session.ledger, session.moment).memories}

    def standing(chosen: Sequence[Judged]) -> list[Judged]:
        shown = [(one, one.remembered, now.get(one.id)) for one in chosen]
        return [
            one
            for one, then, today in shown
            if today and today.placed == then.placed and today.memory.immune == then.memory.immune
        ]

    show_mercy(gate, standing(keep), found.facts, session.moment)
    day = log_day(session.moment.at, home_zone(gate.home, gate.settings))
    return propose_archive(gate, session.ledger, standing(archive), found.facts, day, session.moment)


def _record(found: Survey) -> dict[str, Any]:
    return {
        "active_hours": found.facts.now_hour,
        "outcomes_naming_entries": found.facts.named,
        "active": found.active,
        "immune": found.immune,
        "pending": len(found.pending),
        "odd": to_plain(found.facts.odd),
        "entries": [
            {
                **entry_record(one.remembered.placed),
                "status": one.status.value,
                "utility": one.utility,
                "tier": one.remembered.memory.tier.name,
                "pin": one.remembered.memory.pinned,
                **{name: getattr(one.remembered.use, name) for name in ("shown", "useful", "harmful")},
            }
            for one in found.judged
        ],
    }


def _counted(found: Survey) -> Iterator[str]:
    """Return how many are active, immune and pending, and what is odd; no entry is left out for it."""
    facts = found.facts
    yield (
        f"{count_of(len(found.judged), 'entry', 'entries')}: {found.active} active, {found.immune} immune, "
        f"{len(found.pending)} pending decay ({facts.now_hour} active hours)."
    )
    if not facts.hours:
        yield "No outcome and no exposure is recorded yet: nothing ages, and nothing fades."
    elif not facts.named:
        yield "No outcome says what had been shown before it ('shown'): entries fade by active hours alone."
    for name, found_odd in to_plain(facts.odd).items():
        if found_odd:
            told = ", ".join(found_odd) if isinstance(found_odd, list) else found_odd
            yield sentences("curate")[name].format(told)
