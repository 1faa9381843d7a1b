from dataclasses import replace

import pytest
from tests.jobs.nights import DAY, LESSON, Nights, log_of

from nightledger.domain.proposal import Op
from nightledger.domain.statement import Statement
from nightledger.jobs.consolidate.prose import ALIGNMENT_SHARE, contradicted, make_reader, rank_of
from nightledger.text.analyst import BlockAnalysis, SelfContext
from nightledger.text.daylog import read_daylog
from nightledger.text.markdown import parse_markdown
from nightledger.text.statements import find_statements

MEMORY = parse_markdown("# M\n\n- Backups of the ledger are kept for 30 days.\n- two\n  lines\n")


class Aligned:
    """An analyst to whom everything is about the agent, to one degree."""

    def __init__(self, score: float) -> None:
        self.score = score

    def process_block(self, block: str, self_context: SelfContext) -> BlockAnalysis:
        assert self_context == SelfContext()
        return BlockAnalysis(alignment_score=self.score, tags=(), summary=block)


@pytest.fixture
def statement() -> Statement:
    return find_statements(read_daylog("memory/2026-03-01.md", log_of(LESSON), DAY)).statements[0]


@pytest.mark.parametrize(("alignment", "rank"), [(0.0, 0.5), (0.5, 0.55), (1.0, 0.5 + 0.5 * ALIGNMENT_SHARE)])
def test_what_is_about_how_the_agent_works_ranks_a_little_higher(
    statement: Statement, alignment: float, rank: float
) -> None:
    reader = make_reader(MEMORY, Aligned(alignment))
    assert rank_of(replace(statement, score=0.5), reader) == pytest.approx(rank, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Backups of the ledger are kept for 90 days.", True),
        ("Backups of the ledger are kept for 30 days.", False),
        ("The relay listens on port 9443.", False),
        ("Backups of the ledger are kept for 90 days.\n  - And more.", False),
    ],
)
def test_only_one_line_that_says_otherwise_contradicts_an_entry(
    statement: Statement, text: str, *, found: bool
) -> None:
    result = contradicted(replace(statement, text=text), make_reader(MEMORY))
    assert (result is not None) is found
    if result is not None:
        entry, flag = result
        assert (entry.first_line, flag.rule) == (3, "contradiction")


def test_a_contradiction_is_offered_as_a_replacement_of_the_entry(nights: Nights) -> None:
    old = "- Lesson learned: `rsync` without `--checksum` misses edits within 1 second; always pass it to backups."
    nights.desk.memory.write_text(f"# M\n\n## Lessons\n\n{old}\n")
    nights.write("2026-03-01.md", log_of(LESSON.replace("one second", "2 seconds")))
    done = nights.night()
    assert done.proposal is not None
    (change,) = done.proposal.changes
    assert (change.op, change.before) == (Op.REPLACE, f"{old}\n")
    assert "contradiction" in [flag.rule for flag in change.flags]
