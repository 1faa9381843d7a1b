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
from nightledger.domain.words import count_of
from nightledger.files.home import Home
from nightledger.gate.proposing import Outcome
from nightledger.gate.remembering import Facts, read_facts
from nightledger.jobs.curate import Judged, curate, pending, propose_archive, show_mercy, survey, why
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
    answers: dict[str, list[Judged]] = {"y": [], "n": []}
    with reading(context, person=asks) as seen:
        facts = read_facts(seen.gate, seen.ledger, seen.moment)
        judged = survey(facts)
        faded = pending(judged)
        say(context, *_counted(judged, facts))
        context.emit(_record(judged, facts))
        for one in faded:
            context.print("")
            context.print_lines(entry_lines(seen, [one.remembered.placed]))
            context.print_lines(screen.wrap(why(one, facts), indent="      ", first="    "))
            key = "?" if asks else "n"
            while key not in ("y", "n", "q", ""):
                key = screen.ask(KEYS).lower()
            if key not in answers:
                break
            answers[key].append(one)
    if not asks or not faded:
        say(context, "To answer, run 'nightledger curate --ask' on a terminal." if faded else "")
        return 0
    return _do(context, facts, answers["y"], answers["n"], len(faded))


def _do(context: Context, facts: Facts, archive: list[Judged], keep: list[Judged], faded: int) -> int:
    """Propose and record what was answered, then sign it."""
    outcomes, settled = list[Outcome](), Settled(decisions=(), refusals=())
    if archive or keep:
        with writing(context, person=True, answered=True) as session:
            now = read_facts(session.gate, session.ledger, session.moment).memories
            immune = {one.memory.id for one in now if one.memory.immune}  # pinned since it was shown
            archive = [one for one in archive if one.remembered.memory.id not in immune]
            if keep:
                show_mercy(session.gate, keep, facts, session.moment)
            outcomes = propose_archive(session.gate, session.ledger, archive, facts, session.moment)
    if made := [one.proposal for one in outcomes if one.proposal]:
        settled = sign_proposals(context, made)
    suppressed, left = sum(one.suppressed for one in outcomes), faded - len(archive) - len(keep)
    problems = [problem for one in outcomes for problem in one.problems]
    say(
        context,
        f"Kept {len(keep)} for now: counted as made anew." if keep else "",
        f"{suppressed} wait already: 'nightledger review'." if suppressed else "",
        *(f"Not proposed: {problem}." for problem in problems),
        f"{left} left pending, as they are." if left else "",
    )
    tell_settled(context, settled)
    return 1 if settled.refusals or problems else 0


def _active(judged: Sequence[Judged]) -> tuple[int, int]:
    """Count the entries that are worth their place, and those that no policy lets go."""
    immune = sum(one.remembered.memory.immune for one in judged)
    return len(judged) - len(pending(judged)) - immune, immune


def _record(judged: Sequence[Judged], facts: Facts) -> dict[str, Any]:
    active, immune = _active(judged)
    return {
        "active_hours": facts.now_hour,
        "outcomes_naming_entries": facts.named,
        "active": active,
        "immune": immune,
        "pending": len(pending(judged)),
        "odd": to_plain(facts.odd),
        "entries": [
            {
                **entry_record(one.remembered.placed),
                "status": "PENDING_DECAY" if one.faded else "ACTIVE",
                "utility": one.utility,
                "tier": one.remembered.memory.tier.name,
                "pin": one.remembered.memory.pinned,
                **{name: getattr(one.remembered.use, name) for name in ("shown", "useful", "harmful")},
            }
            for one in judged
        ],
    }


def _counted(judged: Sequence[Judged], facts: Facts) -> Iterator[str]:
    """Return how many are active, immune and pending, and what is odd; no entry is left out for it."""
    active, immune = _active(judged)
    yield (
        f"{count_of(len(judged), 'entry', 'entries')}: {active} active, {immune} immune, "
        f"{len(pending(judged))} pending decay ({facts.now_hour} active hours)."
    )
    if not facts.hours:
        yield "No outcome and no exposure is recorded yet: nothing ages, and nothing fades."
    elif not facts.named:
        yield "No outcome says what had been shown before it ('shown'): entries fade by active hours alone."
    for name, found_odd in to_plain(facts.odd).items():
        if found_odd:
            told = ", ".join(found_odd) if isinstance(found_odd, list) else found_odd
            yield sentences("curate")[name].format(told)
