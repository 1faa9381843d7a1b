#!/usr/bin/env python3
"""Weekly: propose to let go of weak links, closed entries and old daily logs.

Reads   memory/system/outcome-records.jsonl, the gated files, daily logs, the audit log
Writes  memory/state/proposals/, memory/state/tc-prune-request.json, the audit log
Changes no memory: it proposes.
"""

import sys

from nightledger.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main(["prune", *sys.argv[1:]]))
