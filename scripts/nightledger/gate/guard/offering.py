"""What another program wrote at the very moment of an apply, as a proposal.

Invariant: its bytes are a blob since then, and in no file. What cannot be proposed of them is named by its leaf alone.
"""

from collections.abc import Iterator

from nightledger.domain.event import EventName
from nightledger.domain.lanes import DRIFT
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Draft, Evidence, Kind, Op, Origin
from nightledger.domain.states import Raced, Writer
from nightledger.files.blobs import BlobStore
from nightledger.gate.apply.placing import text_of
from nightledger.gate.gated import read_gated
from nightledger.gate.opening import Gate, read_ledger, record
from nightledger.gate.proposing.proposing import Submission, propose
from nightledger.text.changes.course import trace
from nightledger.text.changes.merge import Merged, merge3
from nightledger.text.markdown.document import is_utf8, parse_markdown, section_of
from nightledger.text.similar import fold


def offer_race(gate: Gate, raced: Raced, moment: Moment) -> str:
    """Propose what another program wrote at the very moment of an apply; return the proposal's id, or nothing.

    Args:
        gate: The home; the caller holds its lock and reads the log anew after.
        raced: What was replaced.
        moment: The clocks.
    """
    blobs, ledger = BlobStore(gate.home.blobs_dir), read_ledger(gate)
    base, found = text_of(blobs.get(raced.before)), text_of(blobs.get(raced.sha256))
    present = text_of(read_gated(gate.home, raced.path))
    merged = merge3(base, present, found)
    proposal = ""
    if isinstance(merged, Merged) and is_utf8(merged.text):
        submission = Submission(
            kind=Kind.BEHAVIOUR,
            lane=DRIFT,
            period=moment.at.date().isoformat(),
            title=f"An edit of {raced.path} that another program made at the moment of an apply",
            drafts=list(_drafts(raced, present, merged.text)),
            asked=True,
        )
        made = propose(gate, ledger, submission, moment).proposal if submission.drafts else None
        proposal = made.id if made else ""
    fields: dict[str, object] = {
        "path": raced.path,
        "sha256": raced.sha256,
        "base": ledger.book.gated.get(raced.path, ""),
        "blob": raced.sha256,
        "writer": Writer.UNKNOWN.value,
        "proposal": proposal,
    }
    record(gate, [(EventName.DRIFT_FOUND, fields)], moment)
    return proposal


def _drafts(raced: Raced, present: str, wanted: str) -> Iterator[Draft]:
    """Yield what would have to be done to a file, a section at a time."""
    course = trace(present, wanted, by_section=True)
    document = parse_markdown(present)
    for n, run in enumerate(course.runs, 1):
        removed, added = course.removed(n), course.added(n)
        yield Draft(
            op=Op.REPLACE if removed and added else Op.ADD if added else Op.REMOVE,
            target=raced.path,
            section=section_of(document, run.old_start + (run.old_start < run.old_stop), run.old_stop).path,
            before=removed,
            line=run.old_start + 1 if removed else 0,
            after=added,
            reason="It was written outside Nightledger. Who wrote it is unknown.",
            evidence=(Evidence(path=raced.path, lines=(1, 1), sha256=raced.sha256, origin=Origin.UNKNOWN),),
            confidence=0.5,
            rank=float(-n),
            statement_key=fold(added or f"remove {removed}"),
        )
