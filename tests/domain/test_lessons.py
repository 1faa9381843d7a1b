from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from tests.domain.outcomes import LEARNING, told
from tests.rows import from_corpus

from nightledger.domain.lessons import OUTCOMES_PATH, Pattern, Standing, find_patterns, lesson_drafts
from nightledger.domain.outcome import OutcomeEvidence
from nightledger.domain.patterns import PatternKind
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


@from_corpus("domain-lessons")
def test_a_lesson_of_which_no_evidence_is_there_says_so(
    each: int,
    there: bool,  # noqa: FBT001 - a row
    said: str,
) -> None:
    proofs = tuple(
        OutcomeEvidence(path=f"logs/{n}.txt", lines=(1, 1), sha256=f"{n:064}") for n in range(each)
    )
    records = [
        replace(
            one,
            outcome=replace(
                one.outcome,
                evidence=tuple(replace(p, path=f"{n}{p.path}", sha256=f"{n}{p.sha256[1:]}") for p in proofs),
            ),
        )
        for n, one in enumerate(told(*RESOLVED), 1)
    ]
    (draft,) = drafts(find_patterns(records, LEARNING), there=there)
    assert "".join(flag.message for flag in draft.flags) == said
