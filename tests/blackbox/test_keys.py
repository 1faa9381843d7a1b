"""Keys, and the files that say which of them count: each odd form is refused, and nothing is lost on the way."""

import base64
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import append, line_of, put_blob
from tests.blackbox.ssh import DECISIONS, ECDSA, ED25519, HARDWARE, operator_of, soft, string
from tests.blackbox.test_crashes import die_at
from tests.blackbox.test_signatures import altered, decided
from tests.blackbox.world import LOG, Folder, World, yes
from tests.rows import tables

ALARM, REFUSED = 4, {1, 2}
ALLOWED = "config/nightledger/allowed_signers"
ANN = soft(number=7)
KEY = ANN.line


@pytest.fixture(scope="module")
def changed(adopted: World, new_folder: Folder) -> World:
    """Give a home whose trust files were changed once."""
    world = adopted.copy(new_folder())
    assert world.run("key", "add", soft(number=9).line, "--principal", "ben", typed=yes).status == 0
    return world


def signed_in(world: World, like: dict[str, Any], **files: str) -> None:
    """Have the operator's own key sign trust files of any form, as the gate would not."""
    target = like["targets"][0]
    targets, named = [], []
    for name, text in files.items():
        sha256 = put_blob(world, text.encode("utf-8", "surrogateescape"))
        path = f"config/nightledger/{name}"
        base = hashlib.sha256((world.home / path).read_bytes()).hexdigest()
        targets.append({**target, "path": path, "base": base, "result": sha256, "hunks_sha256": sha256})
        named.append({"name": name, "sha256": sha256})
        (world.home / path).write_bytes(text.encode("utf-8", "surrogateescape"))
    key = operator_of(world)
    (made,) = decided(world, like, [partial(key.sign)], targets=targets)
    for end in ("json", "json.sig"):
        put_blob(world, (world.home / f"audit/decisions/{made}.{end}").read_bytes())
    append(world, {"event": "trust.changed", "decision": made, "files": named})


def likes(changed: World, root: Path) -> tuple[World, dict[str, Any], dict[str, Any]]:
    """Give a copy in which something waits, and what decisions about keys and about that look like."""
    world = changed.copy(root / "world")
    name = world.propose("Count the ladders.")
    twin = world.copy(root / "twin")
    assert twin.approve(name).status == 0
    made = [json.loads(path.read_text()) for path in (twin.home / "audit/decisions").glob("*.json")]
    trust, approve = sorted(made, key=lambda one: bool(one["proposal"]))
    return world, trust, approve


RSA = f"ssh-rsa {base64.b64encode(string(b'ssh-rsa') + string(b'x')).decode()}"
TABLES = tables("blackbox-keys", KEY=KEY, RSA=RSA, ZOE=soft(ECDSA).line, KIM=soft(HARDWARE[0]).line)
BAD_LINES = TABLES["bad_lines"]
GOOD_LINES: dict[str, list[list[str | None]]] = TABLES["good_lines"]


def test_who_may_sign_is_read_to_the_letter_odd_lines_let_nobody(changed: World, tmp_path: Path) -> None:
    world = changed.copy(tmp_path)
    (like,) = (json.loads(path.read_text()) for path in (world.home / "audit/decisions").glob("*.json"))
    own = world.read(ALLOWED)
    paths = (world.home / LOG, world.home / "audit/checkpoint", world.home / ALLOWED)
    before = {path: path.read_bytes() for path in paths}
    wrong: dict[str, object] = {}
    for line in BAD_LINES:
        signed_in(world, like, allowed_signers=f"{own}{line}\n")
        ran = world.run("key", "list")
        if (ran.status, "line 3: " in ran.err) != (1, True):
            wrong[line] = ran
        for path, content in before.items():
            path.write_bytes(content)
    for text, signers in GOOD_LINES.items():
        signed_in(world, like, allowed_signers=f"{own}{text}\n")
        listed = world.json("key", "list")["signers"][2:]
        told = [[one["principal"], one["valid_after"], one["valid_before"]] for one in listed]
        if told != signers or world.run("verify").status:
            wrong[text] = told
        for path, content in before.items():
            path.write_bytes(content)
    assert not wrong, wrong


@pytest.mark.parametrize(("options", "status"), TABLES["kept_to"])
def test_a_key_signs_for_what_and_as_long_as_its_line_says(
    options: str, status: int, changed: World, tmp_path: Path
) -> None:
    world, trust, approve = likes(changed, tmp_path)
    signed_in(world, trust, allowed_signers=f"{world.read(ALLOWED)}ann {options}{KEY}\n")
    (made,) = decided(world, approve, [ANN.sign], principal="ann")
    assert altered(world) == ({made} if status else set())
    world.try_apply()
    assert ("Count the ladders." in world.read()) is (status == 0)
    assert world.second_look()[0] == status


