"""At each event of an agent's host: staged context, what memory says to a prompt, what no tool may write.

Called by the host as ``python -I -S prompt_hook.py --home DIR HOST EVENT``; ``nightledger hosts install``
says how. Isolated (-I) and without site packages (-S): the home's agent cannot shadow a module, and a
start is cheap.

Reads   what the host sends on standard input, .nightledger/search/, memory/state/tc-restore-pending.md
Writes  memory/system/exposures.jsonl, .nightledger/prompts/
Changes no memory.
"""

import os
import sys

if __name__ == "__main__":
    try:
        sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
        from nightledger.surfaces.hook.running import main

        main()
    except BaseException:  # noqa: BLE001 - a checkout that is gone must not stop the host's session
        os._exit(0)
