"""What a text is counted for: bounds that published tokenizers set (docs/decisions/0048-prompt-hook.md)."""

from random import Random  # noqa: TID251 - seeded

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.domain import token_costs
from nightledger.domain.tokens import CHARACTERS_A_TOKEN, is_english, pieces_of, quarters_of, tokens_of


@each_row(
    ("text", "tokens"),
    [
        ("", 0),
        (" ", 0),
        ("a", 1),
        ("memory", 2),
        ("the", 1),
        ("The", 1),
        ("2026", 4),
        ("-", 1),
        ("a\nb", 3),
        ("\u4e00", 1),
        ("\u9f98", 3),
        ("\uac00", 1),
        ("\ubdc1", 3),
        ("\U0001f6a2", 4),
        ("\U00020000", 4),
        ("\ud800", 3),
        ("\u0e44\u0e17\u0e22", 6),
    ],
)
def test_what_tokenizers_cut_finer_counts_more(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens


SCRIPTS = (
    (0x0180, 0x0250, 2.1),
    (0x0391, 0x03CA, 1.2),
    (0x0430, 0x0450, 0.9),
    (0x0480, 0x0530, 2.1),
    (0x05D0, 0x05EB, 1.2),
    (0x0621, 0x064B, 1.1),
    (0x0710, 0x07A6, 2.0),
    (0x0905, 0x093A, 1.6),
    (0x0980, 0x0A00, 2.4),
    (0x0A00, 0x0B80, 3.0),
    (0x0B80, 0x0C00, 2.4),
    (0x0C00, 0x0D00, 2.7),
    (0x0D00, 0x0D80, 2.9),
    (0x0D80, 0x0E00, 2.8),
    (0x0E01, 0x0E5C, 1.9),
    (0x0E80, 0x1000, 3.0),
    (0x1000, 0x1100, 2.7),
    (0x1100, 0x1E00, 3.0),
    (0x1E80, 0x1F00, 2.4),
    (0x3041, 0x3097, 1.2),
    (0x3400, 0x4E00, 3.0),
    (0x4E00, 0xA000, 2.4),
    (0xA000, 0xA980, 3.0),
    (0xAC00, 0xD7A4, 2.9),
    (0xF900, 0xFFF0, 2.9),
    (0x10000, 0x1F000, 4.0),
    (0x1F300, 0x1FB00, 3.9),
    (0x20000, 0x30000, 4.0),
)
"""From, to, and tokens a character that random words of these came to in the tokenizer that took most for them."""


@pytest.mark.parametrize(("start", "end", "measured"), SCRIPTS)
@given(seed=st.integers(0, 2**32))
def test_random_text_of_a_script_counts_four_fifths_of_what_tokenizers_take_at_least(
    start: int, end: int, measured: float, seed: int
) -> None:
    points = Random(seed).choices(range(start, end), k=300)  # noqa: S311 - no secret
    assert tokens_of("".join(map(chr, points))) >= 0.8 * measured * len(points)


@given(st.text(max_size=200))
def test_no_text_counts_more_than_its_bytes(text: str) -> None:
    assert tokens_of(text) <= max(len(text.encode("utf-8", "surrogatepass")), 0)


@given(st.lists(st.text(max_size=60).map(lambda text: text.replace("\n", " ")), min_size=1, max_size=5))
def test_lines_count_as_they_do_alone(lines: list[str]) -> None:
    breaks = CHARACTERS_A_TOKEN * (len(lines) - 1)
    assert quarters_of("\n".join(lines)) == sum(map(quarters_of, lines)) + breaks


@pytest.mark.parametrize(
    ("english", "other"),
    [
        ("the greenhouse sensor and its threshold", "lasituvan tunnistin ja sen raja-arvo"),
        ("convert the value before comparing it", "xqzjv wkpbt fghzz qwrtp xcvbn zzkjq"),
        ("restart the relay after each upgrade", "RESTART THE RELAY AFTER EACH UPGRADE"),
        ("backup", "bgqxzp"),
        ("sensor", "SENSOR"),
    ],
)
def test_english_counts_less_a_letter_than_what_is_cut_finer(english: str, other: str) -> None:
    assert quarters_of(english) / len(english) < quarters_of(other) / len(other)


@pytest.mark.parametrize("text", ["x" * 90, "Q" * 90, "9f86d081" * 12, "Qm9vIGlzIGhlcmU" * 6])
def test_long_runs_without_a_blank_count_a_token_for_two_characters_or_so(text: str) -> None:
    assert len(text) / 8 <= tokens_of(text) <= len(text)


def test_a_line_is_english_by_its_common_words() -> None:
    assert is_english("convert the value before comparing")
    assert is_english("the value of what was read")
    assert not is_english("convert value threshold compare the")
    assert not is_english("")
    assert not is_english("\u5347\u7ea7")
    line = "greenhouse thermostats fluctuating"
    assert quarters_of(f"the {line} of it") < quarters_of(line) + 3 * CHARACTERS_A_TOKEN


def test_a_letter_after_one_with_a_mark_is_a_piece_of_its_word() -> None:
    assert list(pieces_of("\u00e9s"))[1] == ("s", 0, [27 * 26 + 18])
    assert list(pieces_of("\u00e9 s"))[1] == ("s", CHARACTERS_A_TOKEN, [18])
    assert quarters_of("\u00fcthe") > quarters_of("\u00fc")


def test_each_table_has_a_cell_for_each_character() -> None:
    points = sum(end - start for start, end in token_costs.BY_POINT)
    assert len(token_costs.COSTS) == 28 * 26 + points
    assert set(token_costs.COSTS) <= set("0123456789:;<")
    assert not set(token_costs.WHOLE) & set(token_costs.IN_TWO)
