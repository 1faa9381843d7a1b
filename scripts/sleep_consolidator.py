#!/usr/bin/env python3
"""Nightly: distil the day's logs and outcomes into proposed changes.

Reads   daily logs, memory/system/outcome-records.jsonl, the gated files
Writes  memory/state/proposals/, memory/state/tc-consolidate-pending.json,
        memory/system/consolidation-log.jsonl, the audit log
Changes no memory: it proposes.
"""

import sys

from nightledger.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main(["consolidate", *sys.argv[1:]]))
