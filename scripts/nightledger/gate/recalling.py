"""Fill a frame from a home: what of its entries and principles an agent is shown now; the constitution in force, and what may become one.

Invariant: what is shown was signed. An entry that drifted, that scanners hold back, or that its operator
had forgotten, is left out and counted, whatever it would score; principles are those in force, never
those on disk: a file that differs is named by ``find_altered`` and read by nobody.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from nightledger.codec.constitution import parse_constitution
from nightledger.domain import frames
from nightledger.domain.decision import Moment
from nightledger.domain.errors import RecordError
from nightledger.domain.finding import Severity
from nightledger.domain.frames import Constitution, Principle
from nightledger.domain.retention import NO_USE, PERIOD_HOURS, PERMANENT, Use, recency
from nightledger.domain.trusting import TRUST_FILES
from nightledger.files.home import Home, shipped_config
from nightledger.gate import remembering
from nightledger.gate.forgotten import read_forgotten
from nightledger.gate.naming import Placed, signed_entries
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.screening import own_rules
from nightledger.gate.stored import read_stored
from nightledger.gate.trusting import Trust
from nightledger.text.scanners.rule import Table
from nightledger.text.scanners.scan import scan
from nightledger.text.similar import fold
from nightledger.text.tokens import Likeness
from nightledger.trust.event import collector_at_rest

SURE = 1.0
"""Confidence that is stated of a principle: the operator signed it as such."""


class Recollection(Struct, frozen=True, kw_only=True):
    """A frame, filled.

    Attributes:
        frame: Which.
        chosen: What is shown, and what is not.
        places: Where each entry stands.
        unsigned: Entries left out because what they say was not signed: it drifted.
        quarantined: Entries left out because scanners, or rule files of the operator, hold them back.
        forgotten: Entries left out because the operator signed that they go; until that is applied, they stand.
    """

    frame: frames.Frame
    chosen: frames.Chosen
    places: Mapping[str, Placed]
    unsigned: int
    quarantined: int
    forgotten: int


class _Scene(Struct, frozen=True, kw_only=True):
    """What candidates are measured against."""

    stated: Mapping[str, float]
    reinforced: Mapping[str, remembering.Reinforced]
    network: frames.Network


@collector_at_rest()
def recollect(gate: Gate, ledger: Ledger, frame: frames.Frame, query: str, moment: Moment) -> Recollection:
    """Fill a frame; nothing is written.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        frame: Which.
        query: What it is about; empty for nothing in particular.
        moment: The clocks.

    Raises:
        UnreadableError: A gated file or a ledger cannot be read.
        IntegrityError: The constitution in force cannot be told.
    """
    stored = read_stored(gate, ledger.book)
    facts = remembering.read_facts(gate, ledger, moment, stored=stored)
    accepted = signed_entries(gate.home, ledger.book)
    signed = [one for one in facts.memories if one.placed in accepted]
    forgotten = read_forgotten(gate, stored, ledger.book).of_signed()
    standing = [one for one in signed if not forgotten.holds(one.placed.entry.text)]
    own = own_rules(gate)
    scene = _Scene(
        stated=remembering.stated_confidence(ledger.book, stored),
        reinforced=remembering.read_reinforced(gate.home, ledger.book),
        network=remembering.read_network(gate.home),
    )
    constitution = read_principles(gate.home, ledger, moment)
    principles = constitution.principles if constitution else ()
    candidates = _candidates(principles, standing, facts, scene, query)
    held: set[str] = set()
    while True:
        chosen = frames.choose(
            frame,
            gate.settings.frames[frame.value],
            [one for one in candidates if one.id not in held],
            turn=facts.now_hour // PERIOD_HOURS,
        )
        found = {one.id for one in chosen.shown if _is_held(one, own)}
        if not found:
            break
        held |= found
    return Recollection(
        frame=frame,
        chosen=chosen,
        places={one.memory.id: one.placed for one in signed},
        unsigned=len(facts.memories) - len(signed),
        quarantined=len(held),
        forgotten=len(signed) - len(standing),
    )


def _is_held(candidate: frames.Candidate, own: Table | None) -> bool:
    if any(finding.severity is Severity.QUARANTINE for finding in scan(candidate.text)):
        return True
    if own is None:
        return False
    return any(own.find(candidate.text))


def _candidates(
    principles: Sequence[Principle],
    signed: Sequence[remembering.Remembered],
    facts: remembering.Facts,
    scene: _Scene,
    query: str,
) -> list[frames.Candidate]:
    texts = [*(one.text for one in principles), *(one.placed.entry.text.strip() for one in signed)]
    likeness = Likeness(query, texts)
    words = [fold(text).split() for text in texts]
    central = frames.centralities([scene.network.degree(one) for one in words])
    kept = scene.reinforced
    rows: list[tuple[str, Sequence[str], Use, float, float, int]] = [
        (
            p.id,
            p.tags,
            facts.uses.get(p.id, NO_USE),
            SURE,
            PERMANENT.rate,
            kept.get(p.id, remembering.NOT_REINFORCED).curated_hour,
        )
        for p in principles
    ]
    for one, said in zip(signed, words[len(principles) :], strict=True):
        memory, stated = one.memory, scene.stated.get(" ".join(said), frames.UNTOLD)
        fresh_hour = max(memory.created_hour, memory.used_hour)
        rows.append((memory.id, one.mark.tags, one.use, stated, memory.tier.rate, fresh_hour))
    return [
        frames.Candidate(
            id=name,
            text=texts[at],
            tags=tuple(tags),
            principle=at < len(principles),
            similarity=likeness.of(texts[at]),
            confidence=frames.confidence_of_use(use, stated),
            recency=recency(rate, facts.now_hour - fresh_hour),
            centrality=central[at],
            reinforcement=frames.reinforced_share(kept.get(name, remembering.NOT_REINFORCED).times),
        )
        for at, (name, tags, use, stated, rate, fresh_hour) in enumerate(rows)
    ]


NAME = "constitution"
WHERE = TRUST_FILES[NAME]
_HELD = frozenset({Severity.BLOCK, Severity.QUARANTINE})


def read_principles(home: Home, ledger: Ledger, at: Moment) -> Constitution | None:
    """Return the constitution in force; None where the home has none.

    Raises:
        IntegrityError: The bytes that the log names are kept nowhere, or a decision was altered.
    """
    raw = Trust(home, ledger).content(NAME, at)
    return parse_constitution(raw, where=WHERE) if raw else None


def shipped_principles() -> Constitution:
    """Return the constitution that ships, ``config/constitution.json``."""
    return parse_constitution(shipped_config("constitution.json"), where="config/constitution.json")


def require_sound(constitution: Constitution, *, where: str = "the constitution") -> Constitution:
    """Return a constitution that may be signed for: every agent will read it in every session.

    Raises:
        RecordError: Scanners find a secret, hidden characters or steering in it.
    """
    held = [
        f"{principle.name}: {finding.message} ({finding.rule})"
        for principle in constitution.principles
        for finding in scan(principle.text)
        if finding.severity in _HELD
    ]
    if held:
        raise RecordError(where, tuple(held), hint="word it without that")
    return constitution


def parse_new(raw: bytes) -> Constitution | None:
    """Return the constitution that bytes may become; none at all take it away.

    Raises:
        RecordError: Naming every problem.
    """
    return require_sound(parse_constitution(raw, where=WHERE), where=WHERE) if raw else None
