import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.trust.ssh_keys import KINDS, SoftKey

from nightledger.domain.errors import RecordError
from nightledger.trust.signers import (
    AllowedSigner,
    SignerSet,
    dump_allowed_signers,
    parse_allowed_signers,
    parse_revoked_keys,
    verify_signature,
)
from nightledger.trust.sshkey import PublicKey
from nightledger.trust.sshsig import SignatureError
from nightledger.trust.wire import wire_string

NAMESPACE = "nightledger-decision@v1"
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ALICE, BOB = SoftKey("ssh-ed25519", seed=1), SoftKey("ssh-ed25519", seed=2)
EARLIEST = datetime(1971, 1, 1)  # noqa: DTZ001 - hypothesis wants naive bounds; made aware in the test
LATEST = datetime(2100, 1, 1)  # noqa: DTZ001 - likewise
TOKEN = SoftKey("sk-ssh-ed25519@openssh.com", seed=3)
RSA = PublicKey(kind="ssh-rsa", blob=wire_string(b"ssh-rsa") + b"rest")


def allowed(text: str) -> SignerSet:
    return SignerSet(signers=parse_allowed_signers(text, where="allowed_signers"))


def test_a_full_line_is_read() -> None:
    text = (
        "# who may sign\n\n"
        f'alice,alice@ops namespaces="{NAMESPACE},file",valid-after="20260101Z",valid-before="202701011530Z" '
        f"{ALICE.public.line} laptop of alice\n"
    )
    (signer,) = parse_allowed_signers(text, where="allowed_signers")
    assert signer.principals == ("alice", "alice@ops")
    assert signer.namespaces == (NAMESPACE, "file")
    assert signer.valid_after == datetime(2026, 1, 1, tzinfo=UTC)
    assert signer.valid_before == datetime(2027, 1, 1, 15, 30, tzinfo=UTC)
    assert signer.key == ALICE.public
    assert signer.key.comment == "laptop of alice"


def test_option_names_may_be_in_any_case_and_absent() -> None:
    signers = parse_allowed_signers(
        f'a NameSpaces="x" {ALICE.public.line}\nb\t{BOB.public.line}\n', where="f"
    )
    assert [signer.namespaces for signer in signers] == [("x",), None]


@given(
    names=st.lists(st.from_regex(r"[a-z@.-]{1,12}", fullmatch=True), min_size=1, max_size=3),
    namespaces=st.none()
    | st.lists(st.from_regex(r"[a-z0-9@-]{1,12}", fullmatch=True), min_size=1, max_size=3),
    times=st.lists(st.none() | st.datetimes(EARLIEST, LATEST), min_size=2, max_size=2),
    kind=st.sampled_from(KINDS),
)
def test_what_is_dumped_is_read_back(
    names: list[str], namespaces: list[str] | None, times: list[datetime | None], kind: str
) -> None:
    after, before = (time and time.replace(microsecond=0, tzinfo=UTC) for time in times)
    signer = AllowedSigner(
        principals=tuple(names),
        key=SoftKey(kind).public,
        namespaces=None if namespaces is None else tuple(namespaces),
        valid_after=after,
        valid_before=before,
    )
    assert parse_allowed_signers(dump_allowed_signers((signer,)), where="f") == (signer,)


def test_a_year_of_few_digits_is_read_back() -> None:
    signer = AllowedSigner(
        principals=("a",), key=ALICE.public, valid_after=datetime(99, 1, 1, 2, 3, 4, tzinfo=UTC)
    )
    line = dump_allowed_signers((signer,))
    assert 'valid-after="00990101020304Z"' in line
    assert parse_allowed_signers(line, where="f") == (signer,)


