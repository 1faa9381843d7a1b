"""Begin anew with every key where every key is lost."""

import os
from argparse import Namespace
from pathlib import Path

from nightledger.files.home import Home
from nightledger.files.lock import Lock
from nightledger.gate.founding import PRINCIPAL
from nightledger.gate.integrity import all_lost
from nightledger.gate.opening import open_gate
from nightledger.surfaces import screen
from nightledger.surfaces.agent_host import require_person
from nightledger.surfaces.context import Context
from nightledger.surfaces.keys import actions
from nightledger.surfaces.session import LOCK_TIMEOUT_S, actor_of, this_machine
from nightledger.trust import operator_keys
from nightledger.trust.keys import KeyRing, public_key_of

_TOLD = """\
Every key of this home was lost. Its log holds, up to entry {size}, under the keys that its policy names, and goes on under \
new ones. Whether somebody had changed the whole home before, it cannot tell: look at MEMORY.md and 'nightledger history'.
{key} counts in 24 hours. What was approved is void.
Until then whoever has an operator's key of before can end this: key confirm --sign-with FILE
'nightledger verify' tells of this for ever. Machines that knew the old keys refuse the new ones: docs/machines.md.
Copy the keys now: nightledger backup FILE --with-keys"""


def reset_all(asked: Namespace, context: Context) -> int:
    """Check what stands, make new keys, and have the log tell of it.

    Raises:
        RefusedError: A key is left, or an agent's host is calling.
        IntegrityError: The log does not hold.
        LockedError: Another run is at work.
    """
    home, ring = Home(context.home_path).require(), KeyRing(Path(context.keys_dir))
    identity, at = home.identity, context.moment
    context.require_own_clock(simulated=identity.simulated)
    require_person("key reset --all-keys-lost", simulated=identity.simulated)
    with Lock(home.lock_path(), timeout_s=LOCK_TIMEOUT_S):
        all_lost.require_lost(ring, os.path.expanduser("~/.config/nightledger"), identity.id)
        staged = all_lost.stage_keys(home, ring, at)
        made = staged.path(identity.id, "operator.pub")
        new = public_key_of(made) if made.exists() else actions.new_key(asked, context, staged, identity)
        operator_keys.take_over(staged, identity.id, new, actions.stamp(context))
        gate = open_gate(home.root, str(staged.directory), actor=actor_of(context))
        size = all_lost.go_on(gate, new, asked.principal or PRINCIPAL, this_machine(), at)
        all_lost.place_keys(staged, ring, identity.id)
    context.emit({"new": new.fingerprint, "size": size})
    for text in _TOLD.format(size=size, key=new.fingerprint).split("\n"):
        for line in screen.wrap(text, indent="  ", first=""):
            context.print(line)
    return 0
