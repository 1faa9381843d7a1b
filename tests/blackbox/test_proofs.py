"""Proofs that leave a home, and those of any other log, by policies: what a stranger takes, and what nobody takes."""

import json
from itertools import combinations, combinations_with_replacement

import pytest
from tests.blackbox import notes
from tests.blackbox.forge import leaf_hash, root_of
from tests.blackbox.notes import (
    COSIGNER,
    ORIGIN,
    OWNER,
    OWNER_QUANTUM,
    QUANTUM,
    Desk,
    Key,
    b64,
    leaves_of,
    note_of,
    policy_of,
    proof_of,
    text_of,
    typed_key,
    witness,
)
from tests.blackbox.world import Folder
from tests.rows import each_row, tables

ALARM, WRONG_INPUT = 4, {1, 2}
LINES = leaves_of(7)
PROOF = proof_of(LINES, 4, OWNER)
SIZES = (1, 2, 3, 5, 7, 9, 13)


@pytest.fixture(scope="module")
def desk(new_folder: Folder) -> Desk:
    return Desk(new_folder())


# ---------------------------------------------------------------- of a line


def test_each_line_of_a_log_is_proved_at_its_own_place_and_nothing_else_is(desk: Desk) -> None:
    wrong = []
    for size in SIZES:
        lines = leaves_of(size)
        for index, line in [*enumerate(lines)][-5:]:
            proof = proof_of(lines, index, OWNER)
            head, _, signed = proof.partition("\n\n")
            first, place, *path = head.split("\n")
            assert desk.check(proof, line=line).status == 0, (size, index)
            bad = {
                "another line": (proof, lines[index - 1] if size > 1 else b"x"),
                "another place": ("\n".join([first, f"index {(index + 1) % (size + 1)}", *path]), line),
                "a hash more": ("\n".join([first, place, *path, b64(bytes(32))]), line),
                "a head that lies": (proof_of([*lines[:-1], b"other"], index, OWNER), b"other2"),
            }
            if path:
                bad |= {
                    "a hash less": ("\n".join([first, place, *path[:-1]]), line),
                    "another hash": ("\n".join([first, place, *path[:-1], b64(bytes(32))]), line),
                    "another first hash": ("\n".join([first, place, b64(bytes(32)), *path[1:]]), line),
                }
            for what, (changed, of) in bad.items():
                whole = changed if "\n\n" in changed else f"{changed}\n\n{signed}"
                if (ran := desk.check(whole, line=of)).status != ALARM:
                    wrong.append((size, index, what, ran))
    assert not wrong, wrong[:3]


def test_what_a_proof_shows_is_said_whole(desk: Desk) -> None:
    wire = proof_of(LINES, 4, OWNER, witness(1), witness(2, QUANTUM), extra=LINES[4])
    lines = (f"witness a {witness(1).vkey}", f"witness b {witness(2, QUANTUM).vkey}", "group g all a b")
    ran = desk.check(wire, "--json", line=b"", policy=policy_of(*lines, "quorum g"))
    root, noon = root_of([leaf_hash(one) for one in LINES]).hex(), "2026-03-01T12:00:00Z"
    head = {"origin": ORIGIN, "size": 7, "root": root, "cosigned": {"a": noon, "b": noon}}
    assert json.loads(ran.out) == {"entry": 4, "line": "line 4", **head}
    assert desk.check(PROOF, line=b"").status in WRONG_INPUT, "the proof does not hold the line"
    assert desk.check(PROOF, "--line", "line 4", line=b"").status == 0
    assert desk.check(PROOF, line=LINES[4] + b"\n").status == 0


def _with(old: str, new: str, proof: str = PROOF) -> str:
    assert old in proof, old
    return proof.replace(old, new, 1)


HEAD, SIGNED = PROOF.split("\n\n", 1)
FIRST = HEAD.split("\n")[2]
UNSIGNED = text_of(LINES)


def under(text: str, *keys: Key) -> str:
    """Put the proof under a head of another text, or signed by others."""
    return f"{HEAD}\n\n{note_of(text, *(keys or (OWNER,)))}"


def sized(size: str) -> str:
    return under(UNSIGNED.replace("7", size, 1))


