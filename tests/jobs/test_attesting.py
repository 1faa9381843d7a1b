"""Evidence of outcomes: it attests where it is there, and nowhere else."""

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest
from tests.jobs.nights import Nights

from nightledger.domain.outcome import OutcomeEvidence
from nightledger.jobs.consolidate import outcomes
from nightledger.jobs.consolidate.outcomes import Attester

TEXT = b"# Log\nthe push went well\nall green\n"


def named(text: bytes = b"the push went well\nall green", **fields: Any) -> OutcomeEvidence:
    given = {"path": "memory/run.md", "lines": (2, 3), "sha256": hashlib.sha256(text).hexdigest()}
    return OutcomeEvidence(**{**given, **fields})


def teach(nights: Nights) -> list[str]:
    for line, said in ((1, b"# Log"), (2, b"the push went well")):
        proof = named(said, lines=(line, line))
        nights.tell(f"{25 + line} - retry", f"{27 + line} + mend", evidence=(proof,), tags="a b")
    done = nights.night()
    assert done.proposal is not None
    return [flag.rule for flag in done.proposal.changes[0].flags]


@pytest.fixture
def attester(nights: Nights) -> Attester:
    nights.write("run.md", TEXT)
    return Attester(nights.desk.home, {"memory/2026-01-05.md": "memory/run.md"})


def test_a_lesson_whose_evidence_is_there_is_attested(nights: Nights) -> None:
    nights.write("run.md", TEXT)
    assert teach(nights) == []


def test_a_lesson_whose_outcomes_name_a_file_that_never_was_is_said_to_be_unattested(nights: Nights) -> None:
    assert teach(nights) == ["unattested"]


@pytest.mark.parametrize(
    "wrong",
    [
        named(b"the push went well"),
        named(lines=(3, 4)),
        named(lines=(2, 10**9)),
        named(path="memory"),
        named(path="memory/none.md"),
        named(path=f"memory/{'x' * 400}"),
        named(path="memory/away.md"),
    ],
)
def test_other_lines_and_what_is_no_file_of_the_home_attest_nothing(
    nights: Nights, attester: Attester, wrong: OutcomeEvidence
) -> None:
    outside = nights.desk.root / "outside.md"
    outside.write_bytes(TEXT)
    os.symlink(outside, Path(nights.desk.home.path("memory/away.md")))
    assert not attester.holds(wrong)
    assert attester.holds(named())


def test_the_full_text_of_a_compressed_log_attests(attester: Attester) -> None:
    assert attester.holds(named(path="memory/2026-01-05.md"))


def test_what_a_night_reads_for_it_is_bounded(attester: Attester, monkeypatch: pytest.MonkeyPatch) -> None:
    assert attester.holds(named())
    monkeypatch.setattr(outcomes, "MAX_BYTES", len(TEXT))
    bounded = Attester(attester._home, {})
    assert [bounded.holds(named()) for _ in range(3)] == [True, None, None]
    assert bounded.holds(named(path="memory/none.md")) is False
    assert Attester(attester._home, {"memory/none.md": "memory/run.md"}).holds(named(path="memory/none.md"))