def test_a_revoked_key_signs_nothing_whatever_its_lines_say(changed: World, tmp_path: Path) -> None:
    world, trust, approve = likes(changed, tmp_path)
    revoked = f"# gone\n\n{RSA}\n{KEY} ann's\n"
    signed_in(world, trust, allowed_signers=f"{world.read(ALLOWED)}ann {KEY}\n", revoked_keys=revoked)
    (made,) = decided(world, approve, [ANN.sign], principal="ann")
    assert altered(world) == {made}
    assert [one["revoked"] for one in world.json("key", "list")["signers"]] == [False, False, True]
    world.try_apply()
    assert "Count the ladders." not in world.read()
    for odd in (f"{KEY}x", "x", KEY.replace("ssh-ed25519", ECDSA), "ann " + KEY):
        other = changed.copy(tmp_path / f"odd{len(odd)}")
        signed_in(other, trust, revoked_keys=f"{odd}\n")
        ran = other.run("key", "list")
        assert (ran.status, "line 1: " in ran.err) == (1, True), (odd, ran)


BAD_KEYS = (
    "ssh-ed25519 AAAA x",
    RSA,
    f"{ED25519} {base64.b64encode(string(ED25519.encode()) + string(bytes(31))).decode()}",
    f"{ED25519} {base64.b64encode(string(ED25519.encode()) + string(bytes(32)) + b'x').decode()}",
    f"{ED25519} {base64.b64encode(string(ED25519.encode())).decode()}",
    f"{ED25519} {base64.b64encode(string(b'x' * 9)[:8]).decode()}",
    f"{ED25519} {base64.b64encode(string(bytes([255]))).decode()}",
    f"{ECDSA} {KEY.split()[1]}",
    f"{ECDSA} {base64.b64encode(soft(ECDSA).blob.replace(b'nistp256', b'nistp384', 2)).decode()}",
    f"{ECDSA} {base64.b64encode(string(ECDSA.encode()) + string(b'nistp384') + string(bytes(65))).decode()}",
    f"{KEY.split()[0]} {KEY.split()[1].rstrip('=')}=",
    "/nowhere/key.pub",
    "",
)  # fmt: skip


def test_a_key_comes_once_by_its_whole_line_and_goes_by_fingerprint(world: World) -> None:
    before = (world.home / LOG).read_bytes()
    for key in BAD_KEYS:
        ran = world.run("key", "add", key, "--principal", "ann", typed=yes)
        assert ran.status in {*REFUSED, 64}, (key, ran)
    for words in (("add", KEY), ("add", KEY, "--principal", "a b"), ("revoke", "SHA256:"), ("revoke", "x")):
        assert world.run("key", *words, typed=yes).status in REFUSED, words
    assert (world.home / LOG).read_bytes() == before
    world.ok("key", "add", f"  {KEY}  ann of the desk ", "--principal", "ann", typed=yes)
    own = world.read(ALLOWED)
    assert own.endswith(f'\nann namespaces="{DECISIONS}" {KEY} ann of the desk\n')
    assert world.run("key", "add", KEY, "--principal", "zoe", typed=yes).status in REFUSED
    world.ok("key", "recovery", soft(ECDSA).line, typed=yes)
    assert world.run("key", "add", soft(ECDSA).line, "--principal", "zoe", typed=yes).status in REFUSED
    (world.home / ALLOWED).write_text(f"# mine\n{world.read(ALLOWED)}")
    assert world.run("verify").status == ALARM
    world.ok("key", "restore", typed=yes)
    shown = ANN.fingerprint.removeprefix("SHA256:")
    world.ok("key", "revoke", shown[:9], "--reason", "lost", typed=yes)
    lines = world.read(ALLOWED)
    assert "ann" not in lines
    assert lines == own.replace(f'ann namespaces="{DECISIONS}" {KEY} ann of the desk\n', "") + (
        f'recovery namespaces="nightledger-recovery@v1" {soft(ECDSA).line}\n'
    )
    assert world.read("config/nightledger/revoked_keys").splitlines()[-1] == f"{KEY} ann of the desk"
    assert world.run("key", "add", KEY, "--principal", "ann", typed=yes).status in REFUSED
    listed = {one["principal"]: (one["revoked"], one["for"]) for one in world.json("key", "list")["signers"]}
    assert listed == {"operator": (False, ["decisions"]), "recovery": (False, ["recovery"])}
    world.ok("verify")
    assert world.second_look()[0] == 0


