"""C2SP Wycheproof: signatures with edge cases that implementations got wrong."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.trust.ssh_keys import wire_mpint

from nightledger.trust.note import has_mldsa, verify_ed25519, verify_mldsa44
from nightledger.trust.sshsig import PublicKey, verify_raw, wire_string

pytestmark = pytest.mark.vectors
Find = Callable[[str], Path]
Case = tuple[dict[str, Any], dict[str, Any]]
needs_mldsa = pytest.mark.skipif(not has_mldsa(), reason="this platform's cryptography has no ML-DSA")


def cases(folder: Path, name: str) -> list[Case]:
    document = json.loads((folder / "testvectors_v1" / f"{name}_test.json").read_text())
    found = [(group, test) for group in document["testGroups"] for test in group["tests"]]
    assert len(found) == document["numberOfTests"]
    return found


def judge(name: str, found: list[Case], verify: Callable[[dict[str, Any], dict[str, Any]], bool]) -> None:
    wrong = [
        (test["tcId"], test["comment"], test["result"])
        for group, test in found
        if verify(group, test) != (test["result"] == "valid")
    ]
    bad = sum(test["result"] != "valid" for _, test in found)
    print(f"{name}: {len(found)} signatures, {bad} of them must fail")
    assert wrong == []
    assert 0 < bad < len(found)


def test_ed25519_signatures(vectors: Find) -> None:
    def verify(group: dict[str, Any], test: dict[str, Any]) -> bool:
        public = bytes.fromhex(group["publicKey"]["pk"])
        return verify_ed25519(public, bytes.fromhex(test["sig"]), bytes.fromhex(test["msg"]))

    judge("ed25519", cases(vectors("C2SP+wycheproof"), "ed25519"), verify)


@needs_mldsa
def test_ml_dsa_44_signatures(vectors: Find) -> None:
    def verify(group: dict[str, Any], test: dict[str, Any]) -> bool:
        public, signature = bytes.fromhex(group["publicKey"]), bytes.fromhex(test["sig"])
        context = bytes.fromhex(test.get("ctx", ""))
        return verify_mldsa44(public, signature, bytes.fromhex(test["msg"]), context=context)

    judge("ml-dsa-44", cases(vectors("C2SP+wycheproof"), "mldsa_44_verify"), verify)


def test_ecdsa_p256_signatures_as_ssh_keys_carry_them(vectors: Find) -> None:
    def verify(group: dict[str, Any], test: dict[str, Any]) -> bool:
        point = bytes.fromhex(group["publicKey"]["uncompressed"])
        blob = wire_string(b"ecdsa-sha2-nistp256") + wire_string(b"nistp256") + wire_string(point)
        raw = bytes.fromhex(test["sig"])
        if len(raw) == 64:  # IEEE P1363: r and s, 32 bytes each; SSH has them as two numbers
            raw = wire_mpint(int.from_bytes(raw[:32], "big")) + wire_mpint(int.from_bytes(raw[32:], "big"))
        return verify_raw(PublicKey(kind="ecdsa-sha2-nistp256", blob=blob), raw, bytes.fromhex(test["msg"]))

    judge("ecdsa-p256", cases(vectors("C2SP+wycheproof"), "ecdsa_secp256r1_sha256_p1363"), verify)
