"""What drifted, as an item that an operator settles: its changes, who most likely wrote it, what scanners see, its proposal.

Invariant: a drift's changes are rebuilt from two blobs, the bytes accepted last and those
found, and never placed by their text; the proposal shows them with secrets masked, so
that it holds for any bytes and copies no secret. By whom it was written is a guess, and decides nothing.
"""

import hashlib
import os
from collections.abc import Mapping

from msgspec import Struct

from nightledger.codec.canonical import canonical
from nightledger.domain.ids import content_id
from nightledger.domain.lanes import DRIFT
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import (
    VERSION,
    Anchor,
    Change,
    Evidence,
    Flag,
    Hunk,
    Kind,
    Op,
    Origin,
    Proposal,
    SizeMeter,
    Target,
)
from nightledger.domain.states import Writer
from nightledger.files.home import Home
from nightledger.hosts.writers import find_commit, find_mark, hosts_at_work
from nightledger.text.changes.course import Course, trace_drift
from nightledger.text.changes.diff import new_lines
from nightledger.text.changes.sections import SHOWN_SECTION
from nightledger.text.changes.veil import readable_diff
from nightledger.text.markdown.document import decode, encode, parse_markdown, readable, section_of
from nightledger.text.scanners.scan import mask_secrets, scan, scan_secrets, told_values
from nightledger.text.similar import fold

_BY_MARKS = {
    Writer.DREAMING: "Most likely OpenClaw's dreaming: its marks stand there.",
    Writer.EXTRACTION: "Most likely a tool that extracts memories: its marks stand there.",
}
_ORIGINS = {Writer.DREAMING: Origin.TOOL, Writer.EXTRACTION: Origin.TOOL, Writer.SESSION: Origin.AGENT}


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


def drift_proposal(found: Found, *, log_size: int, moment: Moment) -> Proposal:
    """Give the item in which the operator settles what was found.

    Args:
        found: What stands in the file.
        log_size: Entries of the log: the same bytes may drift again, and that is another item.
        moment: The clocks.
    """
    base, present = (hashlib.sha256(content).hexdigest() for content in (found.accepted, found.present))
    identity: dict[str, object] = {
        "kind": Kind.DRIFT.value,
        "target": found.path,
        "base": base,
        "present": present,
        "log_size": log_size,
    }
    meter = SizeMeter(
        before_characters=len(decode(found.accepted)),
        after_characters=len(decode(found.present)),
        cap_characters=found.cap_characters,
    )
    target = Target(path=found.path, base_sha256=present, meter=meter)
    return Proposal(
        v=VERSION,
        id=content_id("p", canonical(identity)),
        kind=Kind.DRIFT,
        lane=DRIFT,
        created_at=moment.at,
        period=moment.at.date().isoformat(),
        title=found.title,
        targets=(target,),
        changes=drift_changes(found),
    )


def drift_changes(found: Found) -> tuple[Change, ...]:
    """Give each run of changed lines as a change, with its diff against the text as those before it left it."""
    accepted, present = decode(found.accepted), decode(found.present)
    course = trace_drift(accepted, present)
    told = told_values(accepted) | told_values(present) | found.told
    return tuple(
        _change(found, course, n, readable_diff(before, after, path=found.path, told=told), told)
        for n, before, after in course.steps()
    )


def _change(found: Found, course: Course, n: int, diff: str, told: frozenset[str]) -> Change:
    removed, added, run = course.removed(n), course.added(n), course.runs[n - 1]
    origin = _ORIGINS.get(found.guess.writer, Origin.UNKNOWN)
    if removed:
        path = section_of(parse_markdown(decode(found.accepted)), run.old_start + 1, run.old_stop).path
    else:
        path = section_of(parse_markdown(decode(found.present)), run.new_start + 1, run.new_stop).path
    section = tuple(_shown(title, told) for title in path)
    hunk = Hunk(
        anchor=Anchor.LINES,
        section=section,
        removed=_shown(removed, told),
        added=_shown(added, told),
    )
    return Change(
        n=n,
        op=Op.REPLACE if removed and added else Op.ADD if added else Op.REMOVE,
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


def _flags(text: str, told: frozenset[str], origin: Origin) -> tuple[Flag, ...]:
    """Give what scanners see in a text that stands in a file: each rule once."""
    findings = scan(text, origin=origin, snippets=True, told=told)
    return tuple(
        Flag(rule=rule, message=message)
        for rule, message in dict.fromkeys((finding.rule, finding.message) for finding in findings)
    )


def _shown(text: str, told: frozenset[str]) -> str:
    r"""Give text as a record may hold it: secrets masked, bytes that are no UTF-8 as ``\\xe9``."""
    return readable(mask_secrets(text, told=told))


def _evidence(
    path: str, course: Course, n: int, origin: Origin, told: frozenset[str]
) -> tuple[Evidence, ...]:
    """Point to the lines found; where they hold a secret their hash is not given, because it would tell it."""
    run = course.runs[n - 1]
    if run.new_start == run.new_stop:
        return ()
    first, last = run.new_start + 1, run.new_stop
    lines = course.added(n)
    named = f"{path}:{first}" if scan_secrets(lines, told=told) else lines.removesuffix("\n")
    sha256 = hashlib.sha256(encode(named)).hexdigest()
    return (Evidence(path=path, lines=(first, last), sha256=sha256, origin=origin),)