FORMS = tables("blackbox-proofs", FIRST=FIRST)
BAD_PROOFS: dict[str, str | bytes] = {
    **{what: _with(*row) for what, row in FORMS["swapped"].items()},
    "a hash without its filling": _with(FIRST, FIRST.rstrip("=")),
    **{what: sized(size) for what, size in FORMS["sizes"].items()},
    "nothing": "",
    "only a checkpoint": SIGNED,
    "CRLF": PROOF.replace("\n", "\r\n"),
    "extra that is too long": _with("index 4", f"extra {b64(bytes(65_536))}\nindex 4"),
    "64 hashes": _with(FIRST, "\n".join([b64(bytes(32))] * 64)),
    "an origin that is empty": under(UNSIGNED.replace(ORIGIN, "", 1)),
    "of another log": under(UNSIGNED.replace(ORIGIN, "log.example/other", 1)),
    "a fourth line": under(UNSIGNED + "extension"),
    "an extension line": under(UNSIGNED + "extension\n"),
    "no root": under(f"{ORIGIN}\n7\n"),
    "a root of 31 bytes": under(f"{ORIGIN}\n7\n{b64(bytes(31))}\n"),
    "a root that is no base64": under(f"{ORIGIN}\n7\n" + "=" * 44 + "\n"),
    "no signature": f"{HEAD}\n\n{UNSIGNED}\n",
    "a signature of other bytes": f"{HEAD}\n\n{UNSIGNED}\n{OWNER.line(text_of(LINES[:6]))}",
    "a good and a bad line": f"{PROOF}{OWNER.line(text_of(LINES[:6]))}",
    "by another key": under(UNSIGNED, Key(name=ORIGIN, number=9)),
    "by the key under another name": under(UNSIGNED, Key(name="other", number=1_000)),
    "a cosignature in the place of its own": under(UNSIGNED, Key(name=ORIGIN, number=1_000, kind=COSIGNER)),
    "no dash": PROOF.replace("— ", "- "),
    "two blanks before the signature": PROOF.replace(f"— {ORIGIN} ", f"— {ORIGIN}  "),
    "no end": PROOF.removesuffix("\n"),
    "a control character": PROOF.replace(f"— {ORIGIN}", f"— {ORIGIN}\t"),
    "no UTF-8": PROOF.encode().replace("— ".encode(), b"\xff "),
    "a line that is none": f"{PROOF}x\n",
    "a line that is an id alone": f"{PROOF}{notes.line(ORIGIN, OWNER.id)}",
    "a name with a plus": f"{PROOF}{notes.line('a+b', bytes(70))}",
    "101 lines": PROOF + notes.line("a", bytes(70)) * 100,
    "a note that is too large": f"{HEAD}\n\n{'x' * 1_000_001}\n\n{OWNER.line('x')}",
}
GOOD_PROOFS = {
    "lines by strangers": PROOF + notes.line("a", bytes(70)) * 99,
    "a bad line by a stranger of its name": PROOF + notes.line(ORIGIN, bytes(70)),
    "its line twice": PROOF + OWNER.line(UNSIGNED),
    "extra that is another line": _with("index 4", f"extra {b64(b'other')}\nindex 4"),
    "extra as long as a line may be": _with("index 4", f"extra {b64(bytes(65_535))}\nindex 4"),
}


def test_what_is_nearly_a_proof_is_an_alarm_and_never_a_bug(desk: Desk) -> None:
    failed = {what: ran for what, raw in BAD_PROOFS.items() if (ran := desk.check(raw)).status != ALARM}
    assert not failed, failed
    failed = {what: ran for what, raw in GOOD_PROOFS.items() if (ran := desk.check(raw)).status}
    assert not failed, failed
    assert desk.check(GOOD_PROOFS["extra that is another line"], line=b"").status == ALARM
    assert desk.check(PROOF + "x" * 1_300_000).status in WRONG_INPUT


VKEY = OWNER.vkey
BAD_VKEYS = (
    "",
    "log",
    f"{ORIGIN}+00000000",
    f"{ORIGIN}+00000000+",
    VKEY[:-2],
    f"{VKEY}=",
    VKEY.replace(OWNER.id.hex(), "00000000"),
    VKEY.replace(OWNER.id.hex(), OWNER.id.hex().upper()),
    VKEY.replace(ORIGIN, "log.example/other"),
    VKEY.replace(ORIGIN, ""),
    f"a b+{VKEY.partition('+')[2]}",
    Key(name="a b", number=3).vkey,
    Key(name="a\u2003b", number=3).vkey,
    Key(name="a\x07b", number=3).vkey,
    Key(name="", number=3).vkey,
)


def test_a_key_of_a_log_is_read_to_the_letter(desk: Desk) -> None:
    proof = desk.file("proof", PROOF)
    words = ("verify", "--proof", proof, "--line", "line 4", "--log")
    sizes = ((1, 31), (1, 33), (6, 1_311), (9, 32))
    bad = (*BAD_VKEYS, *(typed_key(kind, bytes(size)) for kind, size in sizes))
    failed = {vkey: ran for vkey in bad if (ran := desk.run(*words, vkey)).status not in WRONG_INPUT}
    assert not failed, failed
    assert desk.run(*words, OWNER.vkey).status == 0
    assert desk.run(*words, Key(name=ORIGIN, number=3).vkey).status == ALARM
    assert desk.run(*words, Key(name=ORIGIN, number=3).vkey, "--log", OWNER.vkey).status == 0
    assert desk.run(*words, typed_key(1, b"\xff" * 32)).status == ALARM


