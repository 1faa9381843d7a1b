"""Which entries of memory have faded: archive them, show mercy, or leave them.

Every entry is judged by the retention policy (docs/decisions/0024-letting-go.md). On a terminal you are asked
about each that has faded: y archives it (proposed, signed once at the end, cools like any other
change, and can be undone), n shows mercy (it counts as made anew), q leaves it and the rest as they
are, which is also what a bare return does. Y and N answer for all that are left. Without a
terminal the counts are printed and nothing is done.

Reads   the gated files, outcomes, exposures, reinforcements, audit/
Writes  memory/state/proposals/, audit/, memory/system/reinforcements.jsonl
Changes no memory: 'nightledger apply' does, when the cooling period is over.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from nightledger.codec.records import to_plain
from nightledger.domain.errors import RefusedError, UsageError
from nightledger.domain.periods import log_day
from nightledger.domain.retention import Policy
from nightledger.domain.words import canonical_tag
from nightledger.files.configuration import home_zone
from nightledger.gate.memory.remembering import Facts, Oddities, read_facts
from nightledger.jobs.hygiene import (
    Archived,
    Judged,
    Survey,
    propose_archive,
    show_mercy,
    survey,
    tags_of,
    why,
)
from nightledger.surfaces import entry_choice, screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.entry_choice import SHORT_ID, count_of
from nightledger.surfaces.session import Session, reading, writing
from nightledger.surfaces.settling import key_at_hand, sign_proposals

SHOWN = 12
"""Faded entries listed before the rest is counted."""
KEYS = "y archive  n mercy  Y archive all left  N mercy for all left  q quit (default)"


@dataclass(slots=True, kw_only=True)
class Answers:
    """What the operator said of what faded."""

    archive: list[Judged] = field(default_factory=list)
    mercy: list[Judged] = field(default_factory=list)


OPTIONS = {
    "--policy": {"choices": ("measured", "classic"), "default": "measured", "help": "which rule judges"},
    "--project": {
        "metavar": "TAG",
        "default": "",
        "help": "only entries with this tag: signed, a heading, a #hashtag",
    },
    "--all": "list every entry that has faded",
    "--force": "archive all that faded without asking; it is signed all the same",
    "--dry-run": "look, and do nothing",
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Judge, say what was found, ask, and do what was answered.

    Returns:
        1 where something was to be archived and could not be.
    """
    asks = context.interactive() and not context.json
    acts = not options.dry_run and (options.force or asks)
    with reading(context, person=acts) as seen:
        facts = read_facts(seen.gate, seen.ledger, seen.moment)
        found = survey(facts, Policy(options.policy), project=options.project)
        if options.project and not found.judged:
            raise _no_such_tag(options.project, facts)
        context.print_lines(_counted(found))
        if not acts or not found.pending:
            _list(context, seen, found, every=options.all)
            context.emit(_record(found))
            return 0
        if options.force and not key_at_hand(seen, context):
            raise RefusedError(
                "your key has a passphrase, and there is no terminal to ask on; --force skips questions, "
                "never the signature",
                hint="run it on a terminal",
            )
        answers = Answers(archive=list(found.pending)) if options.force else _ask(context, seen, found)
    return _do(context, found, answers)


def _list(context: Context, session: Session, found: Survey, *, every: bool) -> None:
    pending = found.pending
    shown = pending if every else pending[:SHOWN]
    for judged in shown:
        context.print_lines(_entry_lines(session, judged, found.facts))
    if len(shown) < len(pending):
        context.print(f"and {len(pending) - len(shown)} more: --all lists them")
    if pending:
        context.print("To answer, run 'nightledger hygiene' on a terminal.")


def _entry_lines(session: Session, judged: Judged, facts: Facts) -> Iterator[str]:
    yield ""
    yield from entry_choice.listing(session, [judged.remembered.placed])
    yield from screen.wrap(why(judged, facts), indent="      ", first="    ")


def _ask(context: Context, session: Session, found: Survey) -> Answers:
    """Ask about each entry that faded, until there is no more or the operator has enough."""
    answers = Answers()
    left = list(found.pending)
    while left:
        context.print_lines(_entry_lines(session, left[0], found.facts))
        key = _key(len(left))
        if key in ("Y", "N"):
            (answers.archive if key == "Y" else answers.mercy).extend(left)
            break
        if key not in ("y", "n"):
            break
        (answers.archive if key == "y" else answers.mercy).append(left.pop(0))
    return answers


def _key(left: int) -> str:
    while True:
        key = screen.ask(f"{KEYS} ({left} left)")
        if key in ("y", "n", "Y", "N", "q", "Q", ""):
            return key


