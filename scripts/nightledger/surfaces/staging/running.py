"""One staging run: calendars first, without the home's lock; then the page, with it."""

from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING

from nightledger.domain.moment import Moment
from nightledger.domain.staging.rules import StagingRules
from nightledger.files.configuration import home_zone, load_operator, load_settings, load_staging_rules
from nightledger.files.home import Home
from nightledger.gate.opening import Gate, Ledger
from nightledger.surfaces.home import this_machine
from nightledger.surfaces.staging.calendars import PATIENCE_S, Looked, look_into

if TYPE_CHECKING:
    from nightledger.jobs.stage import Staged


Prepared = tuple[StagingRules, Looked]
"""What a run knows before it asks for the lock: what is staged, and what the calendars say."""


def prepare(home: Home, keys_dir: str, now: datetime, *, patience_s: float = PATIENCE_S) -> Prepared:
    """Read rules and calendars.

    Args:
        home: Whose.
        keys_dir: Where ``operator.yaml`` names the calendars.
        now: Aware, UTC.
        patience_s: For all calendars together.

    Raises:
        ConfigurationError: Rules, settings or the operator's file cannot be used.
    """
    rules = load_staging_rules(home)
    operator = load_operator(keys_dir)
    if not operator.calendars:
        return rules, Looked()
    zone = home_zone(home, load_settings(home))
    return rules, look_into(operator, now, rules.lookahead_hours, zone, patience_s=patience_s)


def stage_home(
    gate: Gate, ledger: Ledger, moment: Moment, prepared: Prepared, *, dry_run: bool = False
) -> "Staged":
    """Stage; the caller holds the home's lock, unless nothing is to be written.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        moment: The clocks.
        prepared: Rules and events.
        dry_run: Write nothing but the search index.
    """
    from nightledger.jobs.stage import Asked, stage
    from nightledger.jobs.stage.keeping import basis_of
    from nightledger.jobs.stage.shelves import Shelves

    rules, looked = prepared
    may_write = gate.home.identity.machine == this_machine()
    basis = basis_of(gate)  # before the index reads anything
    with closing(Shelves(gate, ledger, moment, may_write=may_write)) as library:
        asked = Asked(
            rules=rules,
            library=library,
            basis=basis,
            events=looked.events,
            problems=looked.problems,
            dry_run=dry_run,
        )
        return stage(gate, ledger, asked, moment)
