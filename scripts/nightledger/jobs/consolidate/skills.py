"""What worked three times, as a skill of the agent's host: its steps, quoted from where they were written down.

Invariant: no word of a skill is made up; its name and when it applies are identifiers of outcomes, all else is quoted
from lines that an outcome names and that are there as it says, or were signed. Nothing is written into the host's folder.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from msgspec import Struct

from nightledger.domain.decision import Moment
from nightledger.domain.errors import NightledgerError
from nightledger.domain.judge import JOB
from nightledger.domain.kept import is_daily_log, skill_name
from nightledger.domain.lessons import MAX_EVIDENCE, outcome_evidence
from nightledger.domain.links import confidence
from nightledger.domain.outcome import OutcomeEvidence
from nightledger.domain.patterns import Procedure
from nightledger.domain.proposal import Draft, Evidence, Kind, Op, Origin, Proposal
from nightledger.gate.gated import places_of, read_target
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.proposing import Submission, propose
from nightledger.jobs.consolidate.outcomes import find_attested
from nightledger.text.markdown.document import decode
from nightledger.text.statements.steps import Steps, find_steps

TITLE = "A skill, from what worked in three sessions or more"
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
    drafts = list(_drafts(gate, ledger, procedures, problems))
    submission = Submission(kind=Kind.BEHAVIOUR, lane=JOB, period=period, title=TITLE, drafts=drafts, most=1)
    outcome = propose(gate, ledger, submission, moment, dry_run=dry_run)
    problems += [f"the scanners held a skill back ({', '.join(one.rules)})" for one in outcome.held]
    problems += [f"{one.draft.target}: {one.reason}" for one in outcome.unfit]
    return SkillNight(proposal=outcome.proposal, problem="; ".join(dict.fromkeys(problems)))


def _drafts(
    gate: Gate, ledger: Ledger, procedures: Iterable[Procedure], problems: list[str]
) -> Iterator[Draft]:
    """Yield what may be proposed: of a name that no skill has, and whose steps are found."""
    for procedure in procedures:
        path = f"{places_of(gate.home).skills}/{_name(procedure)}/SKILL.md"
        if not skill_name(path):
            continue  # of an alphabet that no name may have
        found = next(_quotes(gate, ledger, procedure), None)
        if found is None:
            continue
        try:
            is_free = not read_target(gate.home, path) and not os.path.lexists(gate.home.path(path))
        except NightledgerError as error:
            problems.append(str(error))
            continue
        if is_free:
            yield _draft(procedure, path, *found)


def _name(procedure: Procedure) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", procedure.resolution.casefold())
    return plain.strip("-")[:MAX_NAME].rstrip("-")


def _quotes(gate: Gate, ledger: Ledger, procedure: Procedure) -> Iterator[tuple[str, Steps]]:
    """Yield steps and their file, as the oldest success names them: later ones are no other source to suppression."""
    named = list(chain.from_iterable(record.outcome.evidence for record in procedure.wins))[:MAX_LOOKED]
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
    return f"---\nname: {name}\ndescription: {told}\n---\n\n{body}\n"
