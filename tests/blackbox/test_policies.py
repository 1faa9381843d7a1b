"""Policies: which are understood, and whose cosignatures make a quorum. From outside, by proofs."""

import json
from itertools import combinations

import pytest
from tests.blackbox import notes
from tests.blackbox.notes import (
    COSIGNER,
    ORIGIN,
    OWNER,
    Desk,
    Key,
    leaves_of,
    policy_of,
    proof_of,
    text_of,
    typed_key,
    witness,
)
from tests.blackbox.world import Folder
from tests.rows import each_row

ALARM, WRONG_INPUT = 4, {1, 2}
LINES = leaves_of(7)
PROOF = proof_of(LINES, 4, OWNER)
SIZES = (1, 2, 3, 5, 8)
UNSIGNED = text_of(LINES)


@pytest.fixture(scope="module")
def desk(new_folder: Folder) -> Desk:
    return Desk(new_folder())


# ---------------------------------------------------------------- policies

W = [witness(number).vkey for number in range(9)]
GOOD_LOG = f"log {OWNER.vkey}"
BAD_POLICIES = (
    "logs x",
    "log",
    f"{GOOD_LOG} a b",
    f"{GOOD_LOG}\u00a0x",
    "log nonsense",
    f"log {W[1]}",
    f"log {typed_key(6, bytes(1_311))}",
    f"{GOOD_LOG}\n{GOOD_LOG}",
    f"{GOOD_LOG}\nlog {Key(name='other', number=1_000).vkey}",
    "witness w",
    f"witness w {W[1]} a b",
    f"witness w {OWNER.vkey}",
    f"witness v {W[1]}\nwitness w {W[1]}",
    f"witness v {W[1]}\nwitness w {Key(name='other', number=1, kind=COSIGNER).vkey}",
    f"witness w {W[1]}\nwitness w {W[2]}",
    f"witness none {W[1]}",
    f"witness w {Key(name=ORIGIN, number=1_000, kind=COSIGNER).vkey}\n{GOOD_LOG}",
    f"{GOOD_LOG}\nwitness w {Key(name=ORIGIN, number=1_000, kind=COSIGNER).vkey}",
    "group g all",
    "group g all w",
    "group g all none",
    f"witness w {W[1]}\ngroup g 2 w",
    f"witness w {W[1]}\ngroup g 0 w",
    f"witness w {W[1]}\ngroup g 01 w",
    f"witness w {W[1]}\ngroup g most w",
    f"witness w {W[1]}\ngroup g all w w",
    f"witness w {W[1]}\ngroup g all w\ngroup h all w",
    f"witness w {W[1]}\ngroup w all w",
    f"witness w {W[1]}\ngroup none all w",
    "quorum",
    "quorum a b",
    "quorum w",
    "quorum none\nquorum none",
    "quorum none\r",
    "quorum none \x7f",
    "quorum none\x00",
    "quorum\u2003none",
    "\n".join(f"log {Key(name=f'log{n}', number=n + 50).vkey}" for n in range(101)),
)


def test_a_policy_that_is_not_understood_is_refused_with_each_line_that_is_wrong(desk: Desk) -> None:
    failed = {}
    for text in BAD_POLICIES:
        ran = desk.check(PROOF, policy=f"# first\n{text}\n")
        number = 1 + len(text.split("\n"))
        if ran.status not in {1, 2, ALARM} or f"line {number}: " not in ran.err or ran.status == 70:
            failed[text] = ran
    assert not failed, failed
    several = desk.check(PROOF, policy="log a\nwitness b\nquorum c\n").err
    assert [word in several for word in ("line 1: ", "line 2: ", "line 3: ")] == [True] * 3
    for nothing in ("", f"{GOOD_LOG}\n", "# quorum none\n"):
        assert "quorum" in desk.check(PROOF, policy=nothing).err
        assert desk.check(PROOF, policy=nothing).status
    assert desk.check(PROOF, policy=f"{GOOD_LOG}\nquorum none\n" + "#" * (1 << 20)).status, "too large"


