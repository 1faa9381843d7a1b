#!/usr/bin/env python3
"""Every 30 minutes: run the jobs that are due; when none is, a look at one small file.

Reads   memory/system/runs.jsonl, and what the jobs read
Writes  memory/system/runs.jsonl, .nightledger/next-due, and what the jobs write
Changes no memory: jobs propose.
"""

import sys

from nightledger.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main(["night", *sys.argv[1:]]))
