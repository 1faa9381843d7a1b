"""Evidence is found by its hash: at its path, or in the archive once its log was compressed."""

import hashlib

import pytest
from tests.gate.forgetting_desk import COPY, FULL, LOG, compress, forgotten, put
from tests.gate.homes import Desk

from nightledger.domain.errors import UnreadableError
from nightledger.domain.proposal import Evidence, Origin
from nightledger.gate.forgetting.forgotten import cited

LINE = FULL.split(b"\n")[4]
EVIDENCE = Evidence(path=LOG, lines=(5, 5), sha256=hashlib.sha256(LINE).hexdigest(), origin=Origin.AGENT)


def test_lines_of_a_compressed_log_are_found_in_the_archive(desk: Desk) -> None:
    forgotten(desk, compress(desk, LOG))
    found = cited(desk.home, EVIDENCE)
    assert (found.path, found.same) == (COPY, True)


def test_lines_are_found_in_a_copy_under_another_number(desk: Desk) -> None:
    put(desk, COPY, b"somebody else's\n")
    put(desk, "memory/archive/daily/2026-01-02-notes.md", FULL)
    forgotten(desk, compress(desk, LOG))
    assert cited(desk.home, EVIDENCE).path == "memory/archive/daily/2026-01-02-2.md"


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