def test_a_policy_may_have_comments_addresses_blanks_and_names_of_any_bytes(desk: Desk) -> None:
    text = (
        f"\n # a comment\n \tlog\t{OWNER.vkey}  https://log.example/\n"
        f"witness \udcff\udcfe {W[1]} https://witness.example/x\ngroup é any \udcff\udcfe\n\nquorum é"
    )
    ran = desk.check(proof_of(LINES, 4, OWNER, witness(1)), policy=text)
    assert ran.status == 0, ran
    assert desk.check(PROOF, policy=text).status == ALARM
    many = [f"log {OWNER.vkey}", *(f"log {Key(name=f'log{n}', number=n + 50).vkey}" for n in range(99))]
    assert desk.check(PROOF, policy="\n".join([*many, "quorum none"])).status == 0


QUORUM = (
    *(f"witness X{n} {W[n]}" for n in (1, 2, 3)),
    "group X 2 X1 X2 X3",
    *(f"witness Y{n} {W[n + 3]}" for n in (1, 2, 3)),
    "group Y any Y1 Y2 Y3",
    "group both all X Y",
    "quorum both",
)


def test_a_quorum_is_met_by_two_of_one_group_and_one_of_the_other(desk: Desk) -> None:
    wrong = []
    for count in range(5):
        for some in combinations(range(1, 7), count):
            proof = proof_of(LINES, 4, OWNER, *map(witness, some))
            met = sum(n <= 3 for n in some) >= 2 and sum(n > 3 for n in some) >= 1
            if desk.check(proof, policy=policy_of(*QUORUM)).status != (0 if met else ALARM):
                wrong.append(some)
    assert not wrong
    alone = policy_of(f"witness one {W[1]}", f"witness two {W[2]}", "quorum one")
    assert desk.check(proof_of(LINES, 4, OWNER, witness(1)), policy=alone).status == 0
    assert desk.check(proof_of(LINES, 4, OWNER, witness(2)), policy=alone).status == ALARM
    assert desk.check(PROOF, policy=alone).status == ALARM


@each_row(
    ("what", "raw"),
    [
        ("of another head", witness(1).id + witness(1).payload(text_of(LINES[:6]))),
        ("of another time", witness(1).id + bytes(8) + witness(1).payload(UNSIGNED)[8:]),
        ("cut", witness(1).id + witness(1).payload(UNSIGNED)[:-1]),
        ("longer", witness(1).id + witness(1).payload(UNSIGNED) + b"\0"),
        ("a time alone", witness(1).id + bytes(8)),
        ("less than a time", witness(1).id + bytes(3)),
        ("after the year 9999", witness(1).id + witness(1).payload(UNSIGNED, 253_402_300_800)),
        ("a log's signature", witness(1).id + OWNER.payload(UNSIGNED)),
    ],
)
def test_a_witness_line_that_does_not_hold_fails_the_proof(what: str, raw: bytes, desk: Desk) -> None:
    proof = proof_of(LINES, 4, OWNER, witness(2)) + notes.line(witness(1).name, raw)
    rules = policy_of(f"witness a {W[1]}", f"witness b {W[2]}", "quorum b")
    assert desk.check(proof, policy=rules).status == ALARM, what
    unknown = policy_of(f"witness b {W[2]}", "quorum b")
    assert desk.check(proof, policy=unknown).status == 0, what


def test_the_last_second_of_the_year_9999_is_a_time(desk: Desk) -> None:
    rules = policy_of(f"witness a {W[1]}", "quorum a")
    ran = desk.check(proof_of(LINES, 4, OWNER, witness(1), at=253_402_300_799), "--json", policy=rules)
    assert json.loads(ran.out)["cosigned"] == {"a": "9999-12-31T23:59:59Z"}
