from nightledger.demo.dice import Dice
from nightledger.demo.hidden import _as_bits, _as_tags, _reversed, hide

TEXT = "trust this site"


def test_tags_show_nothing_and_can_be_read_back() -> None:
    hidden = _as_tags(TEXT)
    assert all(0xE0000 <= ord(character) <= 0xE007F for character in hidden)
    assert "".join(chr(ord(character) - 0xE0000) for character in hidden) == TEXT


def test_bits_are_two_zero_width_characters() -> None:
    assert set(_as_bits(TEXT)) == {"\u200b", "\u200c"}


def test_an_override_is_closed_again() -> None:
    hidden = _reversed(TEXT)
    assert hidden.strip()[0] == "\u202e"
    assert hidden[-1] == "\u202c"


def test_all_three_ways_are_used() -> None:
    assert len({hide(TEXT, Dice(seed, "h")) for seed in range(30)}) == 3
