"""Another machine asks for the context that is staged: it is staged anew, and given as the agent gets it.

Invariant: what leaves is the page and nothing beside it: quoted, fenced, within its budget, without
what an agent may not see. It is in the exposure ledger before it leaves.
"""

import os
from typing import TYPE_CHECKING

from nightledger.domain.errors import ConfigurationError, NightledgerError, RefusedError
from nightledger.domain.exposure import Exposure
from nightledger.domain.message import Status
from nightledger.domain.staging.page import parse_page
from nightledger.files.exposures import append_exposure
from nightledger.files.staged import StagedLine
from nightledger.remote.actions import Done, Work

if TYPE_CHECKING:
    from nightledger.jobs.stage import Staged

HOST = "channel"
"""How the exposure ledger names an agent on another machine."""


def restore_context(work: Work) -> Done:
    """Stage for the sender and answer with the page.

    Raises:
        RefusedError: Nothing could be staged, or what is shown could not be recorded, and why.
    """
    from nightledger.surfaces.staging.running import prepare, stage_home

    gate, moment = work.gate, work.moment
    try:
        prepared = prepare(gate.home, os.fspath(gate.ring.directory), moment.at)
        staged = stage_home(gate, work.ledger, moment, prepared)
    except ConfigurationError as error:
        raise RefusedError(str(error), hint=error.hint) from error
    _record(work, staged)
    page = parse_page(staged.text)
    return Done(
        status=Status.EXECUTED,
        body={
            "text": staged.text,
            "sha256": page.sha256 if page else "",
            "good_until": page.good_until if page else "",
            "lines": len(staged.lines),
            "notes": list(staged.notes),
        },
    )


def _record(work: Work, staged: "Staged") -> None:
    if not staged.lines:
        return
    lines = [StagedLine(one.shown, one.path, one.place) for one in staged.lines]
    exposure = Exposure(
        at=f"{work.moment.at:%Y-%m-%dT%H:%M:%SZ}",
        shown=[name for line in lines for name in line.shown],
        host=HOST,
        event="session_start",
        places=[line.place for line in lines if line.place],
    )
    try:
        append_exposure(work.gate.home, exposure)
    except (NightledgerError, OSError) as error:
        raise RefusedError(f"what is shown could not be recorded: {error}") from error
