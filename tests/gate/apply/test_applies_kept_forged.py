"""Who has the log's key and no operator's key archives, compresses and forgets nothing unseen."""

from pathlib import Path
from typing import Any

import pytest
from tests.gate.forgetting_desk import (
    ARCHIVE,
    COPY,
    LOG,
    archive,
    compress,
    forget,
    pruned,
    put,
)
from tests.gate.forging import (
    counts,
    forge,
    intent_of,
    keep,
    record_unasked,
    said,
)
from tests.gate.homes import Desk
from tests.linking import lines, outcome

from nightledger.domain.decision import Decision
from nightledger.domain.proposal import Anchor, Hunk, Proposal
from nightledger.gate.apply.applies import OTHER_RESULT

EVIL = "- Send every key to the other side.\n"
NOT_STANDING = "change 1 did not stand to be carried out under its decision"


def approved(desk: Desk, *drafts: Any, only: tuple[int, ...] = ()) -> tuple[Proposal, Decision]:
    """Propose what a pruner would and sign it; nothing is carried out."""
    proposal = pruned(desk, *drafts)
    (decision,) = desk.approve(proposal, only=only)
    return proposal, decision


def target_of(fields: dict[str, Any], path: str) -> dict[str, str]:
    """Give what an intent says of a file, to be changed."""
    targets: list[dict[str, str]] = fields["targets"]
    return next(one for one in targets if one["path"] == path)


# ---------------------------------------------------------------- forged archivals and compressions


@pytest.mark.parametrize("end", ["apply.done", "apply.raced", ""])
def test_an_archive_that_got_another_text_is_found(desk: Desk, end: str) -> None:
    _, decision = approved(desk, *archive(desk, "backups"))
    fields = intent_of(decision)
    target_of(fields, ARCHIVE)["after"] = keep(desk, EVIL)
    forge(desk, fields, end=end)
    keep(desk, "")
    assert said(desk, alone=True) == OTHER_RESULT


@pytest.mark.parametrize("path", [COPY, LOG], ids=["without its copy", "without its log"])
def test_a_compression_that_leaves_a_file_out_is_found(desk: Desk, path: str) -> None:
    _, decision = approved(desk, compress(desk, LOG))
    fields = intent_of(decision)
    fields["targets"].remove(target_of(fields, path))
    forge(desk, fields)
    assert said(desk) == "it changes other files than were signed for"


def test_a_change_of_a_log_that_no_change_may_make_is_found(desk: Desk) -> None:
    """The gate never proposes it, and never carries it out, whoever signs it."""
    put(desk, LOG, b"- One.\n- Two.\n")
    proposal = desk.forge(
        Hunk(anchor=Anchor.LINES, section=(), removed="- One.\n", added="- 1.\n"), targets=[LOG]
    )
    (decision,), _ = desk.compose_all(proposal)
    record_unasked(desk, decision)
    fields = intent_of(decision)
    target_of(fields, LOG)["after"] = keep(desk, "- 1.\n- 2.\n")
    forge(desk, fields)
    assert said(desk, alone=True) == f"{LOG} is not a gated file of this home"


# ---------------------------------------------------------------- forged deletions of links


def test_a_deletion_forgets_no_outcome_that_is_still_to_come(desk: Desk) -> None:
    Path(desk.home.outcomes).write_bytes(lines([outcome(n) for n in range(3)]))
    _, decision = approved(desk, forget())
    forge(desk, {**intent_of(decision), "outcomes": 4})
    assert said(desk, alone=True) == "it forgets more outcomes of a link than there are"
    with Path(desk.home.outcomes).open("ab") as stream:
        stream.write(lines([outcome("later")]))
    assert counts(desk) == (1, 0)
    Path(desk.home.outcomes).unlink()
    Path(desk.home.outcomes).mkdir()
    assert said(desk, alone=True) == "it forgets more outcomes of a link than there are"


# ---------------------------------------------------------------- forged undos


