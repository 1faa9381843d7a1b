from collections.abc import Sequence
from typing import Any

import pytest
from tests.domain.outcomes import LEARNING, told

from nightledger.domain.lessons import OUTCOMES_PATH, Standing, lesson_drafts
from nightledger.domain.outcome import OutcomeEvidence
from nightledger.domain.pattern import Pattern, PatternKind, Recorded
from nightledger.domain.patterns import find_patterns
from nightledger.domain.proposal import Draft, Op, Origin

RESOLVED = ("10 - restart", "11 - restart", "12 + set_tz", "13 + set_tz")
RELAPSED = (*RESOLVED, "14 - set_tz", "15 - set_tz", "16 - set_tz")


def patterns(*lines: str, **fields: Any) -> Sequence[Pattern]:
    return find_patterns(told(*lines, **fields), LEARNING)


def drafts(found: Sequence[Pattern], *standing: Standing, there: bool = True) -> list[Draft]:
    return lesson_drafts(
        found, target="MEMORY.md", section=("M", "Lessons"), standing=standing, holds=lambda _: there
    )


def standing(key: str, text: str = "- An old lesson.") -> Standing:
    return Standing(key=key, text=text, line=7, section=("M", "Old"), entry="e-old")


def test_a_lesson_becomes_an_addition_that_cites_its_outcomes() -> None:
    (pattern,) = patterns(*RESOLVED, origin=Origin.TOOL)
    (draft,) = drafts([pattern])
    assert (draft.op, draft.target, draft.section, draft.line) == (Op.ADD, "MEMORY.md", ("M", "Lessons"), 0)
    assert (draft.before, draft.entry) == ("", None)
    assert draft.after == f"- {pattern.sentence}"
    assert (draft.confidence, draft.rank) == (pattern.confidence, pattern.rank)
    assert (draft.statement_key, draft.scope) == (pattern.key, pattern.scope)
    assert draft.reason == (
        "resolved failure: 4 outcomes of 4 independent sources, from 2026-02-10 to 2026-02-13"
    )
    assert {e.outcome for e in draft.evidence} == {r.outcome.id for r in pattern.records}
    first, record = draft.evidence[0], pattern.records[0]
    assert (first.path, first.lines, first.sha256) == (
        OUTCOMES_PATH,
        (record.line, record.line),
        record.sha256,
    )
    assert {e.origin for e in draft.evidence} == {Origin.TOOL}


def test_a_newer_pattern_replaces_the_entry_of_the_one_that_it_makes_obsolete() -> None:
    (pattern,) = patterns(*RESOLVED)
    (draft,) = drafts([pattern], standing("another"), standing(pattern.replaces[-1]))
    assert (draft.op, draft.before, draft.line, draft.section, draft.entry) == (
        Op.REPLACE,
        "- An old lesson.",
        7,
        ("M", "Old"),
        "e-old",
    )


def test_that_a_lesson_was_wrong_is_said_only_where_it_stands() -> None:
    (relapse,) = (pattern for pattern in patterns(*RELAPSED) if pattern.kind is PatternKind.RELAPSE)
    assert drafts([relapse]) == []
    assert drafts([relapse], standing("another")) == []
    (draft,) = drafts([relapse], standing(relapse.replaces[0]))
    assert draft.op is Op.REPLACE


@pytest.mark.parametrize(("attested", "flags"), [(0, ["unattested"]), (1, []), (4, [])])
def test_a_lesson_without_any_evidence_of_its_outcomes_is_flagged(attested: int, flags: list[str]) -> None:
    records: list[Recorded] = []
    for n, line in enumerate(RESOLVED):
        proof = OutcomeEvidence(path=f"logs/run-{n}.txt", lines=(1, 1), sha256=f"{n}" * 64)
        records += told(line, evidence=(proof,) if n < attested else ())
    (draft,) = drafts(find_patterns(records, LEARNING))
    assert [flag.rule for flag in draft.flags] == flags


def test_evidence_that_is_not_there_attests_nothing_and_is_said_to_be_missing() -> None:
    records: list[Recorded] = []
    for n, line in enumerate(RESOLVED):
        proof = OutcomeEvidence(path=f"logs/run-{n}.txt", lines=(1, 1), sha256=f"{n}" * 64)
        records += told(line, evidence=(proof,))
    (draft,) = drafts(find_patterns(records, LEARNING), there=False)
    (bare,) = drafts(patterns(*RESOLVED), there=False)
    assert [flag.message for flag in (*draft.flags, *bare.flags)] == [
        "none of the evidence named is there as it says; it is the reporter's word",
        "no outcome behind it points to evidence; it is the reporter's word",
    ]


def test_an_outcome_that_says_the_owner_said_it_is_the_agents_word() -> None:
    (draft,) = drafts(patterns(*RESOLVED, origin=Origin.OWNER))
    assert {e.origin for e in draft.evidence} == {Origin.AGENT}
