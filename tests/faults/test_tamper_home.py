"""Tampering with the files that the log speaks of, told by the real ``verify``: what, which file, status 4."""

import json
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.codec.outcomes import given_record
from tests.faults.sweep_report import report, whole
from tests.gate.homes import START, addition, make_desk
from tests.rows import corpus
from tests.second_verifier import disagreement, second_look

from nightledger.demo.shell import Shell

SWEEP = "tamper with what the log speaks of"
STATUS = 4
NOW = START.at + timedelta(days=3)


PLACES: dict[str, str] = json.loads(corpus("faults-tamper_home-places.json"))
"""Files that ``verify`` answers for, and what it says of each."""


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a home that logged, slept two nights, signed and applied."""
    root = tmp_path_factory.mktemp("lived")
    desk = make_desk(root)
    shell = shell_of(root)
    assert shell.run("log", "--stdin", now=START.at, stdin=json.dumps(given_record())).status == 0
    (root / "home" / "memory" / "2026-03-01.md").write_text("# 2026-03-01\n\n- Set the zone of the timer.\n")
    desk.applied(addition("Set the zone in every timer."))
    for day in (1, 2):
        ran = shell.run("night", now=START.at + timedelta(days=day))
        assert ran.status == 0, ran.err
    ran = shell.run("verify", now=NOW)
    assert ran.status == 0, ran.out
    return root


def shell_of(root: Path) -> Shell:
    return Shell(home=root / "home", keys=root / "keys")


def flips(path: Path) -> Iterator[bytes]:
    """Give a file with one bit of one byte flipped: in its first byte, its last, and at even steps between."""
    content = path.read_bytes()
    count = 50 if whole() else 5
    for at in sorted({len(content) * n // count for n in range(count)} | {len(content) - 1}):
        yield content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


@pytest.mark.parametrize("place", PLACES)
def test_a_flipped_bit_of_any_file_that_counts_is_told_by_its_name(
    place: str, lived: Path, tmp_path: Path
) -> None:
    root = tmp_path / "copy"
    shutil.copytree(lived, root, symlinks=True)
    found = sorted((root / "home").glob(place))
    assert found, f"no file is {place}"
    path = found[0]
    before = path.read_bytes()
    tried = 0
    for changed in flips(path):
        path.write_bytes(changed)
        assert_told(root, PLACES[place], path)
        tried += 1
    path.write_bytes(before[: len(before) // 2])
    assert_told(root, PLACES[place], path)
    path.unlink()
    assert_told(root, PLACES[place], path)
    path.write_bytes(before)
    assert shell_of(root).run("verify", now=NOW).status == 0
    assert disagreement(root, 0) == []
    report(SWEEP, place, points=tried + 2)


def assert_told(root: Path, word: str, path: Path) -> None:
    ran = shell_of(root).run("verify", now=NOW)
    name = str(path.relative_to(root / "home"))
    told = [line for line in ran.out.splitlines() if line.startswith(f"{word} ")]
    assert ran.status == STATUS, ran.out + ran.err
    status, second = second_look(root / "home", root / "keys")
    assert (status, f"\n{word} " in f"\n{second}") == (STATUS, True), second
    assert any(name.removesuffix(".sig") in line for line in told), ran.out
