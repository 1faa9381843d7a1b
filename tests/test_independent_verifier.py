"""Two verifiers that share no code, over the same homes: whole ones, tampered ones, random ones."""

import ast
import contextlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.gate.homes import START, Desk, addition, make_desk, open_desk
from tests.second_verifier import SCRIPT, program, second_look
from tests.trust.test_merkle import REFERENCE_LEAVES, REFERENCE_ROOTS

from nightledger.demo.shell import Ran, Shell
from nightledger.domain.decision import Moment
from nightledger.trust.event import is_entry

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


@pytest.fixture(scope="session", name="program")
def _program() -> ModuleType:
    return program()


@pytest.fixture(scope="session")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with much in it: applies, an undo, an edit, a rejection, drift kept, a signer come and gone, nights."""
    root = tmp_path_factory.mktemp("lived")
    desk = make_desk(root)
    (root / "home" / "memory" / "2026-02-28.md").write_text("# 2026-02-28\n\n- 08:10 Moved the relay\n")
    shell = shell_of(desk)
    first = desk.applied(addition("Check the fuse first."))
    desk.undo(first)
    desk.applied(addition("Name the cable."))
    desk.edit(desk.text().replace("30 days", "40 days").encode())
    desk.reject(desk.proposal(addition("Never mind.")))
    key = root / "second"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    assert shell.run("key", "add", f"{key}.pub", "--principal", "deputy", now=desk.moment.at).status == 0
    desk.memory.write_text(desk.text() + "\n- Written behind the gate.\n")
    assert shell.run("guard", now=desk.moment.at).status == 0
    assert shell.run("review", now=desk.moment.at, typed=["y", "y"]).status == 0
    assert shell.run("key", "revoke", f"{key}.pub", now=desk.moment.at).status == 0
    assert shell.run("key", "confirm", now=desk.moment.at).status == 0
    desk.proposal(addition("Ask before orders."))
    for _ in range(2):
        desk.wait(days=1)
        assert shell.run("night", now=desk.moment.at).status == 0
    return root


def shell_of(desk: Desk) -> Shell:
    return Shell(home=desk.memory.parent, keys=desk.ring.directory)


@pytest.fixture
def desk(lived: Path, tmp_path: Path) -> Desk:
    shutil.copytree(lived, tmp_path, dirs_exist_ok=True)
    found = open_desk(tmp_path)
    found.moment = later_than_all(found)
    return found


def later_than_all(desk: Desk) -> Moment:
    newest = desk.ledger().log.newest
    assert newest is not None
    return replace(START, at=newest.at)


def ours(desk: Desk, *words: str) -> Ran:
    return shell_of(desk).run("verify", *words, now=desk.moment.at)


def theirs(desk: Desk, *words: str, keys: Path | None = None) -> tuple[int, str]:
    return second_look(desk.home.root, keys or desk.ring.directory, *words)


def classes(text: str) -> set[str]:
    return set(re.findall(r"^([A-Z]{4,}(?:-[A-Z]+)?) ", text, re.MULTILINE))


def test_it_is_short_and_imports_nothing_of_ours() -> None:
    source = SCRIPT.read_text(encoding="utf-8")
    assert source.count("\n") <= 415
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name) or ""
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    assert {name.split(".")[0] for name in imported} <= set(sys.stdlib_module_names)


def test_both_say_that_a_lived_in_home_holds(desk: Desk) -> None:
    assert ours(desk).status == 0
    status, said = theirs(desk)
    assert (status, classes(said)) == (0, set())
    (counted,) = re.findall(r"^checked: (.*)$", said, re.MULTILINE)
    counts = {what: int(number) for number, what in re.findall(r"(\d+) ([a-z ]+)", counted)}
    book = desk.ledger().book
    assert counts["signed decisions"] == len(book.decisions) == 9
    assert counts["proposals"] == len(book.proposals)
    assert counts["applies"] == len(book.applies) == 5
    assert counts["entries"] == desk.ledger().log.size
    assert said.count("not checked: ") == 5
    assert said.endswith("All of that holds.\n")


def test_without_a_pin_it_says_what_it_cannot_know(desk: Desk, tmp_path: Path) -> None:
    status, said = theirs(desk, keys=tmp_path / "none")
    assert (status, "not checked: that a machine pinned this very log" in said) == (0, True)
    log = Path(desk.home.audit_log)
    log.write_bytes(log.read_bytes().replace(b"2026-03-01", b"2026-03-02", 1))
    assert theirs(desk, keys=tmp_path / "none")[0] == 4


# ------------------------------------------------------------------ its parts, against ours and the standards


# RFC 8032 section 7.1, tests 1 to 3.
RFC_8032 = """
d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a -
e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c 72
92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025 af82
6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a
"""
"""Key, message, signature."""


@pytest.mark.parametrize("test", range(3))
def test_ed25519_is_that_of_the_rfc(program: ModuleType, test: int) -> None:
    key, text, made = (bytes.fromhex(word.strip("-")) for word in RFC_8032.split()[3 * test : 3 * test + 3])
    assert program.ed25519_holds(key, made, text)
    assert not program.ed25519_holds(key, made, text + b"x")
    assert not program.ed25519_holds(key, made[:-1], text)
    order = 2**252 + 27742317777372353535851937790883648493
    raised = int.from_bytes(made[32:], "little") + order  # malleable: the same scalar, written otherwise
    assert not program.ed25519_holds(key, made[:32] + raised.to_bytes(32, "little"), text)


@settings(max_examples=25)
@given(seed=st.binary(min_size=32, max_size=32), message=st.binary(max_size=80), bit=st.integers(0, 511))
def test_ed25519_agrees_with_the_library(program: ModuleType, seed: bytes, message: bytes, bit: int) -> None:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public, signature = private.public_key().public_bytes_raw(), private.sign(message)
    assert program.ed25519_holds(public, signature, message)
    flipped = bytearray(signature)
    flipped[bit // 8] ^= 1 << bit % 8
    # What is no point of the curve is told so; the caller takes it as a signature that does not hold.
    with contextlib.suppress(ValueError):
        assert not program.ed25519_holds(public, bytes(flipped), message)


def test_roots_are_those_of_the_reference_tree(program: ModuleType) -> None:
    found = program.roots_at(REFERENCE_LEAVES, range(9))
    assert [found[size] for size in range(9)] == REFERENCE_ROOTS


@given(
    line=st.one_of(
        st.binary(max_size=60),
        st.sampled_from(
            [b"null", b"1.5", b"1e3", b"NaN", b"true", b'"a"', b'"\\u0061"', b"[1]", b"9", b"-0"]
        ).map(
            lambda value: (
                b'{"actor":"cron","at":"2026-03-01T06:00:00Z","event":"a.b","n":%s,"seq":3,"v":1}' % value
            )
        ),
    )
)
def test_what_is_an_entry_is_one_to_both(program: ModuleType, line: bytes) -> None:
    if b"\n" in line:
        return
    assert (program.read_entry(line, 3) is not None) == is_entry(line, 3)


NO_TIMES = [
    "2026-02-30T06:00:00Z", "2026-13-01T06:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T24:05:00Z", "2026-03-01T06:60:00Z",
    "2026-03-01T06:00:60Z", "2026-03-01T06:00:00 ", "2026-W09-1T06:00:00Z", "2026-03-01T06000000Z", "\u0662026-03-01T06:00:00Z",
]  # fmt: skip


@pytest.mark.parametrize("at", ["2026-03-01T06:00:00Z", *NO_TIMES])
def test_a_time_that_does_not_exist_is_none_to_both_with_every_python(program: ModuleType, at: str) -> None:
    line = json.dumps(
        {"actor": "cron", "at": at, "event": "a.b", "seq": 3, "v": 1},
        separators=(",", ":"),
        ensure_ascii=False,
    ).encode()
    exists = at not in NO_TIMES
    assert (is_entry(line, 3), program.read_entry(line, 3) is not None) == (exists, exists)
