"""What worked three times, as a skill of the agent's host: its steps, quoted from where they were written down.

A skill that was signed is proposed to go where it failed since.

Invariant: no word of a skill is made up; its name and when it applies are identifiers of outcomes, all else is quoted
from lines that an outcome names and that are there as it says, or were signed. Nothing is written into the host's folder.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain

from msgspec import Struct

from nightledger.domain.decision import Moment
from nightledger.domain.errors import NightledgerError
from nightledger.domain.judge import JOB
from nightledger.domain.kept import is_daily_log, skill_front, skill_name
from nightledger.domain.lessons import MAX_EVIDENCE, Procedure, outcome_evidence
from nightledger.domain.outcome import OutcomeEvidence, confidence
from nightledger.domain.patterns import Recorded
from nightledger.domain.proposal import Draft, Evidence, Kind, Op, Origin, Proposal
from nightledger.domain.states import ChangeState
from nightledger.gate.gated import places_of, read_target
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing import Submission, propose
from nightledger.gate.stored import Stored, read_stored
from nightledger.jobs.consolidate.reading import find_attested
from nightledger.text.markdown.document import decode
from nightledger.text.statements.steps import Steps, find_steps

TITLES = {
    Op.REMOVE: "A skill goes, for what it tells failed since",
    Op.ADD: "A skill, from what worked in three sessions or more",
}
"""Of what is proposed, in the order of its weight."""
MAX_NAME = 64
MAX_DESCRIPTION = 1024
"""Characters of both (agentskills.io/specification, 2026-11)."""
MAX_LOOKED = 64
"""Pieces of evidence that are looked at for one skill. Our choice."""


class SkillNight(Struct, frozen=True, kw_only=True):
    """What became of skills in a night.

    Attributes:
        proposal: That of a skill; None where none is due.
        problem: Why one that is due could not be proposed; empty where none was.
    """

    proposal: Proposal | None = None
    problem: str = ""


def propose_skill(
    gate: Gate, ledger: Ledger, procedures: Sequence[Procedure], period: str, moment: Moment, *, dry_run: bool
) -> SkillNight:
    """Propose one skill at most, within the night's additions; the caller holds the home's lock.

    Args:
        gate: The home.
        ledger: Its log, as checked, with what this night proposed before.
        procedures: What may become one, the best first.
        period: The log day.
        moment: The clocks.
        dry_run: Say what would be proposed and write nothing.
    """
    problems: list[str] = []
    every = list(_drafts(gate, ledger, procedures, problems))
    proposal = None
    for op, title in TITLES.items():
        drafts = [draft for draft in every if draft.op is op]
        if proposal or not drafts:
            continue
        submission = Submission(
            kind=Kind.BEHAVIOUR, lane=JOB, period=period, title=title, drafts=drafts, most=1
        )
        outcome = propose(gate, ledger, submission, moment, dry_run=dry_run)
        problems += [f"the scanners held a skill back ({', '.join(one.rules)})" for one in outcome.held]
        problems += [f"{one.draft.target}: {one.reason}" for one in outcome.unfit]
        proposal = outcome.proposal
    return SkillNight(proposal=proposal, problem="; ".join(dict.fromkeys(problems)))


def _drafts(
    gate: Gate, ledger: Ledger, procedures: Iterable[Procedure], problems: list[str]
) -> Iterator[Draft]:
    """Yield what may be proposed: of a name that no skill has, and whose steps are found; and what became of skills."""
    stored = read_stored(gate, ledger.book, states={ChangeState.APPLIED})
    for procedure in procedures:
        path = f"{places_of(gate.home).skills}/{_name(procedure)}/SKILL.md"
        if not skill_name(path):
            continue  # of an alphabet that no name may have
        found = next(_quotes(gate, ledger, procedure.wins), None) if procedure.is_due else None
        try:
            standing = read_target(gate.home, path)
            is_free = not standing and not os.path.lexists(gate.home.path(path))
        except NightledgerError as error:
            problems += [str(error)] if found else []
            continue
        since = _signed_since(ledger, stored, procedure, path)
        if is_free and found:
            yield _draft(procedure, path, *found)
        elif since and hashlib.sha256(standing).hexdigest() == ledger.book.accepted_of(path):
            yield from _retired(procedure, path, decode(standing), since)


def _signed_since(
    ledger: Ledger, stored: Iterable[Stored], procedure: Procedure, path: str
) -> datetime | None:
    """Return when a skill was last changed through the gate; None where it is not of this procedure."""
    ours = [one.proposal for one in stored if any(change.target == path for change in one.proposal.changes)]
    of_it = any(change.key == procedure.key for one in ours for change in one.changes)
    return max(ledger.book.applied_at[one.id] for one in ours) if of_it else None


def _retired(procedure: Procedure, path: str, text: str, since: datetime) -> Iterator[Draft]:
    """Yield that a signed skill goes, where what it tells failed since it was signed and is not due anew."""
    failed = procedure.failed
    if failed and failed.at > since and not procedure.is_due:
        told = f"{procedure.resolution} failed on {failed.at.date()}, after the skill was signed"
        yield Draft(
            op=Op.REMOVE,
            target=path,
            section=(),
            after="",
            before=text,
            line=1,
            reason=told,
            evidence=(outcome_evidence(failed),),
            confidence=confidence(1, procedure.sources),
            rank=1.0,
            statement_key=f"retire {procedure.key} {failed.id}",
            scope=procedure.scope,
        )


def _name(procedure: Procedure) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", procedure.resolution.casefold())
    return plain.strip("-")[:MAX_NAME].rstrip("-")


def _quotes(gate: Gate, ledger: Ledger, wins: Iterable[Recorded]) -> Iterator[tuple[str, Steps]]:
    """Yield steps and their file, as the oldest success names them: later ones are no other source to suppression."""
    named = list(chain.from_iterable(record.outcome.evidence for record in wins))[:MAX_LOOKED]
    for evidence in named:
        text = _read(gate, ledger, evidence)
        if text and (steps := find_steps(evidence.path, text, evidence.lines)):
            yield evidence.path, steps


def _read(gate: Gate, ledger: Ledger, evidence: OutcomeEvidence) -> str:
    """Return the daily log, or the memory as it was signed, in which evidence stands as it says; empty for any other file."""
    places = places_of(gate.home)
    found = find_attested(gate.home, ledger.book.copies, evidence)
    if found is None or not (evidence.path in places.gated or is_daily_log(evidence.path, places.daily)):
        return ""
    accepted = ledger.book.accepted_of(evidence.path)
    return decode(found.content) if accepted in (None, found.sha256) else ""


def _draft(procedure: Procedure, path: str, source: str, steps: Steps) -> Draft:
    quoted = Evidence(path=source, lines=steps.lines, sha256=steps.sha256, origin=Origin.AGENT)
    outcomes = [outcome_evidence(record) for record in procedure.wins[-MAX_EVIDENCE + 1 :]]
    sure = round(confidence(procedure.sources, 0), 4)
    return Draft(
        op=Op.ADD,
        target=path,
        section=(),
        after=_skill(skill_name(path), _description(procedure, steps), steps.text),
        reason=f"{procedure.reason}; its steps stand in {source}",
        evidence=(quoted, *outcomes),
        confidence=sure,
        rank=sure,
        statement_key=procedure.key,
        scope=procedure.scope,
    )


def _description(procedure: Procedure, steps: Steps) -> str:
    """Return a sentence as it was written, and when the skill applies; of what is too long, or markup, the latter."""
    applies = f"Applies to {procedure.applies}."
    both = f"{steps.sentence} {applies}".lstrip()
    return applies if len(both) > MAX_DESCRIPTION or set("<>") & set(both) else both


def _skill(name: str, description: str, body: str) -> str:
    r"""Return a SKILL.md; a JSON string is a YAML scalar, too (YAML 1.2.2, section 1.3)."""
    told = json.dumps(description, ensure_ascii=False)
    return f"{skill_front(name)}description: {told}\n---\n\n{body}\n"
