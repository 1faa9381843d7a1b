import subprocess
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.trust.ssh_keys import KINDS, SoftKey

from nightledger.trust.signers import (
    AllowedSigner,
    dump_allowed_signers,
    parse_allowed_signers,
)

NAMESPACE = "nightledger-decision@v1"
ALICE, BOB = SoftKey("ssh-ed25519", seed=1), SoftKey("ssh-ed25519", seed=2)
EARLIEST = datetime(1971, 1, 1)  # noqa: DTZ001 - hypothesis wants naive bounds; made aware in the test
LATEST = datetime(2100, 1, 1)  # noqa: DTZ001 - likewise


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
