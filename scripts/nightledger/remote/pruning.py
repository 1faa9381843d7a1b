"""Another machine asks to look for what may be let go: the weekly pruning, at once.

Invariant: it says when to look and nothing else; what is proposed is what this home's own run would
propose, in its lane and within its caps. Asked again, it proposes nothing twice.
"""

from nightledger.domain.errors import RefusedError
from nightledger.domain.message import Status
from nightledger.domain.periods import log_day
from nightledger.files.configuration import home_zone
from nightledger.jobs.prune import Asked, prune
from nightledger.remote.actions import Done, Work


def prune_received(work: Work) -> Done:
    """Look for what may be let go and propose it; the answer names the proposals and counts what waits.

    Raises:
        RefusedError: Nothing was looked for, and why.
    """
    zone = home_zone(work.gate.home, work.gate.settings)
    pruned = prune(work.gate, work.ledger, Asked(today=log_day(work.moment.at, zone)), work.moment)
    if pruned.reason:
        raise RefusedError(pruned.reason)
    made = [proposal for tally in pruned.tallies for proposal in tally.proposals]
    waiting = {tally.op.value: tally.waiting for tally in pruned.tallies}
    return Done(
        status=Status.QUEUED if made or any(waiting.values()) else Status.EXECUTED,
        proposal=made[0].id if len(made) == 1 else "",
        body={"proposals": [proposal.id for proposal in made], "waiting": waiting},
    )
