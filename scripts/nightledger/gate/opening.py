"""Open a home's gate: its identity, settings, consent graph, keys and log, checked together.

Invariant: nothing below works on a home whose log is damaged, cut, forked or older than one
that was seen. Trust files are taken from the log's chain (``gate/trusting.py``).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from nightledger.codec.home_record import Identity
from nightledger.codec.settings import parse_consent
from nightledger.domain.consent import ConsentGraph
from nightledger.domain.decision import Cooling, EventName, Moment
from nightledger.domain.errors import ConfigurationError, IntegrityError, NightledgerError
from nightledger.domain.folding import fold_entries
from nightledger.domain.settings import Settings
from nightledger.domain.states import Book, ChangeState, LazyMap
from nightledger.files.configuration import settings_of
from nightledger.files.durable import read_optional
from nightledger.files.home import Home, shipped_config
from nightledger.trust import audit, pin
from nightledger.trust.audit import VerifiedLog
from nightledger.trust.event import Actor, NewEvent, collector_at_rest
from nightledger.trust.keys import KeyRing, LogKey, UnloadedKey, load_log_key
from nightledger.trust.note import Checkpoint

if TYPE_CHECKING:
    from nightledger.gate.applies import Applies
    from nightledger.hosts.configured import Cap

MAX_CONFIG_BYTES = 1 << 20
AS_MADE = "put config/nightledger/home.json back from a backup, or write there what it was at init"
MEND = "mend or remove that file: it holds only what differs from the checkout's config/nightledger.yaml"

Leaf = tuple[EventName, Mapping[str, object]]
"""What happened, and what it is about: an entry of the log before it has its place."""
BETTER, TWIN, ROOMLESS = "better", "twin", "roomless"
"""Causes of a withdrawal as the log has them: something surer took its room; what was applied says the same."""


class Gate(Struct, frozen=True, kw_only=True):
    """One home, opened.

    Attributes:
        home: Its paths.
        ring: Where its private keys and its pin live.
        settings: Shipped defaults with the home's own over them; where those cannot be used, the
            strictest that are known (``files/configuration.py``).
        settings_problem: Why the home's own settings cannot be used; empty where they can.
        config_of: Gives the path of a host's own configuration by the host's name; the cap may stand there.
        consent: The consent graph in force; where the home's own cannot be used, one that blocks everything.
        actor: Who called.
    """

    home: Home
    ring: KeyRing
    settings: Settings
    consent: ConsentGraph
    actor: Actor
    settings_problem: str = ""
    config_of: Callable[[str], str] = field(default=lambda _: "")

    @property
    def cooling(self) -> Cooling:
        """The waits before an apply: settings or consent graph, whichever is longer."""
        own = self.settings.cooling
        return replace(own, after_proposal_s=max(own.after_proposal_s, self.consent.cooling_hours * 3600))

    @property
    def undo_days(self) -> int:
        """How long an applied change can be undone: settings or consent graph, whichever is longer."""
        return max(self.settings.undo_days, self.consent.undo_days)

    def cap_of(self, path: str) -> "Cap":
        """Return the cap that the home's host has for a memory file, and which setting says so; read when it is asked for."""
        from nightledger.hosts.configured import read_cap

        host = self.home.identity.host
        return read_cap(host, self.settings.cap_characters.get(host), self.config_of(host), path)

    def most_characters(self, path: str) -> int | None:
        """Return how many characters of a file the home's host shows its agent; None where there is no bound, or it is no memory file."""
        identity = self.home.identity
        if path not in identity.gated or self.settings.cap_characters.get(identity.host) is None:
            return None
        return self.cap_of(path).characters


class Ledger(Struct, frozen=True, kw_only=True):
    """The audit log, checked, and what it adds up to."""

    log: VerifiedLog
    book: Book


def open_gate(
    home_path: str, keys_dir: str, *, actor: Actor, config_of: Callable[[str], str] = lambda _: ""
) -> Gate:
    """Open the gate of a home.

    Settings and a consent graph that cannot be used end nothing here: an agent can write them.

    Args:
        home_path: Where it is.
        keys_dir: Where its private keys and pins are.
        actor: Who called.
        config_of: Gives the path of a host's own configuration by the host's name.

    Raises:
        ConfigurationError: No home there.
    """
    home, ring = Home(home_path), KeyRing(Path(keys_dir))
    home.require()
    in_force = settings_of(home)
    return Gate(
        home=home,
        ring=ring,
        settings=in_force.settings,
        consent=_consent_or_nothing(home),
        actor=actor,
        settings_problem=in_force.problem,
        config_of=config_of,
    )


def read_ledger(gate: Gate) -> Ledger:
    """Read and check the audit log, against its signatures and every head seen of it, and fold it.

    Raises:
        IntegrityError: The log or its signatures are not what was signed, or it is older than, or
            another than, a log that was seen before; or ``home.json`` speaks of another home than the log.
    """
    log = audit.check_log(gate.home, pin.read_pin(gate.ring, gate.home.identity.id))
    audit.require_intact(log)
    book = fold_log(gate.home, log)
    require_same(gate.home, book.genesis)
    return Ledger(log=log, book=book)


