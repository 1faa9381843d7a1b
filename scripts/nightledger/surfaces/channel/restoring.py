"""Another machine asks for the context that is staged: it is staged anew, and given as the agent gets it.

Invariant: what leaves is the page and nothing beside it: quoted, fenced, within its budget, without
what an agent may not see.
"""

import os

from nightledger.domain.errors import ConfigurationError, RefusedError
from nightledger.domain.message import Status
from nightledger.domain.staging.page import parse_page
from nightledger.gate.machines.messages import Done, Work


def restore_context(work: Work) -> Done:
    """Stage for the sender and answer with the page.

    Raises:
        RefusedError: Nothing could be staged, and why.
    """
    from nightledger.surfaces.staging.running import prepare, stage_home

    gate, moment = work.gate, work.moment
    try:
        prepared = prepare(gate.home, os.fspath(gate.ring.directory), moment.at)
        staged = stage_home(gate, work.ledger, moment, prepared)
    except ConfigurationError as error:
        raise RefusedError(str(error), hint=error.hint) from error
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
