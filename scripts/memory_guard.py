#!/usr/bin/env python3
"""Every 10 minutes: look whether a gated file was changed outside Nightledger.

Reads   the gated and protected files, audit/
Writes  audit/, memory/state/proposals/
Changes no memory.
"""

import sys

from nightledger.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main(["guard", *sys.argv[1:]]))
