import pytest

from nightledger.domain.decision import NAMESPACE
from nightledger.domain.errors import RefusedError, UsageError
from nightledger.domain.trusting import RECOVERY_NAMESPACE
from nightledger.trust.signers import (
    AllowedSigner,
    add_signer,
    find_key,
    parse_allowed_signers,
    parse_revoked_keys,
    remove_key,
    revoke,
)
from nightledger.trust.sshkey import PublicKey, ed25519_key

ANA, BO = (ed25519_key(bytes([n]) * 32, comment=f"key {n}") for n in (1, 2))


def line(key: PublicKey, name: str, namespace: str | None = NAMESPACE) -> AllowedSigner:
    namespaces = None if namespace is None else (namespace,)
    return AllowedSigner(principals=(name,), key=key, namespaces=namespaces)


def test_a_line_is_added_behind_what_is_there() -> None:
    before = '# mine\n\nana namespaces="nightledger-decision@v1" ' + ANA.line
    after = add_signer(before, "", line(BO, "bo"))
    assert after.startswith(f"{before}\n")
    assert [signer.principals[0] for signer in parse_allowed_signers(after, where="")] == ["ana", "bo"]


@pytest.mark.parametrize("namespace", [NAMESPACE, None])
def test_a_key_that_may_sign_for_that_already_is_refused(namespace: str | None) -> None:
    there = add_signer("", "", line(ANA, "ana", namespace))
    with pytest.raises(RefusedError, match="may sign already, as 'ana'"):
        add_signer(there, "", line(ANA, "again"))


def test_one_key_may_have_two_purposes() -> None:
    both = add_signer(add_signer("", "", line(ANA, "ana")), "", line(ANA, "ana", RECOVERY_NAMESPACE))
    assert both.count("\n") == 2
    assert remove_key(both, ANA) == ""


def test_what_is_revoked_never_comes_back() -> None:
    with pytest.raises(RefusedError, match="is revoked, for ever"):
        add_signer("", revoke("# none yet\n", ANA), line(ANA, "ana"))


def test_a_key_is_taken_out_and_other_lines_stay_byte_for_byte() -> None:
    text = f"# mine\nana  {ANA.line}\n\nbo {BO.line}\n"
    assert remove_key(text, ANA) == f"# mine\n\nbo {BO.line}\n"
    assert remove_key(text.rstrip("\n"), BO) == f"# mine\nana  {ANA.line}\n\n"


def test_a_revoked_key_is_read_back() -> None:
    text = revoke("# lost ones", ANA)
    assert text.startswith("# lost ones\n")
    assert parse_revoked_keys(text, where="") == {ANA.blob}


def test_a_key_is_found_by_the_beginning_of_its_fingerprint() -> None:
    begin = ANA.fingerprint[:20]
    assert find_key([ANA, BO], begin) == find_key([ANA, BO], begin.removeprefix("SHA256:")) == ANA
    for nothing in ("", "SHA256:", "SHA256:~"):
        with pytest.raises(UsageError, match="no key that ever could sign"):
            find_key([ANA, BO], nothing)


def test_a_fingerprint_that_fits_two_keys_is_refused() -> None:
    keys = [ed25519_key(bytes([n]) * 32) for n in range(65)]  # 64 signs may stand first
    begins = [key.fingerprint[:8] for key in keys]
    shared = next(begin for begin in begins if begins.count(begin) > 1)
    with pytest.raises(UsageError, match=r"fits \d+ keys"):
        find_key(keys, shared)
