import re
import zlib

from nightledger.demo.dice import Dice
from nightledger.demo.key import _BASE62, _github, make_key

SHAPES = re.compile(
    r"AKIA[A-Z2-7]{16}|ghp_[0-9A-Za-z]{36}|xoxb-\d{12}-\d{12}-\w{24}|sk_live_\w{24}|AIza[\w-]{35}", re.ASCII
)


def test_every_key_has_the_shape_of_a_real_one() -> None:
    keys = [make_key(Dice(seed, "k")) for seed in range(200)]
    assert all(SHAPES.fullmatch(key) for key in keys)
    assert len(set(keys)) == len(keys)
    assert {key[:4] for key in keys} == {"AKIA", "ghp_", "xoxb", "sk_l", "AIza"}


def test_a_github_token_ends_in_its_checksum() -> None:
    body, checksum = _github(Dice(4, "k"))[4:34], _github(Dice(4, "k"))[34:]
    value = 0
    for character in checksum:
        value = value * 62 + _BASE62.index(character)
    assert value == zlib.crc32(body.encode())
