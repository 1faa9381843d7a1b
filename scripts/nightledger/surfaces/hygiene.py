"""Walk the operator through what has faded; see ``jobs/hygiene.py``.

Invariant: without a terminal nothing is asked and nothing is done, ``--force`` apart, which
skips questions and never the signature.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from nightledger.codec.records import to_plain
from nightledger.domain.errors import RefusedError
from nightledger.domain.periods import log_day
from nightledger.domain.retention import Policy
from nightledger.files.configuration import home_zone
from nightledger.gate.memory.remembering import Facts, read_facts
from nightledger.jobs.hygiene import Archived, Judged, Survey, propose_archive, show_mercy, survey, why
from nightledger.surfaces import entry_choice, screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.hygiene_text import compared, counted, no_such_tag
from nightledger.surfaces.session import Session, reading, writing
from nightledger.surfaces.signed_at_once import key_at_hand, sign_proposals

SHOWN = 12
"""Faded entries listed before the rest is counted."""
KEYS = "y archive  n mercy  Y archive all left  N mercy for all left  q quit (default)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the operator asks for.

    Attributes:
        policy: Which rule judges.
        project: Only entries with this tag; empty for all.
        compare: Show both policies side by side, and ask nothing.
        every: List every entry that faded.
        force: Archive all without asking.
        dry_run: Look, and do nothing.
    """

    policy: str
    project: str = ""
    compare: bool = False
    every: bool = False
    force: bool = False
    dry_run: bool = False


@dataclass(slots=True, kw_only=True)
class Answers:
    """What the operator said of what faded."""

    archive: list[Judged] = field(default_factory=list)
    mercy: list[Judged] = field(default_factory=list)


def clean(context: Context, wishes: Wishes) -> int:
    """Judge, say what was found, ask, and do what was answered.

    Returns:
        1 where something was to be archived and could not be.
    """
    acts = not (wishes.compare or wishes.dry_run) and (wishes.force or _asks(context))
    with reading(context, person=acts) as seen:
        facts = read_facts(seen.gate, seen.ledger, seen.moment)
        found = survey(facts, Policy(wishes.policy), project=wishes.project)
        if wishes.project and not found.judged:
            raise no_such_tag(wishes.project, facts)
        if wishes.compare:
            return _compare(context, seen, found, wishes)
        context.print_lines(counted(found))
        if not acts or not found.pending:
            _list(context, seen, found, every=wishes.every)
            context.emit(_record(found))
            return 0
        if wishes.force and not key_at_hand(seen, context):
            raise RefusedError(
                "your key has a passphrase, and there is no terminal to ask on; --force skips questions, "
                "never the signature",
                hint="run it on a terminal",
            )
        answers = Answers(archive=list(found.pending)) if wishes.force else _ask(context, seen, found)
    return _do(context, found, answers)


def _asks(context: Context) -> bool:
    return context.interactive() and not context.json


def _compare(context: Context, session: Session, found: Survey, wishes: Wishes) -> int:
    other = Policy.CLASSIC if found.policy is Policy.MEASURED else Policy.MEASURED
    both = {found.policy: found, other: survey(found.facts, other, project=wishes.project)}
    measured, classic = both[Policy.MEASURED], both[Policy.CLASSIC]
    context.emit({policy.value: _record(both[policy]) for policy in (Policy.MEASURED, Policy.CLASSIC)})
    context.print_lines(compared(session, measured, classic, every=wishes.every))
    return 0


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
