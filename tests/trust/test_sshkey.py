import subprocess
from pathlib import Path

import pytest
from tests.trust.ssh_keys import KINDS, SoftKey

from nightledger.trust.sshkey import (
    PublicKeyError,
    parse_public_blob,
    verify_raw,
)


def test_fingerprints_are_those_of_ssh_keygen(ssh_keygen: str, tmp_path: Path) -> None:
    for kind in KINDS:
        key = SoftKey(kind).public
        (tmp_path / "k.pub").write_text(key.line + "\n")
        shown = subprocess.run(
            [ssh_keygen, "-l", "-f", str(tmp_path / "k.pub")], capture_output=True, check=True
        )
        assert key.fingerprint in shown.stdout.decode().split()


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_cut_or_added_are_refused(kind: str) -> None:
    blob = SoftKey(kind).public.blob
    for bad in (blob + b"\0", blob[:-1], blob[:3], b"", blob[: len(kind) + 4]):
        with pytest.raises(PublicKeyError, match="malformed"):
            parse_public_blob(bad)


@pytest.mark.parametrize("kind", KINDS)
def test_raw_signatures_verify_and_any_other_bytes_do_not(kind: str) -> None:
    key = SoftKey(kind)
    good = key.raw(b"message")
    assert verify_raw(key.public, good, b"message")
    assert not verify_raw(key.public, good, b"other")
    assert not verify_raw(SoftKey(kind, seed=3).public, good, b"message")
    for bad in (b"", good[:-1], good + b"\0", bytes(len(good))):
        assert not verify_raw(key.public, bad, b"message")
