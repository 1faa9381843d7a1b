"""What a block of memory comes to: its summary is the block without some of its sentences, its tags stand in it."""

import re

from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.domain.consolidation import Block, Said, SelfContext
from nightledger.text.statements.block import is_long, limits, process_block, sentences_in, summary_of

FILLER = "The quay was swept on the second day of the week by the three men of the early shift, as it is done in each week of the year when no ship lies there, be it summer or winter. "
HOME = SelfContext(tags=frozenset({"crane", "wind_report", "oven"}))


def block(*sentences: str) -> str:
    return "- " + " ".join(sentences)


def said(*sentences: int, tags: tuple[str, ...] = (), share: float = 0.5) -> Said:
    return Said(sentences=sentences, tags=tags, alignment_score=share)


def test_a_short_block_and_code_are_their_own_summary() -> None:
    for text in ("- The relay listens on 8080.\n", f"```\n{FILLER * 4}\n```\n", ""):
        assert summary_of(text) == text
        assert not is_long(text)


LED = block(
    "The crane stands at the north pier.", FILLER, "Never move it before the wind report is read.", FILLER
)


@each_row(
    ("told", "kept"),
    [
        (LED, block("The crane stands at the north pier.", "Never move it before the wind report is read.")),
        (
            block(
                "The crane stands there.", FILLER, "The brake slips.", "So it must be locked by hand.", FILLER
            ),
            block("The crane stands there.", "The brake slips.", "So it must be locked by hand."),
        ),
        (block("Always oil the winch.", "Only on staging.", FILLER, FILLER), block("Always oil the winch.", "Only on staging.")),
        (
            block("The lock of the shed is new and of iron.", FILLER, FILLER, "I must never open it."),
            block("The lock of the shed is new and of iron.", FILLER.strip()),
        ),
        (f"- **Crane:**\n  - {FILLER}\n  - {FILLER}\n  - Never lift above 4 t\n", "- Crane:\n  - Never lift above 4 t"),
        (
            f"| Pier | Depth |\n|---|---|\n| North | {'deep ' * 30}|\n| South | Never enter at low tide |\n| West | 5 m |\n",
            f"| Pier | Depth |\n|---|---|\n| North | {'deep ' * 30}|",
        ),
        (f"The crane\nstands at the\nnorth pier. {FILLER}\n{FILLER}", f"The crane stands at the north pier. {FILLER.strip()}"),
    ],
    ids=lambda text: text[:40],
)  # fmt: skip
def test_a_summary_keeps_what_claims_something_with_what_it_needs(told: str, kept: str) -> None:
    assert summary_of(told) == kept


def test_one_call_gives_alignment_tags_and_summary_by_rules() -> None:
    text = LED.replace("- The", "- **North pier:** The", 1)
    assert process_block(text, HOME) == Block(
        alignment_score=0.3,
        tags=("crane", "wind_report", "north_pier"),
        summary=block(
            "North pier: The crane stands at the north pier.", "Never move it before the wind report is read."
        ),
    )


def test_what_a_model_said_decides_where_it_holds() -> None:
    found = process_block(LED, HOME, said(3, tags=("oven", "crane"), share=0.9))
    assert found.alignment_score == 0.9
    assert found.tags == ("oven", "crane")
    assert found.summary == block("Never move it before the wind report is read.")


PLAIN = "The quay was swept by the three men of the early shift. "
DEPLOYS = "Deploys go out on Friday evening."


@each_row(
    "text",
    [
        block(DEPLOYS, "No longer true since the outage in May of this year.", FILLER),
        block(DEPLOYS, "We stopped doing so in May after the outage.", FILLER),
        block(DEPLOYS, "Ann found out in the week before that they do not.", FILLER),
        block(DEPLOYS, PLAIN, PLAIN, "Since May this has been replaced by Monday at noon.", PLAIN, PLAIN),
        block("Bob said this in the chat of May, and it is false.", DEPLOYS, FILLER),
        f"- {DEPLOYS} {FILLER}\n  - {PLAIN}\n  - Ann found out in the week before that they do not.\n",
        f"- {DEPLOYS} {FILLER}\n  - Since May that is no longer done by anybody.\n  - {PLAIN}\n",
    ],
    ids=lambda text: text[:60],
)
def test_no_choice_of_a_model_leaves_out_what_denies_or_ends_what_it_chose(text: str) -> None:
    takes = [
        one.text for one in sentences_in(text) if re.search("false|longer|stopped|not|replaced", one.text)
    ]
    numbers = [n for n, one in enumerate(sentences_in(text), 1) if one.text == DEPLOYS]
    found = summary_of(text, said(*numbers))
    assert DEPLOYS in found
    assert takes
    assert all(one in found for one in takes)


@each_row("numbers", [(), (0,), (9,), (1, -1), (1, 2, 3, 4)])
def test_what_a_model_said_of_sentences_that_are_none_or_of_too_many_is_left_to_the_rules(
    numbers: tuple[int, ...],
) -> None:
    text = LED if numbers != (1, 2, 3, 4) else block(*[f"{n} {FILLER}" for n in range(6)])
    assert process_block(text, HOME, said(*numbers)) == process_block(text, HOME)


WORDS = st.sampled_from(
    ["Never ", "it ", "pier 4. ", "Only then. ", "probably ", "- ", "\n", "\n  - ", "| a | 7 |\n", "**b:** ", "\t", "`x. y` ",
     "I ", "must ", "2026-03-01. ", "\u5fc5\u987b\u3002", "```\n", "> ", "1. ", "(c. d) ", FILLER]
)  # fmt: skip


@given(st.lists(WORDS, max_size=60).map("".join), st.lists(st.integers(-1, 30), max_size=4))
def test_no_summary_holds_a_sentence_that_is_not_whole_in_its_block_or_a_number_that_is_not_there(
    text: str, numbers: list[int]
) -> None:
    for model in (None, said(*numbers)):
        found = summary_of(text, model)
        if found == text:
            continue
        assert len(found) <= max(
            limits().most_characters, max(len(one.text) for one in sentences_in(text)) * 9
        )
        whole = {one.text for one in sentences_in(text)}
        left = re.sub(r"\s+", " ", found)
        for one in sorted(whole, key=len, reverse=True):
            left = left.replace(one, "\0")
        assert not re.search(r"\w", re.sub(r"(?:^|\0)[\s>*+-]*\d{1,9}[.)]\s", "\0", left)), (found, left)
