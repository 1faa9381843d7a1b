import subprocess
from datetime import UTC, datetime
from pathlib import Path

from tests.trust.ssh_keys import KINDS, SoftKey

from nightledger.trust.signers import (
    AllowedSigner,
    dump_allowed_signers,
)

NAMESPACE = "nightledger-decision@v1"


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