@each_row(
    ("line", "problem"),
    [
        ("alice", "not a line of"),
        (f"alice cert-authority {ALICE.public.line}", "the option 'cert-authority' is not understood"),
        (f"* {ALICE.public.line}", "patterns are refused"),
        (f"*@ops {ALICE.public.line}", "patterns are refused"),
        (f"!alice {ALICE.public.line}", "patterns are refused"),
        (f"alice,, {ALICE.public.line}", "patterns are refused"),
        (f'"alice" {ALICE.public.line}', "patterns are refused"),
        (f'alice namespaces="*" {ALICE.public.line}', "patterns are refused"),
        (f'alice namespaces="" {ALICE.public.line}', "patterns are refused"),
        (f"alice namespaces {ALICE.public.line}", "'namespaces' is not understood"),
        (f'alice verify-required="x" {ALICE.public.line}', "'verify-required' is not understood"),
        (f'alice namespaces="a", {ALICE.public.line}', "no option follows the last comma"),
        (f'alice namespaces="a",namespaces="b" {ALICE.public.line}', "'namespaces' is given twice"),
        (f'alice namespaces="a"valid-after="20260101Z" {ALICE.public.line}', "cannot be read from"),
        (f'alice valid-after="20260101" {ALICE.public.line}', "not a UTC time"),
        (f'alice valid-after="20260101Zx" {ALICE.public.line}', "not a UTC time"),
        (f'alice valid-after="20261301Z" {ALICE.public.line}', "not a UTC time"),
        (f'alice valid-before="" {ALICE.public.line}', "not a UTC time"),
        (f'alice valid-before="2026é101Z" {ALICE.public.line}', "not a UTC time"),
        (f'alice valid-before="{"9" * 41}" {ALICE.public.line}', f"'{'9' * 40}' is not a UTC time"),
        (f"alice {RSA.line}", "'ssh-rsa' are refused"),
        ("alice ssh-ed25519 AAAA", "malformed"),
    ],
)
def test_a_line_that_is_not_plain_is_refused(line: str, problem: str) -> None:
    with pytest.raises(RecordError, match="allowed_signers is not valid") as caught:
        parse_allowed_signers(line, where="allowed_signers")
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        f"\x0c#x {ALICE.public.line}",
        f"\x0b#x {ALICE.public.line}",
        f"\u00a0# {ALICE.public.line}",
        f"\x0calice {ALICE.public.line}",
        f"alice\x0c{ALICE.public.line}",
        f'alice\u00a0namespaces="file" {ALICE.public.line}',
        f"alice ssh-ed25519 \u00a0{ALICE.public.line.split()[1]}",
        f"alice {ALICE.public.line}\x0c",
        "\x0c",
        "\u2003# a comment behind another blank",
    ],
)
def test_only_a_space_and_a_tab_are_blanks(line: str, ssh_keygen: str, tmp_path: Path) -> None:
    """To OpenSSH nothing else is; a line that it reads in another way is refused."""
    with pytest.raises(RecordError, match="line 1"):
        parse_allowed_signers(line, where="allowed_signers")
    (tmp_path / "allowed").write_text(f"{line}\n", encoding="utf-8")
    (tmp_path / "sig").write_text(ALICE.sign(b"m", NAMESPACE))
    found = subprocess.run(
        [ssh_keygen, "-Y", "find-principals", "-f", tmp_path / "allowed", "-s", tmp_path / "sig"],
        capture_output=True,
        check=False,
    )
    assert found.stdout != b"alice\n" or line.endswith("\x0c")


def test_blanks_around_a_line_and_the_end_of_a_line_of_another_system_count_for_nothing() -> None:
    text = f" \t# who\r\n \t\r\n\r\n \talice\t {ALICE.public.line}\t \r\nbob {BOB.public.line}"
    signers = parse_allowed_signers(text, where="f")
    assert [(signer.principals, signer.key) for signer in signers] == [
        (("alice",), ALICE.public),
        (("bob",), BOB.public),
    ]


def test_every_bad_line_is_named_at_once() -> None:
    text = f"{ALICE.public.line}\nbob {BOB.public.line}\n* {BOB.public.line}\n"
    with pytest.raises(RecordError) as caught:
        parse_allowed_signers(text, where="allowed_signers")
    assert [problem.split(":")[0] for problem in caught.value.problems] == ["line 1", "line 3"]
    assert "ALLOWED SIGNERS" in caught.value.hint


def test_a_signature_names_its_principal() -> None:
    signers = allowed(f"bob {BOB.public.line}\nalice,al {ALICE.public.line}\n")
    by = verify_signature(b"m", ALICE.sign(b"m", NAMESPACE), namespace=NAMESPACE, signers=signers, at=NOW)
    assert (by.principal, by.fingerprint, by.kind, by.counter) == (
        "alice",
        ALICE.public.fingerprint,
        "ssh-ed25519",
        0,
    )


def test_a_hardware_key_tells_its_counter() -> None:
    signers = allowed(f"token {TOKEN.public.line}\n")
    by = verify_signature(b"m", TOKEN.sign(b"m", NAMESPACE), namespace=NAMESPACE, signers=signers, at=NOW)
    assert (by.kind, by.counter) == ("sk-ssh-ed25519@openssh.com", 41)


def test_a_key_that_is_not_in_the_set_is_refused_whatever_it_signs() -> None:
    with pytest.raises(SignatureError, match="is not in allowed_signers") as caught:
        verify_signature(
            b"m",
            BOB.sign(b"m", NAMESPACE),
            namespace=NAMESPACE,
            signers=allowed(f"a {ALICE.public.line}"),
            at=NOW,
        )
    assert "allowed_signers" in caught.value.hint


