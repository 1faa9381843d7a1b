"""What waits for the operator: a proposal and its changes.

Invariant: these values are immutable; a proposal's state is not in it but derived
from the audit log (``domain/states.py``).
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

VERSION = 2
"""Of a proposal's record; 1 told a hunk's place by the lines around it, and is not read."""


class Op(StrEnum):
    """What a change does to its target."""

    ADD = "add"
    REPLACE = "replace"
    REMOVE = "remove"
    ARCHIVE = "archive"
    COMPRESS = "compress"
    DELETE_LINK = "delete_link"


class Kind(StrEnum):
    """Why a proposal was made."""

    CONSOLIDATE = "consolidate_daily_to_memory"
    PRUNE = "prune_stale_memory"
    BEHAVIOUR = "propose_behavioral_change"
    FORGET = "forget"
    REVERSAL = "reversal"
    DRIFT = "drift"


class Origin(StrEnum):
    """Who said it first: the provenance class of evidence, carried to the very end."""

    OWNER = "owner"
    AGENT = "agent"
    TOOL = "tool"
    WEB = "web"
    GROUP = "group"
    SYSTEM = "system"
    UNKNOWN = "unknown"


_LEAST_TRUSTED_FIRST = (
    Origin.WEB,
    Origin.GROUP,
    Origin.TOOL,
    Origin.UNKNOWN,
    Origin.SYSTEM,
    Origin.AGENT,
    Origin.OWNER,
)


def least_trusted(origins: Iterable[Origin]) -> Origin:
    """Give the class of what several sources said together: one tainted source taints it; of none, unknown."""
    named = set(origins)
    return next((origin for origin in _LEAST_TRUSTED_FIRST if origin in named), Origin.UNKNOWN)


HOLE = "\N{FULL BLOCK}"
"""Stands for one character of a secret; where it is looked for, any character of a line fills it."""


class Anchor(StrEnum):
    """How a hunk finds its place in the file as it then is."""

    SECTION_END = "section_end"
    """Append to the named section, which is made at the end of the section around it where it is missing."""
    DIVIDED_END = "divided_end"
    """The same in a file whose entries lines of ``§`` divide: one is put between where an entry stands there."""
    LINES = "lines"
    """``removed`` stands in the named section: from its line ``line`` on, else exactly once. Each U+2588 in it
    stands for one character of a secret, and any fills it."""
    FILE_LINES = "file_lines"
    """``removed`` stands in the file from line ``line`` on: an operator's own edit, over these very bytes."""
    FILE_END = "file_end"
    """``added`` is put at the end of the file, which is made where it is missing."""
    WHOLE = "whole"
    """The file's bytes hash to ``removed`` (hex SHA-256; "" where it is empty or missing); ``added`` is all of its
    new text."""
    COPY = "copy"
    """The file is empty, missing, or holds them already: afterwards it holds the bytes that the change's target had
    before, byte for byte; ``added`` is their hex SHA-256."""
    LINK = "link"
    """``removed`` is the key of a link; nothing is written: the decision itself is its tombstone."""


class Evidence(Struct, frozen=True, kw_only=True):
    r"""One place that a change rests on.

    Attributes:
        path: File, relative to the home.
        lines: First and last line, counted from 1, split on ``\\n`` only.
        sha256: Hex SHA-256 of those lines' bytes, joined by ``\\n``; of lines with a secret
            U+2588 stands for each of its characters.
        origin: Who said it.
        outcome: Id of the outcome, where the line is one.
    """

    path: str
    lines: tuple[int, int]
    sha256: str
    origin: Origin
    outcome: str | None = None


def place_of(path: str, lines: tuple[int, int]) -> str:
    """Return where lines stand: ``memory/2026-02-28.md:12``, ``memory/2026-02-28.md:5-6``."""
    first, last = lines
    return f"{path}:{first}" if first == last else f"{path}:{first}-{last}"


CONTRADICTION = "contradiction"
"""The flag of a change that asks which of two wordings stays."""
SINGLE_SOURCE = "single_source"
"""Rule of the flag that only one source supports a change."""


class Flag(Struct, frozen=True, kw_only=True):
    """Something a scanner or a rule wants the operator to see.

    Attributes:
        rule: Enumerated word: ``single_source``, ``secret.aws_key``, ``unicode.bidi``.
        message: One line for the review screen; never the secret itself.
    """

    rule: str
    message: str


class Hunk(Struct, frozen=True, kw_only=True):
    """The exact bytes a change takes out and puts in, as text; what is signed.

    Text is UTF-8 and carries the file's own line ends. Whole lines only.

    Attributes:
        anchor: How the place is found.
        section: Heading texts from the outermost to the section's own; () is the top of the file.
        line: First line to take out, from 0: in the section, its heading included, or in the file
            (``file_lines``); 0 for an addition.
        removed: Bytes to take out; empty for an addition.
        added: Bytes to put in; for a removal empty, or the one blank line without which the
            blocks above and below it would be read as one.
    """

    anchor: Anchor
    section: tuple[str, ...]
    line: int = 0
    removed: str = ""
    added: str = ""


