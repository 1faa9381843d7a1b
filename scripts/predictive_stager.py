#!/usr/bin/env python3
"""Every 30 minutes and at the start of a session: stage what the agent will need, before it asks.

Reads   the operator's calendars, the handoff, daily logs, MEMORY.md, memory/system/, audit/
Writes  memory/state/tc-restore-pending.md, .nightledger/
Changes no memory.
"""

import os
import sys

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # hooks call it isolated (-I)
    from nightledger.surfaces.cli import main

    sys.exit(main(["stage", *sys.argv[1:]]))
