"""What drifted, as an item that an operator settles: its changes, who most likely wrote it, what scanners see; and the settling.

Invariant: a drift's changes are rebuilt from two blobs, the bytes accepted last and those
found, and never placed by their text; the proposal shows them with secrets masked, so
that it holds for any bytes and copies no secret. By whom it was written is a guess, and decides nothing. A decision of
type ``drift`` names the changes kept, the bytes that stood there and the bytes afterwards; it is carried out on those very
bytes or not at all, and a change without an answer stays drift. It does not cool: the bytes stand there already.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from nightledger.codec.canonical import canonical
from nightledger.domain import proposal as proposals
from nightledger.domain.decision import DecisionTarget, Moment
from nightledger.domain.errors import NightledgerError, RefusedError
from nightledger.domain.finding import Severity
from nightledger.domain.judge import DRIFT, Claim
from nightledger.domain.states import Book, DecisionStatus, Writer
from nightledger.domain.words import content_id
from nightledger.files.home import Home
from nightledger.gate.gated import read_accepted, read_watched, why_locked
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import Stored, hunks_sha256, read_proposal
from nightledger.gate.trusting import read_claim, why_void
from nightledger.gate.writing import Write, write_all
from nightledger.hosts.workspaces import find_commit, find_mark, hosts_at_work
from nightledger.text.changes.diff import Course, new_lines, shows, trace_drift
from nightledger.text.changes.sections import SHOWN_SECTION, is_made_of
from nightledger.text.markdown.document import decode, encode, parse_markdown, readable, section_of
from nightledger.text.scanners.scan import mask_secrets, readable_diff, scan, scan_secrets, told_values
from nightledger.text.similar import fold

_BY_MARKS = {
    Writer.DREAMING: "Most likely OpenClaw's dreaming: its marks stand there.",
    Writer.EXTRACTION: "Most likely a tool that extracts memories: its marks stand there.",
}
_ORIGINS = {
    Writer.DREAMING: proposals.Origin.TOOL,
    Writer.EXTRACTION: proposals.Origin.TOOL,
    Writer.SESSION: proposals.Origin.AGENT,
}


NEVER_CHANGED = "it is a protected file, which is never changed by us: put it back yourself, or keep it"


NOT_SHOWN = (
    "it does not show what drifted; the bytes accepted before may be lost: 'nightledger guard' looks anew"
)


ELSEWHERE = "its sections would be accepted as they stand in neither text: keep or take back all that drifted"
"""Why a change of a drift is not kept without another."""


CHANGED_AGAIN = "the file has changed again: 'nightledger guard' looks anew"


class Guess(Struct, frozen=True, kw_only=True):
    """Who most likely wrote it.

    Attributes:
        writer: The word that the log keeps.
        sentence: The same for a person, with what it rests on.
        commit: A commit that holds these very bytes, 40 hex digits; empty where none is known.
    """

    writer: Writer = Writer.UNKNOWN
    sentence: str = "Who wrote it is unknown."
    commit: str = ""


def guess_writer(home: Home, path: str, present: bytes, added: str, roots: Mapping[str, str]) -> Guess:
    """Guess who wrote a file's bytes, by the strongest trace there is: marks, a commit, its owner, sessions at work.

    Args:
        home: Whose file.
        path: The file, relative to the home.
        present: Its bytes.
        added: The lines that were not accepted.
        roots: Each agent host's own directory, in which sessions are looked for; of none, none.
    """
    commit = find_commit(home.root, present) if present else ""
    mark = find_mark(added.split("\n"))
    if mark is not None:
        return Guess(writer=mark, sentence=_BY_MARKS[mark], commit=commit)
    if commit:
        said = f"Most likely git: commit {commit[:12]} holds these very bytes."
        return Guess(writer=Writer.GIT, sentence=said, commit=commit)
    try:
        status, owner = os.stat(home.path(path)), os.stat(home.root).st_uid
    except OSError:
        return Guess(sentence="The file is gone, and who removed it is unknown.")
    if status.st_uid != owner:
        said = f"Most likely user {status.st_uid} of this machine, who owns the file now."
        return Guess(writer=Writer.USER, sentence=said)
    if hosts := hosts_at_work(roots, status.st_mtime):
        said = f"Most likely an agent: a session of {' and '.join(hosts)} was at work then."
        return Guess(writer=Writer.SESSION, sentence=said)
    return Guess()


class Found(Struct, frozen=True, kw_only=True):
    """Bytes that stand in a file and were not accepted.

    Attributes:
        path: The file, relative to the home.
        accepted: The bytes accepted last.
        present: The bytes found.
        guess: Who most likely wrote them.
        title: One line that names it in lists.
        note: What else the operator should know; empty where nothing is.
        cap_characters: The cap of the file's host; None where there is none.
        told: Values that are secrets by the operator's own rule files: masked, too.
    """

    path: str
    accepted: bytes
    present: bytes
    guess: Guess = Guess()
    title: str = ""
    note: str = ""
    cap_characters: int | None = None
    told: frozenset[str] = frozenset()


def drift_proposal(found: Found, *, log_size: int, moment: Moment) -> proposals.Proposal:
    """Give the item in which the operator settles what was found.

    Args:
        found: What stands in the file.
        log_size: Entries of the log: the same bytes may drift again, and that is another item.
        moment: The clocks.
    """
    base, present = (hashlib.sha256(content).hexdigest() for content in (found.accepted, found.present))
    identity: dict[str, object] = {
        "kind": proposals.Kind.DRIFT.value,
        "target": found.path,
        "base": base,
        "present": present,
        "log_size": log_size,
    }
    meter = proposals.SizeMeter(
        before_characters=len(decode(found.accepted)),
        after_characters=len(decode(found.present)),
        cap_characters=found.cap_characters,
    )
    target = proposals.Target(path=found.path, base_sha256=present, meter=meter)
    return proposals.Proposal(
        v=proposals.VERSION,
        id=content_id("p", canonical(identity)),
        kind=proposals.Kind.DRIFT,
        lane=DRIFT,
        created_at=moment.at,
        period=moment.at.date().isoformat(),
        title=found.title,
        targets=(target,),
        changes=drift_changes(found),
    )


def drift_changes(found: Found) -> tuple[proposals.Change, ...]:
    """Give each run of changed lines as a change, with its diff against the text as those before it left it."""
    accepted, present = decode(found.accepted), decode(found.present)
    course = trace_drift(accepted, present)
    told = told_values(accepted) | told_values(present) | found.told
    return tuple(
        _change(found, course, n, readable_diff(before, after, path=found.path, told=told), told)
        for n, before, after in course.steps()
    )


def _change(found: Found, course: Course, n: int, diff: str, told: frozenset[str]) -> proposals.Change:
    removed, added, run = course.removed(n), course.added(n), course.runs[n - 1]
    origin = _ORIGINS.get(found.guess.writer, proposals.Origin.UNKNOWN)
    if removed:
        path = section_of(parse_markdown(decode(found.accepted)), run.old_start + 1, run.old_stop).path
    else:
        path = section_of(parse_markdown(decode(found.present)), run.new_start + 1, run.new_stop).path
    section = tuple(_shown(title, told) for title in path)
    hunk = proposals.Hunk(
        anchor=proposals.Anchor.LINES,
        section=section,
        removed=_shown(removed, told),
        added=_shown(added, told),
    )
    return proposals.Change(
        n=n,
        op=proposals.Op.REPLACE if removed and added else proposals.Op.ADD if added else proposals.Op.REMOVE,
        target=found.path,
        section=SHOWN_SECTION.join(section),
        before=hunk.removed,
        after=hunk.added,
        diff=diff,
        hunk=hunk,
        reason=" ".join(filter(None, (found.guess.sentence, found.note))),
        evidence=_evidence(found.path, course, n, origin, told),
        provenance=(origin,),
        confidence=1.0,
        key=fold(hunk.added or f"remove {hunk.removed}"),
        flags=_flags(new_lines(removed, added), told, origin),
    )


def _flags(text: str, told: frozenset[str], origin: proposals.Origin) -> tuple[proposals.Flag, ...]:
    """Give what scanners see in a text that stands in a file: each rule once."""
    findings = scan(text, origin=origin, snippets=True, told=told)
    return tuple(
        proposals.Flag(rule=rule, message=message)
        for rule, message in dict.fromkeys((finding.rule, finding.message) for finding in findings)
    )


def _shown(text: str, told: frozenset[str]) -> str:
    r"""Give text as a record may hold it: secrets masked, bytes that are no UTF-8 as ``\\xe9``."""
    return readable(mask_secrets(text, told=told))


def _evidence(
    path: str, course: Course, n: int, origin: proposals.Origin, told: frozenset[str]
) -> tuple[proposals.Evidence, ...]:
    """Point to the lines found; where they hold a secret their hash is not given, because it would tell it."""
    run = course.runs[n - 1]
    if run.new_start == run.new_stop:
        return ()
    first, last = run.new_start + 1, run.new_stop
    lines = course.added(n)
    named = f"{path}:{first}" if scan_secrets(lines, told=told) else lines.removesuffix("\n")
    sha256 = hashlib.sha256(encode(named)).hexdigest()
    return (proposals.Evidence(path=path, lines=(first, last), sha256=sha256, origin=origin),)


def plan_settlement(
    gate: Gate, book: Book, stored: Stored, kept: Sequence[int], taken_back: Sequence[int]
) -> Write | str:
    """Give the new bytes of a file, and those accepted from then on; or why it cannot be settled.

    Args:
        gate: The home.
        book: What its log adds up to.
        stored: The item.
        kept: Numbers of the changes that are accepted.
        taken_back: Numbers of those that go; the others stay as they are.
    """
    path = stored.proposal.targets[0].path
    present = read_watched(gate.home, path)
    kept_before = read_accepted(gate.home, book, path)
    why = _why_not(book, stored, present, taken_back, is_known=kept_before is not None)
    if why:
        return why
    accepted = b"" if kept_before is None else kept_before
    course = trace_drift(decode(accepted), decode(present))
    if not shows(stored.proposal, course):
        return NOT_SHOWN
    stays = [n for n in range(1, len(course.runs) + 1) if n not in taken_back]
    texts = course.rebuild(stays), course.rebuild(kept)
    others = course.rebuild([n for n in range(1, len(course.runs) + 1) if n not in kept])
    if not (
        is_made_of(texts[0], [decode(accepted), decode(present)])
        and is_made_of(texts[1], [decode(accepted)], [(others, decode(present))])
    ):
        return ELSEWHERE
    after, signed = map(encode, texts)
    if after != present and (locked := why_locked(gate, path)):
        return locked
    if secrets := _secrets_returning(present, after):
        return f"taking it back would bring a secret back ({', '.join(secrets)}): keep it instead"
    return Write(path=path, before=present, after=after, accepted_before=accepted, accepted=signed)


def _why_not(book: Book, stored: Stored, present: bytes, taken_back: Sequence[int], *, is_known: bool) -> str:
    """Say why an item cannot be settled so; empty where it can."""
    target = stored.proposal.targets[0]
    drift = book.drifts.get(target.path)
    if drift is None or drift.proposal != stored.proposal.id or drift.base != book.accepted_of(target.path):
        return CHANGED_AGAIN
    if hashlib.sha256(present).hexdigest() != target.base_sha256:
        return CHANGED_AGAIN
    if taken_back and target.path not in book.gated:
        return NEVER_CHANGED
    if taken_back and not is_known:
        return "the bytes accepted before were never kept: keep it whole, or edit the file"
    return ""


def _secrets_returning(before: bytes, after: bytes) -> list[str]:
    """Name what scanners block in lines that would come back; what was removed as a secret stays away."""
    coming = scan(new_lines(decode(before), decode(after)))
    return sorted({finding.rule for finding in coming if finding.severity is Severity.BLOCK})


def settled_target(stored: Stored, write: Write, kept: Sequence[int]) -> DecisionTarget:
    """Return what a decision says of the file whose drift it settles."""
    hunks = [change.hunk for change in stored.proposal.changes if change.n in kept]
    return DecisionTarget(
        path=write.path,
        base=hashlib.sha256(write.before).hexdigest(),
        result=hashlib.sha256(write.after).hexdigest(),
        hunks_sha256=hunks_sha256(hunks),
    )


def carry_out(
    gate: Gate, ledger: Ledger, status: DecisionStatus, taken_back: Sequence[int], moment: Moment
) -> None:
    """Carry a recorded decision about drift out at once; the caller holds the home's lock.

    What a rival wrote at the same moment is kept, and offered by the next look.

    Args:
        gate: The home.
        ledger: Its log, in which the decision is recorded.
        status: The decision.
        taken_back: Numbers of the changes that the operator takes back.
        moment: The clocks.

    Raises:
        RefusedError: The decision does not verify, or the file is not what was signed.
        AlteredError: Its file, or its proposal's, is not what was logged.
    """
    claim = read_claim(gate.home, ledger, status)
    stored = read_proposal(gate, ledger.book.proposals[status.proposal])
    reasons = _reasons(claim, stored, moment)
    void = why_void(gate.home, ledger, status, moment)
    reasons += [void] if void else []
    write = plan_settlement(gate, ledger.book, stored, claim.decision.changes, taken_back)
    if isinstance(write, str):
        reasons.append(write)
    elif (settled_target(stored, write, claim.decision.changes),) != claim.decision.targets:
        reasons.append("the file would not become what was signed")
    if reasons or isinstance(write, str):
        raise RefusedError(
            f"decision {status.id} is not carried out:\n  " + "\n  ".join(reasons),
            hint="'nightledger review' asks again, over the bytes of now",
        )
    changes = claim.decision.changes
    besides = {"taken_back": list(taken_back)} if taken_back else {}
    write_all(gate, claim.decision, changes, [write], moment, besides=besides)


def _reasons(claim: Claim, stored: Stored, moment: Moment) -> list[str]:
    reasons = []
    if claim.signer is None or claim.signer != claim.decision.principal or not claim.on_log:
        reasons.append("its signature does not verify")
    if claim.decision.proposal_sha256 != stored.sha256:
        reasons.append("it was signed over other bytes of this item")
    if claim.latest(moment) >= claim.decision.expires:
        reasons.append("it has expired")
    return reasons


def finish_settlements(gate: Gate, ledger: Ledger, moment: Moment) -> None:
    """Carry out decisions about drift that were recorded and not carried out: after a crash, or from elsewhere.

    What such a decision does not keep is taken back, where that gives the bytes that were signed; else its
    item stays, and is asked about again.
    """
    for status in ledger.book.unsettled():
        open_changes = ledger.book.proposals[status.proposal].open_changes()
        taken_back = tuple(n for n in open_changes if n not in status.changes)
        with suppress(NightledgerError):
            carry_out(gate, ledger, status, taken_back, moment)
