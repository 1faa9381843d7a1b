import zlib

from nightledger.demo.dice import Dice
from nightledger.demo.key import _BASE62, _SHAPES, _github, find_key, make_key


def test_every_key_has_the_shape_of_a_real_one() -> None:
    keys = [make_key(Dice(seed, "k")) for seed in range(200)]
    assert all(_SHAPES.fullmatch(key) for key in keys)
    assert len(set(keys)) == len(keys)
    assert {key[:4] for key in keys} == {"AKIA", "ghp_", "xoxb", "sk_l", "AIza"}


def test_a_github_token_ends_in_its_checksum() -> None:
    body, checksum = _github(Dice(4, "k"))[4:34], _github(Dice(4, "k"))[34:]
    value = 0
    for character in checksum:
        value = value * 62 + _BASE62.index(character)
    assert value == zlib.crc32(body.encode())


def test_a_key_is_found_in_its_sentence() -> None:
    key = make_key(Dice(9, "k"))
    assert find_key(f"Set TOKEN={key} on heron") == key
    assert find_key("no key here") is None
