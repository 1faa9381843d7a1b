"""Scanners at the gate: what may be proposed, what is flagged, what is held back; and which values a home tells as secrets.

Invariant: no text with a secret reaches a proposal, a view or the audit log; hidden
characters and instructions aimed at an agent wait in quarantine, where the operator
can look at them. A value that one line tells is masked on every other.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import Event, EventName
from nightledger.domain.errors import NightledgerError
from nightledger.domain.finding import Finding, Severity
from nightledger.domain.proposal import HOLE, Change, Draft, Flag, Proposal, least_trusted
from nightledger.files.configuration import load_operator, read_rule_files
from nightledger.files.home import Home
from nightledger.gate.gated import read_gated
from nightledger.gate.opening import Gate
from nightledger.text.changes.place import Placed, place
from nightledger.text.markdown.document import decode, encode
from nightledger.text.scanners.rule import Table
from nightledger.text.scanners.scan import repeats_secret, scan, scan_secrets, secrets_between, told_values
from nightledger.text.scanners.secrets import SHORTEST_REPEATED

NOTHING: frozenset[str] = frozenset()
"""What an empty file tells."""


class Held(Struct, frozen=True, kw_only=True):
    """A draft that the scanners held back.

    Attributes:
        rules: What they saw, ``secret.github``; sorted, distinct.
        secret: Whether the text must not be copied, not even into quarantine.
        text_sha256: Hex SHA-256 of the text; of its place where it is a secret, because the hash of
            a short secret tells it.
        path: Where the text came from, relative to the home.
        line: Its first line there; 0 where it came from no file.
        text: The text for quarantine; empty for a secret.
    """

    rules: tuple[str, ...]
    secret: bool
    text_sha256: str
    path: str
    line: int
    text: str


def own_rules(gate: Gate) -> Table | None:
    """Give the rows of the operator's rule files; None where they name none.

    Raises:
        ConfigurationError: A rule file that cannot be used, or ``operator.yaml`` itself.
        UnreadableError: A rule file that is not there.
    """
    operator = load_operator(str(gate.ring.directory))
    if not operator.rule_files:
        return None
    from nightledger.text.scanners.rule import parse_rule_file  # tomllib, for the few who name one

    files = read_rule_files(operator, gate.home)
    return Table([rule for path, raw in files.items() for rule in parse_rule_file(raw, where=path)])


def own_values(gate: Gate, *texts: str) -> frozenset[str]:
    """Give what rows of the operator's rule files find in texts; none where they name no files.

    What takes values that were told as secrets (``told_values``) masks and flags these, too.
    """
    own = own_rules(gate)
    return frozenset(text[found.start : found.end] for text in texts for found in _own_findings(own, text))


def _own_findings(own: Table | None, *texts: str) -> list[Finding]:
    if own is None:
        return []
    return [finding for text in texts for finding in own.find(text)]


def screen(drafts: Iterable[Draft], own: Table | None = None) -> tuple[tuple[Held, ...], list[Draft]]:
    """Part drafts into those held back and those that may be proposed, with their flags.

    Args:
        drafts: What someone would propose.
        own: Rows of the operator's rule files (``own_rules``).
    """
    held: list[Held] = []
    clean: list[Draft] = []
    for draft in drafts:
        if seen := _own_findings(own, draft.after, draft.before, draft.reason, *draft.section):
            held.append(_held(draft, seen))
            continue
        worst = least_trusted(evidence.origin for evidence in draft.evidence)  # one tainted source taints it
        findings = scan(draft.after, origin=worst, snippets=True)
        if copied := _copied(draft):
            held.append(_held(draft, copied))
        elif any(finding.severity is not Severity.FLAG for finding in findings):
            held.append(_held(draft, findings))
        else:
            flags = (Flag(rule=finding.rule, message=finding.message) for finding in findings)
            clean.append(replace(draft, flags=(*draft.flags, *flags)))
    return tuple(held), clean


def _copied(draft: Draft) -> list[Finding]:
    """Give the secrets that a proposal of the draft would hold: what is taken out is veiled, its key is not."""
    found = [f for text in (draft.reason, *draft.section) for f in scan_secrets(text)]
    taken = scan_secrets(draft.before)
    if repeats_secret(draft.statement_key, [draft.before[f.start : f.end] for f in taken]):
        found += taken
    return found


def without_own_secrets(held: Iterable[Held], own: Table | None) -> tuple[Held, ...]:
    """Take the text out of what is held where rows of the operator's rule files find a secret in it."""
    return tuple(_without_text(item, _own_findings(own, item.text)) for item in held)


def _without_text(item: Held, found: Sequence[Finding]) -> Held:
    if not found:
        return item
    rules = {*item.rules, *(finding.rule for finding in found)}
    named = hashlib.sha256(f"{item.path}:{item.line}".encode()).hexdigest()
    return replace(item, rules=tuple(sorted(rules)), secret=True, text_sha256=named, text="")


def _held(draft: Draft, findings: Sequence[Finding]) -> Held:
    secret = any(finding.severity is Severity.BLOCK for finding in findings)
    first = draft.evidence[0] if draft.evidence else None
    path, line = (first.path, first.lines[0]) if first else ("", 0)
    named = f"{path}:{line}" if secret else draft.after
    return Held(
        rules=tuple(sorted({finding.rule for finding in findings if finding.severity is not Severity.FLAG})),
        secret=secret,
        text_sha256=hashlib.sha256(encode(named)).hexdigest(),
        path=path,
        line=line,
        text="" if secret else draft.after,
    )


def unseen(held: Sequence[Held], events: Iterable[Event]) -> list[Held]:
    """Leave out what the log already says was held back, so that a rerun adds nothing."""
    logged = {
        (event.fields["sha256"], event.fields["path"], event.fields["line"])
        for event in events
        if event.event == EventName.QUARANTINED
    }
    return [item for item in held if (item.text_sha256, item.path, item.line) not in logged]


def told_by(documents: Mapping[str, str], proposals: Iterable[Proposal]) -> frozenset[str]:
    """Give the values that gated files and proposals tell as secrets.

    Args:
        documents: Each gated file's text, by path.
        proposals: Those that are shown.
    """
    changes = [change for proposal in proposals for change in proposal.changes]
    texts = [*documents.values(), *(text for change in changes for text in _texts(change))]
    veiled = (frozenset(_behind_holes(documents, change)) for change in changes)
    return NOTHING.union(*map(told_values, dict.fromkeys(texts)), *veiled)


def _behind_holes(documents: Mapping[str, str], change: Change) -> Iterator[str]:
    """Give what stands in a file where a change has holes: the line that told it may be gone by now."""
    hunk, document = change.hunk, documents.get(change.target, "")
    placed = place(document, hunk) if HOLE in hunk.removed else None
    if isinstance(placed, Placed):
        found = secrets_between(document[placed.start : placed.end], hunk.removed)
        yield from (value for value in found if len(value) >= SHORTEST_REPEATED and " " not in value)


def told_at_home(home: Home, proposals: Iterable[Proposal]) -> frozenset[str]:
    """Give what the gated files of now and proposals tell; see :func:`told_by`."""
    return told_by(_documents(home), proposals)


def _documents(home: Home) -> dict[str, str]:
    documents = {}
    for path in home.identity.gated:
        with suppress(NightledgerError):
            documents[path] = decode(read_gated(home, path))
    return documents


def _texts(change: Change) -> Iterable[str]:
    return (change.hunk.removed, change.hunk.added, change.before, change.after, change.reason)