def test_a_key_file_that_is_unsafe_or_damaged_signs_nothing_and_stays(
    adopted: World, world: World, tmp_path: Path
) -> None:
    name = world.propose("Count the ladders.")
    operator, log_key = world.own_keys / "operator", world.own_keys / "log-ed25519"
    quantum = world.own_keys / "log-mldsa44"
    strange = adopted.copy(tmp_path / "strange").own_keys
    raw = operator.read_bytes()
    body = raw.split(b"\n")
    rows: list[tuple[Path, bytes, tuple[str, ...]]] = [
        (operator, b"", ("approve", name)),
        (operator, b"x", ("approve", name)),
        (operator, b"\n".join([*body[:2], body[2][:-4] + b"AAAA", *body[3:]]), ("approve", name)),
        (operator, b"\n".join([body[0], *body[2:]]), ("approve", name)),
        (operator, raw.replace(b"OPENSSH", b"OPENSSL"), ("approve", name)),
        (operator, log_key.read_bytes(), ("approve", name)),
        *((path, content, ("propose", "--text", "Oil it.", "--section", "Lessons", "--reason", "x"))
          for path, content in ((log_key, b"x"), (log_key, quantum.read_bytes()), (log_key, b""), (quantum, b"x"), (quantum, log_key.read_bytes()))),
    ]  # fmt: skip
    wrong: list[object] = []
    for n, (path, content, words) in enumerate(rows):
        before, lines = path.read_bytes(), len(world.events())
        path.write_bytes(content)
        ran = world.run(*words)
        named = world.kinds(lines)
        if not 0 < ran.status < 5 or "decision.recorded" in named or path.read_bytes() != content:
            wrong.append((n, ran, named))
        path.write_bytes(before)
    wish = ("propose", "--section", "Lessons", "--reason", "x", "--text")
    for path in (operator, log_key):
        for mode in (0o640, 0o604, 0o644):
            path.chmod(mode)
            said = ("approve", name) if path == operator else (*wish, f"Oil it {mode}.")
            if not 0 < (ran := world.run(*said)).status < 5:
                wrong.append((path.name, mode, ran))
        path.chmod(0o600)
    assert not wrong, wrong
    assert strange.is_dir()
    assert world.approve(name).status == 0


def test_a_key_that_is_missing_or_anothers_is_named_and_signs_nothing(world: World) -> None:
    name = world.propose("Count the ladders.")
    operator, log_key = world.own_keys / "operator", world.own_keys / "log-ed25519"
    if os.geteuid() == 0:  # nobody else can give a file away
        os.chown(operator, 12_345, -1)
        world.tells(
            f"{operator} belongs to another user hint: use a key of your own", "approve", name, status=2
        )
        os.chown(operator, os.geteuid(), -1)
    raw, head = log_key.read_bytes(), (world.home / "audit/checkpoint").read_bytes()
    log_key.unlink()
    told = f"the key {log_key} is missing hint: set NIGHTLEDGER_KEYS, or restore it from a backup"
    world.tells(told, "propose", "--text", "Oil it.", "--section", "Lessons", "--reason", "x", status=2)
    assert (world.home / "audit/checkpoint").read_bytes() == head, (
        "the entry is there and the next run signs it"
    )
    log_key.write_bytes(raw)
    log_key.chmod(0o600)
    assert world.approve(name).status == 0


def test_a_fingerprint_in_part_must_fit_one_key(world: World) -> None:
    # by two letters, since the home's own key begins with the same one once in 64 times
    keys = sorted((soft(number=number) for number in range(1, 256)), key=lambda one: one.fingerprint)
    first, one = next(pair for pair in pairwise(keys) if len({one.fingerprint[:9] for one in pair}) == 1)
    for who, key in (("ann", first), ("ben", one)):
        world.ok("key", "add", key.line, "--principal", who, typed=yes)
    before, part = (world.home / LOG).read_bytes(), one.fingerprint[7:9]
    for word in (part, f"SHA256:{part}"):
        told = f"{word!r} fits 2 keys hint: give more of the fingerprint"
        world.tells(told, "key", "revoke", word, "--reason", "x", typed=yes, status=2)
    assert (world.home / LOG).read_bytes() == before
    world.ok("key", "revoke", one.fingerprint, "--reason", "x", typed=yes)
    assert [line.split()[0] for line in world.read(ALLOWED).splitlines()] == ["operator", "ann"]


