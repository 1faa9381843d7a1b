from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.consolidation import Statement, StatementKind
from nightledger.domain.proposal import Origin
from nightledger.text.similar import fold
from nightledger.text.statements.additions import THRESHOLD, Choice, Known, choose_additions, required


def statement(text: str, score: float, line: int = 1) -> Statement:
    return Statement(
        path="memory/2026-03-09.md",
        day=date(2026, 3, 9),
        lines=(line, line),
        text=text,
        kind=StatementKind.RULE,
        origin=Origin.AGENT,
        score=score,
        reasons=("it holds always or never",),
        fails_when="",
        section="Rules",
        key=fold(text),
    )


def choose(
    statements: list[Statement], memory: str = "", keys: tuple[str, ...] = (), limit: int = 5
) -> Choice:
    return choose_additions(statements, Known([*memory.split("\n"), *keys]), keys, limit=limit)


TOPICS = (
    "apples in the cellar", "boats on the pond", "candles by the bed", "drums at noon", "engines indoors",
    "flutes at dawn",
)  # fmt: skip


def test_the_best_is_chosen_first_and_each_further_one_must_be_surer() -> None:
    likely = (required(1) + required(2)) / 2
    choice = choose([statement(f"never keep {t}", likely, n) for n, t in enumerate(TOPICS)])
    assert len(choice.chosen) == 2
    assert len(choice.no_room) == 4
    assert required(0) == THRESHOLD < required(1) < required(2) <= required(9) <= 1.0


def test_what_memory_says_is_no_news() -> None:
    memory = "# Memory\n\n- House: we never keep apples in the cellar, ever.\n"
    choice = choose([statement("never keep apples in the cellar", 0.9)], memory)
    assert (choice.chosen, len(choice.known)) == ((), 1)


def test_the_same_wording_with_a_number_that_memory_lacks_is_news() -> None:
    memory = "- never keep more than 3 apples in the cellar\n"
    assert choose([statement("never keep more than 5 apples in the cellar", 0.9)], memory).chosen


def test_an_entry_of_which_a_line_is_known_waits_to_be_made_anew_and_is_known_when_all_are() -> None:
    entry = "Cellar:\n  - never keep apples there\n  - always close the window"
    assert choose([statement(entry, 0.9)], "- never keep apples there\n").no_room
    both = "- never keep apples there\n- always close the window\n"
    assert not choose([statement(entry, 0.9)], both).chosen


def test_what_was_proposed_before_does_not_return() -> None:
    again = statement("never keep apples in the cellar", 0.9)
    assert choose([again], keys=(again.key,)).chosen == ()
    assert choose([again], keys=(fold("so never keep apples in the cellar"),)).chosen == ()


@given(st.lists(st.tuples(st.sampled_from(TOPICS), st.floats(0, 1)), max_size=12), st.integers(0, 5))
def test_every_statement_that_is_sure_enough_ends_in_one_of_three_places(
    pairs: list[tuple[str, float]], limit: int
) -> None:
    statements = [statement(f"never keep {t}", round(s, 4), n) for n, (t, s) in enumerate(pairs)]
    choice = choose(statements, limit=limit)
    placed = [*choice.chosen, *choice.known, *choice.no_room]
    assert sorted(s.lines for s in placed) == sorted(s.lines for s in statements if s.score >= THRESHOLD)
    assert len(choice.chosen) <= limit
    assert choice == choose(statements[::-1], limit=limit)


BESIDE = [
    f"the day was long and the tea was {word} for us" for word in ("hot", "cold", "weak", "sweet", "gone")
]


def test_what_is_said_in_other_words_is_no_news() -> None:
    known = Known(
        ["- Heating: the boiler in the cellar wants descaling every autumn before frost arrives"], BESIDE
    )
    told = "before frost arrives each autumn, have the boiler of the cellar descaling done"
    assert known.holds(told)
    assert not known.holds(told + ", 3 times")
    assert not known.holds("Ann painted the boiler red for the party of her sister")


def test_what_lines_of_memory_say_together_is_no_news_unless_it_brings_a_name_or_a_denial() -> None:
    memory = [
        "- Keys of the boat house lie with the harbour office",
        "- The winch is greased by Bosun each Monday, before the tide",
    ]
    known = Known(memory, BESIDE, memory)
    told = "we agreed with the harbour office that Bosun keeps the winch greased before the tide"
    assert known.spreads(told)
    assert not known.spreads(told.replace("Bosun", "Ada Bosun"))
    assert not known.spreads(f"{told}, 3 times")
    assert not known.spreads(told.replace("keeps", "never keeps"))
    assert not known.spreads("Bosun greased the winch")
    assert not known.spreads(
        told.replace("Bosun", "somebody")
    )  # where nothing is named, words of one trade are common
    choice = choose_additions([statement(told, 0.9)], known, ())
    assert (choice.chosen, len(choice.known)) == ((), 1)
