#!/usr/bin/env python3
"""Whenever a task ended: append its outcome, one by flags or many as JSON lines (--stdin).

Reads   the lines that --evidence names, to hash them
Writes  memory/system/outcome-records.jsonl (appended)
Changes no memory.
"""

import sys

from nightledger.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main(["log", *sys.argv[1:]]))