PIN: dict[str, Callable[..., bytes]] = {
    "nothing": lambda _: b"",
    "no JSON": lambda _: b"{",
    "a list": lambda _: b"[]",
    **{f"no {name}": lambda pin, name=name: line_of({k: v for k, v in pin.items() if k != name})
       for name in ("v", "home", "origin", "genesis", "vkeys", "trust_files", "heads")},
    **{f"{name} is {odd!r}": lambda pin, name=name, odd=odd: line_of({**pin, name: odd})
       for name, odd in (("v", "1"), ("v", -1), ("v", True), ("home", 7), ("origin", None), ("genesis", "00"), ("genesis", "x"),
                         ("genesis", 7), ("vkeys", "x"), ("vkeys", [7]), ("trust_files", []), ("trust_files", {"a": 7}), ("heads", [7]),
                         ("heads", {"a": 1}), ("heads", 7), ("genesis", "ab" * 32), ("origin", "nightledger/other"), ("vkeys", ["x"]))},
    **{f"a head's {name} is {odd!r}": lambda pin, name=name, odd=odd: line_of({**pin, "heads": [{**pin["heads"][0], name: odd}]})
       for name, odd in (("size", "1"), ("size", -1), ("size", True), ("root", "00"), ("root", 7), ("at", "x"), ("at", 7), ("root", "ab" * 32))},
}  # fmt: skip
HEAD: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda _: b"",
    "no JSON": lambda _: b"{",
    "a list": lambda _: b"[]",
    "cut": lambda raw: raw[: len(raw) // 3],
    "cut in half": lambda raw: raw[: len(raw) // 2],
    "longer": lambda raw: raw + b" ",
    "both slots broken": lambda raw: raw.replace(b'"size"', b'"tize"'),
    "another size": lambda raw: raw.replace(b'"size":', b'"size":1'),
    "another peak": lambda raw: raw.replace(b'"peaks":["', b'"peaks":["00'),
    "no peaks": lambda _: b'{"offset":1,"peaks":[],"size":1,"v":1}',
    "a negative offset": lambda _: b'{"offset":-1,"peaks":[],"size":0,"v":1}',
    "an offset that is a word": lambda _: b'{"offset":"1","peaks":[],"size":0,"v":1}',
    "a size that is true": lambda _: b'{"offset":1,"peaks":["' + b"00" * 32 + b'"],"size":true,"v":1}',
    "a peak of 31 bytes": lambda _: b'{"offset":1,"peaks":["' + b"00" * 31 + b'"],"size":1,"v":1}',
    "no size": lambda _: b'{"offset":1,"peaks":[],"v":1}',
}  # fmt: skip


def test_what_a_machine_keeps_of_the_log_is_an_alarm_once_damaged(changed: World, tmp_path: Path) -> None:
    world = changed.copy(tmp_path)
    pin_file, head_file = world.own_keys / "pin.json", world.own_keys / "head.json"
    pin, raw = json.loads(pin_file.read_bytes()), head_file.read_bytes()
    whole, log = pin_file.read_bytes(), (world.home / LOG).read_bytes()
    wrong: dict[str, object] = {}
    words = ("propose", "--text", "Count the ladders.", "--section", "Lessons", "--reason", "x")
    rows = [*((pin_file, f"pin: {what}", make(pin)) for what, make in PIN.items()),
            *((head_file, f"head: {what}", make(raw)) for what, make in HEAD.items())]  # fmt: skip
    for path, what, content in rows:
        path.write_bytes(content)
        told = [world.run("verify").status, world.run(*words).status]
        if told != [ALARM, ALARM] or (world.home / LOG).read_bytes() != log or path.read_bytes() != content:
            wrong[what] = told
        (pin_file if path == pin_file else head_file).write_bytes(whole if path == pin_file else raw)
        (world.home / LOG).write_bytes(log)
    assert not wrong, wrong
    world.ok("verify")
    head_file.unlink()
    world.ok("verify")
    world.ok(*words)
    assert head_file.exists()
    world.ok("verify")


def test_a_machine_makes_another_key_when_it_is_asked_to(world: World, tmp_path: Path) -> None:
    line = world.json("channel", "keygen")["line"]
    assert world.json("channel", "keygen")["line"] == line
    other = world.json("channel", "keygen", "--new")["line"]
    assert other != line
    assert world.json("channel", "keygen")["line"] == other
    path = world.own_keys / "machine-ed25519"
    assert path.with_suffix(".pub").read_text().split()[1] in other
    assert path.stat().st_mode & 0o777 == 0o600
    assert not list(world.own_keys.glob("machine-ed25519-new*"))
    shutil.rmtree(tmp_path / "home/.nightledger", ignore_errors=True)
    world.ok("verify")


def test_a_machine_that_dies_while_it_makes_another_key_has_one(adopted: World, tmp_path: Path) -> None:
    world = adopted.copy(tmp_path / "home")
    line = world.json("channel", "keygen")["line"]
    number, whole = 0, True
    while whole:
        died = world.copy(tmp_path / str(number))
        whole = die_at(number, lambda: died.run("channel", "keygen", "--new"))  # noqa: B023 - called at once
        private = died.own_keys / "machine-ed25519"
        assert private.exists(), number
        assert died.json("channel", "keygen")["line"].split()[0] == line.split()[0]
        assert died.json("channel", "keygen", "--new")["line"] != line
        number += 1
    assert number > 9