def _do(context: Context, found: Survey, answers: Answers) -> int:
    """Propose and record what was answered, then sign it."""
    archived = Archived(proposals=(), suppressed=0, problems=())
    if answers.archive or answers.mercy:
        with writing(context, person=True, answered=True) as session:
            archived = _write(session, found, answers)
    settled = sign_proposals(context, archived.proposals) if archived.proposals else None
    decisions = settled.decisions if settled else ()
    context.emit(
        {
            **_record(found),
            "archive": [one.id for one in answers.archive],
            "mercy": [one.id for one in answers.mercy],
            "proposals": [proposal.id for proposal in archived.proposals],
            "decisions": [decision.id for decision in decisions],
        }
    )
    for text in _told(found, answers, archived):
        context.print_lines(screen.wrap(text, indent="  ", first=""))
    if decisions:
        when = max(decision.not_before for decision in decisions)
        count = sum(len(decision.changes) for decision in decisions)
        told = f"Signed {count} change(s). They cool until {when:%Y-%m-%d %H:%M} UTC; 'nightledger apply' then archives them."
        context.print_lines(screen.wrap(told, indent="  ", first=""))
    refusals = settled.refusals if settled else ()
    for refusal in refusals:
        context.print(f"not signed: {refusal.proposal}: {refusal.reason}")
    return 1 if refusals or archived.problems else 0


def _write(session: Session, found: Survey, answers: Answers) -> Archived:
    """Propose and record; what was changed or pinned since it was shown is left as it is."""
    gate = session.gate
    now = {one.memory.id: one for one in read_facts(gate, session.ledger, session.moment).memories}
    shown = {one.memory.id: one for one in found.facts.memories}

    def standing(chosen: Sequence[Judged]) -> list[Judged]:
        return [
            one
            for one in chosen
            if one.id in now
            and now[one.id].placed == shown[one.id].placed
            and now[one.id].memory.immune == shown[one.id].memory.immune
        ]

    show_mercy(gate, standing(answers.mercy), found.facts, session.moment)
    today = log_day(session.moment.at, home_zone(gate.home, gate.settings))
    return propose_archive(
        gate, session.ledger, standing(answers.archive), found.facts, today, session.moment
    )


def _told(found: Survey, answers: Answers, archived: Archived) -> Iterator[str]:
    if answers.mercy:
        yield f"Mercy for {len(answers.mercy)}: counted as made anew."
    if archived.suppressed:
        yield f"{archived.suppressed} wait already: 'nightledger review'."
    for problem in archived.problems:
        yield f"Not proposed: {screen.shown(problem)}."
    left = len(found.pending) - len(answers.archive) - len(answers.mercy)
    if left:
        yield f"{left} left pending, as they are."


def _record(found: Survey) -> dict[str, Any]:
    return {
        "policy": found.policy.value,
        "active_hours": found.facts.now_hour,
        "outcomes_naming_entries": found.facts.named,
        "active": found.active,
        "immune": found.immune,
        "pending": len(found.pending),
        "odd": to_plain(found.facts.odd),
        "entries": [
            {
                **entry_choice.record(one.remembered.placed),
                "status": one.status.value,
                "utility": one.utility,
                "tier": one.remembered.memory.tier.name,
                "pin": one.remembered.memory.pinned,
                "shown": one.remembered.use.shown,
                "useful": one.remembered.use.useful,
                "harmful": one.remembered.use.harmful,
            }
            for one in found.judged
        ],
    }


def _counted(found: Survey) -> Iterator[str]:
    """Give how many are active, immune and pending, and what is odd."""
    facts = found.facts
    total = len(found.judged)
    head = (
        f"{count_of(total)}: {found.active} active, {found.immune} immune, "
        f"{len(found.pending)} pending decay ({found.policy.value} policy, {facts.now_hour} active hours)."
    )
    for text in (head, *_notices(facts)):
        yield from screen.wrap(text, indent="  ", first="")


def _notices(facts: Facts) -> Iterator[str]:
    if not facts.hours:
        yield "No outcome and no exposure is recorded yet: nothing ages, and nothing fades."
    elif not facts.named:
        yield (
            "No outcome says what had been shown before it ('shown'): nothing can prove useful, "
            "so entries fade by active hours alone."
        )
    yield from _odd_lines(facts.odd)


def _no_such_tag(project: str, facts: Facts) -> UsageError:
    """Give the error for a tag that no entry has, with those that are written almost like it."""
    known = sorted({tag for one in facts.memories for tag in tags_of(one) if tag})
    near = get_close_matches(canonical_tag(project), known, n=3)
    meant = f"did you mean {' or '.join(screen.shown(tag) for tag in near)}? " if near else ""
    return UsageError(
        f"no entry has the tag {screen.shown(project)}",
        hint=f"{meant}an entry's tags are those that you signed, its headings and its #hashtags",
    )


def _odd_lines(odd: Oddities) -> Iterator[str]:
    """Name what is odd about dates, ids and clocks; no entry is left out for it."""
    if odd.ahead:
        yield (
            f"! {odd.ahead} active hour(s) lie ahead of the clock: it was set back, or records came from the "
            "future. They count when their time comes."
        )
    if odd.bad_lines:
        yield f"! {odd.bad_lines} line(s) of outcomes or exposures are no records, or have impossible dates."
    if odd.impossible:
        names = ", ".join(name[:SHORT_ID] for name in odd.impossible[:3])
        more = f" and {len(odd.impossible) - 3} more" if len(odd.impossible) > 3 else ""  # noqa: PLR2004 - as above
        yield f"! An impossible DATE, which counts for nothing, stands in {count_of(len(odd.impossible))}: {names}{more}."
    if odd.twice:
        yield f"! The same stands in two files: {count_of(len(odd.twice))} got an id of their own."
    if odd.undated:
        yield f"{count_of(odd.undated)} without a date: from the home's first day on."
