"""An agent's proposals: their own lane, small and few, never a way around review."""

import hashlib
from datetime import date, timedelta

from msgspec import Struct

from nightledger.domain.decision import Actor, EventName, Moment
from nightledger.domain.errors import RefusedError
from nightledger.domain.finding import Severity
from nightledger.domain.judge import AGENT
from nightledger.domain.proposal import Draft, Evidence, Kind, Op, Origin, least_trusted
from nightledger.gate.drafting import BESIDE
from nightledger.gate.gated import read_gated, require_gated
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing import Outcome, Submission, propose
from nightledger.text.changes.place import NOT_UTF8
from nightledger.text.markdown.document import BlockKind, decode, is_utf8, parse_markdown
from nightledger.text.markdown.entries import Entry, find_entries
from nightledger.text.scanners.scan import scan
from nightledger.text.similar import fold
from nightledger.text.statements.daylog import read_daylog
from nightledger.text.visible import cut

CONFIDENCE = 0.5
"""An agent's word for itself counts neither way (DESIGN section 5)."""
TITLE_CHARACTERS = 60
SECTION_CHARACTERS = 120
"""Of a section's name: a heading, not a text. The size of all words together is the lane's. Our choice."""
NAMING = "name a section that the file has"
MENDING = {
    NOT_UTF8: "name another section meanwhile; the operator writes that line anew in UTF-8, in any editor, and "
    "keeps it in 'nightledger review'",
    BESIDE: "repeat no secret, and name another section meanwhile; the operator takes it out ('nightledger expunge')",
}
"""What to do about a place that a wish cannot have."""
_NO_DAY = date(1970, 1, 1)
"""The day of lines whose day nobody asks for."""
HELD_COUNTS_FOR = timedelta(days=1)
"""A held text takes a place in the lane for so long. Nobody answers it, so it has to end by itself. Our choice."""


class Wish(Struct, frozen=True, kw_only=True):
    """What an agent asks for.

    Attributes:
        target: Gated file, relative to the home.
        section: Heading under which it belongs.
        text: Entry to put in; empty for a removal.
        entry: Id, or exact text, of the entry that it replaces or removes; empty for an addition.
        reason: Why, in the agent's words.
        evidence: Where it comes from.
        lane: ``agent``, or ``peer`` where another machine asks.
        asker: Who asks, for the title.
    """

    target: str
    section: tuple[str, ...]
    text: str
    entry: str
    reason: str
    evidence: tuple[Evidence, ...]
    lane: str = AGENT
    asker: str = "The agent"


def propose_wish(gate: Gate, ledger: Ledger, wish: Wish, moment: Moment, *, dry_run: bool = False) -> Outcome:
    """Put an agent's wish before the operator.

    Raises:
        RefusedError: The lane is full (texts held back within a day count), the text too long, the file not gated, the entry unknown,
            a section's name too long, or the text holds what scanners block.
    """
    require_gated(gate.home, wish.target)
    _require_names(wish)
    _require_room(gate, ledger, wish, moment)
    _require_clean(wish)
    submission = Submission(
        kind=Kind.BEHAVIOUR,
        lane=wish.lane,
        period=moment.at.date().isoformat(),
        title=f"{wish.asker} asks: {_first_line(wish.text) or _first_line(wish.reason)}",
        drafts=[_draft(gate, wish)],
    )
    outcome = propose(gate, ledger, submission, moment, dry_run=dry_run)
    secrets = sorted({rule for held in outcome.held if held.secret for rule in held.rules})
    if secrets:
        raise RefusedError(
            f"the text holds a secret ({', '.join(secrets)})", hint="say where it is kept, never what it is"
        )
    if outcome.unfit:
        why = outcome.unfit[0].reason
        raise RefusedError(f"it has no place: {why}", hint=MENDING.get(why, NAMING))
    if outcome.over_cap:
        raise RefusedError(
            f"{wish.target} is over the cap of its host, {gate.cap_of(wish.target).told}",
            hint="propose a removal, or a replacement that is no longer",
        )
    if outcome.suppressed:
        raise RefusedError(
            "the same change was proposed before, or it says what the operator removed",
            hint="'nightledger proposals --all' says what became of it",
        )
    return outcome


def _first_line(text: str) -> str:
    return cut(next((line.strip() for line in text.splitlines() if line.strip()), ""), TITLE_CHARACTERS)


def _require_clean(wish: Wish) -> None:
    """Let scanners read what stands beside the text: it is stored and shown, too.

    Raises:
        RefusedError: It is empty, or holds what scanners block or quarantine.
    """
    if not wish.reason.strip():
        raise RefusedError("it gives no reason", hint="say why with --reason")
    if not is_utf8(wish.text):
        raise RefusedError("the text is not UTF-8", hint="write it in UTF-8")
    for name, words in (("reason", wish.reason), ("section", " > ".join(wish.section))):
        seen = sorted({f.rule for f in scan(words, origin=Origin.AGENT) if f.severity is not Severity.FLAG})
        if seen:
            raise RefusedError(f"the {name} is held back by the scanners ({', '.join(seen)})")
        if not is_utf8(words):
            raise RefusedError(f"the {name} is not UTF-8", hint="write it in UTF-8")


