"""Evidence is found by its hash: at its path, or in the archive once its log was compressed."""

import hashlib

import pytest
from tests.gate.forgetting_desk import COPY, FULL, LOG, put
from tests.gate.homes import Desk

from nightledger.domain.errors import UnreadableError
from nightledger.domain.proposal import Evidence, Origin
from nightledger.gate.forgotten import cited

LINE = FULL.split(b"\n")[4]
EVIDENCE = Evidence(path=LOG, lines=(5, 5), sha256=hashlib.sha256(LINE).hexdigest(), origin=Origin.AGENT)


def test_a_log_that_is_gone_is_named_unless_the_archive_has_the_lines(desk: Desk) -> None:
    with pytest.raises(UnreadableError):
        cited(desk.home, EVIDENCE)
    put(desk, COPY, FULL)
    assert cited(desk.home, EVIDENCE).path == COPY
    put(desk, COPY, b"other\n")
    with pytest.raises(UnreadableError):
        cited(desk.home, EVIDENCE)


def test_a_hash_over_masked_lines_counts_too(desk: Desk) -> None:
    secret = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    put(desk, LOG, f"- Token: {secret}\n".encode())
    veiled = "- Token: " + "\N{FULL BLOCK}" * len(secret)
    evidence = Evidence(
        path=LOG, lines=(1, 1), sha256=hashlib.sha256(veiled.encode()).hexdigest(), origin=Origin.AGENT
    )
    assert cited(desk.home, evidence).same
