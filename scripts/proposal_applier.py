#!/usr/bin/env python3
"""Every 10 minutes: apply what the operator signed and what has cooled.

Reads   audit/, memory/state/proposals/
Writes  the gated files, audit/
Changes memory: only hunks that the operator signed, after the cooling period.
"""

import sys

from nightledger.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main(["apply", *sys.argv[1:]]))
