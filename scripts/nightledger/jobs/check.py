"""Check up an existing memory file, and propose what to clean.

Invariant: what is proposed is whole items, the surest first; a secret is named by line and
kind and never copied.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from nightledger.domain.doubt import Doubt, DoubtLabel
from nightledger.domain.lanes import OPERATOR
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Draft, Kind, Op, SizeMeter
from nightledger.gate.gated import read_gated
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing import Outcome, Submission, propose
from nightledger.text.checkup import check_memory
from nightledger.text.checkup_drafts import drafts_from_doubts


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """What a check-up found in one file.

    Attributes:
        path: The file, as it was named.
        doubts: The one to look at first first.
        meter: Its size now, and with everything proposed taken out, against its host's cap.
        outcome: What the gate made of it; None where nothing was to be proposed.
    """

    path: str
    doubts: tuple[Doubt, ...]
    meter: SizeMeter
    outcome: Outcome | None = None


def examine(
    document: str, path: str, *, today: date, cap_characters: int | None
) -> tuple[Checkup, list[Draft]]:
    """Look at a file's text; proposes nothing.

    Args:
        document: The text (``surrogateescape``).
        path: The file, for messages and as the target of drafts.
        today: The date in the home's zone.
        cap_characters: What its host shows the agent.
    """
    doubts = check_memory(document, today=today, cap_characters=cap_characters)
    drafts = [
        replace(draft, op=Op.REMOVE)
        if draft.op is Op.ARCHIVE
        else draft  # there is no archive yet: undo keeps the bytes
        for draft in drafts_from_doubts(doubts, document, path, cap_characters=cap_characters)
    ]
    meter = SizeMeter(
        before_characters=len(document),
        after_characters=len(document) - sum(doubt.characters for doubt in doubts),
        cap_characters=cap_characters,
    )
    return Checkup(path=path, doubts=doubts, meter=meter), drafts


def check(
    gate: Gate, ledger: Ledger, path: str, today: date, moment: Moment, *, dry_run: bool = False
) -> Checkup:
    """Check up a gated file and propose what to clean; the caller holds the home's lock."""
    document = read_gated(gate.home, path).decode("utf-8", "surrogateescape")
    found, drafts = examine(document, path, today=today, cap_characters=gate.cap_characters)
    if not drafts:
        return found
    submission = Submission(
        kind=Kind.PRUNE,
        lane=OPERATOR,
        period=today.isoformat(),
        title=f"Check-up of {path} on {today}",
        drafts=drafts,
    )
    outcome = propose(gate, ledger, submission, moment, dry_run=dry_run)
    return Checkup(path=path, doubts=found.doubts, meter=found.meter, outcome=outcome)


def counts(doubts: Sequence[Doubt]) -> dict[DoubtLabel, int]:
    """Count doubts by what is wrong, the gravest first."""
    found = {label: sum(1 for doubt in doubts if doubt.label is label) for label in DoubtLabel}
    return {label: count for label, count in found.items() if count}