def test_a_log_that_signs_twice_is_taken_by_either_key_and_badly_by_none(desk: Desk) -> None:
    both = (OWNER, OWNER_QUANTUM)
    text = text_of(LINES)
    bad = bytearray(OWNER_QUANTUM.payload(text))
    bad[-1] ^= 1
    rows = {
        "by both": (proof_of(LINES, 4, *both), both, 0),
        "by the second": (proof_of(LINES, 4, OWNER_QUANTUM), both, 0),
        "by the first": (proof_of(LINES, 4, OWNER), both, 0),
        "only the second is known": (proof_of(LINES, 4, *both), both[1:], 0),
        "the second does not hold": (PROOF + notes.line(ORIGIN, OWNER_QUANTUM.id + bytes(bad)), both, ALARM),
        "the second is short": (PROOF + notes.line(ORIGIN, OWNER_QUANTUM.id + bytes(bad[:-1])), both, ALARM),
        "the second is cut": (PROOF + notes.line(ORIGIN, OWNER_QUANTUM.id + bytes(3)), both, ALARM),
        "by a stranger": (PROOF, (Key(name=ORIGIN, number=8, kind=QUANTUM),), ALARM),
        "no time ends": (proof_of(LINES, 4, OWNER_QUANTUM, at=253_402_300_800), both, ALARM),
    }
    for what, (proof, logs, status) in rows.items():
        ran = desk.check(proof, policy=policy_of("quorum none", logs=logs))
        assert ran.status == status, (what, ran)


# ---------------------------------------------------------------- of a continuation


def rows_of(desk: Desk, size: int, old: int) -> list[tuple[int, str, str, str]]:
    """Give status, old head, new head and proof: the right one first, then all that is wrong with it."""
    lines = leaves_of(size)
    wire = notes.request_of(lines, old, OWNER)
    head, _, signed = wire.partition("\n\n")
    first, *path = head.split("\n")
    new = desk.file("new", note_of(text_of(lines), OWNER))
    kept = desk.file("old", note_of(text_of(lines[:old]), OWNER))
    other = desk.file("other", note_of(text_of(leaves_of(old, "x")), OWNER))
    last = desk.file("last", note_of(text_of([*lines[:-1], b"x"]), OWNER))
    strange = desk.file("strange", note_of(text_of(lines[:old], "log.example/x"), OWNER))
    paths = [[*path, b64(bytes(32))]]
    if path:
        paths += [path[:-1], [b64(bytes(32)), *path[1:]], [*path[:-1], b64(bytes(32))]]
    return [
        (0, kept, new, wire),
        (ALARM, other, new, wire),
        (ALARM, kept, last, wire),
        (ALARM, strange, new, wire),
        (ALARM, kept, new, wire.replace(f"old {old}", f"old {old + 1}")),
        *((ALARM, kept, new, "\n".join([first, *bad]) + f"\n\n{signed}") for bad in paths),
        *([(ALARM, new, kept, wire)] if old < size else []),
    ]


def test_a_head_continues_each_earlier_one_of_its_log_and_no_other(desk: Desk) -> None:
    wrong = []
    for old, size in combinations_with_replacement(range(1, 8), 2):
        for n, (status, one, two, proof) in enumerate(rows_of(desk, size, old)):
            ran = desk.run("verify", "--continues", one, two, "--proof", desk.file("continues", proof))
            if ran.status != status:
                wrong.append((size, old, n, ran))
    assert not wrong, wrong[:3]


def test_a_continuation_is_checked_between_two_heads_and_an_empty_one_proves_nothing(desk: Desk) -> None:
    head = desk.file("head", note_of(text_of(LINES), OWNER))
    empty = desk.file("empty", note_of(text_of([]), OWNER))
    proofs = [desk.file(f"old{n}", notes.request_of(LINES, n, OWNER)) for n in (0, 3, 7)]
    for proof in proofs:
        assert desk.run("verify", "--continues", empty, head, "--proof", proof).status == ALARM
    ran = desk.run("verify", "--continues", head, head, "--proof", proofs[-1], "--json")
    assert json.loads(ran.out) == {"origin": ORIGIN, "old": 7, "new": 7, "ok": True}
    for words in (("7", head), (head, "7"), (head,)):
        assert desk.run("verify", "--continues", *words, "--proof", proofs[-1]).status in WRONG_INPUT


# ---------------------------------------------------------------- policies

W = [witness(number).vkey for number in range(9)]
GOOD_LOG = f"log {OWNER.vkey}"
OTHER, OTHER_WITNESS = Key(name="other", number=1_000), Key(name="other", number=1, kind=COSIGNER)
SAME_KEY = Key(name=ORIGIN, number=1_000, kind=COSIGNER)
KEYS = {
    "W1": W[1],
    "W2": W[2],
    "GOOD_LOG": GOOD_LOG,
    "OWNER": OWNER.vkey,
    "SHORT": typed_key(6, bytes(1_311)),
}
KEYS |= {"SAME_KEY": SAME_KEY.vkey, "OTHER": OTHER.vkey, "OTHER_WITNESS": OTHER_WITNESS.vkey}
TABLES = tables("blackbox-proofs", **KEYS)
BAD_POLICIES = [
    *TABLES["bad_policies"],
    "\n".join(f"log {Key(name=f'log{n}', number=n + 50).vkey}" for n in range(101)),
]


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
