"""Begin anew with every key where every key is lost."""

import os
from pathlib import Path

from nightledger.domain.identity import Identity
from nightledger.files.home import Home
from nightledger.files.lock import Lock
from nightledger.files.staged import drop_staged
from nightledger.gate.founding import PRINCIPAL
from nightledger.gate.integrity import all_lost
from nightledger.gate.integrity.trusting import Trust
from nightledger.gate.opening import open_gate, read_ledger
from nightledger.gate.proposing.views import refresh_views
from nightledger.surfaces import screen
from nightledger.surfaces.agent_host import require_person
from nightledger.surfaces.context import Context
from nightledger.surfaces.keys import actions
from nightledger.surfaces.keys import changes as key_changes
from nightledger.surfaces.session import LOCK_TIMEOUT_S, actor_of, this_machine
from nightledger.trust import operator_keys
from nightledger.trust.keys import KeyRing, public_key_of
from nightledger.trust.sshkey import PublicKey

_TOLD = """\
Every key of this home was lost. Its log holds, up to entry {size}, under the keys that its policy names, and goes on under \
new ones. Whether somebody had changed the whole home before, it cannot tell: look at MEMORY.md and 'nightledger history'.
{key} counts in {hours} hours. What was approved is void.
Until then whoever has an operator's key of before can end this: key confirm --sign-with FILE
'nightledger verify' tells of this for ever. Machines that knew the old keys refuse the new ones: docs/machines.md.
Copy the keys now: nightledger backup FILE --with-keys"""


def reset_all(asked: actions.Asked, context: Context) -> int:
    """Check what stands, make new keys, and have the log tell of it.

    Raises:
        RefusedError: A key is left, or an agent's host is calling.
        IntegrityError: The log does not hold.
        LockedError: Another run is at work.
    """
    home, ring = Home(context.home_path).require(), KeyRing(Path(context.keys_dir))
    identity = home.identity
    context.require_own_clock(simulated=identity.simulated)
    require_person("key reset --all-keys-lost", simulated=identity.simulated)
    with Lock(home.lock_path(), timeout_s=LOCK_TIMEOUT_S):
        all_lost.require_lost(ring, os.path.expanduser("~/.config/nightledger"), identity.id)
        staged = all_lost.stage_keys(home, ring, context.moment)
        new = _operator(asked, context, staged, identity)
        gate = open_gate(home.root, str(staged.directory), actor=actor_of(context))
        trust = Trust(home, read_ledger(gate))
        contents = {name: trust.content(name, context.moment) for name in ("allowed_signers", "revoked_keys")}
        only = key_changes.only(new, asked.principal or PRINCIPAL, contents)
        ledger = all_lost.go_on(gate, only, this_machine(), context.moment)
        refresh_views(gate, ledger)
        drop_staged(home)
        all_lost.place_keys(staged, ring, identity.id)
    loss = next(step for step in reversed(ledger.book.trust.steps) if step.loss is not None)
    pending = ledger.book.trust.pending_reset(context.moment)
    wait_s = pending.remaining_s(context.moment) if pending else 0
    context.emit({"new": new.fingerprint, "wait_s": wait_s, "size": loss.loss})
    told = _TOLD.format(size=loss.loss, key=new.fingerprint, hours=-(-wait_s // 3600))
    for line in (row for text in told.split("\n") for row in screen.wrap(text, indent="  ", first="")):
        context.print(line)
    return 0


def _operator(asked: actions.Asked, context: Context, staged: KeyRing, identity: Identity) -> PublicKey:
    """Return the new operator's key: the one that a run made that was cut short, that was named, or a new one."""
    made = staged.path(identity.id, "operator.pub")
    if os.path.lexists(made):
        return public_key_of(made)
    new = actions.new_key(asked, context, staged, identity)
    operator_keys.take_over(staged, identity.id, new, actions.stamp(context))
    return new