def test_revocation_wins() -> None:
    revoked = parse_revoked_keys(f"# lost\n{ALICE.public.line} laptop\n{RSA.line}\n", where="revoked_keys")
    signers = SignerSet(signers=allowed(f"a {ALICE.public.line}").signers, revoked=revoked)
    with pytest.raises(SignatureError, match="is revoked"):
        verify_signature(b"m", ALICE.sign(b"m", NAMESPACE), namespace=NAMESPACE, signers=signers, at=NOW)


def test_a_bad_line_in_revoked_keys_is_an_error_not_a_gap() -> None:
    with pytest.raises(RecordError, match="line 1"):
        parse_revoked_keys("ssh-ed25519 AAA\n", where="revoked_keys")


def test_in_revoked_keys_too_only_a_space_and_a_tab_are_blanks() -> None:
    for line in (f"\x0c#{ALICE.public.line}", f"\u00a0{ALICE.public.line}", "\x0b"):
        with pytest.raises(RecordError, match="line 1"):
            parse_revoked_keys(line, where="revoked_keys")
    assert parse_revoked_keys(f"\t {ALICE.public.line}\r\n", where="revoked_keys") == {ALICE.public.blob}


def test_a_bad_signature_by_a_known_key_is_refused() -> None:
    with pytest.raises(SignatureError, match="does not hold"):
        verify_signature(
            b"n",
            ALICE.sign(b"m", NAMESPACE),
            namespace=NAMESPACE,
            signers=allowed(f"a {ALICE.public.line}"),
            at=NOW,
        )


def test_a_signature_for_another_purpose_is_refused() -> None:
    signers = allowed(f"a {ALICE.public.line}")
    with pytest.raises(SignatureError, match="was made for 'git'"):
        verify_signature(b"m", ALICE.sign(b"m", "git"), namespace=NAMESPACE, signers=signers, at=NOW)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ('namespaces="git"', "alice signs for git only"),
        ('valid-after="20260302Z"', "alice may sign from 2026-03-02"),
        ('valid-before="20260228Z"', "alice could sign until 2026-02-28"),
    ],
)
def test_a_line_covers_its_namespaces_and_its_time_only(
    options: str, problem: str, ssh_verifies: Callable[..., bool]
) -> None:
    text = f"alice {options} {ALICE.public.line}\n"
    armour = ALICE.sign(b"m", NAMESPACE)
    with pytest.raises(SignatureError, match=problem):
        verify_signature(b"m", armour, namespace=NAMESPACE, signers=allowed(text), at=NOW)
    if "namespaces" in options:  # the clock of ssh-keygen is the machine's
        assert not ssh_verifies(text, b"m", armour, NAMESPACE, "alice")


def test_the_ends_of_the_time_are_within_it() -> None:
    text = f'alice valid-after="20260301120000Z",valid-before="20260301120000Z" {ALICE.public.line}\n'
    armour = ALICE.sign(b"m", NAMESPACE)
    verify_signature(b"m", armour, namespace=NAMESPACE, signers=allowed(text), at=NOW)
    for other in (NOW - timedelta(seconds=1), NOW + timedelta(seconds=1)):
        with pytest.raises(SignatureError, match="may not sign this"):
            verify_signature(b"m", armour, namespace=NAMESPACE, signers=allowed(text), at=other)


def test_one_line_that_covers_it_is_enough() -> None:
    text = (
        f'old valid-before="20250101Z" {ALICE.public.line}\nnew valid-after="20250101Z" {ALICE.public.line}\n'
    )
    by = verify_signature(
        b"m", ALICE.sign(b"m", NAMESPACE), namespace=NAMESPACE, signers=allowed(text), at=NOW
    )
    assert by.principal == "new"


def test_ssh_keygen_reads_the_files_that_we_write(ssh_keygen: str, tmp_path: Path) -> None:
    signers = tuple(
        AllowedSigner(
            principals=(f"p{number}",),
            key=SoftKey(kind, seed=9).public,
            namespaces=(NAMESPACE,),
            valid_after=datetime(2020, 1, 1, tzinfo=UTC),
            valid_before=datetime(2099, 1, 1, tzinfo=UTC),
        )
        for number, kind in enumerate(KINDS)
    )
    (tmp_path / "allowed").write_text(dump_allowed_signers(signers))
    for number, kind in enumerate(KINDS):
        (tmp_path / "sig").write_text(SoftKey(kind, seed=9).sign(b"m", NAMESPACE))
        command = [
            ssh_keygen,
            "-Y",
            "find-principals",
            "-f",
            str(tmp_path / "allowed"),
            "-s",
            str(tmp_path / "sig"),
        ]
        found = subprocess.run(command, capture_output=True, check=True).stdout.decode().strip()
        assert found == f"p{number}"
