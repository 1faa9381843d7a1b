"""Nothing that is withheld counts in an agent's answer: no word, no day, no tag, no time."""

import pytest
from tests.gate.homes import Desk, addition
from tests.jobs.nights import Nights
from tests.jobs.pruning import CLOSED, answer, remember, tally
from tests.recall.asking import ask, hits, put, told
from tests.recall.test_withheld import LOG, PLANTED, rejected

from nightledger.domain.proposal import Op
from nightledger.domain.search import Hit, Kind, Why

GARDEN = [f"- Garden work number {n} went on for hours in the greenhouse behind the house." for n in range(7)]
ATTIC = "- " + "The attic was swept and dusted by everyone of us until noon. " * 10


def reasons(hit: Hit, *why: Why) -> set[str]:
    return {one.what for one in hit.why if one.why in why}


def before_a_chunk(desk: Desk, line: str) -> None:
    """Put a line at the end of a chunk, where it is indexed with the next one, too."""
    put(desk, LOG, "\n".join(["# 2026-02-28", "", *GARDEN, f"- {line}", ATTIC, ""]))


def test_a_withheld_item_before_a_chunk_is_no_reason_for_it(desk: Desk) -> None:
    rejected(desk)
    before_a_chunk(desk, PLANTED)
    assert len(hits(desk, "cellar")) == 2
    assert ask(desk, "cellar", agent=True).hits == ()
    for hit in hits(desk, "cellar attic garden", agent=True):
        assert "cellar" not in reasons(hit, Why.TERM)


def test_a_withheld_line_lifts_no_other_line_of_its_day(desk: Desk) -> None:
    rejected(desk)
    put(desk, LOG, f"# Day\n\n{ATTIC.replace('attic', 'lofty')}\n\n- {PLANTED}\n")
    put(desk, "memory/2026-02-26.md", f"# Day\n\n{ATTIC}\n\n- Nothing else was done.\n")

    def lifts(*, agent: bool) -> list[float]:
        found = hits(desk, "swept cellar", agent=agent)
        return [one.score for hit in found for one in hit.why if one.why is Why.NEIGHBOUR]

    assert len(set(lifts(agent=False))) == 2
    assert len(set(lifts(agent=True))) == 1


def test_a_principle_is_judged_as_its_entries_are(desk: Desk) -> None:
    from tests.gate.signers import seed

    from nightledger.files.search_index import index_path
    from nightledger.files.search_reader import open_reader

    seed(desk)
    first = hits(desk, "principle honest memory", scope=frozenset({Kind.PRINCIPLE}), agent=True)
    assert first
    words = first[0].chunk.text
    desk.reject(desk.proposal(addition("Nothing else.")))
    rules = desk.ring.directory / "own.toml"
    rules.write_text(f"[[rules]]\nid = 'own'\nregex = '''{words[:12]}'''\n")
    (desk.ring.directory / "operator.yaml").write_text(f"rule_files: ['{rules}']\n")
    assert words not in told(desk, "principle honest memory")
    reader = open_reader(index_path(desk.home))
    lines = reader.lines(sorted(reader.may_be_shown(["principle"])))
    reader.close()
    assert words not in [line.text for line in lines]
    assert lines


def test_what_a_signed_change_moved_is_known_as_such_as_soon_as_the_log_says_so_though_its_file_is_the_same(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    nights = Nights(desk=desk)
    remember(nights, CLOSED)
    answer(nights, tally(nights, Op.ARCHIVE))

    def moved() -> list[bool]:
        return [hit.chunk.moved for hit in hits(desk, CLOSED, agent=True) if CLOSED.strip() in hit.chunk.text]

    with monkeypatch.context() as patch:
        patch.setattr("nightledger.recall.visibility._archived", lambda *_: ())
        assert moved() == [False]
    assert moved() == [True]
    monkeypatch.setattr("nightledger.recall.visibility._archived", lambda *_: ())
    assert moved() == [False]