def _require_names(wish: Wish) -> None:
    longest = max(map(len, wish.section), default=0)
    if longest > SECTION_CHARACTERS:
        raise RefusedError(
            f"the section's name has {longest} characters; at most {SECTION_CHARACTERS} are taken",
            hint="name a heading of the file; the text goes into --text",
        )


def _require_room(gate: Gate, ledger: Ledger, wish: Wish, moment: Moment) -> None:
    settings = gate.settings
    words = (wish.text, wish.reason, *wish.section, *(evidence.path for evidence in wish.evidence))
    size_bytes = sum(len(text.encode("utf-8", "surrogatepass")) for text in words)
    if size_bytes > settings.agent_bytes:
        raise RefusedError(
            f"the proposal has {size_bytes} bytes; at most {settings.agent_bytes} are taken",
            hint="say it shorter",
        )
    waiting = sum(1 for status in ledger.book.live() if status.lane == wish.lane and status.open_changes())
    held = _held_lately(ledger, moment, Actor.AGENT if wish.lane == AGENT else Actor.UNKNOWN)
    if waiting + held >= settings.agent_waiting:
        scanned = f", and the scanners held {held} back since yesterday" if held else ""
        raise RefusedError(
            f"{waiting} proposals of {wish.lane}s wait already{scanned}",
            hint="your operator has to answer them first; log what happened with 'nightledger log'",
        )


def _held_lately(ledger: Ledger, moment: Moment, actor: Actor) -> int:
    """Count the texts of a lane that scanners held back within a day: each is a file that someone looks at."""
    return sum(
        event.event == EventName.QUARANTINED
        and event.actor is actor
        and abs(moment.at - event.at) < HELD_COUNTS_FOR  # by a clock that was ahead, too
        for event in ledger.log.events
    )


def _draft(gate: Gate, wish: Wish) -> Draft:
    entry = _find_entry(gate, wish) if wish.entry else None
    return Draft(
        op=Op.ADD if entry is None else Op.REPLACE if wish.text else Op.REMOVE,
        target=wish.target,
        section=entry.section if entry else wish.section,
        before=entry.text if entry else "",
        line=entry.first_line if entry else 0,
        after=as_item(wish.text),
        reason=wish.reason,
        evidence=wish.evidence,
        confidence=CONFIDENCE,
        rank=0.0,
        statement_key=fold(wish.text or f"remove {wish.entry}"),
        entry=entry.id if entry else None,
    )


def as_item(text: str) -> str:
    """Give a single paragraph as a list item, which is what memory is made of; all else as it is."""
    blocks = parse_markdown(text).blocks
    lines = text.strip().split("\n")
    if len(blocks) != 1 or blocks[0].kind is not BlockKind.PARAGRAPH or is_decision(lines[0]):
        return text
    return "\n".join([f"- {lines[0].strip()}", *(f"  {line.strip()}" for line in lines[1:])])


def is_decision(line: str) -> bool:
    """Tell whether a line begins a decision block."""
    return line.lstrip("*_ ").upper().startswith("DECISION:")


def _find_entry(gate: Gate, wish: Wish) -> Entry:
    document = parse_markdown(decode(read_gated(gate.home, wish.target)))
    wanted = fold(wish.entry)
    found = [e for e in find_entries(document) if e.id == wish.entry or fold(e.text) == wanted]
    if len(found) != 1:
        count = "no entry is" if not found else f"{len(found)} entries are"
        raise RefusedError(
            f"{count} {wish.entry[:80]!r} in {wish.target}",
            hint="give the entry's whole text, or its id from memory/system/entries.json",
        )
    return found[0]


def agent_evidence(path: str, lines: tuple[int, int], content: bytes) -> Evidence:
    """Give a place that an agent points to: its word, and no better than what stands there.

    Args:
        path: File, relative to the home.
        lines: First and last line, from 1, that the file has.
        content: The file.
    """
    first, last = lines
    cited = content.split(b"\n")[first - 1 : last]
    return Evidence(
        path=path,
        lines=lines,
        sha256=hashlib.sha256(b"\n".join(cited)).hexdigest(),
        origin=least_trusted((Origin.AGENT, *_said_by(path, lines, content))),
    )


def _said_by(path: str, lines: tuple[int, int], content: bytes) -> list[Origin]:
    """Give who says the lines, where the file's own form tells it: pasted text, a tool's turn."""
    if not path.endswith(".md"):
        return []
    log = read_daylog(path, content.decode("utf-8", "replace"), _NO_DAY)
    return [line.origin for line in log.lines[lines[0] - 1 : lines[1]]]
