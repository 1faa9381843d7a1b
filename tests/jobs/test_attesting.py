"""Evidence of outcomes: it attests where it is there, and nowhere else."""

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest
from tests.jobs.nights import Nights
from tests.rows import each_row

from nightledger.domain.outcome import OutcomeEvidence
from nightledger.jobs.consolidate.reading import attests

TEXT = b"# Log\nthe push went well\nall green\n"


def named(text: bytes = b"the push went well\nall green", **fields: Any) -> OutcomeEvidence:
    given = {"path": "memory/run.md", "lines": (2, 3), "sha256": hashlib.sha256(text).hexdigest()}
    return OutcomeEvidence(**{**given, **fields})


@pytest.mark.parametrize(("content", "flags"), [(TEXT, []), (b"# Log\n", ["unattested"])])
def test_a_lesson_is_attested_where_the_evidence_of_its_outcomes_is_there(
    nights: Nights, content: bytes, flags: list[str]
) -> None:
    nights.write("run.md", content)
    for day, said in ((26, b"the push went well"), (27, b"all green")):
        proof = named(said, lines=(day - 24, day - 24))
        nights.tell(f"{day} - retry", f"{day + 2} + mend", evidence=(proof,), tags="a b")
    done = nights.night()
    assert done.proposal is not None
    assert [flag.rule for flag in done.proposal.changes[0].flags] == flags


@pytest.fixture
def written(nights: Nights) -> Nights:
    nights.write("run.md", TEXT)
    outside = nights.desk.root / "outside.md"
    outside.write_bytes(TEXT)
    os.symlink(outside, Path(nights.desk.home.path("memory/away.md")))
    return nights


WRONG = [
    named(b"the push went well"),
    named(lines=(3, 4)),
    named(lines=(2, 10**9)),
    *(named(path=f"memory{path}") for path in ("", "/none.md", "/away.md", f"/{'x' * 400}")),
]


@each_row(
    "evidence, holds",
    [(named(), True), (named(path="memory/2026-01-05.md"), True), *((e, False) for e in WRONG)],
)
def test_other_lines_and_what_is_no_file_of_the_home_attest_nothing_and_a_full_text_in_the_archive_does(
    written: Nights,
    evidence: OutcomeEvidence,
    holds: bool,  # noqa: FBT001 - a row
) -> None:
    assert attests(written.desk.home, {"memory/2026-01-05.md": "memory/run.md"}, evidence) is holds