def require_same(home: Home, genesis: Mapping[str, Any]) -> None:
    """Refuse a home whose record is not what its log began with.

    Raises:
        IntegrityError: Naming each difference.
    """
    if why := why_another(home.identity, genesis):
        raise IntegrityError(f"ALTERED {home.relative(home.identity_file)}: {why}", hint=AS_MADE)


def why_another(identity: Identity, genesis: Mapping[str, Any]) -> str:
    """Return where a home's record differs from what its log began with; empty where it does not.

    An agent can write that file. Which files are gated, and whether ``--now`` sets the clock, follows from the log,
    whose first line is pinned; the file only tells it to whoever does not read the log.

    Args:
        identity: As the file has it.
        genesis: Fields of the first entry; none where there is no entry that counts.
    """
    if not genesis:
        return ""
    pairs = {
        "origin": (genesis["origin"], identity.origin),
        "simulated": (genesis["simulated"], identity.simulated),
        "gated": ([one["path"] for one in genesis["gated"]], list(identity.gated)),
    }
    return "; ".join(
        f"{name} was {_as_written(before)} at init, and is {_as_written(now)}"
        for name, (before, now) in pairs.items()
        if before != now
    )


def _as_written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def fold_log(home: Home, log: VerifiedLog) -> Book:
    """Return what the log adds up to.

    Which bytes of a gated file are accepted, and whether an unfinished apply is to be finished, is not
    taken from the log, whose key lies where cron can read it: a signature is checked, once somebody asks.

    Raises:
        LineError: An acknowledged line is no entry.
    """
    with collector_at_rest():
        book = fold_entries(log.entries())

    @cache
    def applies() -> "Applies":
        from nightledger.gate.applies import Applies

        return Applies(home, Ledger(log=log, book=book))

    def accepted(path: str) -> str:
        return applies().accepted(path) or ""

    return replace(
        book,
        gated=LazyMap({path: path for path in book.claimed}, accepted),
        protected=LazyMap({path: path for path in book.protected}, accepted),
        cut_short=LazyMap({name: name for name in book.cut_short}, lambda name: applies().is_signed(name)),
    )


def record(gate: Gate, events: Sequence[Leaf], moment: Moment) -> None:
    """Append events to the audit log; they are on disk when this returns."""
    clocks = {"boot": moment.boot, "boot_s": moment.boot_s} if moment.boot else {}
    entries = [
        NewEvent(event=str(name), actor=gate.actor, at=moment.at, fields={**fields, **clocks})
        for name, fields in events
    ]
    identity = gate.home.identity
    key = UnloadedKey(
        origin=identity.origin, directory=gate.ring.home_dir(identity.id), load=partial(log_key, gate)
    )
    audit.append(gate.home, key, entries)


def closing(
    proposal: str, changes: Iterable[int], reason: ChangeState = ChangeState.WITHDRAWN, **cause: str
) -> Leaf:
    """Return the entry that closes changes which wait: withdrawn, or superseded by others.

    Args:
        proposal: Whose.
        changes: Their numbers.
        reason: How they end.
        cause: ``cause``, an enumerated word, where they are withdrawn before their days were over.
    """
    return EventName.CLOSED, {"proposal": proposal, "changes": list(changes), "reason": reason.value, **cause}


def sign_head(gate: Gate, moment: Moment, *, keep: bool = False) -> Checkpoint:
    """Sign a checkpoint over the whole log, at a run's end or before a decision names it."""
    return audit.sign_head(gate.home, log_key(gate), gate.ring, now=moment.at, keep=keep)


def log_key(gate: Gate) -> LogKey:
    """Load the key that signs checkpoints unattended."""
    return load_log_key(gate.ring, gate.home.identity.id, gate.home.identity.origin)


def require_settings(gate: Gate) -> None:
    """Refuse what rests on the home's own settings.

    Raises:
        ConfigurationError: They cannot be used; every problem named.
    """
    if gate.settings_problem:
        raise ConfigurationError(gate.settings_problem, hint=MEND)


def read_consent(home: Home) -> ConsentGraph:
    """Read the consent graph in force: the shipped floor with the home's own over it."""
    own = read_optional(home.consent_graph, MAX_CONFIG_BYTES, within=home.root)
    return parse_consent(shipped_config("consent-graph.json"), own, where=home.consent_graph)


def why_no_consent(home: Home) -> str:
    """Return in one line why the home's own consent graph cannot be used; empty where it can, or there is none."""
    try:
        read_consent(home)
    except NightledgerError as error:
        return str(error).partition("\n")[0].removesuffix(":")  # what follows is the file's own text
    return ""


def _consent_or_nothing(home: Home) -> ConsentGraph:
    """Return the graph in force, or one that knows nothing: an agent can write that file, and stops nothing with it.

    The unknown is blocked, so nothing is applied until it is mended; looking, proposing and
    the guard go on.
    """
    try:
        return read_consent(home)
    except NightledgerError:
        return ConsentGraph(domains={})