class Part(Struct, frozen=True, kw_only=True):
    """What a change writes to a further file, together with its target or not at all.

    Attributes:
        target: The file, relative to the home; ``domain/kept.py`` says which it may be.
        hunk: What is written there, and signed.
    """

    target: str
    hunk: Hunk


class Scope(Struct, frozen=True, kw_only=True):
    """When a lesson holds: what would change its mind.

    Attributes:
        fails_when: Where following it did or would do harm.
        fine_when: Where the opposite is fine.
    """

    fails_when: str = ""
    fine_when: str = ""


class Change(Struct, frozen=True, kw_only=True):
    """One hunk that waits, with all that the operator needs to judge it.

    Attributes:
        n: Number in its proposal, from 1.
        op: What it does.
        target: File, relative to the home: a gated one; a daily log that is compressed; the links, of
            which one is deleted.
        section: Heading under which it stands, as shown: ``Projects > Atlas``.
        before: Text taken out, as shown; U+2588 for each character of a secret.
        after: Text put in, as shown.
        diff: Unified diff against the base at proposal time.
        hunk: What apply does and the operator signs.
        reason: Why, one or two sentences.
        evidence: Where it comes from, strongest first.
        provenance: Distinct origins of the evidence, sorted.
        confidence: The chance that the operator signs it, as far as that was measured; 0..1, rounded to 4 decimals.
        key: Folded wording; what suppression compares.
        scope: What would change its mind.
        flags: What scanners and rules say.
        entry: Id of the entry it replaces or removes, or that it may contradict; None where there is none.
        also: What it writes to further files.
    """

    n: int
    op: Op
    target: str
    section: str
    before: str
    after: str
    diff: str
    hunk: Hunk
    reason: str
    evidence: tuple[Evidence, ...]
    provenance: tuple[Origin, ...]
    confidence: float
    key: str
    scope: Scope = Scope()
    flags: tuple[Flag, ...] = ()
    entry: str | None = None
    also: tuple[Part, ...] = ()

    @property
    def flags_told(self) -> tuple[Flag, ...]:
        """The flags that a person is shown: a single source is told of where it is not the owner's or agent's own."""
        own = set(self.provenance) <= {Origin.OWNER, Origin.AGENT}
        return tuple(flag for flag in self.flags if flag.rule != SINGLE_SOURCE or not own)


class SizeMeter(Struct, frozen=True, kw_only=True):
    """How large the target is and would be, against what its host shows the agent.

    Attributes:
        before_characters: The target now.
        after_characters: The target with all changes applied.
        cap_characters: The host's cap; None where there is none.
    """

    before_characters: int
    after_characters: int
    cap_characters: int | None


class Target(Struct, frozen=True, kw_only=True):
    """A file as it was when the proposal was made.

    Attributes:
        path: Relative to the home.
        base_sha256: Hex SHA-256 of its bytes then.
        meter: Its size.
    """

    path: str
    base_sha256: str
    meter: SizeMeter


class Proposal(Struct, frozen=True, kw_only=True):
    """Changes that wait for one operator's answer; immutable once written.

    Attributes:
        v: Version of the record, :data:`VERSION`.
        id: ``p-`` and 26 characters; derived from kind, targets and hunks.
        kind: Why it was made.
        lane: Who made it: ``job`` (ranked and capped nightly), ``agent`` (three waiting,
            8 KB each), ``operator`` (asked for: edit, check, forget, undo).
        created_at: Aware UTC.
        period: The log day or run that it belongs to, ``2026-02-28``.
        title: One line that names it in lists.
        targets: Files it changes: the main target of each change.
        changes: At least one.
        supersedes: Id of the proposal that an edit replaced.
    """

    v: int
    id: str
    kind: Kind
    lane: str
    created_at: datetime
    period: str
    title: str
    targets: tuple[Target, ...]
    changes: tuple[Change, ...]
    supersedes: str | None = None


class Draft(Struct, frozen=True, kw_only=True):
    r"""A change that a job wants to make, before the gate has placed and ranked it.

    Attributes:
        op: What it does.
        target: As that of a change.
        section: Heading path for an addition; for others, where the entry stands.
        before: Exact lines to take out, with line ends; empty for an addition.
        line: First line of ``before`` in the target, from 1; 0 for an addition.
        after: Entry to put in, with ``\\n`` line ends; empty for a removal.
        reason: Why.
        evidence: Where it comes from.
        confidence: The chance that the operator signs it, as far as that was measured; 0..1, rounded to 4 decimals.
        rank: Higher is shown earlier and survives the nightly cap.
        scope: What would change its mind.
        flags: What scanners and rules say.
        statement_key: Folded wording; equal keys are the same statement to suppression.
        entry: Id of the entry it replaces or removes, or that it may contradict; None where there is none.
        also: What it writes to further files, ready to be signed.
    """

    op: Op
    target: str
    section: tuple[str, ...]
    after: str
    reason: str
    evidence: tuple[Evidence, ...]
    confidence: float
    rank: float
    statement_key: str
    before: str = ""
    line: int = 0
    scope: Scope = Scope()
    flags: tuple[Flag, ...] = ()
    entry: str | None = None
    also: tuple[Part, ...] = ()
