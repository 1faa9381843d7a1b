"""Nothing that is withheld counts in an agent's answer: no word, no day, no tag, no time."""

import pytest
from tests.gate.homes import Desk, addition
from tests.recall.asking import ask, hits, put, told
from tests.recall.test_withheld import BESIDE, LOG, PLANTED, log, rejected

from nightledger.domain.search import Hit, Kind, Query, Showing, Why
from nightledger.recall.searching import explain

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
    found = ask(desk, "cellar", agent=True)
    assert found.hits == ()
    assert sum(found.withheld.values()) == 2
    for hit in hits(desk, "cellar attic garden", agent=True):
        assert "cellar" not in reasons(hit, Why.TERM)


def test_an_item_before_a_chunk_that_may_be_said_is_one(desk: Desk) -> None:
    rejected(desk)
    before_a_chunk(desk, "The pantry key is lost.")
    put(desk, "memory/2026-02-27.md", f"- {PLANTED}\n")
    found = hits(desk, "pantry key", agent=True)
    assert [hit.chunk.first_line for hit in found] == [3, 11] or [hit.chunk.first_line for hit in found] == [
        1,
        11,
    ]


def test_a_withheld_line_lifts_no_other_line_of_its_day(desk: Desk) -> None:
    rejected(desk)
    put(desk, LOG, f"# Day\n\n{ATTIC.replace('attic', 'lofty')}\n\n- {PLANTED}\n")
    put(desk, "memory/2026-02-26.md", f"# Day\n\n{ATTIC}\n\n- Nothing else was done.\n")

    def lifts(*, agent: bool) -> list[float]:
        found = hits(desk, "swept cellar", agent=agent)
        return [one.score for hit in found for one in hit.why if one.why is Why.NEIGHBOUR]

    assert len(set(lifts(agent=False))) == 2
    assert len(set(lifts(agent=True))) == 1


@pytest.mark.parametrize("tag", ["cellar", "cellar_key", "key_hangs_behind_the_blue"])
def test_a_tag_that_only_a_withheld_line_says_finds_nothing(desk: Desk, tag: str) -> None:
    rejected(desk)
    log(desk, f"- {PLANTED}")
    assert hits(desk, "marmot exhibition", tags=(tag,))
    assert hits(desk, "marmot exhibition", tags=(tag,), agent=True) == ()


def test_a_tag_that_is_left_still_does_with_its_stop_words_and_in_any_form(desk: Desk) -> None:
    rejected(desk)
    log(desk, f"- {PLANTED}", "- Those are keys to the attics.")
    for tag in ("keys_to_the_attics", "attic", "marmot_exhibition"):
        (hit,) = hits(desk, "marmot exhibition", tags=(tag,), agent=True)
        assert "cellar" not in hit.chunk.text
    assert hits(desk, "marmot exhibition", tags=("key_to_a_loft",), agent=True) == ()


def test_a_withheld_line_tells_no_time(desk: Desk) -> None:
    rejected(desk)
    log(desk)
    put(desk, "memory/2026-01-17.md", f"# 2026-01-17\n\n- {PLANTED}\n")
    put(
        desk,
        "memory/2026-01-20.md",
        "# 2026-01-20\n\n- The key of the cellar hangs high, as it has for years and years, and nobody took it down.\n",
    )
    query = "marmot before the cellar key hangs"
    assert str(ask(desk, query).until) == "2026-01-17"
    assert str(ask(desk, query, agent=True).until) == "2026-01-20"
    asked = Query(text=query, showing=Showing.AGENT)
    assert str(explain(desk.gate, desk.ledger(), asked, desk.moment).until) == "2026-01-20"


def test_an_answer_of_which_nothing_is_withheld_is_the_operators(desk: Desk) -> None:
    rejected(desk)
    log(desk, "", *GARDEN, ATTIC)
    for query in ("garden attic swept", "marmot exhibition house"):
        agent, operator = hits(desk, query, agent=True), hits(desk, query)
        assert [(one.chunk, one.score, one.why) for one in agent] == [
            (one.chunk, one.score, one.why) for one in operator
        ]


def test_what_lies_behind_the_best_is_judged_when_its_turn_comes(desk: Desk) -> None:
    """Logs that say the same are one hit, so that the candidates that were looked at may not be enough."""
    rejected(desk)
    for n in range(1, 29):
        put(desk, f"memory/2026-01-{n:02}.md", "- Marmot, marmot, marmot!\n")
        put(desk, f"memory/2025-12-{n:02}.md", "- Marmot, marmot, marmot!\n")
    put(desk, LOG, f"- {'The marmot sleeps all day long in its burrow. ' * 5}\n- {PLANTED}\n")
    put(
        desk,
        "memory/2026-02-27.md",
        f"- {'It was a long cold night and everybody slept. ' * 6}\n- {PLANTED}\n",
    )
    shown = "\n".join(hit.chunk.text for hit in hits(desk, "marmot", agent=True))
    assert "burrow" in shown
    assert "cellar" not in shown
    assert "cold night" not in shown
    assert "cold night" in "\n".join(hit.chunk.text for hit in hits(desk, "marmot"))


def test_a_principle_is_judged_as_its_entries_are(desk: Desk) -> None:
    from tests.gate.principled import seed

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


def test_what_happened_then_is_told_without_what_is_withheld(desk: Desk) -> None:
    """A query that asks for a time alone has no word that a line could answer."""
    rejected(desk)
    log(desk, f"- {PLANTED}")
    put(desk, "memory/2026-02-27.md", f"- {PLANTED}\n")
    (hit,) = hits(desk, "what happened this week", agent=True)
    assert BESIDE in hit.chunk.text
    assert "cellar" not in hit.chunk.text
    assert any("cellar" in hit.chunk.text for hit in hits(desk, "what happened this week"))
